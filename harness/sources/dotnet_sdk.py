"""The .NET SDK on this machine, and programs compiled with it. Its own clients are used, and so the user's package sources."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from harness.errors import ClaimgridError, Exit
from harness.probes import probes_folder
from harness.processes import run
from harness.scratch import scratch
from harness.versions import is_release, sort_key

_ASK_SECONDS = 60.0
_PUBLISH_SECONDS = 600.0
_MAX_OUTPUT = 16 << 20
_SYSTEMS = {"linux": "linux", "windows": "win", "wine": "win", "macos": "osx"}

# English, because the word "error" is looked for. No build server may stay behind: it would outlive the run, and hold its folder.
_QUIET = {
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
    "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    "DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE": "true",
    "MSBUILDDISABLENODEREUSE": "1",
}


def releases(package: str) -> list[str]:
    """Every release of a package that the package sources offer, oldest first. Raises ClaimgridError when they offer none."""
    told = json.loads(dotnet("package", "search", package, "--exact-match", "--format", "json", limit=_ASK_SECONDS))
    offered = {found["version"] for source in told["searchResult"] for found in source.get("packages") or ()}
    if not offered:
        raise ClaimgridError(
            f"No package source offers {package}.", "`dotnet nuget list source` tells which are asked.", Exit.NOT_RUN
        )
    return sorted((version for version in offered if is_release(version)), key=sort_key)


def publish(sources: Sequence[str], platform: str, properties: Mapping[str, str], into: Path) -> None:
    """Compile a private copy of a program below the probes folder, and put it with its runtime into the new folder `into`."""
    with scratch("dotnet") as work:
        for name in sources:
            target = work / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(probes_folder() / name, target)
        project = next(work.glob("*/*.csproj"))
        options = ("--configuration", "Release", "--self-contained", "--runtime", rid(platform), "--output", "out")
        servers = ("-nodeReuse:false", "-p:UseSharedCompilation=false")
        chosen = (f"-p:{name}={value}" for name, value in properties.items())
        dotnet(
            *("publish", project.name, *options, *servers, *chosen),
            limit=_PUBLISH_SECONDS,
            cwd=project.parent,
            env=temporary(work),
        )
        shutil.move(project.parent / "out", into)


def sdk_version() -> str:
    """The version of the SDK."""
    return dotnet("--version", limit=_ASK_SECONDS).decode().strip()


def rid(platform: str) -> str:
    """The platform as NuGet calls it: `linux-x64`, `win-x64`, `osx-arm64`."""
    system, _, machine = platform.partition("-")
    if system not in _SYSTEMS:
        raise ClaimgridError(f".NET has no runtime for {platform}.", "", Exit.NOT_RUN)
    return f"{_SYSTEMS[system]}-{machine}"


def dotnet(
    *arguments: str, limit: float, cwd: Path | None = None, env: Mapping[str, str] = MappingProxyType({})
) -> bytes:
    """What `dotnet` prints. Raises ClaimgridError when there is no SDK, or with the first error that it reports."""
    program = shutil.which("dotnet")
    if program is None:
        raise ClaimgridError("`dotnet` is not on the PATH.", "Install the .NET SDK 10 or later.", Exit.NOT_RUN)
    done = run([program, *arguments], limit=limit, max_bytes=_MAX_OUTPUT, cwd=cwd, env={**os.environ, **_QUIET, **env})
    if not done.ok:
        said = (done.stdout + done.stderr).decode(errors="replace").splitlines()
        reason = "timed out" if done.timed_out else _first_error(said)
        raise ClaimgridError(
            f"dotnet {arguments[0]} failed: {reason}.", "Is the package source in reach?", Exit.NOT_RUN
        )
    return done.stdout


def _first_error(said: Sequence[str]) -> str:
    """The first error without the file that it is about, or the first thing said."""
    errors = [line.partition(": error ")[2] for line in said if ": error " in line]
    return next((line.strip(" .\t")[:300] for line in [*errors, *said] if line.strip()), "no reason given")


def temporary(folder: Path) -> dict[str, str]:
    """Have the SDK's litter of empty folders in `folder`, but NuGet's locks where every other NuGet process looks for them."""
    if os.name == "nt":
        return {}
    scratch = Path(tempfile.gettempdir()) / f"NuGetScratch{getpass.getuser()}"
    return {"TMPDIR": str(folder), "NUGET_SCRATCH": str(scratch)}
