"""Deno: found on the PATH and where its installer puts it, fetched from npm, where every release since 1.46 is a package."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.environment import this_platform
from harness.runtimes.contract import Found, Launch
from harness.sources import NpmSource

NAME = "deno"
PROBE = ("deno/main.mjs", "deno/claims.cjs", "node/talk.cjs", "node/clock.cjs", "node/fs.cjs")
PER_CASE = False
START_SECONDS = 20.0
CASE_SECONDS = 5.0
# Both are offered for every platform. node:fs changed much between them, and FsFile.tryLock came.
DEFAULTS = ("2.3", "2.9")
_PACKAGES = {
    "linux-x64": "@deno/linux-x64-glibc",
    "linux-arm64": "@deno/linux-arm64-glibc",
    "macos-x64": "@deno/darwin-x64",
    "macos-arm64": "@deno/darwin-arm64",
    "windows-x64": "@deno/win32-x64",
    "windows-arm64": "@deno/win32-arm64",
}
SOURCE = NpmSource(
    packages=_PACKAGES,
    program={platform: "deno.exe" if platform.startswith("windows") else "deno" for platform in _PACKAGES},
)
# The cache goes below the home folder that every probe is given.
_ENVIRONMENT = {"DENO_NO_UPDATE_CHECK": "1", "DENO_NO_PROMPT": "1", "DENO_NO_PACKAGE_JSON": "1"}
_ALONE = ("--allow-all", "--no-remote", "--no-npm", "--no-config", "--no-lock", "--quiet")


def find() -> Iterator[Found]:
    """The deno that the PATH leads to, then the one that its installer keeps up to date."""
    program = shutil.which("deno")
    if program:
        yield Found(Path(program), "path", this_platform())
    root = Path(os.environ.get("DENO_INSTALL") or Path.home() / ".deno")
    installed = root / "bin" / ("deno.exe" if os.name == "nt" else "deno")
    if installed.is_file() and not (program and installed.samefile(program)):
        yield Found(installed, "system", this_platform())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """The probe is a file as any other."""
    return script(program, platform, probes / "deno" / "main.mjs")


def script(program: Path, platform: str, file: Path) -> Launch:
    """With every permission, and with nothing from the network or from a project that happens to lie above the file."""
    return Launch((str(program), "run", *_ALONE, str(file)), _ENVIRONMENT)
