"""`claimgrid versus`: two claims on one name, usually of two runtimes: do they exclude each other?"""

from __future__ import annotations

import random
from pathlib import Path

import click

from harness.builds import Build, layers
from harness.claims import Claim, select_exactly
from harness.commands.options import builds_named, offline_option, place_option, runtime_option
from harness.commands.race import reasoned
from harness.environment import describe
from harness.errors import ClaimgridError, Exit
from harness.judge import Case
from harness.measure import workspace
from harness.pairs import Pair, facing
from harness.races import Pace
from harness.tables import word
from harness.vocabulary import Kind


@click.command("versus")
@click.argument("first", metavar="CLAIM")
@click.argument("second", metavar="CLAIM")
@runtime_option
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Race that long, or until two have won.",
)
@place_option
@offline_option
def command(first: str, second: str, runtimes: tuple[str, ...], seconds: float, place: Path, offline: bool) -> int:
    """Make each claim over what the other left, then race both for one name.

    Builds are the newest of the runtimes that the claims name, or those given by --runtime.
    """
    builds = builds_named([first, second], runtimes, offline)
    sides = [_side(builds, claim_id) for claim_id in (first, second)]
    (one, one_claim), (other, other_claim) = sides
    environment = describe(place, one.platform)
    click.echo(f"{one.id} and {other.id} on {environment.platform}, {environment.filesystem}")
    with (
        layers(build.platform for build in (one, other)),
        workspace(place) as space,
        facing(one, other, space, random.randrange(1 << 32)) as between,
    ):
        pair = between.contest(one_claim, other_claim, Pace(seconds, patience=10.0))
    click.echo("\n".join(_told(one_claim, other_claim, pair)))
    return Exit.DONE


def _side(builds: list[Build], claim_id: str) -> tuple[Build, Claim]:
    runtime = claim_id.partition(":")[0]
    build = next((each for each in builds if each.runtime == runtime), None)
    if build is None:
        raise ClaimgridError(f"No build of {runtime} was given.", "Name both runtimes with --runtime, or none.")
    claim = select_exactly(build.claims, claim_id)[0]
    if claim.kind not in (Kind.CREATE, Kind.HELD):
        raise ClaimgridError(f"{claim.id} makes no name.", "Claims of the kinds create and held can meet another one.")
    if claim.call in build.unsupported:
        raise ClaimgridError(f"{build.id} has no such call: {claim.code}", "", Exit.NOT_RUN)
    return build, claim


def _told(first: Claim, second: Claim, pair: Pair) -> list[str]:
    race = f"raced: {pair.race.outcome}{reasoned(pair.race)}"
    return [
        "",
        f"{first.id}    {first.code}",
        f"{second.id}    {second.code}",
        "",
        f"{second.id} over what {first.id} left: {_case(pair.over_first)}",
        f"{first.id} over what {second.id} left: {_case(pair.over_second)}",
        race,
        "",
        word(pair.verdict),
    ]


def _case(case: Case) -> str:
    more = [each for each in (case.detail, case.error, case.code, case.reason) if each]
    return f"{case.outcome} ({', '.join(more)})" if more else case.outcome.value
