"""Running claims: each case in a fresh directory, witnessed before and after. The side effects of a measurement are here."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.claims import Claim
from harness.conversation import Conversation, Request
from harness.errors import ClaimgridError, out_of_space
from harness.files import check_space
from harness.observation import Observation, Said
from harness.occupants import (
    MINE,
    NAME,
    OTHER_SOURCE,
    SOURCE,
    TARGET,
    Capabilities,
    lay_source,
    occupy,
    remove,
)
from harness.scratch import scratch
from harness.vocabulary import Kind, Occupant
from harness.witness import Snapshot, Surroundings, look, pin, unpin


@dataclass(frozen=True, slots=True)
class Place:
    """A folder for one case at a time, with the paths that a claim is given in it. Made once and used again."""

    folder: Path
    name: Path
    source: Path
    mine: Path


@dataclass(frozen=True, slots=True)
class Workspace:
    """A temporary folder on the filesystem under test: `home` for the probes, and an empty folder for every case."""

    root: Path
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _empty: list[Place] = field(default_factory=list)
    around: Surroundings = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "around", Surroundings(self.root))
        self.around.allow(self.home.name)

    @property
    def home(self) -> Path:
        """Where the probes run and may write what they like."""
        return self.root / "home"

    def number(self) -> int:
        """A number that no other claim has."""
        return next(self._numbers)

    def fresh(self) -> Place:
        """A place with an empty folder: one that was cleared before, or a new one."""
        while self._empty:
            place = self._empty.pop()
            # A claim may have removed more than its own folder.
            if os.path.isdir(place.folder):
                return place
        folder = self.root / f"case{self.number()}"
        self.around.allow(folder.name)
        folder.mkdir()
        return Place(folder, folder / NAME, folder / SOURCE, folder / MINE)

    def clear(self, place: Place, *, again: bool = True) -> None:
        """Take a place back when its case is over, to be used `again` or not. One that cannot be emptied never is."""
        # Making and removing a directory costs more than the case in it, so an empty one is kept.
        try:
            with os.scandir(place.folder) as entries:
                left = [entry.path for entry in entries]
        except OSError:
            return
        # Every one of them is removed, also after one that would not go.
        if not all([remove(path) for path in left]) or _lingers(place.folder):  # noqa: C419
            return
        if again:
            self._empty.append(place)
        else:
            with contextlib.suppress(OSError):
                os.rmdir(place.folder)


def _lingers(folder: Path) -> bool:
    """On Windows a name that was removed stays as long as a virus scanner has it open, and nothing can be made of it meanwhile."""
    return sys.platform == "win32" and bool(os.listdir(folder))


@contextlib.contextmanager
def workspace(at: Path) -> Iterator[Workspace]:
    """A workspace below `at`, removed at the end whatever happens. Raises ClaimgridError when none can be made there."""
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(scratch("work", at))
        except OSError as error:
            raise ClaimgridError(
                f"{at} cannot be worked in: {error.strerror}.", "Give --at a directory that you may write to."
            ) from error
        yield Workspace(root)


_LIKE = {"link": Occupant.DANGLING_LINK, "fifo": Occupant.FIFO, "hard-link": Occupant.HARD_LINK}
"""What a claim makes or goes by, as the occupant that could not be made either where that is impossible."""


def obstacle_to(claim: Claim, able: Capabilities) -> str | None:
    """Why nobody could make this claim in the directory; None where it is not for the filesystem to say."""
    needed = [_LIKE[each] for each in (claim.makes, claim.via) if each in _LIKE]
    return next((able.missing[each] for each in needed if each in able.missing), None)


@dataclass(slots=True)
class _Set:
    """A case that is set up and waits for its claim."""

    occupant: Occupant
    place: Place
    request: Request
    before: Snapshot
    piped: Callable[[], bytes]


def observe(
    conversation: Conversation, claim: Claim, occupants: Sequence[Occupant], able: Capabilities, space: Workspace
) -> list[Observation]:
    """Make the claim once against each occupant, all in one go, and say how each case went, in the order given.

    Against OWN the claim is made twice in the same folder, and the second time is the case. When something outside the folders of
    the cases was touched, they are made again one at a time, to see by which. Raises OSError when there is no room for them.
    """
    space.around.note()
    together = _observe_all(conversation, claim, occupants, able, space)
    if not space.around.disturbed():
        return together
    alone = []
    for occupant in occupants:
        (seen,) = _observe_all(conversation, claim, [occupant], able, space)
        alone.append(replace(seen, strayed=space.around.disturbed()))
    # What does not happen again may have been any of them.
    return alone if any(each.strayed for each in alone) else [replace(each, strayed=True) for each in together]


def _observe_all(
    conversation: Conversation, claim: Claim, occupants: Sequence[Occupant], able: Capabilities, space: Workspace
) -> list[Observation]:
    seen: dict[Occupant, Observation] = {}
    while left := [occupant for occupant in occupants if occupant not in seen]:
        # Once, unless a probe did not survive: those after the one that ended it are set up anew for a new probe.
        seen.update((each.occupant, each) for each in _observe_together(conversation, claim, left, able, space))
    if not space.root.is_dir():
        # A claim removed all of it: it would not be able to show what the next one does.
        space.root.mkdir()
    check_space(space.root)
    return [seen[occupant] for occupant in occupants]


def _observe_together(
    conversation: Conversation, claim: Claim, occupants: Sequence[Occupant], able: Capabilities, space: Workspace
) -> Iterator[Observation]:
    """As many of the cases, from the first, as one probe survives."""
    places: list[Place] = []
    with contextlib.ExitStack() as stack:
        ready: list[_Set] = []
        for occupant in occupants:
            obstacle = able.missing.get(occupant) or obstacle_to(claim, able)
            if obstacle:
                yield Observation(occupant, obstacle=obstacle)
                continue
            place = space.fresh()
            places.append(place)
            try:
                piped = occupy(place.folder, occupant, stack)
                ready.append(_ready(claim, occupant, space.number(), place, stack, piped))
            except (OSError, NotImplementedError) as error:
                if out_of_space(error):
                    raise
                yield Observation(occupant, obstacle=_why(error))
        for case, seen in zip(ready, list(_make(conversation, ready)), strict=False):
            yield (
                _second_time(conversation, claim, seen, case.place, space, stack)
                if case.occupant is Occupant.OWN
                else seen
            )
    for place in places:
        # Where case is ignored a name in other case was looked up by ours, and some systems remember for a while that they found it.
        space.clear(place, again=not able.ignores_case)


def _ready(
    claim: Claim, occupant: Occupant, number: int, place: Place, stack: contextlib.ExitStack, piped: Callable[[], bytes]
) -> _Set:
    if claim.kind is Kind.TAKE:
        if occupant is Occupant.PRESENT:
            lay_source(place.name, str(claim.source), number)
    elif claim.source is not None:
        lay_source(place.source, claim.source, number)
    before = look(place.folder)
    stack.callback(unpin, pin(place.folder, before))
    # Every claim writes other bytes, as many, so that a claim that writes over its own product is seen to do so.
    data = f"claimed by {number:08}\n"
    name = place.folder / "nul" if occupant is Occupant.DEVICE_NAME else place.name
    request = Request(number, claim.call, name, place.source, place.mine, data, occupant is Occupant.FIFO)
    return _Set(occupant, place, request, before, piped)


def _make(conversation: Conversation, ready: Sequence[_Set]) -> Iterator[Observation]:
    """Send all claims at once; look at the disk as soon as the answers are in. Fewer come back when the probe did not survive."""
    replies = list(conversation.claims([case.request for case in ready]))
    for case, reply in zip(ready, replies, strict=False):
        after = look(case.place.folder, (*case.before.entries, NAME, MINE, TARGET))
        yield Observation(case.occupant, reply.answer, case.before, after, case.piped(), reply.stderr)


def _second_time(
    conversation: Conversation,
    claim: Claim,
    first: Observation,
    place: Place,
    space: Workspace,
    stack: contextlib.ExitStack,
) -> Observation:
    """The claim again, over its own product. When the first time took nothing there is no such product."""
    if first.answer is None or not first.answer.said.valid or first.answer.said is Said.UNSUPPORTED:
        return first
    if first.answer.said is Said.NO or NAME not in first.after.entries:
        return Observation(Occupant.OWN, obstacle="the claim did not win the free name")
    remove(str(place.mine))
    # Whoever claims next has a source of its own: some calls only refuse to put a thing onto itself.
    theirs = replace(place, source=place.folder / OTHER_SOURCE)
    case = _ready(claim, Occupant.OWN, space.number(), theirs, stack, lambda: b"")
    return next(_make(conversation, [case]))


def _why(error: OSError | NotImplementedError) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
