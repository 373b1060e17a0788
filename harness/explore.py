"""Every schedule of two contenders with one pause: one is held after a call that touches the name, the other claims meanwhile.

It is held after its first such call, then its second, and so on. Chance has no part in it: a point counts only when it is
proved that the other's whole claim lay within the pause.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness import strace
from harness.builds import Build, conversation
from harness.claims import Claim
from harness.conversation import Conversation, Reply, Request
from harness.errors import ClaimgridError, Exit
from harness.measure import Place, Workspace
from harness.mechanism import CHECK_THEN_ACT, Trace, locks_late, mechanism, notation, takes_locks, touches, undecided
from harness.observation import Said
from harness.occupants import MINE, OTHER_SOURCE, lay_source
from harness.scratch import scratch
from harness.strace import Call, Filter, Pause, Traceable
from harness.vocabulary import Kind, RaceOutcome

_WITHOUT = "Without a trace the paced race alone decides."
_POLL_SECONDS = 0.001
_MORE_SECONDS = 30.0
"""What a claim may take longer than usual while it is traced and held."""


@dataclass(frozen=True, slots=True)
class Point:
    """One pause: after which call of the first contender, before which, and what each of the two said.

    With an `obstacle` nothing is proved, and the point is not explored.
    """

    after: str
    before: str
    first: Said | None = None
    second: Said | None = None
    obstacle: str = ""

    @property
    def pause(self) -> str:
        """The pause in words."""
        return f"after {self.after}, before {self.before}" if self.before else f"after {self.after}"

    @property
    def outcome(self) -> RaceOutcome:
        """Who got the name."""
        if self.obstacle:
            return RaceOutcome.NOT_RUN
        winners = [self.first, self.second].count(Said.YES)
        return (RaceOutcome.NO_WINNER, RaceOutcome.ONE_WINNER, RaceOutcome.TWO_WINNERS)[winners]


@dataclass(frozen=True, slots=True)
class Exploration:
    """All pauses of a claim; an `obstacle` says why none could be tried."""

    points: tuple[Point, ...] = ()
    obstacle: str = ""

    @property
    def outcome(self) -> RaceOutcome:
        """The worst that a pause led to; NOT_RUN when nothing bad was seen but not every pause was tried."""
        seen = {point.outcome for point in self.points}
        order = (RaceOutcome.TWO_WINNERS, RaceOutcome.NO_WINNER, RaceOutcome.NOT_RUN, RaceOutcome.ONE_WINNER)
        return next((outcome for outcome in order if outcome in seen), RaceOutcome.NOT_RUN)

    @property
    def telling(self) -> Point | None:
        """The first pause that led to the outcome."""
        return next((point for point in self.points if point.outcome is self.outcome), None)

    def evidence(self) -> dict[str, Any]:
        """All of it in plain values."""
        points = [
            {
                "pause": point.pause,
                **({"held": point.first.value, "other": point.second.value} if point.first and point.second else {}),
                **({"obstacle": point.obstacle} if point.obstacle else {}),
            }
            for point in self.points
        ]
        return {
            "outcome": self.outcome.value,
            **({"points": points} if points else {}),
            **({"obstacle": self.obstacle} if self.obstacle else {}),
        }


@dataclass(frozen=True, slots=True)
class Examination:
    """What the system calls of a claim tell: its mechanism, if that shows, its exploration, if it was asked for, and whether the
    claim takes the name before it asks for a lock on it; None where no win was traced.
    """

    mechanism: str | None
    exploration: Exploration | None = None
    obstacle: str = ""
    locks_late: bool | None = None


@dataclass(slots=True)
class _Rehearsal:
    """A claim's two traces, and how long the other contender takes for its claim."""

    win: Trace
    again: Trace
    seconds: float

    @property
    def mentioned(self) -> set[str]:
        """The paths in the calls that touch the name: without their folder, or relative as they were given."""
        inside = {path for call in self.win.touches for path in self._inside(call)}
        return inside | _relative(self.win.touches)

    @property
    def mentioning(self) -> list[Call]:
        """The calls that strace finds when it is told to look for those paths."""
        mentioned = self.mentioned
        return [call for call in self.win.calls if not mentioned.isdisjoint(self._inside(call))]

    def _inside(self, call: Call) -> set[str]:
        folders = [name.rpartition("/")[0] for name in self.win.names]
        paths = (*call.paths, *call.descriptors)
        return {path.removeprefix(folder) for path in paths for folder in folders if path.startswith(folder + "/")}


@dataclass
class Laboratory:
    """Two contenders of one build, the first of which is traced and held."""

    first: Traceable
    second: Conversation
    space: Workspace
    folder: Path
    _logs: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def examine(self, claim: Claim, *, pauses: int | None = None) -> Examination:
        """Trace a claim and try every pause, unless there are more of them than `pauses`.

        Raises ClaimgridError when a probe or strace does not start.
        """
        rehearsed = self._rehearse(claim)
        if isinstance(rehearsed, str):
            return Examination(None, Exploration(obstacle=rehearsed) if pauses != 0 else None, rehearsed)
        win, again = rehearsed.win, rehearsed.again
        late_lock = locks_late(claim.kind, win)
        exploration = None
        points: dict[int, Point] = {}
        if pauses is None or len(win.touches) <= pauses:
            if again.said is Said.NO:
                points = dict(self._points(claim, rehearsed))
            exploration = Exploration(tuple(points.values()), "" if points else "It wins a name that is taken.")
            if exploration.outcome is RaceOutcome.TWO_WINNERS:
                # It refuses a name that is taken, and yet both won: a look decides, whichever call takes the name.
                return Examination(CHECK_THEN_ACT, exploration, locks_late=late_lock)
        late = undecided(claim.kind, win, again)
        if late is None:
            return Examination(mechanism(claim.kind, win, again), exploration, locks_late=late_lock)
        point = points.get(late) or self._point(claim, rehearsed, late)
        # Only where the other did take the name meanwhile, it tells something what the held one says then.
        taken = point is not None and point.second is Said.YES
        said = point.first if point and taken else None
        return Examination(mechanism(claim.kind, win, again, said), exploration, locks_late=late_lock)

    def takes_locks(self, look: Claim) -> bool:
        """Whether a look at a file that is there asks for a lock."""
        with self._arena(look) as (first, _):
            first.request.name.write_bytes(b"something to look at")
            return takes_locks(self._trace(first).calls)

    # ---- The two traces

    def _rehearse(self, claim: Claim) -> _Rehearsal | str:
        """Trace a win and what the claim does when the name is taken; the reason when either does not come about."""
        if claim.kind is Kind.LOOK:
            return "It only looks, and takes no name."
        if not self.first.per_case:
            # Whatever a runtime loads or compiles the first time is not part of the claim.
            for number in range(2):
                with self._arena(claim) as sides:
                    sides[number].claim()
        with self._arena(claim) as (first, second):
            win = self._trace(first)
        if win.said is not Said.YES:
            return f"It did not win a free name, and said {win.said}."
        with self._arena(claim) as (first, second):
            started = time.monotonic()
            taken = second.claim()
            seconds = time.monotonic() - started
            if taken.answer.said is not Said.YES:
                return f"It did not win a free name, and said {_told(taken)}."
            # Some locks wait until they are free, which this one will not be: no need to be patient.
            first.request = replace(first.request, may_block=claim.kind is Kind.HELD)
            again = self._trace(first)
        if again.said not in (Said.YES, Said.NO):
            return f"It gave no valid answer when the name was taken: {again.said}."
        if not win.touches:
            return "No system call that touches the name was seen."
        return _Rehearsal(win, again, seconds)

    def _trace(self, side: _Side) -> Trace:
        log = self._log()
        with self.first.traced(log, Filter()):
            reply = side.claim()
        return Trace(_spellings(side.request.name), reply.answer.said, tuple(_calls(log)))

    # ---- The pauses

    def _points(self, claim: Claim, rehearsed: _Rehearsal) -> Iterator[tuple[int, Point]]:
        """Pause after the first touch, the second, and so on, until the contender has made all or has its answer."""
        for number in range(1, len(rehearsed.win.touches) + 1):
            point = self._point(claim, rehearsed, number)
            if point is None:
                return
            yield number, point

    def _point(self, claim: Claim, rehearsed: _Rehearsal, number: int) -> Point | None:
        """Hold the first contender after its touch of that number, in one way or another until one is proved to have worked.

        None when it has its answer before that touch (a file may be closed later): its claim is over then.
        """
        path = rehearsed.win.touches
        name = Point(notation(path[number - 1]), notation(path[number]) if number < len(path) else "")
        point: Point | None = None
        for pause, paths in self._ways(rehearsed, number):
            point = self._hold(claim, path[:number], name, pause, paths)
            if point is None or not point.obstacle:
                break
        return point

    def _hold(
        self, claim: Claim, path: Sequence[Call], name: Point, pause: Pause, paths: Collection[str]
    ) -> Point | None:
        log = self._log()
        with self._arena(claim) as (first, second), ThreadPoolExecutor(1) as pool:
            folder = str(first.request.name.parent)
            spelled = [folder + path if path.startswith("/") else path for path in sorted(paths)]
            # Where only some calls are logged it does not show which directory is the current one.
            contested = (*_spellings(first.request.name), *_relative(path))
            what = Filter(sorted({call.name for call in path}), spelled)
            with self.first.traced(log, what, pause) as release:
                running = pool.submit(first.claim)
                stop = _wait(log, contested, [notation(call) for call in path], running)
                theirs = second.claim() if stop.held else None
                # strace lets go no earlier than this, on the clock that its log is written with.
                in_time = time.time() < stop.began + pause.seconds
                alone = len(touches(_calls(log), contested)) == len(path)
                release()
                ours = running.result()
        if theirs is None:
            # Only a filter without paths shows that the call was not made yet.
            if stop.over and ours.answer.said is Said.YES and not paths:
                return None
            return replace(name, obstacle=f"It was not held there, and said {ours.answer.said}.")
        if not in_time or not alone:
            return replace(name, obstacle="The other's claim did not lie within the pause.")
        if not {ours.answer.said, theirs.answer.said} <= {Said.YES, Said.NO}:
            return replace(
                name, obstacle=f"No valid answers: the held one said {_told(ours)}, the other {_told(theirs)}."
            )
        return replace(name, first=ours.answer.said, second=theirs.answer.said)

    def _ways(self, rehearsed: _Rehearsal, number: int) -> Iterator[tuple[Pause, Collection[str]]]:
        """How to hold a contender after one touch, best first: the pause, and the paths one of which a call must mention.

        strace counts the calls of each name in each thread for itself. It can hold the one alone, then, unless another
        thread gets to its own call of that number before; else every touch up to the one is held for a while.
        """
        path = rehearsed.win.touches
        last = path[number - 1]
        before = [call for call in rehearsed.mentioning if call.name == last.name]
        # What goes through the name and ends elsewhere, as `name/..` does, touches it and does not mention it.
        before = before[: before.index(last) + 1] if last in before else []
        counts = Counter(call.tracee for call in before)
        alone = all(count < counts[last.tracee] for tracee, count in counts.items() if tracee != last.tracee)
        # A pause that can be ended at once may be as long as it likes.
        long = max(2.0, 50 * rehearsed.seconds) if self.first.at_once else max(0.15, 5 * rehearsed.seconds)
        if before and (alone or not self.first.at_once):
            yield Pause((last.name,), long, counts[last.tracee]), rehearsed.mentioned
        every = sorted({call.name for call in path[:number]})
        short = max(0.04, 5 * rehearsed.seconds)
        yield Pause(every, short), rehearsed.mentioned
        # strace does not see every mention of a path. Where programs are started there are too many calls to hold all.
        if self.first.at_once:
            yield Pause(every, 4 * short), ()

    # ---- What all of them need

    @contextlib.contextmanager
    def _arena(self, claim: Claim) -> Iterator[tuple[_Side, _Side]]:
        """A folder with one name for both contenders, and for each of them what is its own."""
        place = self.space.fresh()
        other = replace(place, source=place.folder / OTHER_SOURCE, mine=place.folder / f"{MINE}-2")
        if claim.kind is Kind.TAKE and claim.source is not None:
            lay_source(place.name, claim.source, self.space.number())
        sides = [
            _Side(contender, self._request(claim, own), claim.kind)
            for contender, own in ((self.first, place), (self.second, other))
        ]
        try:
            yield sides[0], sides[1]
        finally:
            for side in sides:
                side.let_go()
            self.space.clear(place)

    def _request(self, claim: Claim, place: Place) -> Request:
        number = self.space.number()
        if claim.kind is not Kind.TAKE and claim.source is not None:
            lay_source(place.source, claim.source, number)
        return Request(number, claim.call, place.name, place.source, place.mine, f"claimed by {number}\n")

    def _log(self) -> Path:
        return self.folder / f"{next(self._logs)}.log"


@dataclass
class _Side:
    """One contender and what it is asked. What it wins by a *held* claim it holds until `let_go`."""

    contender: Conversation
    request: Request
    kind: Kind
    holds: bool = False

    def claim(self) -> Reply:
        """Make the claim."""
        if self.kind is not Kind.HELD:
            return next(iter(list(self.contender.claims([self.request]))))
        reply = self.contender.hold(self.request)
        self.holds = reply.answer.said is Said.YES
        return reply

    def let_go(self) -> None:
        """Hold nothing any more."""
        if self.holds:
            self.holds = False
            self.contender.release(self.request)


@contextlib.contextmanager
def laboratory(build: Build, space: Workspace) -> Iterator[Laboratory]:
    """Two contenders of a build, started when they are needed. Raises ClaimgridError where nothing can be traced."""
    if build.platform.startswith("wine-"):
        # There the name is taken by Wine's server, whoever asked for it.
        raise ClaimgridError(f"{build.id} makes no system calls of its own.", _WITHOUT, Exit.NOT_RUN)
    if why := strace.obstacle():
        raise ClaimgridError(why, _WITHOUT, Exit.NOT_RUN)
    with scratch("strace") as folder, contextlib.ExitStack() as stack:
        plain = conversation(build, space.home)
        limits = replace(plain.limits, case=plain.limits.case + _MORE_SECONDS, start=plain.limits.start + _MORE_SECONDS)
        first = Traceable(plain.launch, plain.home, limits, plain.per_case)
        stack.enter_context(first)
        second = stack.enter_context(plain)
        yield Laboratory(first, second, space, folder)


@dataclass(frozen=True, slots=True)
class _Stop:
    """Where the first contender stands: `held` after the call that began then, or `over`, answered before that call."""

    held: bool = False
    over: bool = False
    began: float = 0.0


def _wait(log: Path, names: Sequence[str], path: Sequence[str], running: Future[Reply]) -> _Stop:
    """Wait until the contender is held after the last call of `path`, or cannot be any more."""
    while True:
        done = running.done()
        calls = [call for call in _calls(log) if call.finished]
        made = touches(calls, names)
        right = [notation(call) for call in made] == list(path)[: len(made)]
        if done or not right:
            return _Stop(over=done and right and len(made) <= len(path))
        if len(made) == len(path):
            return _Stop(held=made[-1].delayed, began=made[-1].began)
        time.sleep(_POLL_SECONDS)


def _calls(log: Path) -> list[Call]:
    try:
        return strace.parse(log.read_bytes().decode("utf-8", "surrogateescape"))
    except FileNotFoundError:
        return []


def _relative(calls: Sequence[Call]) -> set[str]:
    """The relative paths that calls were given."""
    return {path for call in calls for path in call.given if not path.startswith("/")}


def _spellings(name: Path) -> tuple[str, ...]:
    """The name as it is given to a contender, and as the system spells it in descriptors."""
    return tuple(dict.fromkeys((str(name), str(name.parent.resolve() / name.name))))


def _told(reply: Reply) -> str:
    return " ".join(part for part in (reply.answer.said, reply.answer.error, reply.answer.message) if part)
