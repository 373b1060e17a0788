"""Files of claimgrid's own that are there whole or not at all, and the folders it keeps them in."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs

from harness.errors import ClaimgridError, Exit
from harness.scratch import scratch

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def cache_folder() -> Path:
    """The user's cache, or what CLAIMGRID_CACHE names; made for this user alone. Raises ClaimgridError when it cannot be."""
    chosen = os.environ.get("CLAIMGRID_CACHE")
    folder = Path(chosen).absolute() if chosen else Path(platformdirs.user_cache_dir("claimgrid", appauthor=False))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ClaimgridError(
            f"The cache {folder} cannot be made: {error.strerror}.", "Set CLAIMGRID_CACHE to another folder."
        ) from error
    return folder


def not_kept(target: Path, error: OSError) -> ClaimgridError:
    """What is said of something that could not be put into the cache."""
    return ClaimgridError(
        f"{target} cannot be kept: {error.strerror or error}.",
        "Make room in the cache, or set CLAIMGRID_CACHE to another folder.",
        Exit.NOT_RUN,
    )


def make_folder(folder: Path) -> None:
    """Make a folder with those above it, as open as the user's umask says and never for everybody to write to. Raises OSError."""
    for each in reversed((folder, *folder.parents)):
        if not each.is_dir():
            each.mkdir(mode=0o775, exist_ok=True)


def json_files(folder: Path, *inner: str, skip: Callable[[ClaimgridError], None] | None = None) -> list[Path]:
    """The files `<place>/<inner>/*.json` below a folder of results, in order; what is hidden is somebody else's.

    Raises ClaimgridError for a folder that cannot be listed; with `skip` that is told to it and left out.
    """
    found: list[Path] = []
    for place in _listed(folder):
        try:
            if not place.is_dir():
                continue
            inside = place.joinpath(*inner)
            if not inner or inside.is_dir():
                found += [path for path in _listed(inside) if path.suffix == ".json"]
        except ClaimgridError as error:
            if skip is None:
                raise
            skip(error)
    return found


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder / name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as error:
        raise ClaimgridError(
            f"{folder} cannot be read: {error.strerror}.", "Give yourself leave to read it, or name another folder."
        ) from error


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 file with `\\n` line ends so that it appears at once and whole. Raises ClaimgridError, leaving the old file."""
    content = text.encode("utf-8", "backslashreplace")
    try:
        make_folder(path.parent)
        # Beside its place, as only there it can be renamed to it; what a killed writer left is removed by the next one.
        with scratch("write", path.parent) as aside:
            new = aside / "new"
            with open(os.open(new, _CREATE, 0o664), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path)
    except OSError as error:
        raise ClaimgridError(
            f"{path} cannot be written: {error.strerror or error}.", "Is the disk full or the folder read-only?"
        ) from error


def move_new(part: Path, target: Path) -> None:
    """Rename a finished file or folder to where it belongs, unless something is there. Of two who do so at once the first wins.

    Raises FileExistsError for the one that came second; OSError.
    """
    if os.path.lexists(target):
        raise FileExistsError(target)
    try:
        os.rename(part, target)
    except OSError as error:
        # Somebody else was quicker by a moment, with a directory that is not empty.
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise FileExistsError(target) from error
        raise


def check_space(folder: Path) -> None:
    """Raise OSError when its filesystem is full. Whoever says no there may only say that there is no room."""
    if sys.platform == "win32":
        full = shutil.disk_usage(folder).free == 0
    else:
        status = os.statvfs(folder)
        # A part is kept back for the superuser; and some filesystems count no blocks, or no files.
        blocks = status.f_bfree if os.geteuid() == 0 else status.f_bavail
        full = (status.f_blocks > 0 and blocks == 0) or (status.f_files > 0 and status.f_favail == 0)
    if full:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
