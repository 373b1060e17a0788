"""strace: whether it may be used here, how a probe comes under it, and its log taken apart into calls."""

from __future__ import annotations

import contextlib
import functools
import os
import posixpath
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.conversation import Conversation
from harness.errors import ClaimgridError, Exit
from harness.processes import Process, clean_environment, run

_ATTACH_SECONDS = 10.0
_POLL_SECONDS = 0.001
_TRY_SECONDS = 10.0

# A log that can be taken apart: every thread, whole strings, the paths behind descriptors, the time, no alignment.
_FORM = ("-f", "-qq", "-y", "-ttt", "-s", "65535", "-a", "1")


@dataclass(frozen=True, slots=True)
class Call:
    """One system call as it was logged, made by one thread or process (the tracee).

    `given` are the paths in the order of its arguments, and `paths` the same made absolute; `descriptors` are the paths
    of the open files it was given. A call that had not come back when the log ended has an empty result.
    """

    tracee: int
    began: float
    name: str
    arguments: tuple[str, ...]
    result: str = ""
    error: str = ""
    delayed: bool = False
    given: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    descriptors: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether it had come back."""
        return self.result != ""

    @property
    def succeeded(self) -> bool:
        """Whether it came back without an error."""
        return self.finished and self.result != "?" and not self.error


@dataclass(frozen=True, slots=True)
class Filter:
    """What strace looks at: calls by name or by class (`%file`), and of these only those that mention one of the paths.

    strace does not see every mention: the target of a `rename`, for one, is not noticed.
    """

    calls: Sequence[str] = ("%file", "%desc", "%process")
    paths: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Pause:
    """Which filtered calls strace holds back once they are made: all of these names, or of each the one of that number.

    It counts the calls of every tracee and of every name for themselves.
    """

    calls: Sequence[str]
    seconds: float
    number: int | None = None


@functools.cache
def obstacle() -> str:
    """Why nothing can be traced here, in one sentence; empty when it can."""
    if sys.platform != "linux":
        return "System calls are traced on Linux only."
    program = shutil.which("strace")
    if program is None:
        return "strace is not installed, so system calls are not traced."
    tried = run([program, "-f", "-o", os.devnull, sys.executable, "-I", "-S", "-c", ""], limit=_TRY_SECONDS)
    if not tried.ok:
        said = tried.stderr.decode(errors="backslashreplace").strip().splitlines()
        return f"strace may not trace here: {said[0] if said else 'it does not come back'}."
    return ""


@functools.cache
def may_attach() -> bool:
    """Whether a running process may be traced. Some systems allow it only to whoever started the process."""
    if obstacle():
        return False
    sleeper = Process(["sleep", str(_TRY_SECONDS)], cwd=None, env=os.environ)
    try:
        with contextlib.closing(_Attached(sleeper.pid, [_program(), "-f", "-o", os.devnull])):
            return True
    except ClaimgridError:
        return False
    finally:
        sleeper.end(polite=False)


@dataclass
class Traceable(Conversation):
    """A probe that can be traced: strace attaches to a running one where that is allowed, else it starts a new one."""

    attachable: bool = field(default_factory=may_attach)

    @property
    def at_once(self) -> bool:
        """Whether tracing can be ended before the probe is through."""
        return self.attachable and not self.per_case

    @contextlib.contextmanager
    def traced(self, log: Path, what: Filter, pause: Pause | None = None) -> Iterator[Callable[[], None]]:
        """Trace into `log` what is asked of the probe meanwhile.

        Gives a function that ends the tracing, and all pauses, at once where that is possible.
        Raises ClaimgridError when strace does not get hold of the probe.
        """
        command = [_program(), *_FORM, "-o", str(log), *_options(what, pause)]
        if self.at_once:
            self.ask("hello")
            assert self._process is not None
            with contextlib.closing(_Attached(self._process.pid, command)) as attached:
                yield attached.close
            return
        self.close()
        plain = self.launch
        self.launch = replace(plain, argv=(*command, "--", *plain.argv))
        try:
            yield lambda: None
        finally:
            # strace has written all of its log when the program it started is gone.
            self.close()
            self.launch = plain


class _Attached:
    """strace attached to a running process. Raises ClaimgridError when that does not work."""

    def __init__(self, pid: int, command: Sequence[str]) -> None:
        # The quietest setting would not even say that it has attached.
        spoken = [part for part in command if part != "-qq"]
        self._process = Process([*spoken, "-p", str(pid)], cwd=None, env=clean_environment(Path.home()))
        deadline = time.monotonic() + _ATTACH_SECONDS
        while b" attached" not in self._process.stderr():
            if self._process.code is not None or time.monotonic() > deadline:
                self.close()
                said = self._process.stderr().decode(errors="backslashreplace").strip()
                raise ClaimgridError(f"strace cannot attach to a probe: {said}.", "", Exit.NOT_RUN)
            time.sleep(_POLL_SECONDS)

    def close(self) -> None:
        """Let the process go; what was held back goes on at once."""
        if self._process.code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGTERM)
            self._process.wait()
        self._process.end(polite=False)


def _program() -> str:
    program = shutil.which("strace")
    if program is None:
        raise ClaimgridError("strace is not installed.", "Without it nothing can be traced.", Exit.NOT_RUN)
    return program


def _options(what: Filter, pause: Pause | None) -> list[str]:
    calls = ",".join(what.calls)
    options = ["-e", f"trace={calls}", "-e", "signal=none"]
    for path in what.paths:
        options += ["-P", path]
    if pause is not None:
        number = f":when={pause.number}" if pause.number is not None else ""
        options += ["-e", f"inject={','.join(pause.calls)}:delay_exit={round(pause.seconds * 1e6)}{number}"]
    return options


# ---- The log

_LINE = re.compile(r"(?:\[pid +)?(\d+)\]? +(\d+\.\d+) (.*)")
_RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)")
_BEGINNING = re.compile(r"(\w+)\((.*)")
_CUT_OFF = re.compile(r" ?<(?:unfinished|detached) \.\.\.>$")
_RESULT = re.compile(r" *= (\?|0x[0-9a-f]+|-?\d+)")
_ERROR = re.compile(r"[^(]*? (E[A-Z0-9]+) \(")
_FILE = re.compile(r"(?:\d+|AT_FDCWD)<(.*)>(?:\(deleted\))?", re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f", b"a": b"\a", b"b": b"\b"}

_AT = {
    **dict.fromkeys(
        (
            *(
                "openat",
                "openat2",
                "newfstatat",
                "fstatat64",
                "statx",
                "faccessat",
                "faccessat2",
                "mkdirat",
                "mknodat",
                "unlinkat",
            ),
            *(
                "readlinkat",
                "fchmodat",
                "fchmodat2",
                "fchownat",
                "utimensat",
                "futimesat",
                "name_to_handle_at",
                "execveat",
            ),
        ),
        (1,),
    ),
    **dict.fromkeys(("linkat", "renameat", "renameat2"), (1, 3)),
    "symlinkat": (2,),
}
"""Where the paths are that belong to the directory in the argument before them."""

_PLAIN = {
    **dict.fromkeys(
        (
            *(
                "open",
                "creat",
                "stat",
                "lstat",
                "stat64",
                "lstat64",
                "access",
                "mkdir",
                "mknod",
                "rmdir",
                "unlink",
                "readlink",
                "truncate",
            ),
            *(
                "chmod",
                "chown",
                "lchown",
                "utime",
                "utimes",
                "statfs",
                "chdir",
                "execve",
                "getxattr",
                "lgetxattr",
                "setxattr",
            ),
            *("lsetxattr", "listxattr", "llistxattr", "removexattr", "lremovexattr"),
        ),
        (0,),
    ),
    **dict.fromkeys(("link", "rename"), (0, 1)),
    # The other argument of a symbolic link is a text that nobody looks up.
    "symlink": (1,),
}
"""Where the paths are that belong to the current directory."""


def parse(log: str, directory: str = "/") -> list[Call]:
    """The calls in a log of `strace -f -y -ttt`, in the order in which they came back; those that never did come last.

    `directory` is where the tracees were when the log began. Lines that tell of no call are passed over, and so is a last
    line that is not all there yet.
    """
    calls: list[Call] = []
    open_calls: dict[int, tuple[float, str]] = {}
    places: dict[int, str] = {}
    for line in log.split("\n")[:-1]:
        parts = _LINE.fullmatch(line)
        if parts is None:
            continue
        tracee, time_of, text = int(parts[1]), float(parts[2]), parts[3]
        began = time_of
        if resumed := _RESUMED.fullmatch(text):
            began, beginning = open_calls.pop(tracee, (time_of, ""))
            text = beginning + resumed[2]
        cut = _CUT_OFF.search(text)
        if cut is not None:
            open_calls[tracee] = (began, text[: cut.start()])
            continue
        place = places.setdefault(tracee, directory)
        call = _call(tracee, began, text, place)
        if call is not None:
            calls.append(call)
            if call.succeeded:
                _follow(call, place, places)
    for tracee, (began, text) in open_calls.items():
        call = _call(tracee, began, text + ")", places.get(tracee, directory))
        if call is not None:
            calls.append(call)
    return calls


def _follow(call: Call, place: str, places: dict[int, str]) -> None:
    """Keep track of current directories, for the calls that do not tell theirs."""
    here = next((argument for argument in call.arguments if argument.startswith("AT_FDCWD<")), None)
    if here is not None:
        places[call.tracee] = _file(here)
    elif call.name in ("chdir", "fchdir"):
        places[call.tracee] = (call.paths or call.descriptors or (place,))[0]
    elif call.name in ("fork", "vfork", "clone", "clone3"):
        places.setdefault(int(call.result), place)


def _call(tracee: int, began: float, text: str, place: str) -> Call | None:
    beginning = _BEGINNING.fullmatch(text)
    if beginning is None:
        return None
    name = beginning[1]
    arguments, rest = _split(beginning[2])
    result = _RESULT.match(rest)
    after = rest[result.end() :] if result else ""
    error = _ERROR.match(after)
    named = list(_named(name, arguments, place))
    return Call(
        tracee=tracee,
        began=began,
        name=name,
        arguments=arguments,
        result=result[1] if result else "",
        error=error[1] if error else "",
        delayed="(DELAYED)" in after,
        given=tuple(path for path, _ in named),
        paths=tuple(posixpath.normpath(posixpath.join(folder, path)) for path, folder in named),
        descriptors=tuple(
            _file(argument) for argument in arguments if argument[0].isdigit() and _FILE.fullmatch(argument)
        ),
    )


def _named(name: str, arguments: Sequence[str], place: str) -> Iterator[tuple[str, str]]:
    """The paths among the arguments, each with the directory that it is looked up in."""
    for position in (*_PLAIN.get(name, ()), *_AT.get(name, ())):
        # A path may be missing, in a call that was not seen whole, or be a mere number, where strace could not read it.
        if position < len(arguments) and arguments[position].startswith('"'):
            folder = _file(arguments[position - 1]) if name in _AT else ""
            path = _unescape(arguments[position][1:].removesuffix("...").removesuffix('"'))
            # An empty one means the directory's descriptor itself, which is told among the descriptors.
            if path:
                yield path, folder or place


def _file(argument: str) -> str:
    file = _FILE.fullmatch(argument)
    return _unescape(file[1]) if file else ""


def _unescape(text: str) -> str:
    """What strace wrote in C's manner of quoting."""

    def plain(escape: re.Match[bytes]) -> bytes:
        if escape[1]:
            return bytes([int(escape[1], 8)])
        return bytes([int(escape[2], 16)]) if escape[2] else _LETTERS.get(escape[3], escape[3])

    return _ESCAPE.sub(plain, os.fsencode(text)).decode("utf-8", "surrogateescape")


def _split(text: str) -> tuple[tuple[str, ...], str]:
    """The arguments of a call, up to the bracket that closes it, and what follows that."""
    arguments: list[str] = []
    start = place = depth = 0
    while place < len(text):
        sign = text[place]
        if sign == '"' or (
            sign == "<" and place and (text[place - 1].isdigit() or text.startswith("AT_FDCWD", place - 8))
        ):
            place = _closing(text, place + 1, '"' if sign == '"' else ">")
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif (sign == "," and not depth) or sign == ")":
            arguments.append(text[start:place].strip())
            start = place + 1
            if sign == ")":
                break
        place += 1
    return tuple(argument for argument in arguments if argument), text[start:]


def _closing(text: str, place: int, sign: str) -> int:
    """Where a quoted text ends; brackets within the name of a file are always escaped."""
    while place < len(text) and text[place] != sign:
        place += 2 if text[place] == "\\" else 1
    return place
