"""Programs that run where no system call can be held: a line of their output is noticed, and they can be made to wait then, no more."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from harness.judging.running import Running, Touch, started
from harness.processes import Ending

_POLL_SECONDS = 0.05
_JOIN_SECONDS = 10.0


class Watched(Running):
    """The same as `Supervised`, of which only what is printed is told to `before`, and only after it was printed.

    As long as `before` does not return the program is suspended. Raises ClaimgridError when it does not start.
    """

    def __init__(
        self, argv: Sequence[str], cwd: Path, folder: Path, env: Mapping[str, str], before: Callable[[Touch], None]
    ) -> None:
        del folder
        super().__init__()
        self._before = before
        self.ended = False
        self._process = started(argv, argv[0], cwd, env)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def kill(self) -> None:
        """End all of it at once."""
        if self.gone:
            return
        self.gone = True
        with self._changed:
            self.ended = True
            self._changed.notify_all()
        # Two cannot read from one pipe: what is left of it is for whoever ends the process.
        self._reader.join(_JOIN_SECONDS)
        self._process.end(polite=False)

    close = kill

    def _read(self) -> None:
        while not self.ended:
            chunk = self._process.read(time.monotonic() + _POLL_SECONDS)
            if isinstance(chunk, bytes):
                self._suspended(chunk)
            elif chunk is Ending.ENDED:
                with self._changed:
                    self.ended = True
                    self._changed.notify_all()

    def _suspended(self, chunk: bytes) -> None:
        with contextlib.suppress(psutil.Error):
            psutil.Process(self._process.pid).suspend()
        self._before(Touch("write", (), text=chunk.decode(errors="replace")))
        with contextlib.suppress(psutil.Error):
            psutil.Process(self._process.pid).resume()
