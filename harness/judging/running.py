"""What is common to a contender's program however it is watched: its process, and waiting for what it does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.processes import Process


@dataclass(frozen=True, slots=True)
class Touch:
    """A call that is about to be made: `paths` are absolute, `text` is what is written where that is standard output."""

    call: str
    paths: tuple[str, ...]
    flags: tuple[str, ...] = ()
    text: str = ""


class Running:
    """A program that runs; `gone` is that it was killed by us."""

    _process: Process

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.gone = False

    @property
    def errors(self) -> str:
        """The beginning of what it said on standard error."""
        return self._process.stderr().decode(errors="replace")

    def wait(self) -> int | None:
        """The exit code, given a moment to come."""
        return self._process.wait()

    def wait_until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Wait until it holds, looking whenever something happened; False when it still did not after so many seconds."""
        with self._changed:
            return self._changed.wait_for(holds, seconds)

    def notify(self) -> None:
        """Have everybody who waits look again."""
        with self._changed:
            self._changed.notify_all()

    def close_input(self) -> None:
        """End its standard input."""
        self._process.close_input()


def started(argv: Sequence[str], what: str, cwd: Path, env: Mapping[str, str]) -> Process:
    """The process of a command. Raises ClaimgridError, which tells of `what` was to be started."""
    try:
        return Process(argv, cwd=cwd, env=env)
    except OSError as error:
        raise ClaimgridError(f"{what} does not start: {error.strerror}.", "", Exit.NOT_RUN) from None
