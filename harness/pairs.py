"""Two claims on one name, usually of two runtimes: the one made over what the other left, either way round, and both raced."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from harness.builds import Build, conversation
from harness.claims import Claim
from harness.conversation import Conversation, Reply, Request
from harness.judge import Case, judge_case
from harness.measure import Place, Workspace
from harness.observation import Observation, Said
from harness.occupants import NAME, OTHER_SOURCE, lay_source, remove
from harness.races import Pace, Race, track
from harness.vocabulary import Kind, Occupant
from harness.witness import look, pin, unpin


@dataclass(frozen=True, slots=True)
class Party:
    """One side of a pair."""

    build: Build
    claim: Claim


@dataclass(frozen=True, slots=True)
class Pair:
    """Who excludes whom: what the second made of the first one's product, the first of the second one's, and their race.

    The product of a *held* claim is looked at as long as it is held.
    """

    over_first: Case
    over_second: Case
    race: Race


def contest(first: Party, second: Party, space: Workspace, pace: Pace, seed: int = 0) -> Pair:
    """Everything about a pair. Raises ClaimgridError when a probe cannot be started."""
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(conversation(first.build, space.home / "first"))
        other = stack.enter_context(conversation(second.build, space.home / "second"))
        over_first = made_over((one, first.claim), (other, second.claim), space)
        over_second = made_over((other, second.claim), (one, first.claim), space)
    with track([first.build, second.build], space, seed) as ready:
        race = ready.race([first.claim, second.claim], replace(pace, bystander_seconds=0.0))
    return Pair(over_first, over_second, race)


def made_over(holder: tuple[Conversation, Claim], taker: tuple[Conversation, Claim], space: Workspace) -> Case:
    """What a claim makes of the product of another one."""
    place = space.fresh()
    try:
        with contextlib.ExitStack() as stack:
            return judge_case(taker[1], _observe(holder, taker, place, space, stack))
    finally:
        space.clear(place)


def _observe(
    holder: tuple[Conversation, Claim],
    taker: tuple[Conversation, Claim],
    place: Place,
    space: Workspace,
    stack: contextlib.ExitStack,
) -> Observation:
    try:
        first = _request(holder[1], place, space)
    except OSError as error:
        return Observation(Occupant.OWN, obstacle=error.strerror or str(error))
    reply = _hold(*holder, first, stack)
    if reply.answer.said is not Said.YES or NAME not in look(place.folder).entries:
        return Observation(Occupant.OWN, obstacle=f"{holder[1].id} did not win the free name")
    remove(str(place.mine))
    try:
        second = _request(
            taker[1], replace(place, source=place.folder / OTHER_SOURCE), space, may_block=holder[1].makes == "fifo"
        )
    except OSError as error:
        return Observation(Occupant.OWN, obstacle=error.strerror or str(error))
    before = look(place.folder)
    stack.callback(unpin, pin(place.folder, before))
    reply = _hold(*taker, second, stack)
    return Observation(Occupant.OWN, reply.answer, before, look(place.folder), stderr=reply.stderr)


def _request(claim: Claim, place: Place, space: Workspace, *, may_block: bool = False) -> Request:
    number = space.number()
    if claim.source is not None:
        lay_source(place.source, claim.source, number)
    return Request(number, claim.call, place.name, place.source, place.mine, f"claimed by {number:08}\n", may_block)


def _hold(talk: Conversation, claim: Claim, request: Request, stack: contextlib.ExitStack) -> Reply:
    """Make a claim; what it holds is let go of by `stack`."""
    if claim.kind is not Kind.HELD:
        (reply,) = talk.claims([request])
        return reply
    reply = talk.hold(request)
    if reply.answer.said is Said.YES:
        stack.callback(talk.release, request)
    return reply
