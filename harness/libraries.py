"""Libraries that recipes drive: fetched from npm into the user's cache, one folder for each version, or found on the machine."""

from __future__ import annotations

import contextlib
import re
import shutil
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.files import cache_folder, make_folder, move_new, not_kept
from harness.processes import run
from harness.recipes import Library
from harness.scratch import scratch
from harness.sources.npm import npm

_INSTALL_SECONDS = 300.0
_ASK_SECONDS = 20.0
_TELL_VERSION = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
_VERSION = re.compile(rb"\d+(?:\.\d+)+")


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
    try:
        make_folder(target.parent)
        with scratch("library", target.parent) as folder:
            aside = folder / "installed"
            aside.mkdir()
            quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--json")
            npm("install", named, "--prefix", str(aside), *quiet, limit=_INSTALL_SECONDS)
            with contextlib.suppress(FileExistsError):
                move_new(aside, target)
    except OSError as error:
        raise not_kept(target, error) from error
    return target


def version_of(library: Library, program: Path) -> str:
    """The version that is used: the one that is asked for, or what the one on this machine says of itself; empty when it does not.

    `program` is the interpreter that has the package.
    """
    if library.version:
        return library.version
    if library.source == "debian":
        asked = [[str(program), "-I", "-c", _TELL_VERSION, library.name]]
    else:
        asked = [[library.name, "--version"], [library.name, "-v"]]
    for command in asked:
        done = run(command, limit=_ASK_SECONDS)
        # Some programs tell it where errors go, and end as if it were one; an interpreter has nothing to tell there.
        told = done.stdout if library.source == "debian" else done.stdout or done.stderr
        found = _VERSION.search(told) if done.started else None
        if found:
            return found[0].decode()
    return _packaged(shutil.which(library.name)) if library.source == "path" else ""


def _packaged(program: str | None) -> str:
    """The version of Debian's package that a program belongs to, for one that does not tell its own; empty where there is none."""
    owner = run(["dpkg-query", "-S", program], limit=_ASK_SECONDS) if program else None
    if owner is None or not owner.ok:
        return ""
    package = owner.stdout.decode(errors="replace").partition(":")[0]
    told = run(["dpkg-query", "-W", "-f", "${Version}", package], limit=_ASK_SECONDS)
    # Before a colon stands Debian's own count of how often a program began to number anew.
    return told.stdout.decode(errors="replace").rpartition(":")[2] if told.ok else ""
