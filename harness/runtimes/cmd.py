"""cmd: part of Windows; elsewhere Wine's own, which is another program and measured as `wine-x64`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from harness import wine
from harness.environment import this_platform
from harness.runtimes.contract import Found, Launch, Source

NAME = "cmd"
PROBE = ("cmd/main.py", "cmd/batch.py", "cmd/abilities.py", "cmd/claims.py")
PER_CASE = False
START_SECONDS = 60.0
CASE_SECONDS = 10.0
DEFAULTS: tuple[str, ...] = ()
SOURCE: Source | None = None


def find() -> Iterator[Found]:
    """The cmd.exe of Windows; elsewhere Wine, which brings its own."""
    if sys.platform == "win32":
        program = os.environ.get("COMSPEC") or shutil.which("cmd.exe")
        if program:
            yield Found(Path(program), "system", this_platform())
    elif loader := wine.find_wine():
        yield Found(loader, "wine", wine.PLATFORM)


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """The interpreter that runs claimgrid holds the conversation; `program` is cmd.exe, or the Wine that runs it."""
    return Launch((sys.executable, "-I", "-B", "-X", "utf8", str(probes / "cmd" / "main.py"), *_cmd(program, platform)))


def script(program: Path, platform: str, file: Path) -> Launch:
    """Without what the user has registered to run first, and with `!` as an ordinary character."""
    return Launch((*_cmd(program, platform), "/d", "/v:off", "/c", str(file)))


def _cmd(program: Path, platform: str) -> tuple[str, ...]:
    return (str(program), "cmd") if platform == wine.PLATFORM else (str(program),)
