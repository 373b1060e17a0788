"""sh: every shell on this machine with the tools on PATH, and the plain shell with other tools beside those."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.environment import this_platform
from harness.runtimes.contract import Found, Launch, Source

NAME = "sh"
PROBE = ("sh/probe.sh", "sh/claims.sh")
PER_CASE = True
START_SECONDS = 30.0
CASE_SECONDS = 5.0
DEFAULTS: tuple[str, ...] = ()
SOURCE: Source | None = None

_SHELLS = ("dash", "bash", "busybox", "mksh", "ksh93", "ksh", "yash", "zsh", "sh")
_TOOL_FOLDERS = (
    "/usr/lib/cargo/bin/coreutils",
    "/opt/homebrew/opt/coreutils/libexec/gnubin",
    "/opt/homebrew/opt/uutils-coreutils/libexec/uubin",
    "/usr/local/opt/coreutils/libexec/gnubin",
    "/usr/local/opt/uutils-coreutils/libexec/uubin",
)
"""Where packages put tools that would hide the system's own: uutils on Debian, GNU and uutils on macOS."""


def find() -> Iterator[Found]:
    """The shells, each once under its first name, then folders of tools, each of which is a build with the plain shell."""
    seen: set[Path] = set()
    for name in _SHELLS:
        program = _which(name)
        if program is not None and program not in seen:
            seen.add(program)
            yield Found(program, "path", this_platform())
    for folder in map(Path, _TOOL_FOLDERS):
        if folder.is_dir():
            yield Found(folder, "system", this_platform())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """The probe is a file as any other."""
    return script(program, platform, probes / "sh" / "probe.sh")


def script(program: Path, platform: str, file: Path) -> Launch:
    """A folder in the place of the program means: the plain shell, with the tools in that folder first."""
    shell, tools = (_plain_shell(), program) if program.is_dir() else (program, None)
    if os.name == "nt":
        # The shells of Git for Windows lie among their tools, and these are not on PATH.
        tools = tools or shell.parent
    env = {"CLAIMGRID_SHELL": shell.as_posix()}
    if tools is not None:
        env["PATH"] = os.pathsep.join((str(tools), os.environ.get("PATH", os.defpath)))
    applet = ("sh",) if shell.name.startswith("busybox") else ()
    # Shells take a backslash for a quote, on Windows too.
    return Launch((str(shell), *applet, file.as_posix()), env, Path.as_posix)


def _plain_shell() -> Path:
    return _which("dash") or _which("sh") or Path("/bin/sh")


def _which(name: str) -> Path | None:
    """The program behind a name. On Windows only Git's: the `bash` on PATH there may start another system."""
    search = None
    if os.name == "nt":
        git = shutil.which("git")
        if git is None:
            return None
        search = str(Path(git).resolve().parent.parent / "usr" / "bin")
    program = shutil.which(name, path=search)
    return Path(program).resolve() if program else None
