"""Builds that come as a .NET tool, through `dotnet tool install` and so with the user's own package sources and credentials."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from harness.environment import this_platform
from harness.errors import ClaimgridError, Exit
from harness.sources.dotnet_sdk import dotnet, releases

_INSTALL_SECONDS = 600.0


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
        return releases(self.package)

    def fetch(self, version: str, platform: str, folder: Path) -> None:
        """Install one version into `folder`."""
        self._check(platform)
        install = ("tool", "install", self.package, "--version", version, "--tool-path", str(folder))
        dotnet(*install, limit=_INSTALL_SECONDS)
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
