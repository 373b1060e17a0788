"""Running claims: each case in a fresh directory, witnessed before and after. The side effects of a measurement are here."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.claims import Claim
from harness.conversation import Conversation, Request
from harness.errors import ClaimgridError
from harness.observation import Observation, Said
from harness.occupants import (
    MINE,
    NAME,
    SOURCE,
    Capabilities,
    contested_path,
    lay_source,
    occupied,
    remove_tree,
)
from harness.vocabulary import Occupant
from harness.witness import Snapshot, look, pinned


@dataclass(frozen=True, slots=True)
class Workspace:
    """A temporary folder on the filesystem under test: `home` for the probes, one numbered folder for every case."""

    root: Path
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def home(self) -> Path:
        """Where the probes run and may write what they like."""
        return self.root / "home"

    def fresh(self) -> tuple[int, Path]:
        """A new number and its empty folder."""
        number = next(self._numbers)
        folder = self.root / str(number)
        folder.mkdir()
        return number, folder


@contextlib.contextmanager
def workspace(at: Path) -> Iterator[Workspace]:
    """A workspace below `at`, removed at the end whatever happens. Raises ClaimgridError when none can be made there."""
    try:
        root = Path(tempfile.mkdtemp(prefix="claimgrid-", dir=at))
    except OSError as error:
        raise ClaimgridError(f"{at} cannot be worked in: {error.strerror}.", "Give --at a directory that you may write to.") from error
    try:
        yield Workspace(root)
    finally:
        remove_tree(root)


@dataclass(slots=True)
class _Set:
    """A case that is set up and waits for its claim."""

    occupant: Occupant
    folder: Path
    request: Request
    before: Snapshot
    piped: Callable[[], bytes]


def observe(
    conversation: Conversation, claim: Claim, occupants: Sequence[Occupant], able: Capabilities, space: Workspace
) -> list[Observation]:
    """Make the claim once against each occupant, all in one go, and say how each case went, in the order given.

    Against OWN the claim is made twice in the same folder, and the second time is the case.
    """
    seen: dict[Occupant, Observation] = {}
    folders: list[Path] = []
    with contextlib.ExitStack() as stack:
        ready: list[_Set] = []
        for occupant in occupants:
            if occupant in able.missing:
                seen[occupant] = Observation(occupant, obstacle=able.missing[occupant])
                continue
            number, folder = space.fresh()
            folders.append(folder)
            try:
                ready.append(_set_up(claim, occupant, number, folder, stack))
            except (OSError, NotImplementedError) as error:
                seen[occupant] = Observation(occupant, obstacle=_why(error))
        seen.update((done.occupant, done) for done in _make(conversation, ready))
        if Occupant.OWN in seen:
            seen[Occupant.OWN] = _second_time(conversation, claim, seen[Occupant.OWN], ready, space, stack)
    for folder in folders:
        remove_tree(folder)
    return [seen[occupant] for occupant in occupants]


def _set_up(claim: Claim, occupant: Occupant, number: int, folder: Path, stack: contextlib.ExitStack) -> _Set:
    piped = stack.enter_context(occupied(folder, occupant))
    return _ready(claim, occupant, number, folder, stack, piped)


def _ready(
    claim: Claim, occupant: Occupant, number: int, folder: Path, stack: contextlib.ExitStack, piped: Callable[[], bytes]
) -> _Set:
    if claim.source is not None:
        lay_source(folder / SOURCE, claim.source)
    before = look(folder)
    stack.enter_context(pinned(folder, before))
    # Every claim writes other bytes, so that a claim that writes over its own product is seen to do so.
    data = f"claimed by {number}\n"
    request = Request(number, claim.call, contested_path(folder, occupant), folder / SOURCE, folder / MINE, data)
    return _Set(occupant, folder, request, before, piped)


def _make(conversation: Conversation, ready: Sequence[_Set]) -> Iterator[Observation]:
    """Send all claims at once; look at the disk as soon as the answers are in."""
    replies = list(conversation.claims([case.request for case in ready]))
    for case, reply in zip(ready, replies, strict=True):
        yield Observation(case.occupant, reply.answer, case.before, look(case.folder), case.piped(), reply.stderr)


def _second_time(
    conversation: Conversation,
    claim: Claim,
    first: Observation,
    ready: Sequence[_Set],
    space: Workspace,
    stack: contextlib.ExitStack,
) -> Observation:
    """The claim again, over its own product. When the first time took nothing there is no such product."""
    if first.answer is None or not first.answer.said.valid or first.answer.said is Said.UNSUPPORTED:
        return first
    if first.answer.said is Said.NO or NAME not in first.after.entries:
        return Observation(Occupant.OWN, obstacle="the claim did not win the free name")
    folder = next(case.folder for case in ready if case.occupant is Occupant.OWN)
    for left in (folder / SOURCE, folder / f"{SOURCE}-target", folder / MINE):
        if left.is_symlink() or left.is_file():
            left.unlink()
        elif left.exists():
            remove_tree(left)
    number, spare = space.fresh()
    spare.rmdir()
    case = _ready(claim, Occupant.OWN, number, folder, stack, lambda: b"")
    return next(_make(conversation, [case]))


def _why(error: OSError | NotImplementedError) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
