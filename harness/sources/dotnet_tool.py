"""Builds that come as a .NET tool, through `dotnet tool install` and so with the user's own package sources and credentials."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from harness.environment import this_platform
from harness.errors import ClaimgridError, Exit
from harness.processes import run
from harness.versions import is_release, sort_key

_ASK_SECONDS = 60.0
_INSTALL_SECONDS = 600.0
_MAX_OUTPUT = 16 << 20
_ENVIRONMENT = {
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false",
    "DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE": "true",
}


@dataclass(frozen=True, slots=True)
class DotnetToolSource:
    """A package with one tool. `programs` are patterns, below an installed tool, of the program that the tool's launcher starts.

    The launcher itself is a second .NET process that lives as long as the program: it would only double what a start costs.
    """

    NAME: ClassVar[str] = "nuget"

    package: str
    launcher: str
    programs: tuple[str, ...]

    def versions(self, platform: str) -> list[str]:
        """Every release offered, oldest first. Being offered is no promise: a release may lack the package of one platform."""
        self._check(platform)
        told = json.loads(
            _dotnet("package", "search", self.package, "--exact-match", "--format", "json", limit=_ASK_SECONDS)
        )
        offered = {package["version"] for source in told["searchResult"] for package in source.get("packages") or ()}
        if not offered:
            raise ClaimgridError(
                f"No package source offers {self.package}.",
                "`dotnet nuget list source` tells which are asked.",
                Exit.NOT_RUN,
            )
        return sorted((version for version in offered if is_release(version)), key=sort_key)

    def fetch(self, version: str, platform: str, folder: Path) -> None:
        """Install one version into `folder`."""
        self._check(platform)
        _dotnet(
            "tool", "install", self.package, "--version", version, "--tool-path", str(folder), limit=_INSTALL_SECONDS
        )
        if not self.program(folder, platform).is_file():
            raise ClaimgridError(f"{self.package} {version} has no program for {platform}.", "", Exit.NOT_RUN)

    def program(self, folder: Path, platform: str) -> Path:
        """The program itself, or the launcher where the package is laid out in a way that is not known."""
        suffix = ".exe" if platform.startswith("windows") else ""
        found = (path for pattern in self.programs for path in folder.glob(pattern + suffix))
        return next(found, folder / (self.launcher + suffix))

    def _check(self, platform: str) -> None:
        if platform != this_platform():
            raise ClaimgridError(
                f"{self.package} installs for {this_platform()} here, not for {platform}.", "", Exit.NOT_RUN
            )


def _dotnet(*arguments: str, limit: float) -> bytes:
    program = shutil.which("dotnet")
    if program is None:
        raise ClaimgridError(
            "`dotnet` is not on the PATH.", "Install the .NET SDK, or name programs with NAME=PATH.", Exit.NOT_RUN
        )
    done = run([program, *arguments], limit=limit, max_bytes=_MAX_OUTPUT, env={**os.environ, **_ENVIRONMENT})
    if not done.ok:
        said = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
        reason = "timed out" if done.timed_out else next(iter(said), "no reason given").rstrip(".")
        raise ClaimgridError(
            f"dotnet {arguments[0]} {arguments[1]} failed: {reason[:300]}.",
            "Is the package source in reach?",
            Exit.NOT_RUN,
        )
    return done.stdout
