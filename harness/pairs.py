"""Two claims on one name, usually of two runtimes: the one made over what the other left, either way round, and both raced."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.builds import Build, conversation
from harness.claims import Claim
from harness.conversation import Conversation, Reply, Request
from harness.judge import HARMLESS, Case, judge_case
from harness.measure import Place, Workspace
from harness.observation import Observation, Said
from harness.occupants import NAME, OTHER_SOURCE, lay_source, remove
from harness.races import Pace, Race, Track, track
from harness.vocabulary import Kind, Occupant, Outcome, RaceOutcome, Verdict
from harness.witness import look, pin, unpin


@dataclass(frozen=True, slots=True)
class Pair:
    """Who excludes whom: what the second made of the first one's product, the first of the second one's, and their race.

    The product of a *held* claim is looked at as long as it is held.
    """

    over_first: Case
    over_second: Case
    race: Race

    @property
    def verdict(self) -> Verdict:
        """Whether the two exclude each other, both ways."""
        return judge_pair(self.over_first, self.over_second, self.race)


def judge_pair(over_first: Case, over_second: Case, race: Race) -> Verdict:
    """What two claims are worth against each other, in the words for one claim; worst first."""
    outcomes = (over_first.outcome, over_second.outcome)
    if Outcome.UNSUPPORTED in outcomes:
        return Verdict.UNSUPPORTED
    if any(outcome.harmful for outcome in outcomes):
        return Verdict.UNSAFE
    if race.outcome is RaceOutcome.TWO_WINNERS:
        return Verdict.RACY
    if any(outcome is not Outcome.REFUSED for outcome in outcomes):
        return Verdict.INDETERMINATE
    match race.outcome:
        case RaceOutcome.NO_WINNER:
            return Verdict.CONDITIONAL
        case RaceOutcome.ONE_WINNER if race.caught:
            return Verdict.SAFE
        case RaceOutcome.NOT_RUN if race.reason in HARMLESS:
            return Verdict.REFUSES
        case _:
            return Verdict.INDETERMINATE


class Facing:
    """Two builds whose claims are made on the same names; made by `facing`."""

    def __init__(self, one: Conversation, other: Conversation, contenders: Track, space: Workspace) -> None:
        self._one, self._other, self._track, self._space = one, other, contenders, space

    def contest(self, first: Claim, second: Claim, pace: Pace) -> Pair:
        """Everything about a pair, the first claim being the first build's. Raises ClaimgridError when a probe does not start."""
        over_first = made_over((self._one, first), (self._other, second), self._space)
        over_second = made_over((self._other, second), (self._one, first), self._space)
        return Pair(over_first, over_second, self._track.race([first, second], replace(pace, bystander_seconds=0.0)))


@contextlib.contextmanager
def facing(first: Build, second: Build, space: Workspace, seed: int = 0) -> Iterator[Facing]:
    """Contenders of two builds, started when they are needed and ended with the context."""
    with (
        conversation(first, space.home) as one,
        conversation(second, space.home) as other,
        track([first, second], space, seed) as contenders,
    ):
        yield Facing(one, other, contenders, space)


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
    # What a lock keeps out waits for it, and will not get it: no need to be patient.
    may_block = holder[1].makes == "fifo" or holder[1].kind is Kind.HELD
    occupant = Occupant.HELD if taker[1].kind is Kind.HELD else Occupant.OWN
    try:
        first = _request(holder[1], place, space)
    except OSError as error:
        return Observation(occupant, obstacle=error.strerror or str(error))
    reply = _hold(*holder, first, stack)
    if reply.answer.said is not Said.YES or NAME not in look(place.folder).entries:
        return Observation(occupant, obstacle=f"{holder[1].id} did not win the free name")
    remove(str(place.mine))
    try:
        second = _request(taker[1], replace(place, source=place.folder / OTHER_SOURCE), space, may_block=may_block)
    except OSError as error:
        return Observation(occupant, obstacle=error.strerror or str(error))
    before = look(place.folder)
    stack.callback(unpin, pin(place.folder, before))
    reply = _hold(*taker, second, stack)
    return Observation(occupant, reply.answer, before, look(place.folder), stderr=reply.stderr)


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
