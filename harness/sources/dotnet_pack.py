"""Builds of the .NET probe: compiled by the SDK on this machine, each together with the runtime pack of one version.

A pack is a whole runtime as a NuGet package; publishing self-contained with it gives a program that runs on exactly that version.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from harness.errors import ClaimgridError, Exit
from harness.probes import probe_digest
from harness.sources.dotnet_sdk import publish, releases, rid, sdk_version

_OLDEST_SDK = 10
_NEWEST_CORE = 3
"""The last major version that calls itself .NET Core, in targets too."""


@dataclass(frozen=True, slots=True)
class DotnetPackSource:
    """`probe` are the files below the probes folder that are compiled; their bytes are part of where a build lies."""

    NAME: ClassVar[str] = "nuget"

    probe: tuple[str, ...]

    def versions(self, platform: str) -> list[str]:
        """Every release whose runtime pack is offered, oldest first. Raises ClaimgridError without an SDK or a package source."""
        return releases(f"Microsoft.NETCore.App.Runtime.{rid(platform)}")

    def fetch(self, version: str, platform: str, folder: Path) -> None:
        """Compile the probe and publish it, with the runtime of one version, into `folder`."""
        properties = {"ProbeTarget": _target(version), "RuntimeFrameworkVersion": version}
        publish(self.probe, platform, properties, self.program(folder, platform).parent)

    def program(self, folder: Path, platform: str) -> Path:
        """In a folder named after the probe's sources: when they change, what was built from them is not there any more."""
        name = "probe.exe" if rid(platform).startswith("win") else "probe"
        return folder / f"probe-{probe_digest(self.probe)}" / name


def _target(version: str) -> str:
    """What to compile for: the version's own target, or the SDK's newest, which later runtimes run as well."""
    sdk = int(sdk_version().partition(".")[0])
    if sdk < _OLDEST_SDK:
        raise ClaimgridError(
            f"The .NET SDK {sdk_version()} is too old to compile the probe.",
            f"Install the .NET SDK {_OLDEST_SDK} or later.",
            Exit.NOT_RUN,
        )
    major, minor = (int(part) for part in version.split(".")[:2])
    return f"netcoreapp{major}.{minor}" if major <= _NEWEST_CORE else f"net{min(major, sdk)}.0"
