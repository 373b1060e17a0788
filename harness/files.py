"""Files of claimgrid's own that are there whole or not at all, and the folders it keeps them in."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import platformdirs

from harness.errors import ClaimgridError


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


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 file with `\\n` line ends so that it appears at once and whole. Raises ClaimgridError, leaving the old file."""
    temp: str | None = None
    content = text.encode("utf-8", "backslashreplace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temp = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temp, 0o644)
        os.replace(temp, path)
        temp = None
    except OSError as error:
        raise ClaimgridError(
            f"{path} cannot be written: {error.strerror or error}.", "Is the disk full or the folder read-only?"
        ) from error
    finally:
        if temp is not None:
            with contextlib.suppress(OSError):
                os.unlink(temp)
