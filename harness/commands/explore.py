"""`claimgrid explore`: which system call carries a claim, and every schedule of two contenders with one pause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from harness.builds import Build
from harness.claims import select
from harness.commands.options import builds_named, offline_option, place_option, runtime_option
from harness.environment import describe
from harness.errors import ClaimgridError, Exit
from harness.explore import Examination, Point, laboratory
from harness.measure import workspace
from harness.vocabulary import Kind, RaceOutcome

_MEANING = {
    RaceOutcome.ONE_WINNER: "explored, one winner in every schedule with one pause",
    RaceOutcome.TWO_WINNERS: "racy, both won",
    RaceOutcome.NO_WINNER: "nobody won",
    RaceOutcome.NOT_RUN: "not explored",
}


@click.command("explore")
@click.argument("selectors", nargs=-1, required=True, metavar="CLAIM...")
@runtime_option
@click.option("--mechanism-only", is_flag=True, help="Only trace; try no pauses.")
@place_option
@offline_option
def command(
    selectors: tuple[str, ...], runtimes: tuple[str, ...], mechanism_only: bool, place: Path, offline: bool
) -> int:
    """Hold a claim after each of its system calls on the name while another contender claims (Linux, with strace).

    CLAIM is an id or a selector as for `claimgrid claims`.
    """
    builds = builds_named(selectors, runtimes, offline)
    chosen = {claim.id for claim in select([claim for build in builds for claim in build.claims], selectors)}
    told = [each for build in builds for each in _examine_all(build, chosen, place, explore=not mechanism_only)]
    if not told:
        raise ClaimgridError("None of these claims can be explored.", "`claimgrid claims` lists those that can.")
    return Exit.NOT_RUN if any(each.obstacle for each in told) else Exit.DONE


def _examine_all(build: Build, chosen: set[str], place: Path, *, explore: bool) -> Iterator[Examination]:
    claims = [
        claim
        for claim in build.claims
        if claim.id in chosen and claim.kind is not Kind.LOOK and claim.call not in build.unsupported
    ]
    if not claims:
        return
    environment = describe(place, build.platform)
    click.echo(f"{build.id} on {environment.platform}, {environment.filesystem}")
    with workspace(place) as space, laboratory(build, space) as ready:
        for claim in claims:
            examination = ready.examine(claim, pauses=None if explore else 0)
            click.echo("\n".join((f"\n{claim.id}", *(f"  {line}" for line in _lines(examination)))))
            yield examination


def _lines(examination: Examination) -> Iterator[str]:
    yield f"mechanism    {examination.mechanism or 'does not show'}"
    exploration = examination.exploration
    if exploration is not None:
        yield f"exploration  {_MEANING[exploration.outcome]}"
        yield from (_point(point) for point in exploration.points)
    why = examination.obstacle or (exploration.obstacle if exploration else "")
    if why:
        yield why


def _point(point: Point) -> str:
    what = point.obstacle or f"the one held said {point.first}, the other {point.second}"
    return f"  {point.pause}: {what}"
