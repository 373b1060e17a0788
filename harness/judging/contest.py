"""One contender for a recipe's name: a command, as it is, run up to where a schedule wants it and held there."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from fnmatch import fnmatchcase
from pathlib import Path

from harness.judging.running import Touch
from harness.judging.supervise import Supervised, obstacle
from harness.judging.watched import Watched


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: how a contender is started, with words in braces such as `{name}`, the contested path, which are filled in.

    `kind` is lock, publish or consume; these two are one process each that says nothing. Of a lock `acquire` alone is one process that acquires, `says` so in a line on standard output, works, releases and ends. With `release` it is
    two: the first says by its exit code whether it acquired. In `says`, which is a whole line, `*` stands for anything. A publisher with a `done_mark` (with `{name}`, too) tells readers by it
    that its data is whole; readers of one that `settles` take it for whole when its size stands still. It is `foreign` when another process makes its system calls, as Wine's server does; `ages` is False for one that goes by a time which nobody can set, such as ctime.
    `spell` writes a path as its runtime reads it.
    """

    acquire: tuple[str, ...]
    release: tuple[str, ...] = ()
    says: str = "acquired"
    cwd: Path = Path()
    env: Mapping[str, str] | None = None
    kind: str = "lock"
    done_mark: str = ""
    ages: bool = True
    foreign: bool = False
    settles: bool = False
    spell: Callable[[Path], str] = str

    @property
    def held_calls(self) -> bool:
        """Whether its system calls can be held."""
        return not self.foreign and not obstacle()


_STIRRING = 30
"""A contender that only does again and again what it has done already waits; one that does ever new things has so many times its patience."""


class Stop(Enum):
    """Where a contender stands."""

    HELD = auto()
    ACQUIRED = auto()
    ENDED = auto()
    WAITS = auto()


class Contender:
    """One who wants the name. It is started by the first `go`, and every `go` gives how it stands afterwards.

    `touches` are all that it made of the folder; it is held at the moment at which it says that it has acquired, too, so that it holds
    for as long as is wanted. `over` is that it has ended, and has nothing left to release.
    """

    def __init__(self, label: str, subject: Subject, words: Mapping[str, str], folder: Path, patience: float) -> None:
        self.label = label
        self.patience = patience
        self.acquired = False
        self.over = False
        self.code: int | None = None
        self.before: Touch | None = None
        self.touches: list[Touch] = []
        self._taken = 0
        self._subject = subject
        self._words = words
        self._folder = folder
        self._stop_after: int | None = None
        self._said = ""
        self._process: Supervised | Watched | None = None
        self._running: Sequence[str] = ()
        self._held = False

    @property
    def made(self) -> int:
        """How many touches it has made."""
        return len(self.touches)

    def go(self, stop_after: int | None = None) -> Stop:
        """Go on until it has made so many touches in all, has acquired, or has ended; what it is held before then is in `before`."""
        self._stop_after = stop_after
        if self._process is None:
            self._start(self._subject.acquire)
        elif self.acquired and self._running is self._subject.acquire and self._subject.release and not self._held:
            self._start(self._subject.release)
        else:
            self._held = False
            self._process.notify()
        return self._wait()

    def _start(self, command: Sequence[str]) -> None:
        argv = [_filled(part, self._words) for part in command]
        env = dict(os.environ if self._subject.env is None else self._subject.env)
        # A line that Python keeps back until it ends comes too late to tell anything.
        env.setdefault("PYTHONUNBUFFERED", "1")
        self._running = command
        if self._process is not None:
            # Of two commands the first is over when the second one begins.
            self._process.close()
        start = Supervised if self._subject.held_calls else Watched
        self._process = start(argv, self._subject.cwd, self._folder, env, self._before)

    def _wait(self) -> Stop:
        process = self._process
        assert process is not None
        # It has as long as it needs while it does something new. Who does nothing, or tries the same again and again, waits for somebody.
        known: set[tuple[str, ...]] = set()
        looked_at = self.made
        last = time.monotonic() + _STIRRING * self.patience
        ends = time.monotonic() + self.patience
        while not process.wait_until(
            lambda: self._held or process.ended, min(self.patience, max(0.0, ends - time.monotonic()))
        ):
            fresh = {_kind(touch) for touch in self.touches[looked_at:]} - known
            looked_at = self.made
            if fresh:
                known |= fresh
                ends = min(last, time.monotonic() + self.patience)
            if time.monotonic() >= ends:
                break
        if self._held:
            return Stop.HELD if self.before is not None else Stop.ACQUIRED
        if not process.ended:
            return Stop.WAITS
        self.code = process.wait()
        if self._running is self._subject.acquire and self._subject.release and self.code == 0 and not self.acquired:
            self.acquired = True
            return Stop.ACQUIRED
        self.over = True
        return Stop.ENDED

    def _before(self, touch: Touch) -> None:
        """In the thread of the process's calls: hold it here when the schedule says so."""
        if touch.text:
            self._said += touch.text
            if (
                self._subject.kind != "lock"
                or self._subject.release
                or self.acquired
                or not _is_said(self._subject.says, self._said)
            ):
                return
            self.acquired = True
            self._hold(None)
            return
        if self._stop_after is not None and self.made >= self._stop_after:
            self._hold(touch)
        if self._process is None or not self._process.gone:
            self.touches.append(touch)

    def _hold(self, touch: Touch | None) -> None:
        process = self._process
        # The first call may come before the constructor has returned.
        while process is None:
            process = self._process
        self.before, self._held = touch, True
        process.notify()
        process.wait_until(lambda: not self._held or process.gone, float(2**20))

    @property
    def asks_for_a_lock(self) -> bool:
        """Whether the last that it did was to ask the system for a lock, where whoever waits is woken."""
        return bool(self.touches) and self.touches[-1].call in ("flock", "fcntl")

    def take_calls(self) -> tuple[Touch, ...]:
        """The touches since they were taken last."""
        calls = tuple(self.touches[self._taken :])
        self._taken += len(calls)
        return calls

    @property
    def errors(self) -> str:
        """What it said on standard error."""
        return self._process.errors if self._process else ""

    @property
    def output(self) -> str:
        """What it said on standard output, up to where it is held."""
        return self._said

    def let_end(self) -> None:
        """End its standard input: who waits for that releases then."""
        if self._process is not None:
            self._process.close_input()

    def kill(self) -> None:
        """Kill it with all that it has started; the call that it is held before is not made."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Leave nothing of it running."""
        self.kill()
        if self._process is not None:
            self._process.close()


def _kind(touch: Touch) -> tuple[str, ...]:
    """What a touch is, whatever number is in a name that its maker chose."""
    return (touch.call, *(re.sub(r"\d+", "#", path) for path in touch.paths))


def _is_said(wanted: str, output: str) -> bool:
    """Whether some line is what was to be said; upper and lower case are the same."""
    pattern = wanted.strip().lower().replace("[", "[[]").replace("?", "[?]")
    return any(fnmatchcase(line.strip().lower(), pattern) for line in output.splitlines())


def _filled(part: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        part = part.replace(f"{{{word}}}", value)
    return part
