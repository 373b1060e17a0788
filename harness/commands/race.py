"""`claimgrid race`: a long look at how claims do when several make them at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import click

from harness.builds import Build
from harness.claims import Claim, select
from harness.commands.options import builds_named, offline_option, place_option, runtime_option
from harness.environment import describe
from harness.errors import ClaimgridError, Exit
from harness.measure import workspace
from harness.races import Lap, Pace, Race, track
from harness.vocabulary import Kind, RaceOutcome

_RACED = (Kind.CREATE, Kind.TAKE, Kind.HELD)
_REASONS = {
    (
        "two-winners",
        "unmet",
    ): "two won, though by the clock they were never at it at the same time: no race is needed for that",
    ("no-winner", "contenders"): "in some rounds every contender was refused",
    ("no-winner", "bystander"): "refused although nobody else claimed: somebody only read the name",
    ("never-met", "contenders"): "the contenders met too seldom to conclude anything",
    ("one-winner", "bystander-unmet"): "the contender and the bystander met too seldom to conclude anything",
    ("not-run", "contradicted"): "the disk denies what a winner was told",
    ("not-run", "unsupported"): "this build has no such call",
    ("not-run", "unavailable"): "what the claim needs cannot be had here",
}


@click.command("race")
@click.argument("selectors", nargs=-1, required=True, metavar="CLAIM...")
@runtime_option
@click.option("--rounds", type=click.IntRange(1), default=None, help="Race that many rounds, whatever they show.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=2.0,
    show_default=True,
    help="Without --rounds: race that long, or until two have won.",
)
@click.option("--seed", type=int, default=None, help="What decides who starts how much later.  [default: a new one]")
@place_option
@offline_option
def command(
    selectors: tuple[str, ...],
    runtimes: tuple[str, ...],
    rounds: int | None,
    seconds: float,
    seed: int | None,
    place: Path,
    offline: bool,
) -> int:
    """Race claims against themselves: CLAIM is an id or a selector as for `claimgrid claims`."""
    builds = builds_named(selectors, runtimes, offline)
    chosen = {claim.id for claim in select([claim for build in builds for claim in build.claims], selectors)}
    seed = random.randrange(1 << 32) if seed is None else seed
    raced = [
        race
        for build in builds
        for race in _race_all(build, chosen, Pace(seconds, rounds, bystander_seconds=seconds), seed, place)
    ]
    if not raced:
        raise ClaimgridError(
            "None of these claims can be raced.", "Races are for claims of the kinds create, take and held."
        )
    return Exit.NOT_RUN if any(race.outcome is RaceOutcome.NOT_RUN for race in raced) else Exit.DONE


def _race_all(build: Build, chosen: set[str], pace: Pace, seed: int, place: Path) -> Iterator[Race]:
    claims = [claim for claim in build.claims if claim.id in chosen and claim.kind in _RACED]
    if not claims:
        return
    environment = describe(place, build.platform)
    click.echo(f"{build.id} on {environment.platform}, {environment.filesystem}, seed {seed}")
    with workspace(place) as space, track([build, build], space, seed) as ready:
        for claim in claims:
            race = ready.race([claim, claim], pace)
            click.echo("\n".join(_told(claim, race)))
            yield race


def reasoned(race: Race) -> str:
    """What there is to add to the outcome of a race, after a comma; empty when there is nothing."""
    reason = _reason(race)
    return f", {reason}" if reason else ""


def _reason(race: Race) -> str:
    return _REASONS.get((race.outcome.value, race.reason), race.reason)


def _told(claim: Claim, race: Race) -> Iterator[str]:
    yield f"\n{claim.id}: {race.outcome}"
    for line in (_reason(race), race.obstacle, race.failure and race.failure.message):
        if line:
            yield f"  {line}"
    if race.caught is False:
        yield "  the check-then-act claim was not seen to double either, so this race proves nothing"
    for name, lap in (("contenders", race.claimants), ("control", race.control), ("bystander", race.bystander)):
        if lap and lap.batches:
            yield f"  {name:10}  {_counted(lap)}"


def _counted(lap: Lap) -> str:
    counts = lap.counts
    return (
        f"{counts.rounds} rounds, {counts.rounds / max(lap.seconds, 0.001):.0f} a second; "
        f"met in {counts.met} ({counts.met / counts.rounds:.0%}), clocks within {lap.clock_error * 1000:.0f} µs; "
        f"one winner {counts.one}, several {counts.several}, none {counts.none}; a claim takes {lap.duration:.3f} ms"
    )
