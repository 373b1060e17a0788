"""`claimgrid try`: one case in one process, with the whole evidence."""

from __future__ import annotations

from pathlib import Path

import click

from harness.builds import Build, layers
from harness.claims import Claim, select_exactly
from harness.commands.options import builds_named, offline_option, place_option, runtime_option
from harness.environment import describe
from harness.errors import ClaimgridError, Exit
from harness.evidence import describe_snapshot
from harness.held import observe_held
from harness.judge import judge_case
from harness.measure import observe, workspace
from harness.observation import Observation
from harness.occupants import occupants_for
from harness.vocabulary import Kind, Occupant
from harness.workbench import Bench, bench


@click.command("try")
@click.argument("claim_id", metavar="CLAIM")
@runtime_option
@click.option(
    "--occupant",
    "occupants",
    multiple=True,
    type=click.Choice([each.value for each in Occupant]),
    help="What sits on the name. Repeatable; without it, everything.",
)
@place_option
@offline_option
def command(claim_id: str, runtimes: tuple[str, ...], occupants: tuple[str, ...], place: Path, offline: bool) -> None:
    """Make CLAIM against an occupant in a process of its own, and print what was said and seen."""
    for build in builds_named([claim_id], runtimes, offline):
        _try(build, claim_id, [Occupant(each) for each in occupants], place)


def _try(build: Build, claim_id: str, occupants: list[Occupant], place: Path) -> None:
    call = claim_id.partition(":")[2] or claim_id
    claim = select_exactly(build.claims, f"{build.runtime}:{call}")[0]
    environment = describe(place, build.platform)
    known = occupants_for(claim.kind, build.platform)
    if claim.kind is Kind.LOOK or not set(occupants) <= set(known):
        raise ClaimgridError(
            f"{claim.id} is a claim of kind {claim.kind} and cannot be tried against that.",
            f"It has these cases: {', '.join(known)}." if claim.kind is not Kind.LOOK else "It only looks.",
        )
    if claim.call in build.unsupported:
        raise ClaimgridError(f"{build.id} has no such call: {claim.code}", "", Exit.NOT_RUN)
    with layers([build.platform]), workspace(place) as space, bench(build, space.root / "try", isolate=True) as ready:
        click.echo(
            f"{claim.id}  in {build.id} ({build.program})\non {environment.platform}, {environment.filesystem}, {environment.os}"
        )
        click.echo("\n" + "\n".join(f"    {line}" for line in claim.code.splitlines()))
        for seen in _observe(ready, claim, occupants or list(known)):
            case = judge_case(claim, seen)
            word = " ".join(
                part for part in (case.outcome.value, f"({case.detail.value})" if case.detail else "") if part
            )
            click.echo(f"\n{seen.occupant}: {word}")
            click.echo("\n".join(f"  {line}" for line in _evidence(seen)))


def _observe(ready: Bench, claim: Claim, occupants: list[Occupant]) -> list[Observation]:
    if claim.kind is Kind.HELD:
        # They come one out of another, and so all of them are made.
        return [
            seen
            for seen in observe_held(ready.talk, ready.rival, claim, ready.able, ready.space)
            if seen.occupant in occupants
        ]
    assert ready.alone is not None
    return observe(ready.alone, claim, occupants, ready.able, ready.space)


def _evidence(seen: Observation) -> list[str]:
    if seen.answer is None:
        return [f"not tried: {seen.obstacle}"]
    said = " ".join(part for part in (seen.answer.said, seen.answer.error, seen.answer.code) if part)
    lines = [f"said    {said}"]
    if seen.answer.message:
        lines.append(f"        {seen.answer.message}")
    lines.extend(f"stderr  {line}" for line in seen.stderr.splitlines()[:20])
    before, after = describe_snapshot(seen.before), describe_snapshot(seen.after)
    lines.extend(f"{'before' if place == 0 else '':8}{line}" for place, line in enumerate(before))
    lines.extend(
        f"{'after' if place == 0 else '':8}{line}"
        for place, line in enumerate(["the same"] if before == after else after)
    )
    if seen.piped:
        lines.append(f"piped   {seen.piped!r}")
    return lines
