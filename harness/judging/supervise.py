"""Programs whose system calls are held before they are made: any command, with all that it starts, through seccomp's notifications.

The kernel asks before every call of some kinds (`_CALLS`); those that touch nothing in the folder under test are let go at once. So
a command that nobody adapted is held exactly where a schedule says, for as long as is wanted, or killed there. No trace is needed, and
no delay is guessed. See seccomp_unotify(2).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import functools
import os
import platform
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.judging.running import Running, Touch, started
from harness.processes import Ending, new_mark

_START_SECONDS = 10.0
_REAP_SECONDS = 2.0
_PR_SET_CHILD_SUBREAPER = 36
_POLL_SECONDS = 0.05

# ---- Which calls are asked about: their numbers on x86-64 and arm64 (None: it has no such call), and where their arguments are.


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where a call's paths are, each with the argument that holds its directory (None: the current one), and its open file."""

    numbers: tuple[int | None, int | None]
    paths: tuple[tuple[int | None, int], ...] = ()
    file: int | None = None
    flags: int | None = None


_AT_0 = ((0, 1),)
_CALLS: Mapping[str, _Shape] = {
    "open": _Shape((2, None), ((None, 0),), flags=1),
    "creat": _Shape((85, None), ((None, 0),)),
    "openat": _Shape((257, 56), _AT_0, flags=2),
    "openat2": _Shape((437, 437), _AT_0),
    "mkdir": _Shape((83, None), ((None, 0),)),
    "mkdirat": _Shape((258, 34), _AT_0),
    "rmdir": _Shape((84, None), ((None, 0),)),
    "unlink": _Shape((87, None), ((None, 0),)),
    "unlinkat": _Shape((263, 35), _AT_0),
    "rename": _Shape((82, None), ((None, 0), (None, 1))),
    "renameat": _Shape((264, 38), ((0, 1), (2, 3))),
    "renameat2": _Shape((316, 276), ((0, 1), (2, 3))),
    "link": _Shape((86, None), ((None, 0), (None, 1))),
    "linkat": _Shape((265, 37), ((0, 1), (2, 3))),
    "symlink": _Shape((88, None), ((None, 1),)),
    "symlinkat": _Shape((266, 36), ((1, 2),)),
    "mknod": _Shape((133, None), ((None, 0),)),
    "mknodat": _Shape((259, 33), _AT_0),
    "stat": _Shape((4, None), ((None, 0),)),
    "lstat": _Shape((6, None), ((None, 0),)),
    "newfstatat": _Shape((262, 79), _AT_0),
    "statx": _Shape((332, 291), _AT_0),
    "access": _Shape((21, None), ((None, 0),)),
    "faccessat": _Shape((269, 48), _AT_0),
    "faccessat2": _Shape((439, 439), _AT_0),
    "readlink": _Shape((89, None), ((None, 0),)),
    "readlinkat": _Shape((267, 78), _AT_0),
    "truncate": _Shape((76, 45), ((None, 0),)),
    "chmod": _Shape((90, None), ((None, 0),)),
    "fchmodat": _Shape((268, 53), _AT_0),
    "utime": _Shape((132, None), ((None, 0),)),
    "utimes": _Shape((235, None), ((None, 0),)),
    "utimensat": _Shape((280, 88), _AT_0),
    "read": _Shape((0, 63), file=0),
    "pread64": _Shape((17, 67), file=0),
    "readv": _Shape((19, 65), file=0),
    "write": _Shape((1, 64), file=0),
    "pwrite64": _Shape((18, 68), file=0),
    "writev": _Shape((20, 66), file=0),
    "pwritev": _Shape((296, 70), file=0),
    "ftruncate": _Shape((77, 46), file=0),
    "flock": _Shape((73, 32), file=0),
    "fcntl": _Shape((72, 25), file=0),
    "fsync": _Shape((74, 82), file=0),
    "fdatasync": _Shape((75, 83), file=0),
    "sendfile": _Shape((40, 71), file=0),
    "copy_file_range": _Shape((326, 285), file=2),
}
_WRITES = ("write", "writev")
_FCNTL_LOCKS = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW and their twins for open file descriptions; whatever else fcntl does touches no file."""
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_OPENS = {0o100: "O_CREAT", 0o200: "O_EXCL", 0o1000: "O_TRUNC", 0o2000: "O_APPEND"}

# ---- The kernel's structures and requests, from <linux/seccomp.h> and <linux/filter.h>.

_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_RESPONSE = struct.Struct("=QqiI")
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_LOAD_WORD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_AT_FDCWD = -100
_LONGEST_PATH = 4096


@functools.cache
def obstacle() -> str:
    """Why no system call can be held here, in one sentence; empty when it can."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return "System calls can be held on Linux (x86-64 and arm64) only."
    try:
        with contextlib.closing(
            Supervised([sys.executable, "-I", "-S", "-c", ""], Path("/"), Path("/"), {}, lambda _: None)
        ) as tried:
            tried.wait_until(lambda: tried.ended, _START_SECONDS)
            return "" if tried.wait() == 0 else "The kernel does not let system calls be held here."
    except ClaimgridError as error:
        return error.message


class Supervised(Running):
    """A running command, each of whose touches of `folder` is told to `before` before it is made, in the order in which they come.

    `before` runs in a thread of its own; as long as it does not return, the call waits, and so does every later one, whichever
    process or thread of the command makes it. Standard output is asked about, too. `gone` is that it was killed. Raises ClaimgridError when it does not start.
    """

    def __init__(
        self, argv: Sequence[str], cwd: Path, folder: Path, env: Mapping[str, str], before: Callable[[Touch], None]
    ) -> None:
        self._folder = os.path.realpath(folder) + "/"
        # However a path into the folder is spelled, the folder's own name is in it.
        self._landmark = folder.name
        super().__init__()
        self._before = before
        self._output = b""
        self._ended = False
        _adopt()
        script = Path(__file__).with_name("supervised.py")
        with socket.socket(socket.AF_UNIX) as door:
            name = f"claimgrid-{new_mark()}"
            door.bind("\0" + name)
            door.listen(1)
            door.settimeout(_START_SECONDS)
            command = [sys.executable, "-I", "-S", str(script), name, _filter().hex(), *argv]
            self._process = started(command, argv[0], cwd, env)
            try:
                self._listener = self._received(door)
            except BaseException:
                self._process.end(polite=False)
                raise
        self._server = threading.Thread(target=self._serve, daemon=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._server.start()
        self._reader.start()

    def _received(self, door: socket.socket) -> int:
        try:
            inside, _ = door.accept()
            with inside:
                said, descriptors, _, _ = socket.recv_fds(inside, 1000, 1)
                if descriptors:
                    link = os.stat(f"/proc/{self._process.pid}/fd/1")
                    self._standard_output = (link.st_dev, link.st_ino)
                    inside.sendall(b"+")
                    return descriptors[0]
        except OSError as error:
            said = str(error).encode()
        raise ClaimgridError(f"No system call can be held here: {said.decode(errors='replace')}.", "", Exit.NOT_RUN)

    @property
    def pid(self) -> int:
        """The process id of the command itself."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the command itself has ended and all that it printed has come in."""
        return self._ended

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._process.code

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return self._output.decode(errors="replace")

    def kill(self) -> None:
        """End all of it at once: a call that is held is not made."""
        if self.gone:
            return
        self.gone = True
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        # Two cannot read from one pipe: what is left of it is for whoever ends the process.
        self._reader.join(_START_SECONDS)
        self._process.end(polite=False)
        _reap(self._process.pid)

    def close(self) -> None:
        """Leave nothing of it running."""
        self.kill()
        self._server.join(_START_SECONDS)

    # ---- The two threads

    def _read(self) -> None:
        while not self._ended:
            chunk = self._process.read(time.monotonic() + _POLL_SECONDS)
            with self._changed:
                if isinstance(chunk, bytes):
                    self._output += chunk
                elif chunk is Ending.ENDED:
                    self._ended = True
                self._changed.notify_all()

    def _serve(self) -> None:
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        names = _names()
        try:
            while True:
                events = poll.poll(_POLL_SECONDS * 1000)
                if events and events[0][1] & select.POLLIN:
                    self._answer(names)
                # The listener hangs up when nobody is left whom the filter holds for.
                elif events or (self._ended and self._process.code is not None and not self._left()):
                    return
        finally:
            os.close(self._listener)

    def _left(self) -> bool:
        """Whether somebody of its group still runs: a call that nobody answers fails, which must not happen to a child left behind."""
        try:
            os.killpg(self._process.pid, 0)
        except OSError:
            return False
        return True

    def _answer(self, names: Mapping[int, str]) -> None:
        buffer = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, buffer)
        except OSError as error:
            # It was interrupted or has died before we could ask what it wants.
            if error.errno in (errno.ENOENT, errno.EINTR):
                return
            raise
        ident, thread, _, number, _, _, *arguments = _NOTIFICATION.unpack(buffer)
        touch = self._touch(names[number], thread, arguments)
        if touch is not None:
            self._before(touch)
        # A call that is let go is made even by whoever is being killed meanwhile; one that is never answered is not.
        if self.gone:
            return
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._listener, _SEND, _RESPONSE.pack(ident, 0, 0, _CONTINUE))

    def _touch(self, call: str, thread: int, arguments: Sequence[int]) -> Touch | None:
        """What the call is about to touch; None when that is nothing in the folder."""
        shape = _CALLS[call]
        try:
            if shape.file is not None:
                return self._touched_file(call, thread, shape.file, arguments)
            paths = [
                _path(thread, None if place is None else arguments[place], arguments[which])
                for place, which in shape.paths
            ]
        except OSError:
            return None
        paths = [_resolved(path) if self._landmark in path else path for path in paths]
        if not any(path.startswith(self._folder) for path in paths):
            return None
        flags = arguments[shape.flags] if shape.flags is not None else 0
        return Touch(call, tuple(paths), tuple(word for bit, word in _OPENS.items() if flags & bit))

    def _touched_file(self, call: str, thread: int, which: int, arguments: Sequence[int]) -> Touch | None:
        if call == "fcntl" and arguments[1] not in _FCNTL_LOCKS:
            return None
        link = f"/proc/{thread}/fd/{arguments[which]}"
        path = os.readlink(link).removesuffix(" (deleted)")
        if path.startswith(self._folder):
            return Touch(call, (path,))
        if call in _WRITES and path.startswith("pipe:"):
            about = os.stat(link)
            if (about.st_dev, about.st_ino) == self._standard_output:
                return Touch(call, (), text=_written(call, thread, arguments))
        return None


@functools.cache
def _adopt() -> None:
    """Become the parent of whoever loses his own below us, so that the dead can be cleared away: one that nobody has waited for still
    has its process id, and whoever asks whether that lives is told that it does. In a container often nobody else would.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap(group: int) -> None:
    """Clear away the dead of a group, all of which were killed."""
    deadline = time.monotonic() + _REAP_SECONDS
    while time.monotonic() < deadline:
        try:
            gone, _ = os.waitpid(-group, os.WNOHANG)
        except ChildProcessError:
            return
        if not gone:
            time.sleep(0.005)


def _path(thread: int, directory: int | None, pointer: int) -> str:
    """The path that a call was given, absolute; empty when it is about a file that is open already. Raises OSError when the process has gone."""
    given = _string(thread, pointer)
    if given and not given.startswith("/"):
        number = ctypes.c_int(directory).value if directory is not None else _AT_FDCWD
        place = os.readlink(f"/proc/{thread}/cwd" if number == _AT_FDCWD else f"/proc/{thread}/fd/{number}")
        given = os.path.join(place, given)
    return given


def _resolved(path: str) -> str:
    folder, name = os.path.split(os.path.normpath(path))
    return os.path.join(os.path.realpath(folder), name)


def _string(thread: int, pointer: int) -> str:
    return os.fsdecode(_memory(thread, pointer, _LONGEST_PATH).partition(b"\0")[0]) if pointer else ""


def _memory(thread: int, pointer: int, most: int) -> bytes:
    descriptor = os.open(f"/proc/{thread}/mem", os.O_RDONLY)
    try:
        # A page may be the last one that is mapped: read up to its end first.
        first = min(most, 4096 - pointer % 4096)
        read = os.pread(descriptor, first, pointer)
        if b"\0" not in read and len(read) == first and most > first:
            with contextlib.suppress(OSError):
                read += os.pread(descriptor, most - first, pointer + first)
        return read
    finally:
        os.close(descriptor)


def _written(call: str, thread: int, arguments: Sequence[int]) -> str:
    """The beginning of what is about to be written."""
    if call == "write":
        pieces = [(arguments[1], arguments[2])]
    else:
        many = min(arguments[2], 16)
        vector = _whole(thread, arguments[1], 16 * many)
        pieces = [struct.unpack_from("=QQ", vector, 16 * each) for each in range(many)]
    return b"".join(_whole(thread, pointer, min(size, _LONGEST_PATH)) for pointer, size in pieces).decode(
        errors="replace"
    )


def _whole(thread: int, pointer: int, size: int) -> bytes:
    descriptor = os.open(f"/proc/{thread}/mem", os.O_RDONLY)
    try:
        return os.pread(descriptor, size, pointer)
    finally:
        os.close(descriptor)


@functools.cache
def _names() -> Mapping[int, str]:
    column, _ = _MACHINES[platform.machine()]
    return {number: name for name, shape in _CALLS.items() if (number := shape.numbers[column]) is not None}


@functools.cache
def _filter() -> bytes:
    """Ask about the calls of this machine's own kind that are listed, and let everything else pass."""
    _, machine = _MACHINES[platform.machine()]
    numbers = sorted(_names())
    program = [
        (_LOAD_WORD, 0, 0, 4),
        (_JUMP_IF_EQUAL, 0, len(numbers) + 1, machine),
        (_LOAD_WORD, 0, 0, 0),
        *((_JUMP_IF_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _NOTIFY),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
