"""`claimgrid bisect`: the first version in which a claim is worth something else."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import click

from harness.bisection import Change, first_change, worth
from harness.builds import asked_platform, cached, fetch_build, identify, parse_request
from harness.claims import select_exactly
from harness.commands.options import offline_option, place_option, results_option, runtime_option, tell
from harness.environment import describe
from harness.errors import ClaimgridError, Exit
from harness.history import segments
from harness.results import read_folder
from harness.run import Wanted, Watcher, run
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Found, Runtime
from harness.versions import sort_key
from harness.vocabulary import Verdict

_SECONDS = 30.0
"""For the race of one claim, where only a race tells the two sides apart."""


@click.command("bisect")
@click.argument("claim_id", metavar="CLAIM")
@runtime_option
@click.option("--from", "oldest", default="", metavar="VERSION", help="Where to start.")
@click.option("--to", "newest", default="", metavar="VERSION", help="Where to end.")
@results_option
@place_option
@offline_option
def command(
    claim_id: str,
    runtimes: tuple[str, ...],
    oldest: str,
    newest: str,
    results: Path,
    place: Path,
    offline: bool,
) -> int:
    """Measure CLAIM in versions between two, fetched as needed, until the first changed one is found.

    Without --from and --to: between the newest two measured versions that differ. What is measured is added to the results.
    """
    if len(runtimes) > 1:
        raise ClaimgridError("Only one runtime can be bisected at a time.", "Give --runtime once.")
    request = parse_request(runtimes[0] if runtimes else claim_id.partition(":")[0])
    runtime = RUNTIMES[request.runtime]
    if claim_id.partition(":")[1] and claim_id.partition(":")[0] != runtime.NAME:
        raise ClaimgridError(f"{claim_id} is no claim of {runtime.NAME}.", "--runtime is the claim's own, or left out.")
    wanted, platform = asked_platform(request)
    if wanted or request.program:
        raise ClaimgridError(
            "--runtime takes no version or program here.", "--from and --to say between which versions."
        )
    if runtime.SOURCE is None:
        raise ClaimgridError(f"Versions of {runtime.NAME} come from no registry.", "Nothing can be fetched in between.")
    bench = _Bench(runtime, platform, claim_id, results.absolute(), place.absolute(), offline)
    if bool(oldest) is not bool(newest):
        raise ClaimgridError("--from and --to go together.", "Give both, or neither.")
    if not oldest:
        oldest, newest = bench.differing()
    if sort_key(oldest) >= sort_key(newest):
        raise ClaimgridError(f"{oldest} is not older than {newest}.", "--from is the older version.")
    offered = sorted(bench.here() if offline else runtime.SOURCE.versions(platform), key=sort_key)
    between = [each for each in offered if sort_key(oldest) <= sort_key(each) <= sort_key(newest)]
    versions = [oldest, *(each for each in between if each not in (oldest, newest)), newest]
    before, after = bench.needed(oldest), bench.needed(newest)
    if worth(before) is worth(after):
        click.echo(f"{claim_id} is {before} in {oldest} and {after} in {newest}: nothing changed.")
        return Exit.DONE
    bench.race = worth(before) in _RACED and worth(after) in _RACED
    tell(f"{len(versions) - 2} versions between {oldest} ({before}) and {newest} ({after})")
    change = first_change(versions, before, after, bench.measure)
    click.echo(_told(claim_id, change))
    if worth(change.after) is not worth(after):
        click.echo(f"It changed more than once: it is {after} in {newest}.")
    return Exit.DONE


_RACED = (Verdict.REFUSES, Verdict.RACY, Verdict.CONDITIONAL)
"""Verdicts that may differ by the race alone."""


class _Bench:
    """Measures one claim in one version after another."""

    def __init__(
        self, runtime: Runtime, platform: str, claim_id: str, results: Path, place: Path, offline: bool
    ) -> None:
        self.runtime, self.platform, self.results, self.place = runtime, platform, results, place
        self.offline = offline
        self.claim_id = claim_id if ":" in claim_id else f"{runtime.NAME}:{claim_id}"
        self.race = True

    def differing(self) -> tuple[str, str]:
        """The newest two measured versions next to each other that differ. Raises ClaimgridError when none do."""
        environment = describe(self.place, self.platform)
        builds = [
            each
            for each in read_folder(self.results)
            if (each.runtime, each.environment.platform, each.environment.filesystem)
            == (self.runtime.NAME, environment.platform, environment.filesystem)
        ]
        if not any(self.claim_id in each.claims for each in builds):
            raise ClaimgridError(
                f"{self.claim_id} was not measured on {environment.platform}, {environment.filesystem}.",
                "`claimgrid claims` lists the claims; --from and --to name versions to begin with.",
            )
        history = segments(sorted(builds, key=lambda each: sort_key(each.version)), self.claim_id)
        for older, newer in reversed(list(itertools.pairwise(history))):
            if worth(older.verdict) is not worth(newer.verdict):
                return older.versions[-1], newer.versions[0]
        raise ClaimgridError(
            f"{self.claim_id} is the same in all versions that were measured.", "Name two with --from and --to."
        )

    def here(self) -> list[str]:
        """The versions that are in the cache."""
        return [version for version, found in cached(self.runtime) if found.platform == self.platform]

    def needed(self, version: str) -> Verdict:
        """The verdict in a version that has to be had. Raises ClaimgridError."""
        verdict = self.measure(version)
        if verdict is None:
            raise ClaimgridError(f"{self.runtime.NAME}@{version} could not be measured.", "", Exit.NOT_RUN)
        return verdict

    def measure(self, version: str) -> Verdict | None:
        """The verdict in a version, measured now unless it was before; None when it cannot be had or does not start."""
        try:
            build = identify(self.runtime.NAME, self._found(version))
            claims = select_exactly(build.claims, self.claim_id)
            seconds = _SECONDS if self.race else 0.0
            outcome = run(Wanted([build], claims[:1], [self.place], self.results, 0, race_seconds=seconds), Watcher())
        except ClaimgridError as error:
            tell(f"{version}: skipped: {error}")
            return None
        if outcome.interrupted:
            raise KeyboardInterrupt
        for why in outcome.failures.values():
            tell(f"{version}: skipped: {why}")
            return None
        verdict = outcome.results[0].claims[claims[0].id].verdict
        tell(f"{version}: {verdict}")
        return verdict

    def _found(self, version: str) -> Found:
        here = _exactly(cached(self.runtime), version, self.platform)
        if self.offline and here is None:
            raise ClaimgridError(
                f"{self.runtime.NAME}@{version} is not on this machine.",
                "Without --offline it is fetched.",
                Exit.NOT_RUN,
            )
        return here or fetch_build(self.runtime, version, self.platform, lambda line: None)


def _exactly(entries: Sequence[tuple[str, Found]], version: str, platform: str) -> Found | None:
    return next((found for each, found in entries if each == version and found.platform == platform), None)


def _told(claim_id: str, change: Change) -> str:
    skipped = f" ({', '.join(change.skipped)} in between could not be measured)" if change.skipped else ""
    return f"{claim_id}: {change.before} in {change.older}, {change.after} in {change.newer}{skipped}"
