"""Making what sits on a name before a claim, and finding out which occupants a directory can hold at all."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import out_of_space
from harness.vocabulary import Kind, Occupant

NAME = "name"
SOURCE = "source"
OTHER_SOURCE = "source-2"
"""The source of a second contender."""
MINE = "mine"
TARGET = "target"
"""What a link among the occupants points to."""
INSIDE = "inside"
"""The file inside every full directory."""

_NEWER = 2_114_380_800
"""The first second of 2037, the last whole year that every filesystem can write down."""

BYTES = b"This was here before the claim was made, and it is longer than what a claim writes.\n"

POSIX = (
    Occupant.FREE,
    Occupant.OWN,
    Occupant.FILE,
    Occupant.EMPTY_FILE,
    Occupant.READONLY_FILE,
    Occupant.EMPTY_DIR,
    Occupant.FULL_DIR,
    Occupant.LINK_TO_FILE,
    Occupant.LINK_TO_DIR,
    Occupant.DANGLING_LINK,
    Occupant.HARD_LINK,
    Occupant.FIFO,
)
WINDOWS = (
    *(occupant for occupant in POSIX if occupant is not Occupant.FIFO),
    Occupant.JUNCTION,
    Occupant.OPEN_FILE,
    Occupant.OTHER_CASE,
    Occupant.DEVICE_NAME,
)


TAKEN = (Occupant.PRESENT, Occupant.GONE)
HOLDS = (Occupant.FREE, Occupant.HELD, Occupant.RELEASED, Occupant.KILLED, Occupant.OUTSIDER)


def occupants_for(kind: Kind, platform: str, ignores_case: bool = False) -> tuple[Occupant, ...]:
    """The occupants that mean something to a kind of claim on a platform such as "linux-x64" or "wine-x64".

    A name in other case is one on Windows, and elsewhere where the filesystem `ignores_case`.
    """
    match kind:
        case Kind.TAKE:
            return TAKEN
        case Kind.HELD:
            return HOLDS
        case _:
            if platform.startswith(("windows-", "wine-")):
                return WINDOWS
            return (*POSIX, Occupant.OTHER_CASE) if ignores_case else POSIX


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a directory can hold: why each impossible occupant is impossible, and whether names ignore case."""

    missing: Mapping[Occupant, str] = field(default_factory=dict)
    ignores_case: bool = False


def probe_capabilities(folder: Path) -> Capabilities:
    """Try every occupant once in the directory that will be measured; nothing stays behind. Raises OSError when there is no room for them."""
    missing: dict[Occupant, str] = {}
    trial = Path(tempfile.mkdtemp(prefix="claimgrid-trial-", dir=folder))
    try:
        for occupant in {*POSIX, *WINDOWS} - {Occupant.FREE, Occupant.OWN}:
            place = trial / occupant.value
            place.mkdir()
            try:
                with contextlib.ExitStack() as stack:
                    occupy(place, occupant, stack)
            except OSError as error:
                if out_of_space(error):
                    raise
                missing[occupant] = error.strerror or type(error).__name__
            except NotImplementedError as error:
                missing[occupant] = str(error)
        (trial / "case").touch()
        return Capabilities(missing, (trial / "CASE").exists())
    finally:
        remove_tree(trial)


def occupy(folder: Path, occupant: Occupant, stack: contextlib.ExitStack) -> Callable[[], bytes]:
    """Put the occupant on the name in `folder`; whatever keeps it there is released by `stack`.

    Gives a function that returns what was written into the occupant if it is a FIFO (else nothing).
    Raises OSError or NotImplementedError when the directory or the system cannot hold it.
    """
    return _MAKERS[occupant](str(folder), f"{folder}{os.sep}{NAME}", stack) or _nothing


def lay_source(path: Path, shape: str, number: int) -> None:
    """Make what a claim moves, links or copies: "file", "empty-dir", "full-dir" or "link" (a symbolic link to a file beside it).

    The bytes in it carry `number`, so that one source written over another shows. A file is newer than whatever sits on the name, and
    than every source with a lower number: what a call makes of an age (`cp -u`) must not depend on how fine the clock of a filesystem is.
    """
    content = f"A claim moves, links or copies this onto the name. It is source number {number:08}.\n".encode()
    if shape == "file":
        _put(str(path), content)
        os.utime(path, (_NEWER + number, _NEWER + number))
    elif shape == "link":
        _put(f"{path}-target", content)
        os.symlink(f"{path.name}-target", path)
    else:
        os.mkdir(path)
        if shape == "full-dir":
            _put(f"{path}{os.sep}{INSIDE}", content)


def remove(path: str) -> bool:
    """Remove whatever is there, a directory with everything in it; True when nothing is there afterwards."""
    try:
        _remove_ordinary(path)
    except FileNotFoundError:
        return not os.path.lexists(path)
    except (OSError, RecursionError):
        # Something that may not be opened or written, or on Windows a read-only file; or a tree without end.
        return remove_tree(Path(path))
    return True


def _remove_ordinary(path: str) -> None:
    """What a case leaves is nearly always small and willing, and then shutil.rmtree would be most of the work of a case."""
    try:
        os.unlink(path)
    except (IsADirectoryError, PermissionError):
        with os.scandir(path) as entries:
            inside = [entry.path for entry in entries]
        for each in inside:
            _remove_ordinary(each)
        os.rmdir(path)


def remove_tree(folder: Path) -> bool:
    """Remove a directory (or file) and everything in it, read-only or not; False when something would not go."""
    # Before Python 3.13 it descends no deeper than functions may call each other.
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        _remove_by_levels(str(folder))
    return not os.path.lexists(folder)


def _remove_by_levels(path: str) -> None:
    """Remove what may not be opened or written, and trees of any depth: what is in inner folders is moved up, so that no path gets long."""
    names = (f"{secrets.token_hex(4)}-{number}" for number in itertools.count())
    stuck: set[str] = set()
    with contextlib.suppress(OSError):
        if not _opened_up(path):
            return os.unlink(path)
        while left := set(os.listdir(path)) - stuck:
            for name in left:
                inner = os.path.join(path, name)
                try:
                    if not _opened_up(inner):
                        os.unlink(inner)
                        continue
                    for innermost in os.listdir(inner):
                        os.rename(os.path.join(inner, innermost), os.path.join(path, next(names)))
                    os.rmdir(inner)
                except OSError:
                    stuck.add(name)
        os.rmdir(path)


def _opened_up(path: str) -> bool:
    """Whether it is a directory itself, and no way to another; it and files may be written to then, as far as that can be had."""
    status = os.lstat(path)
    is_directory, is_link = stat.S_ISDIR(status.st_mode), stat.S_ISLNK(status.st_mode)
    if not is_link:
        with contextlib.suppress(OSError):
            os.chmod(path, stat.S_IRWXU)
    return is_directory and not getattr(status, "st_reparse_tag", 0)


Reader = Callable[[], bytes]
_Maker = Callable[[str, str, contextlib.ExitStack], Reader | None]
"""Takes the folder, the path of the name in it, and what is to be released later."""

# Thousands of occupants are made in a run: plain strings and descriptors cost a fraction of pathlib and file objects.
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def _put(path: str, content: bytes) -> None:
    descriptor = os.open(path, _CREATE, 0o644)
    try:
        if content:
            os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _nothing() -> bytes:
    return b""


def _free(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    """Nothing; also where the claim itself makes its own occupant first, or what it is after is laid for it."""


def _file(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    _put(name, BYTES)


def _empty_file(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    _put(name, b"")


def _readonly_file(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    _put(name, BYTES)
    os.chmod(name, stat.S_IREAD | stat.S_IRGRP | stat.S_IROTH)
    if os.stat(name).st_mode & stat.S_IWRITE:
        raise NotImplementedError("this filesystem has no read-only files")


def _empty_dir(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    os.mkdir(name)


def _full_dir(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    os.mkdir(name)
    _put(f"{name}{os.sep}{INSIDE}", BYTES)


def _link_to_file(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    _put(_target(folder), BYTES)
    os.symlink(TARGET, name)


def _link_to_dir(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    _full_dir(folder, _target(folder), stack)
    os.symlink(TARGET, name, target_is_directory=True)


def _dangling_link(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    os.symlink(TARGET, name)


def _hard_link(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    _put(_target(folder), BYTES)
    os.link(_target(folder), name)


def _target(folder: str) -> str:
    return f"{folder}{os.sep}{TARGET}"


def _fifo(folder: str, name: str, stack: contextlib.ExitStack) -> Reader:
    if sys.platform == "win32":
        raise NotImplementedError("Windows has no FIFOs in directories")
    os.mkfifo(name)
    # Held open at the other end, as a FIFO in use is: opening one that nobody holds waits for ever.
    end = os.open(name, os.O_RDWR | os.O_NONBLOCK)
    stack.callback(os.close, end)

    def written() -> bytes:
        with contextlib.suppress(BlockingIOError):
            return os.read(end, 1 << 16)
        return b""

    return written


def _junction(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    if sys.platform != "win32":
        raise NotImplementedError("only Windows makes junctions")
    import _winapi

    _full_dir(folder, _target(folder), stack)
    _winapi.CreateJunction(_target(folder), name)


def _open_file(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    if sys.platform != "win32":
        raise NotImplementedError("an open file keeps nobody out except on Windows")
    _put(name, BYTES)
    # Python opens with FILE_SHARE_READ | FILE_SHARE_WRITE and without FILE_SHARE_DELETE: it cannot be moved or deleted.
    stack.callback(os.close, os.open(name, os.O_RDONLY))


def _other_case(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    _put(f"{folder}{os.sep}{NAME.upper()}", BYTES)


def _device_name(folder: str, name: str, stack: contextlib.ExitStack) -> None:
    """A device is there without being made; elsewhere `nul` is a name like any other."""
    if sys.platform != "win32":
        raise NotImplementedError("only Windows has device names")


_MAKERS: Mapping[Occupant, _Maker] = {
    Occupant.FREE: _free,
    Occupant.OWN: _free,
    Occupant.PRESENT: _free,
    Occupant.GONE: _free,
    Occupant.FILE: _file,
    Occupant.EMPTY_FILE: _empty_file,
    Occupant.READONLY_FILE: _readonly_file,
    Occupant.EMPTY_DIR: _empty_dir,
    Occupant.FULL_DIR: _full_dir,
    Occupant.LINK_TO_FILE: _link_to_file,
    Occupant.LINK_TO_DIR: _link_to_dir,
    Occupant.DANGLING_LINK: _dangling_link,
    Occupant.HARD_LINK: _hard_link,
    Occupant.FIFO: _fifo,
    Occupant.JUNCTION: _junction,
    Occupant.OPEN_FILE: _open_file,
    Occupant.OTHER_CASE: _other_case,
    Occupant.DEVICE_NAME: _device_name,
}
