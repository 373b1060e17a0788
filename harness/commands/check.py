"""`claimgrid check`: is this call exclusive here, with this build, on this disk?"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from harness import sentences
from harness.builds import Build
from harness.claims import Claim, select
from harness.commands.options import builds_named, offline_option, place_option, runtime_option
from harness.errors import ClaimgridError, Exit
from harness.results import BuildResult
from harness.run import Wanted, Watcher, run
from harness.vocabulary import Verdict

_SECONDS = 60.0
"""For the race of one claim; nearly all of them need less than one."""


@click.command("check")
@click.option(
    "--require",
    "selectors",
    multiple=True,
    required=True,
    metavar="CLAIM",
    help="A claim that has to be safe here. Repeatable.",
)
@runtime_option
@place_option
@offline_option
def command(selectors: tuple[str, ...], runtimes: tuple[str, ...], place: Path, offline: bool) -> int:
    """Measure and race claims on the spot; the exit code is 0 only when every one of them is proved safe.

    Builds are the newest of the runtimes that the claims name, or those given by --runtime.
    """
    builds = builds_named(selectors, runtimes, offline)
    claims = select([claim for build in builds for claim in build.claims], selectors)
    with tempfile.TemporaryDirectory(prefix="claimgrid-check-") as folder:
        place = place.absolute()
        wanted = Wanted(builds, claims, [place], Path(folder), 0, race_seconds=_SECONDS * len(builds) * len(claims))
        outcome = run(wanted, Watcher())
    if outcome.interrupted:
        raise KeyboardInterrupt
    told = [line for result in outcome.results for line in _told(result, claims)]
    for _, line in told:
        click.echo(line)
    if outcome.failures or _unasked(builds, claims):
        raise ClaimgridError(_unanswered(outcome.failures, builds, claims), "", Exit.NOT_RUN)
    return Exit.DONE if all(verdict is Verdict.SAFE for verdict, _ in told) else Exit.FINDINGS


def _told(result: BuildResult, claims: list[Claim]) -> list[tuple[Verdict, str]]:
    environment = result.environment
    where = f"{result.runtime}@{result.version} on {environment.platform}, {environment.filesystem}"
    told = []
    for claim_id in dict.fromkeys(claim.id for claim in claims):
        if claim_id in result.claims:
            claim = result.claims[claim_id]
            why = sentences.reason(claim.judgement.reason, "en")
            told.append((claim.verdict, f"{_ANSWERS.get(claim.verdict, 'not proved')}: {claim_id} in {where}: {why}"))
    return told


_ANSWERS = {
    Verdict.SAFE: "exclusive",
    Verdict.UNSAFE: "not exclusive",
    Verdict.RACY: "not exclusive",
    Verdict.CONDITIONAL: "exclusive with exceptions",
    Verdict.UNSUPPORTED: "not there",
}


def _unasked(builds: list[Build], claims: list[Claim]) -> list[str]:
    """The builds of which no claim is required."""
    return [build.id for build in builds if not any(claim.runtime == build.runtime for claim in claims)]


def _unanswered(failures: dict[str, str], builds: list[Build], claims: list[Claim]) -> str:
    if failures:
        return "; ".join(f"{job}: {why}" for job, why in failures.items())
    return f"None of the required claims is one of {', '.join(_unasked(builds, claims))}."
