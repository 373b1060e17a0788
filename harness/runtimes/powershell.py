"""PowerShell: `pwsh` on the PATH, Windows PowerShell where Windows has it, and versions installed as a .NET tool."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.environment import this_platform
from harness.runtimes.contract import Found, Launch
from harness.sources.dotnet_tool import DotnetToolSource
from harness.sources.powershell_host import PowerShellHostSource

NAME = "powershell"
PROBE = ("powershell/probe.ps1", "powershell/claims.ps1")
PER_CASE = False
# The tool's assemblies come without native code: everything is compiled at start, which takes seconds on a busy machine.
START_SECONDS = 60.0
# Some claims start a PowerShell of their own.
CASE_SECONDS = START_SECONDS
DEFAULTS = ("7.6.9", "7.6.10")
_SYSTEM = "win" if os.name == "nt" else "unix"
SOURCE = PowerShellHostSource(
    DotnetToolSource("PowerShell", launcher="pwsh", programs=(f".store/*/*/*/*/tools/*/any/{_SYSTEM}/pwsh",))
)
_ENVIRONMENT = {
    "POWERSHELL_TELEMETRY_OPTOUT": "1",
    "POWERSHELL_UPDATECHECK": "Off",
    # No sockets in the temporary folder, and nothing is compiled a second time: a run never repays it, and it took half of the time.
    "DOTNET_EnableDiagnostics": "0",
    "DOTNET_TieredPGO": "0",
    "DOTNET_TC_CallCounting": "0",
}


def find() -> Iterator[Found]:
    """PowerShell 7 and Windows PowerShell, as the PATH leads to them."""
    for command in ("pwsh", "powershell") if os.name == "nt" else ("pwsh",):
        program = shutil.which(command)
        if program:
            yield Found(Path(program), "path", this_platform())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """The probe is a file as any other."""
    return script(program, platform, probes / "powershell" / "probe.ps1")


def script(program: Path, platform: str, file: Path) -> Launch:
    """With neither profile nor prompts; Windows PowerShell also needs to be told that scripts may run."""
    policy = ("-ExecutionPolicy", "Bypass") if platform.startswith("windows") else ()
    argv = (str(program), "-NoProfile", "-NonInteractive", *policy, "-File", str(file))
    return Launch(argv, {**_ENVIRONMENT, **_dotnet_root()})


def _dotnet_root() -> Mapping[str, str]:
    """Where the runtime is that an installed tool needs: it looks in one fixed place, which not every `dotnet` is in."""
    root = os.environ.get("DOTNET_ROOT")
    if root:
        return {"DOTNET_ROOT": root}
    command = shutil.which("dotnet")
    folder = Path(command).resolve().parent if command else None
    return {"DOTNET_ROOT": str(folder)} if folder and (folder / "host" / "fxr").is_dir() else {}
