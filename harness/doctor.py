"""What this machine has for measuring, what it lacks, and how to get that."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from harness import strace, wine
from harness.builds import cached, identify
from harness.environment import describe, this_platform
from harness.errors import ClaimgridError
from harness.files import cache_folder
from harness.judging import supervise
from harness.measure import workspace
from harness.processes import run
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Found
from harness.workbench import bench

_PACKAGES = ("click", "jinja2", "platformdirs", "psutil", "pytest", "pytest-xdist", "rich", "tabulate")
_ASK_SECONDS = 20.0
_HOW_TO_GET = {
    "cmd": wine.HOW_TO_GET,
    "dotnet": "`claimgrid fetch dotnet@10` gets it through the .NET SDK: https://dotnet.microsoft.com/download",
    "powershell": "`claimgrid fetch powershell@7.6` gets it through the .NET SDK.",
}


@dataclass(frozen=True, slots=True)
class Sign:
    """One line: whether it is well, what it is about, what was found, and what would help."""

    well: bool
    about: str
    found: str
    help: str = ""


def examine(place: Path) -> list[Sign]:
    """Everything, in the order in which it is told. Nothing is fetched. Raises ClaimgridError when `place` is no folder."""
    asked = [_strace, _held_calls, *(lambda program=program: _client(program) for program in ("npm", "dotnet"))]
    with ThreadPoolExecutor(len(asked)) as pool:
        signs = [pool.submit(each) for each in asked]
        here = [*_machine(place), *_runtimes()]
        traced, held, npm, dotnet = (each.result() for each in signs)
    return [*here, npm, dotnet, traced, held, _cache()]


def can_measure(signs: list[Sign]) -> bool:
    """Whether there is anything to run."""
    return any(sign.well for sign in signs if sign.about in RUNTIMES)


def _machine(place: Path) -> Iterator[Sign]:
    environment = describe(place, this_platform())
    yield Sign(
        sys.version_info >= (3, 11),
        "python",
        f"{platform.python_version()}, {sys.executable}",
        "3.11 or later is needed.",
    )
    versions = {name: _version(name) for name in _PACKAGES}
    missing = [name for name, version in versions.items() if not version]
    yield Sign(
        not missing,
        "packages",
        ", ".join(f"{name} {version}" for name, version in versions.items() if version),
        f"missing: {', '.join(missing)}" if missing else "",
    )
    root = ", as root: a read-only file refuses nobody" if environment.privileged else ""
    yield _controls(place)
    yield Sign(True, "here", f"{environment.platform}, {environment.os}, {environment.filesystem} in {place}{root}")


def _controls(place: Path) -> Sign:
    """Whether a free name can be won in `place` and an overwriting call is seen to overwrite, by the Python that this runs in."""
    try:
        build = identify("python", Found(Path(sys.executable), "path", this_platform()))
        with workspace(place) as space, bench(build, space.root, isolate=False) as ready:
            controls = ready.controls
    except ClaimgridError as error:
        return Sign(False, "controls", str(error), "Nothing can be measured there.")
    told = [
        "a free name is won" if controls.free_name_won else "a free name is not won",
        "an overwrite is seen" if controls.overwrite_seen else "an overwrite is not seen",
    ]
    return Sign(
        controls.hold is not False, "controls", ", ".join(told), "What is measured there would be indeterminate."
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _runtimes() -> Iterator[Sign]:
    for name, runtime in RUNTIMES.items():
        found = list(dict.fromkeys(str(each.program) for each in runtime.find()))
        fetched = len(cached(runtime))
        told = [*([", ".join(found)] if found else []), *([f"{fetched} in the cache"] if fetched else [])]
        source = f"`claimgrid fetch {name}` gets it from {runtime.SOURCE.NAME}." if runtime.SOURCE else ""
        nothing = "none fetched yet" if runtime.SOURCE else "not found"
        yield Sign(
            bool(told),
            name,
            "; ".join(told) or nothing,
            "" if told else _HOW_TO_GET.get(name, source) or "Install it.",
        )


def _client(program: str) -> Sign:
    uses = {"npm": "Node, Bun and Deno are fetched with it.", "dotnet": ".NET and PowerShell are fetched with it."}[
        program
    ]
    path = shutil.which(program)
    done = run([path, "--version"], limit=_ASK_SECONDS) if path else None
    if path is None or done is None or not done.ok:
        return Sign(False, f"client {program}", "not found" if path is None else f"{path} does not run", uses)
    return Sign(True, f"client {program}", f"{done.stdout.decode(errors='replace').strip()}, {path}")


def _strace() -> Sign:
    why = strace.obstacle()
    return Sign(
        not why,
        "strace",
        why or "traces here",
        "Without it no mechanism is traced, and races alone decide." if why else "",
    )


def _held_calls() -> Sign:
    why = supervise.obstacle()
    return Sign(
        not why, "held calls", why or "system calls can be held", "Recipes are judged without pauses." if why else ""
    )


def _cache() -> Sign:
    folder = cache_folder()
    if not folder.is_dir():
        return Sign(True, "cache", f"{folder}, empty")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    free = shutil.disk_usage(folder).free
    return Sign(
        os.access(folder, os.W_OK),
        "cache",
        f"{folder}, {size / 1e9:.1f} GB; {free / 1e9:.0f} GB free",
        "" if os.access(folder, os.W_OK) else "It cannot be written: CLAIMGRID_CACHE names another one.",
    )
