"""Running *held* claims: two processes of one build, where what the one holds is asked for by the other, and let go of in every way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.claims import Claim
from harness.conversation import Conversation, Reply, Request
from harness.measure import Place, Workspace, obstacle_to
from harness.observation import Answer, Observation, Said
from harness.occupants import HOLDS, NAME, Capabilities
from harness.vocabulary import Occupant
from harness.witness import look

_AGAIN = (Occupant.HELD, Occupant.RELEASED, Occupant.KILLED, Occupant.OUTSIDER)


def observe_held(
    holder: Conversation, other: Conversation, claim: Claim, able: Capabilities, space: Workspace
) -> list[Observation]:
    """How a claim that holds a name does on a free one, a held one, and one that was released or whose holder was killed.

    Last, somebody who asks for no lock writes into what is held. Raises ClaimgridError when a probe cannot be started.
    """
    if obstacle := obstacle_to(claim, able):
        return [Observation(occupant, obstacle=obstacle) for occupant in HOLDS]
    space.around.note()
    seen = _observe_in_turn(holder, other, claim, space)
    if not space.around.disturbed():
        return seen
    # They come one out of another, and so it cannot be told by which.
    return [each if each.occupant is Occupant.OUTSIDER else replace(each, strayed=True) for each in seen]


def _observe_in_turn(holder: Conversation, other: Conversation, claim: Claim, space: Workspace) -> list[Observation]:
    place = space.fresh()
    try:
        held = _Holder(holder, claim, place, space)
        free = held.observe(Occupant.FREE)
        if free.answer is None or free.answer.said is not Said.YES:
            return [free, *(_untried(free, occupant) for occupant in _AGAIN)]
        rival = _Holder(other, claim, place, space)
        kept_out = rival.observe(Occupant.HELD)
        held.let_go()
        rival.let_go()
        released = rival.observe(Occupant.RELEASED)
        rival.let_go()
        return [free, kept_out, released, _after_death(held, rival), _from_outside(held)]
    finally:
        holder.close(polite=False)
        other.close(polite=False)
        space.clear(place)


class _Holder:
    """One process that holds the name, or wants to."""

    def __init__(self, talk: Conversation, claim: Claim, place: Place, space: Workspace) -> None:
        self.talk, self.claim, self.place, self.space = talk, claim, place, space
        self._holds: Request | None = None

    def observe(self, occupant: Occupant) -> Observation:
        """Make the claim, and keep what it wins."""
        number = self.space.number()
        request = Request(
            number, self.claim.call, self.place.name, self.place.source, self.place.mine, f"claimed by {number:08}\n"
        )
        before = look(self.place.folder)
        # Some locks wait until they are free, which this one will not be: no need to be patient.
        reply: Reply = self.talk.hold(replace(request, may_block=occupant is Occupant.HELD))
        if reply.answer.said is Said.YES:
            self._holds = request
        return Observation(occupant, reply.answer, before, look(self.place.folder), stderr=reply.stderr)

    def let_go(self) -> None:
        """Release what it holds, if it holds anything."""
        if self._holds is not None:
            self.talk.release(self._holds)
            self._holds = None

    def die(self) -> None:
        """End the process that holds, without giving it a chance to release."""
        self.talk.close(polite=False)
        self._holds = None


def _after_death(held: _Holder, rival: _Holder) -> Observation:
    """The rival's claim when the holder was killed."""
    again = held.observe(Occupant.KILLED)
    if again.answer is None or again.answer.said is not Said.YES:
        return Observation(Occupant.KILLED, obstacle="it could not be held a second time")
    held.die()
    seen = rival.observe(Occupant.KILLED)
    rival.let_go()
    return seen


def _from_outside(held: _Holder) -> Observation:
    """What becomes of a plain write into what is held, by a program that asks for no lock."""
    if held.claim.makes == "nothing":
        return Observation(Occupant.OUTSIDER, obstacle="there is no file to write into")
    again = held.observe(Occupant.OUTSIDER)
    if again.answer is None or again.answer.said is not Said.YES:
        return Observation(Occupant.OUTSIDER, obstacle="it could not be held a second time")
    before = look(held.place.folder)
    answer = _write(held.place.folder / NAME)
    seen = Observation(Occupant.OUTSIDER, answer, before, look(held.place.folder))
    held.let_go()
    return seen


def _write(path: Path) -> Answer:
    try:
        with path.open("ab") as file:
            file.write(b"written by an outsider\n")
    except OSError as error:
        return Answer(Said.NO, error=type(error).__name__, message=str(error))
    return Answer(Said.YES)


def _untried(free: Observation, occupant: Occupant) -> Observation:
    """What is said of the other cases when the free name was not won."""
    if free.answer is not None and free.answer.said is Said.UNSUPPORTED:
        return Observation(occupant, free.answer)
    return Observation(occupant, obstacle="the claim did not win the free name")
