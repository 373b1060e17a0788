"""The only place that starts processes: always with a time limit, a cap on output, and an end for the whole tree."""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import secrets
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

import psutil

from harness import windows

MARK = "CLAIMGRID_PROCESS"
"""Environment variable that every started process inherits, so that one that forked away is still found."""
OWN_MARK = "/".join(filter(None, (os.environ.get(MARK), secrets.token_hex(6))))
"""What all that this process starts can be found by; it begins with the mark of the claimgrid that started this one, if one did."""

_CHUNK = 1 << 16
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 1.0
_LAST_WORDS_SECONDS = 0.2
_STDERR_CAP = 1 << 16
_PIPE_HOLDS = 1 << 12
"""What every system's pipe takes without a reader, if it is empty."""


class Ending(StrEnum):
    """Why a line did not come."""

    SILENT = "silent"
    ENDED = "ended"
    FLOODED = "flooded"


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process went; a program that is not there or will not start is `started=False` with the reason in `stderr`."""

    started: bool
    code: int | None
    timed_out: bool
    overflowed: bool
    stdout: bytes
    stderr: bytes

    @property
    def ok(self) -> bool:
        """Whether it ran to its own end with code 0, inside its limits."""
        return self.started and self.code == 0 and not self.timed_out and not self.overflowed


def run(
    argv: Sequence[str],
    *,
    limit: float,
    max_bytes: int = 1 << 20,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: bytes = b"",
) -> Finished:
    """Run a program to its end, or for `limit` seconds, or until it printed `max_bytes` on standard output.

    `env` is the whole environment; None passes this process's own. The process tree is gone when this returns.
    """
    try:
        process = Process(argv, cwd=cwd, env=os.environ if env is None else env)
    except OSError as error:
        return Finished(False, None, False, False, b"", str(error).encode())
    output = bytearray()
    ending = Ending.ENDED
    try:
        process.feed(input)
        deadline = time.monotonic() + limit
        while True:
            chunk = process.read(deadline)
            if isinstance(chunk, Ending):
                ending = chunk
                break
            output += chunk
            if len(output) > max_bytes:
                ending = Ending.FLOODED
                break
    finally:
        process.end(polite=ending is Ending.ENDED)
    return Finished(
        True,
        process.code,
        ending is Ending.SILENT,
        ending is Ending.FLOODED,
        bytes(output[:max_bytes]),
        process.stderr(),
    )


@dataclass(frozen=True, slots=True)
class _Progress:
    """Processor time that a family of processes has used, and whether one of them only waits for more of it (or for a disk)."""

    seconds: float
    can_go_on: bool


class Process:
    """A running program in a group of its own, with piped standard streams; `end()` leaves nothing of it behind.

    `mark` is what it and everything that it starts can be found by with `kill_marked`. Raises OSError when it cannot be started.
    """

    def __init__(self, argv: Sequence[str], *, cwd: Path | None, env: Mapping[str, str], mark: str = "") -> None:
        self._mark = mark or new_mark()
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        self._job: windows.Job | None = None
        command: str | list[str] = list(argv)
        if sys.platform == "win32":
            command = windows.command_line(argv, os.environ.get("COMSPEC", "cmd.exe"))
            self._job = windows.Job()
            flags |= windows.CREATE_SUSPENDED
        try:
            self._popen = subprocess.Popen(
                command,
                cwd=cwd,
                env={**env, MARK: self._mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=os.name == "posix",
                creationflags=flags,
            )
            if self._job is not None:
                # Suspended until it is in the job, so that nothing that it starts can be outside.
                self._job.take(int(getattr(self._popen, "_handle")))  # noqa: B009
                _resume(self._popen)
        except OSError:
            if self._job is not None:
                self._job.end()
            raise
        self._output = (_Pumped if os.name == "nt" else _Polled)(_stream(self._popen.stdout))
        self._stderr = bytearray()
        self._buffer = b""
        self._errors = threading.Thread(target=self._drain_stderr, daemon=True)
        self._errors.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._popen.poll()

    def stay_on(self, processor: int) -> None:
        """Keep its main thread, and what that starts from now on, on one processor, where the system can do that."""
        with contextlib.suppress(psutil.Error, OSError, ValueError, AttributeError):
            psutil.Process(self._popen.pid).cpu_affinity([processor])

    def wait(self) -> int | None:
        """The exit code, given a moment to end by itself; None when it goes on running."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._popen.wait(_GRACE_SECONDS)
        return None

    def stderr(self) -> bytes:
        """The beginning of what it said on standard error so far, at most 64 KiB; all of that when it has ended."""
        if self._popen.poll() is not None:
            self._errors.join(_LAST_WORDS_SECONDS)
        return bytes(self._stderr)

    def send(self, data: bytes) -> None:
        """Write to its standard input, without waiting for it to be read. One that is not listening any more shows when it is read from."""
        if len(data) <= _PIPE_HOLDS:
            self._write(data)
        else:
            threading.Thread(target=self._write, args=(data,), daemon=True).start()

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):
            stream = _stream(self._popen.stdin)
            while data:
                data = data[stream.write(data) :]

    def feed(self, data: bytes) -> None:
        """Write all of its standard input, and end it, without waiting."""

        def write_and_close() -> None:
            self._write(data)
            self.close_input()

        threading.Thread(target=write_and_close, daemon=True).start()

    def close_input(self) -> None:
        """End its standard input."""
        with contextlib.suppress(OSError):
            _stream(self._popen.stdin).close()

    def read(self, deadline: float) -> bytes | Ending:
        """The next piece of standard output, or why there is none before `deadline` (of time.monotonic)."""
        dead_since: float | None = None
        while True:
            now = time.monotonic()
            if dead_since is None and self._popen.poll() is not None:
                dead_since = now
            chunk = self._output.read(max(0.0, min(deadline - now, _POLL_SECONDS)))
            if chunk is not None:
                return chunk or Ending.ENDED
            # A grandchild may hold the pipe open for ever: the death of the program itself is what counts,
            # once everything it wrote has had time to come through.
            if dead_since is not None and now - dead_since > _LAST_WORDS_SECONDS:
                return Ending.ENDED
            if now >= deadline:
                return Ending.SILENT

    def read_line(self, deadline: float, max_bytes: int, idle_limit: float | None = None) -> bytes | Ending:
        """The next line without its end. A last line that never ended is not a line: it counts as ENDED.

        With `idle_limit` it is also SILENT after that many seconds in which it and its children used no processor time at all.
        """
        while b"\n" not in self._buffer:
            if len(self._buffer) > max_bytes:
                return Ending.FLOODED
            chunk = self._read_unless_idle(deadline, idle_limit) if idle_limit else self.read(deadline)
            if isinstance(chunk, Ending):
                return chunk
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.rstrip(b"\r") if len(line) <= max_bytes else Ending.FLOODED

    def _read_unless_idle(self, deadline: float, idle_limit: float) -> bytes | Ending:
        before = self._progress()
        while True:
            chunk = self.read(min(deadline, time.monotonic() + idle_limit))
            now = self._progress()
            # A program that waits for its turn on a busy machine is not idle: it can go on, or did.
            idle = now == before and not now.can_go_on
            if chunk is not Ending.SILENT or time.monotonic() >= deadline or idle:
                return chunk
            before = now

    def _progress(self) -> _Progress:
        seconds, can_go_on = 0.0, False
        for process in _family(self._popen.pid):
            with contextlib.suppress(psutil.Error, OSError):
                times = process.cpu_times()
                seconds += times.user + times.system
                can_go_on = can_go_on or _can_go_on(process)
        return _Progress(seconds, can_go_on)

    def unread(self) -> bytes:
        """What has come in but was not read as a line: the start of half an answer."""
        return self._buffer

    def end(self, *, polite: bool = True) -> None:
        """End the whole tree: by closing its input and waiting when `polite`, by force for whatever is left."""
        self.close_input()
        if polite:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(_GRACE_SECONDS)
        # Looking for a family reads the whole process table, and a process that ended has none.
        family = [] if self._popen.poll() is not None else _family(self._popen.pid)
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        if self._job is not None:
            self._job.end()
        for relative in family:
            with contextlib.suppress(psutil.Error):
                relative.kill()
        if self._popen.poll() is None:
            self._popen.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(_GRACE_SECONDS)
        if not self._pipes_closed():
            # Somebody outside the group still holds our pipes: it forked away, so look for the mark.
            kill_marked(self._mark)
            self._pipes_closed()
        self._output.close()
        if not self._errors.is_alive():
            _stream(self._popen.stderr).close()

    def _pipes_closed(self) -> bool:
        deadline = time.monotonic() + _GRACE_SECONDS
        self._errors.join(_GRACE_SECONDS)
        return not self._errors.is_alive() and self._output.drained(deadline)

    def _drain_stderr(self) -> None:
        """Read standard error to its end, keeping the beginning, so that it can never block the program."""
        stream = _stream(self._popen.stderr)
        while chunk := _read(stream):
            if len(self._stderr) < _STDERR_CAP:
                self._stderr += chunk[: _STDERR_CAP - len(self._stderr)]


class _Polled:
    """Standard output read when something is there. What is not read stays in the pipe, so a flood waits instead of filling our memory."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._poll = select.poll()
        self._poll.register(stream, select.POLLIN)

    def read(self, seconds: float) -> bytes | None:
        """The next piece, empty at the end; None when there was none in that time."""
        return _read(self._stream) if self._poll.poll(seconds * 1000) else None

    def drained(self, deadline: float) -> bool:
        """Throw away what is left until everybody has let go of the pipe; False when that had not come by `deadline`."""
        while (left := deadline - time.monotonic()) > 0:
            if self.read(left) == b"":
                return True
        return False

    def close(self) -> None:
        self._stream.close()


class _Pumped:
    """The same by a thread, for Windows, where nobody can wait for a pipe with a time limit."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        # Bounded: a program that prints without end waits instead of filling our memory.
        self._chunks: queue.Queue[bytes] = queue.Queue(maxsize=16)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._pump, daemon=True)
        self._thread.start()

    def read(self, seconds: float) -> bytes | None:
        """The next piece, empty at the end; None when there was none in that time."""
        with contextlib.suppress(queue.Empty):
            return self._chunks.get(timeout=seconds)
        return None

    def drained(self, deadline: float) -> bool:
        """Throw away what is left until everybody has let go of the pipe; False when that had not come by `deadline`."""
        self._closing.set()
        self._thread.join(max(0.0, deadline - time.monotonic()))
        return not self._thread.is_alive()

    def close(self) -> None:
        # Closing a pipe that the thread still waits at would wait for it.
        if not self._thread.is_alive():
            self._stream.close()

    def _pump(self) -> None:
        """Move the output into the queue; an empty piece marks the end."""
        while True:
            chunk = _read(self._stream)
            while not self._closing.is_set():
                with contextlib.suppress(queue.Full):
                    self._chunks.put(chunk, timeout=_POLL_SECONDS)
                    break
            if not chunk:
                return


def _resume(popen: subprocess.Popen[bytes]) -> None:
    """Let a suspended process go. Raises OSError, after killing it, when that cannot be done."""
    try:
        psutil.Process(popen.pid).resume()
    except psutil.Error as error:
        popen.kill()
        raise OSError(f"the process could not be let go: {error}") from error


def stay_on_one() -> None:
    """Keep this process, and what it starts from now on, on one processor, where the system can do that."""
    with contextlib.suppress(psutil.Error, OSError, ValueError, AttributeError):
        psutil.Process().cpu_affinity(psutil.Process().cpu_affinity()[:1])


def quoted(argv: Sequence[str]) -> str:
    """A command as a person can paste it into the shell of this system."""
    return " ".join(map(windows.quoted_word, argv)) if os.name == "nt" else shlex.join(argv)


_marks = itertools.count(1)


def new_mark() -> str:
    """A mark that no other process carries, below this process's own."""
    return f"{OWN_MARK}/{next(_marks)}"


def kill_marked(mark: str) -> list[psutil.Process]:
    """Kill every process whose environment carries this mark or one below it, wherever it forked to. Gives those that it found."""
    return [process for process in psutil.process_iter() if _is_marked(process, mark) and _kill(process)]


def _is_marked(process: psutil.Process, mark: str) -> bool:
    with contextlib.suppress(psutil.Error, OSError):
        carried: str = process.environ().get(MARK, "")
        return carried == mark or carried.startswith(f"{mark}/")
    return False


def _kill(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error, OSError):
        process.kill()
        return True
    return False


def _family(pid: int) -> list[psutil.Process]:
    """The process and all that descend from it; empty when it is gone."""
    try:
        head = psutil.Process(pid)
        return [head, *head.children(recursive=True)]
    except psutil.Error:
        return []


def _can_go_on(process: psutil.Process) -> bool:
    """Whether any of its threads is not asleep. Only Linux tells of each thread."""
    threads = Path(f"/proc/{process.pid}/task")
    if not threads.is_dir():
        return process.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
    # The state is the letter after the name, which stands in brackets and may contain anything.
    states = (
        thread.joinpath("stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2][:1]
        for thread in threads.iterdir()
    )
    return any(state in "RD" for state in states)


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _read(stream: IO[bytes]) -> bytes:
    try:
        return os.read(stream.fileno(), _CHUNK)
    except (OSError, ValueError):
        return b""


def clean_environment(home: Path) -> dict[str, str]:
    """What a probe sees: a search path, a UTF-8 locale, and `home` for everything it might want to write."""
    keep = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMFILES", "NUMBER_OF_PROCESSORS")
    kept = {name: os.environ[name] for name in keep if name in os.environ}
    locale = {} if sys.platform == "win32" else {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    places = {
        name: str(home)
        for name in ("HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
    }
    return {**kept, **locale, **places, "NO_COLOR": "1"}
