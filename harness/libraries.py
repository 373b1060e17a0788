"""Libraries that recipes drive: fetched from npm into the user's cache, one folder for each version."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.files import cache_folder, make_folder
from harness.recipes import Library
from harness.scratch import scratch
from harness.sources.npm import npm

_INSTALL_SECONDS = 300.0


def library_folder(library: Library, *, fetch: bool) -> Path:
    """A folder with `node_modules` that has this version and what it needs. Raises ClaimgridError when it cannot be had.

    npm checks what it downloads; no script of any package is run.
    """
    named = f"{library.name}@{library.version}"
    target = cache_folder() / "libraries" / library.source / named.replace("/", "+")
    if target.is_dir():
        return target
    if not fetch:
        raise ClaimgridError(f"{named} is not in the cache.", "Without --offline it is fetched.", Exit.NOT_RUN)
    make_folder(target.parent)
    with scratch("library", target.parent) as folder:
        aside = folder / "installed"
        aside.mkdir()
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--json")
        npm("install", named, "--prefix", str(aside), *quiet, limit=_INSTALL_SECONDS)
        # Of two that fetch the same the first wins.
        with contextlib.suppress(FileExistsError, OSError):
            os.rename(aside, target)
    if not target.is_dir():
        raise ClaimgridError(f"{target} cannot be kept.", "Is the disk of the cache full?", Exit.NOT_RUN)
    return target
