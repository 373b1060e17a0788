"""Builds of the .NET probe: compiled by the SDK on this machine, each together with the runtime pack of one version.

A pack is a whole runtime as a NuGet package; publishing self-contained with it gives a program that runs on exactly that version.
The SDK's own clients are used, and so the user's package sources, credentials and package cache.
"""

from __future__ import annotations

import getpass
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from harness.errors import ClaimgridError, Exit
from harness.probes import probe_digest, probes_folder
from harness.processes import run
from harness.versions import is_release, sort_key

_ASK_SECONDS = 60.0
_PUBLISH_SECONDS = 600.0
_MAX_OUTPUT = 16 << 20
_OLDEST_SDK = 10
_NEEDED = f"Install the .NET SDK {_OLDEST_SDK} or later."
_NEWEST_CORE = 3
"""The last major version that calls itself .NET Core, in targets too."""
_SYSTEMS = {"linux": "linux", "windows": "win", "wine": "win", "macos": "osx"}


@dataclass(frozen=True, slots=True)
class DotnetPackSource:
    """`probe` are the files below the probes folder that are compiled; their bytes are part of where a build lies."""

    NAME: ClassVar[str] = "nuget"

    probe: tuple[str, ...]

    def versions(self, platform: str) -> list[str]:
        """Every release whose runtime pack is offered, oldest first. Raises ClaimgridError without an SDK or a package source."""
        pack = f"Microsoft.NETCore.App.Runtime.{_rid(platform)}"
        told = json.loads(_dotnet("package", "search", pack, "--exact-match", "--format", "json", limit=_ASK_SECONDS))
        offered = {package["version"] for source in told["searchResult"] for package in source.get("packages") or ()}
        if not offered:
            raise ClaimgridError(
                f"No package source offers {pack}.", "`dotnet nuget list source` tells which are asked.", Exit.NOT_RUN
            )
        return sorted((version for version in offered if is_release(version)), key=sort_key)

    def fetch(self, version: str, platform: str, folder: Path) -> None:
        """Compile a private copy of the probe and publish it, with the runtime of one version, into `folder`."""
        with tempfile.TemporaryDirectory(prefix="claimgrid-dotnet-") as temp:
            work = Path(temp)
            for name in self.probe:
                target = work / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(probes_folder() / name, target)
            project = next(work.glob("*/*.csproj"))
            _dotnet(
                *(
                    "publish",
                    project.name,
                    "--configuration",
                    "Release",
                    "--self-contained",
                    "--runtime",
                    _rid(platform),
                ),
                *("--output", "out", "-nodeReuse:false", "-p:UseSharedCompilation=false"),
                *(f"-p:ProbeTarget={_target(version)}", f"-p:RuntimeFrameworkVersion={version}"),
                limit=_PUBLISH_SECONDS,
                cwd=project.parent,
                env=_temporary(work),
            )
            shutil.move(project.parent / "out", self.program(folder, platform).parent)

    def program(self, folder: Path, platform: str) -> Path:
        """In a folder named after the probe's sources: when they change, what was built from them is not there any more."""
        return (
            folder
            / f"probe-{probe_digest(self.probe)}"
            / ("probe.exe" if _rid(platform).startswith("win") else "probe")
        )


def _rid(platform: str) -> str:
    """The platform as NuGet calls it: `linux-x64`, `win-x64`, `osx-arm64`."""
    system, _, machine = platform.partition("-")
    if system not in _SYSTEMS:
        raise ClaimgridError(f".NET has no runtime packs for {platform}.", "", Exit.NOT_RUN)
    return f"{_SYSTEMS[system]}-{machine}"


def _target(version: str) -> str:
    """What to compile for: the version's own target, or the SDK's newest, which later runtimes run as well."""
    sdk = _sdk()
    major, minor = (int(part) for part in version.split(".")[:2])
    if major <= _NEWEST_CORE:
        return f"netcoreapp{major}.{minor}"
    return f"net{min(major, sdk)}.0"


def _sdk() -> int:
    """The major version of the SDK. Raises ClaimgridError for one that is too old for the probe's language."""
    version = _dotnet("--version", limit=_ASK_SECONDS).decode().strip()
    major = int(version.partition(".")[0])
    if major < _OLDEST_SDK:
        raise ClaimgridError(f"The .NET SDK {version} is too old to compile the probe.", _NEEDED, Exit.NOT_RUN)
    return major


def _temporary(folder: Path) -> dict[str, str]:
    """Have the SDK's litter of empty folders in `folder`, but NuGet's locks where every other NuGet process looks for them."""
    if os.name == "nt":
        return {}
    return {
        "TMPDIR": str(folder),
        "NUGET_SCRATCH": str(Path(tempfile.gettempdir()) / f"NuGetScratch{getpass.getuser()}"),
    }


def _dotnet(
    *arguments: str, limit: float, cwd: Path | None = None, env: Mapping[str, str] = MappingProxyType({})
) -> bytes:
    program = shutil.which("dotnet")
    if program is None:
        raise ClaimgridError(
            "No .NET SDK was found: `dotnet` is not on the PATH.",
            "Install one that is at least version 10.",
            Exit.NOT_RUN,
        )
    done = run([program, *arguments], limit=limit, max_bytes=_MAX_OUTPUT, cwd=cwd, env={**os.environ, **_QUIET, **env})
    if not done.ok:
        reason = (
            "timed out"
            if done.timed_out
            else _reason((done.stdout + done.stderr).decode(errors="replace").splitlines())
        )
        raise ClaimgridError(f"dotnet {arguments[0]} failed: {reason}", "Is the package source in reach?", Exit.NOT_RUN)
    return done.stdout


def _reason(said: Sequence[str]) -> str:
    """The first error without the file that it is about, or the first thing said."""
    errors = [line.partition(": error ")[2] for line in said if ": error " in line]
    return next((line.strip()[:300] for line in [*errors, *said] if line.strip()), "no reason given")


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
