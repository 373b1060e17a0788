"""Bun: found on the PATH and where its installer puts it, fetched from npm, where every release since 0.5 is a package."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.environment import this_platform
from harness.runtimes.contract import Found, Launch
from harness.sources import NpmSource

NAME = "bun"
PROBE = ("bun/main.cjs", "bun/claims.cjs", "node/talk.cjs", "node/clock.cjs", "node/fs.cjs")
PER_CASE = False
START_SECONDS = 20.0
CASE_SECONDS = 5.0
# 1.3 ignores the flag of appendFile and overwrites with `mv -n`; 1.4 does neither.
DEFAULTS = ("1.3", "1.4")
_PACKAGES = {
    "linux-x64": "@oven/bun-linux-x64",
    "linux-arm64": "@oven/bun-linux-aarch64",
    "macos-x64": "@oven/bun-darwin-x64",
    "macos-arm64": "@oven/bun-darwin-aarch64",
    "windows-x64": "@oven/bun-windows-x64",
    "windows-arm64": "@oven/bun-windows-aarch64",
}
SOURCE = NpmSource(
    packages=_PACKAGES,
    program={platform: "bin/bun.exe" if platform.startswith("windows") else "bin/bun" for platform in _PACKAGES},
)
_ENVIRONMENT = {"DO_NOT_TRACK": "1", "BUN_ENABLE_CRASH_REPORTING": "0"}


def find() -> Iterator[Found]:
    """The bun that the PATH leads to, then the one that its installer keeps up to date."""
    program = shutil.which("bun")
    if program:
        yield Found(Path(program), "path", this_platform())
    root = Path(os.environ.get("BUN_INSTALL") or Path.home() / ".bun")
    installed = root / "bin" / ("bun.exe" if os.name == "nt" else "bun")
    if installed.is_file() and not (program and installed.samefile(program)):
        yield Found(installed, "system", this_platform())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """The probe is a file as any other."""
    return script(program, platform, probes / "bun" / "main.cjs")


def script(program: Path, platform: str, file: Path) -> Launch:
    """With nothing installed on the fly and nothing reported; a Bun that does not know the option ignores it."""
    return Launch((str(program), "--no-install", str(file)), _ENVIRONMENT)
