"""Temporary folders of claimgrid's own, locked as long as their maker lives: whoever comes next clears away what a killed one left.

Every such folder has a file that its maker keeps locked and that tells the maker's mark. The system lets go of the lock however the
maker ends, on whatever computer it was, and only who gets the lock may remove the folder and end what its maker had started.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from harness.mounts import dismantle
from harness.occupants import remove, remove_tree
from harness.processes import OWN_MARK, kill_marked

OWNER = "owner"
"""The locked file in every folder."""
PREFIX = "claimgrid."
_END_SECONDS = 5.0
_PATIENCE_SECONDS, _PAUSE_SECONDS = 5.0, 0.2
_LONGEST_MARK = 4096
_OPEN = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextlib.contextmanager
def scratch(purpose: str, at: Path | None = None) -> Iterator[Path]:
    """A new folder for this user alone, below `at` or where the system has temporary files; removed at the end whatever happens.

    What others left there who were killed is cleared away first. Raises OSError when no folder can be made.
    """
    parent = Path(tempfile.gettempdir()) if at is None else at
    _clear_once(parent)
    folder, lock = _make(parent, purpose)
    try:
        yield folder
    finally:
        _remove(folder, lock)


def clear_abandoned(parent: Path) -> None:
    """Remove the folders in `parent` whose makers were killed, and end the processes that those had started."""
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        found = [Path(entry.path) for entry in entries if entry.name.startswith(PREFIX) and _is_ours(entry)]
        for folder in found:
            _clear(folder)


# A folder may hold thousands of files of others, and something may be written into it again and again.
_clear_once = functools.cache(clear_abandoned)


def _make(parent: Path, purpose: str) -> tuple[Path, int]:
    """A new folder and the descriptor that holds its lock. Raises OSError."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}.", dir=parent))
        try:
            lock = os.open(folder / OWNER, _OPEN | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:
            # Somebody who clears away took it for one that was left empty.
            continue
        except OSError:
            remove_tree(folder)
            raise
        try:
            if _is_kept(folder, lock):
                os.write(lock, OWN_MARK.encode())
                return folder, lock
            os.close(lock)
        except OSError:
            _remove(folder, lock)
            raise


def _is_kept(folder: Path, lock: int) -> bool:
    """Lock a new folder; False when somebody who clears away was faster."""
    try:
        _lock(lock)
        return os.path.samestat(os.fstat(lock), os.stat(folder / OWNER))
    except (BlockingIOError, PermissionError, FileNotFoundError):
        return False
    except OSError:
        # A filesystem without locks: nobody can get this one either, and so nobody clears it away.
        return True


def _clear(folder: Path) -> None:
    try:
        lock = os.open(folder / OWNER, _OPEN)
    except OSError:
        # Killed before it could lock its folder; anything but an empty folder stays.
        with contextlib.suppress(OSError):
            folder.rmdir()
        return
    try:
        _lock(lock)
        mark = os.read(lock, _LONGEST_MARK).decode(errors="replace")
    except OSError:
        os.close(lock)
        return
    if mark:
        psutil.wait_procs(kill_marked(mark), _END_SECONDS)
    dismantle(folder)
    _remove(folder, lock)


def _remove(folder: Path, lock: int) -> None:
    """Remove a folder that we hold the lock of; the lock goes last, so that one who is killed meanwhile can be cleared up after."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name != OWNER:
                remove(f"{folder}{os.sep}{name}")
    with contextlib.suppress(OSError):
        # Without a mark nobody is taken for killed who only is not through with removing.
        os.ftruncate(lock, 0)
    os.close(lock)
    deadline = time.monotonic() + (_PATIENCE_SECONDS if sys.platform == "win32" else 0)
    # A virus scanner, or a file that is only about to be deleted, holds things for a moment on Windows.
    while not remove_tree(folder) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    if os.path.lexists(folder):
        sys.stderr.write(f"claimgrid: left behind: {folder} (something holds it; the next run clears it away)\n")


def _is_ours(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder of this user's: in a folder for everybody others could have laid a trap."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    return sys.platform == "win32" or entry.stat(follow_symlinks=False).st_uid == os.geteuid()


def _lock(handle: int) -> None:
    """Raises OSError, which is a BlockingIOError or on Windows a PermissionError when somebody else has it."""
    if sys.platform == "win32":
        import msvcrt

        # Its first byte, which nobody else can read then.
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
