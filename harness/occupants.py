"""Making what sits on a name before a claim, and finding out which occupants a directory can hold at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.vocabulary import Occupant

NAME = "name"
SOURCE = "source"
MINE = "mine"
TARGET = "target"
"""What a link among the occupants points to."""
INSIDE = "inside"
"""The file inside every full directory."""

BYTES = b"This was here before the claim was made, and it is longer than what a claim writes.\n"
SOURCE_BYTES = b"This is the source that a claim moves, links or copies onto the name.\n"

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


def occupants_for(platform: str) -> tuple[Occupant, ...]:
    """The occupants that mean something on a platform such as "linux-x64" or "wine-x64"."""
    return WINDOWS if platform.startswith(("windows-", "wine-")) else POSIX


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a directory can hold: why each impossible occupant is impossible, and whether names ignore case."""

    missing: Mapping[Occupant, str] = field(default_factory=dict)
    ignores_case: bool = False


def probe_capabilities(folder: Path) -> Capabilities:
    """Try every occupant once in the directory that will be measured; nothing stays behind."""
    missing: dict[Occupant, str] = {}
    trial = Path(tempfile.mkdtemp(prefix="claimgrid-trial-", dir=folder))
    try:
        for occupant in {*POSIX, *WINDOWS} - {Occupant.FREE, Occupant.OWN}:
            place = trial / occupant.value
            place.mkdir()
            try:
                with occupied(place, occupant):
                    pass
            except OSError as error:
                missing[occupant] = error.strerror or type(error).__name__
            except NotImplementedError as error:
                missing[occupant] = str(error)
        (trial / "case").touch()
        return Capabilities(missing, (trial / "CASE").exists())
    finally:
        remove_tree(trial)


def contested_path(folder: Path, occupant: Occupant) -> Path:
    """The path that the claim is made for."""
    return folder / ("nul" if occupant is Occupant.DEVICE_NAME else NAME)


@contextmanager
def occupied(folder: Path, occupant: Occupant) -> Iterator[Callable[[], bytes]]:
    """Put the occupant on the name in `folder` and keep it as long as needed.

    Gives a function that returns what was written into the occupant if it is a FIFO (else nothing).
    Raises OSError or NotImplementedError when the directory or the system cannot hold it.
    """
    with contextlib.ExitStack() as stack:
        yield _MAKERS[occupant](folder, folder / NAME, stack) or _nothing


def lay_source(path: Path, shape: str) -> None:
    """Make what a claim moves, links or copies: "file", "empty-dir", "full-dir" or "link" (a symbolic link to a file beside it)."""
    if shape == "file":
        path.write_bytes(SOURCE_BYTES)
    elif shape == "link":
        path.with_name(path.name + "-target").write_bytes(SOURCE_BYTES)
        path.symlink_to(path.name + "-target")
    else:
        path.mkdir()
        if shape == "full-dir":
            (path / INSIDE).write_bytes(SOURCE_BYTES)


def remove_tree(folder: Path) -> bool:
    """Remove a directory and everything in it, read-only or not; False when something would not go."""

    def make_writable_and_retry(function: Callable[[str], object], path: str, _: object) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(path), stat.S_IRWXU)
            os.chmod(path, stat.S_IRWXU)
            function(path)

    shutil.rmtree(folder, onerror=make_writable_and_retry)
    return not folder.exists()


Reader = Callable[[], bytes]
_Maker = Callable[[Path, Path, contextlib.ExitStack], Reader | None]


def _nothing() -> bytes:
    return b""


def _free(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    """Nothing; also where the claim itself makes its own occupant first."""


def _file(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    name.write_bytes(BYTES)


def _empty_file(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    name.touch()


def _readonly_file(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    name.write_bytes(BYTES)
    name.chmod(stat.S_IREAD | stat.S_IRGRP | stat.S_IROTH)
    if name.stat().st_mode & stat.S_IWRITE:
        raise NotImplementedError("this filesystem has no read-only files")


def _empty_dir(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    name.mkdir()


def _full_dir(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    name.mkdir()
    (name / INSIDE).write_bytes(BYTES)


def _link_to_file(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    (folder / TARGET).write_bytes(BYTES)
    name.symlink_to(TARGET)


def _link_to_dir(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    _full_dir(folder, folder / TARGET, stack)
    name.symlink_to(TARGET, target_is_directory=True)


def _dangling_link(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    name.symlink_to(TARGET)


def _hard_link(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    (folder / TARGET).write_bytes(BYTES)
    name.hardlink_to(folder / TARGET)


def _fifo(folder: Path, name: Path, stack: contextlib.ExitStack) -> Reader:
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


def _junction(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    if sys.platform != "win32":
        raise NotImplementedError("only Windows makes junctions")
    import _winapi

    _full_dir(folder, folder / TARGET, stack)
    _winapi.CreateJunction(str(folder / TARGET), str(name))


def _open_file(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    if sys.platform != "win32":
        raise NotImplementedError("an open file keeps nobody out except on Windows")
    name.write_bytes(BYTES)
    # Python opens with FILE_SHARE_READ | FILE_SHARE_WRITE and without FILE_SHARE_DELETE: it cannot be moved or deleted.
    stack.enter_context(name.open("rb"))


def _other_case(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    name.with_name(NAME.upper()).write_bytes(BYTES)


def _device_name(folder: Path, name: Path, stack: contextlib.ExitStack) -> None:
    """A device is there without being made; elsewhere `nul` is a name like any other."""
    if sys.platform != "win32":
        raise NotImplementedError("only Windows has device names")


_MAKERS: Mapping[Occupant, _Maker] = {
    Occupant.FREE: _free,
    Occupant.OWN: _free,
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
