"""`claimgrid check`: is this call exclusive here, with this build, on this disk?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from harness import sentences
from harness.builds import Build
from harness.claims import Claim, select_exactly
from harness.commands.options import builds_named, offline_option, place_option, runtime_option
from harness.errors import ClaimgridError, Exit
from harness.results import BuildResult
from harness.run import Wanted, Watcher, run
from harness.scratch import scratch
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
    known = [claim for build in builds for claim in build.claims]
    claims = [claim for selector in selectors for claim in select_exactly(known, selector)]
    if unasked := [build.id for build in builds if not any(claim.runtime == build.runtime for claim in claims)]:
        raise ClaimgridError(f"None of the required claims is one of {', '.join(unasked)}.", "", Exit.NOT_RUN)
    verdicts: list[Verdict] = []
    failures: dict[str, str] = {}
    # One after another: builds that are measured together would also meet each other, which nobody asked for here.
    for build in builds:
        result, failed = _measured(build, claims, place.absolute())
        failures |= failed
        if result is not None:
            click.echo("\n".join(_answers(result)))
            verdicts += [claim.verdict for claim in result.claims.values()]
    if failures:
        raise ClaimgridError("; ".join(f"{job}: {why}" for job, why in failures.items()), "", Exit.NOT_RUN)
    return Exit.DONE if all(verdict is Verdict.SAFE for verdict in verdicts) else Exit.FINDINGS


def _measured(build: Build, claims: list[Claim], place: Path) -> tuple[BuildResult | None, dict[str, str]]:
    """What a build's own claims among these are worth there, and why some could not be measured."""
    with scratch("check") as folder:
        outcome = run(
            Wanted([build], claims, [place], folder / "results", 0, race_seconds=_SECONDS * len(claims)), Watcher()
        )
    if outcome.interrupted:
        raise KeyboardInterrupt
    return next(iter(outcome.results), None), outcome.failures


def _answers(result: BuildResult) -> Iterator[str]:
    environment = result.environment
    where = f"{result.runtime}@{result.version} on {environment.platform}, {environment.filesystem}"
    for claim_id, claim in result.claims.items():
        answer = _ANSWERS.get(claim.verdict, "not proved")
        yield f"{answer}: {claim_id} in {where}: {sentences.reason(claim.judgement.reason, 'en')}"


_ANSWERS = {
    Verdict.SAFE: "exclusive",
    Verdict.UNSAFE: "not exclusive",
    Verdict.RACY: "not exclusive",
    Verdict.CONDITIONAL: "exclusive with exceptions",
    Verdict.UNSUPPORTED: "not there",
}
