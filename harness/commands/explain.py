"""`claimgrid explain`: one cell of the matrix in plain words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from harness import sentences
from harness.commands.options import (
    folders_option,
    keep_going_option,
    named_by,
    read_merged,
    runtime_option,
    tell_disagreements,
)
from harness.errors import ClaimgridError
from harness.history import segments, told
from harness.plain import plain, plain_lines
from harness.processes import quoted
from harness.report.insight import all_series
from harness.results import BuildResult, ClaimResult
from harness.tables import word
from harness.versions import asked_as, sort_key

_WIDTH = 100


@click.command("explain")
@click.argument("claim_id", metavar="CLAIM")
@folders_option
@keep_going_option
@runtime_option
@click.option(
    "--language", type=click.Choice(sentences.LANGUAGES), default="en", show_default=True, help="Of the sentences."
)
def command(
    claim_id: str, folders: tuple[Path, ...], keep_going: bool, runtimes: tuple[str, ...], language: str
) -> None:
    """Tell what was measured of CLAIM in the newest build of each platform and filesystem that answers to --runtime."""
    is_named = named_by(runtimes)
    merged = read_merged(folders, keep_going)
    known = [one.result for one in merged]
    newest: dict[tuple[str, str, str], tuple[BuildResult, ClaimResult]] = {}
    for build in sorted(known, key=lambda each: sort_key(each.version)):
        for found, claim in build.claims.items() if is_named(build) else ():
            if claim_id in (found, found.partition(":")[2]):
                newest[(found, build.environment.platform, build.environment.filesystem)] = build, claim
    if not newest:
        raise ClaimgridError(f"{claim_id!r} was not measured there.", "`claimgrid matrix` shows what was.")
    for place, ((found, _, _), (build, claim)) in enumerate(newest.items()):
        lines = [
            *_told(found, build, claim, language),
            "",
            *_history(found, build, known, language),
            *_again(found, build),
        ]
        click.echo(plain_lines("\n".join([""] * bool(place) + lines)))
    tell_disagreements(merged)


def _told(claim_id: str, build: BuildResult, claim: ClaimResult, lang: str) -> Iterator[str]:
    environment = build.environment
    yield f"{claim_id} in {build.runtime}@{build.version} on {environment.platform}, {environment.filesystem}"
    yield ""
    yield from (f"    {line}" for line in claim.code.splitlines())
    yield ""
    yield f"{word(claim.verdict)}: {plain(sentences.reason(claim.judgement.reason, claim.kind, lang), 1000)}"
    if claim.mechanism:
        yield from textwrap.wrap(sentences.mechanism(claim.mechanism, lang), _WIDTH)
    yield from textwrap.wrap(sentences.race(claim.raced, lang), _WIDTH)
    yield ""
    width = max((len(each) for each in claim.cases), default=0)
    for occupant, case in claim.cases.items():
        yield f"  {occupant:{width}}  {plain(sentences.outcome(case, lang), 1000)}"


def _history(claim_id: str, build: BuildResult, known: list[BuildResult], lang: str) -> Iterator[str]:
    for series in all_series(known):
        if build in series.builds:
            yield f"{claim_id}: {told(segments(series.builds, claim_id), lang)}"


def _again(claim_id: str, build: BuildResult) -> Iterator[str]:
    request = f"{build.runtime}@{asked_as(build.version, build.environment.platform)}"
    yield quoted(["claimgrid", "try", claim_id, "--runtime", request])
