"""Python: the interpreters on this machine, those of version managers among them."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.environment import this_platform
from harness.runtimes.contract import Found, Launch, Source

NAME = "python"
PROBE = ("python/main.py", "python/claims.py")
PER_CASE = False
START_SECONDS = 20.0
CASE_SECONDS = 2.0
DEFAULTS: tuple[str, ...] = ()
SOURCE: Source | None = None

_PROGRAM = re.compile(r"python(3(\.\d+)?)?(\.exe)?")
_MANAGED = "python.exe" if os.name == "nt" else "bin/python3"


def find() -> Iterator[Found]:
    """The interpreter that runs claimgrid, then those on PATH, then those of version managers; each once."""
    seen: set[Path] = set()
    for program, source in _candidates():
        try:
            real = program.resolve(strict=True)
        except OSError:
            continue
        if real not in seen and _is_interpreter(real):
            seen.add(real)
            yield Found(real, source, this_platform())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """The probe is a file as any other."""
    return script(program, platform, probes / "python" / "main.py")


def script(program: Path, platform: str, file: Path) -> Launch:
    """Isolated from the user's site and variables, and without writing bytecode beside the file."""
    return Launch((str(program), "-I", "-B", "-X", "utf8", str(file)))


def _candidates() -> Iterator[tuple[Path, str]]:
    # In a virtual environment the interpreter proper is another file.
    yield Path(getattr(sys, "_base_executable", None) or sys.executable), "system"
    folders = [Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep) if entry]
    for folder in folders:
        # A folder on PATH need not be there, or be one that this user may read.
        with contextlib.suppress(OSError):
            yield from (
                (program, "path") for program in sorted(folder.glob("python*")) if _PROGRAM.fullmatch(program.name)
            )
    yield Path("/usr/bin/python3"), "system"
    for versions, pattern, source in _version_managers(folders):
        for program in sorted(versions.glob(f"{pattern}/{_MANAGED}")):
            yield program, source


def _version_managers(folders: list[Path]) -> Iterator[tuple[Path, str, str]]:
    """Where versions lie side by side: the folder, the pattern of a version's own folder in it, and whose they are."""
    for folder in folders:
        # pyenv puts scripts on PATH that look for the interpreters beside their own folder.
        if folder.name == "shims":
            yield folder.parent / "versions", "*", "pyenv"
    yield Path.home() / ".local" / "share" / "uv" / "python", "*", "uv"
    if tools := os.environ.get("RUNNER_TOOL_CACHE"):
        yield Path(tools) / "Python", "*/*", "tool-cache"


def _is_interpreter(program: Path) -> bool:
    """Whether it is a program, and of Python 3: no script that would call another, no alias that would open a shop."""
    if program.name.startswith("python2") or "WindowsApps" in program.parts:
        return False
    try:
        with program.open("rb") as file:
            return file.read(2) not in (b"", b"#!")
    except OSError:
        return False
