"""PowerShell for Wine, where pwsh.exe itself does not run: a small program around PowerShell's SDK, compiled once per version."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from harness.probes import probe_digest
from harness.runtimes.contract import Source
from harness.sources.dotnet_sdk import publish, releases

_PACKAGE = "Microsoft.PowerShell.SDK"
_HOST = ("powershell-host/host.csproj", "powershell-host/Program.cs")
# The program is compiled for .NET 10, which is what this line of PowerShell comes with.
_LINE = "7.6."


@dataclass(frozen=True, slots=True)
class PowerShellHostSource:
    """Builds for Wine are compiled here; those for every other platform come from `elsewhere`."""

    NAME: ClassVar[str] = "nuget"

    elsewhere: Source

    def versions(self, platform: str) -> list[str]:
        """Every release offered, oldest first. Raises ClaimgridError without an SDK or a package source."""
        if not _wine(platform):
            return self.elsewhere.versions(platform)
        return [version for version in releases(_PACKAGE) if version.startswith(_LINE)]

    def fetch(self, version: str, platform: str, folder: Path) -> None:
        """Compile and publish the host with one version of PowerShell into `folder`."""
        if not _wine(platform):
            return self.elsewhere.fetch(version, platform, folder)
        publish(_HOST, platform, {"PowerShellVersion": version}, self.program(folder, platform).parent)

    def program(self, folder: Path, platform: str) -> Path:
        """In a folder named after the host's sources: when they change, what was built from them is not there any more."""
        if not _wine(platform):
            return self.elsewhere.program(folder, platform)
        return folder / f"host-{probe_digest(_HOST)}" / "pwsh-host.exe"


def _wine(platform: str) -> bool:
    return platform.startswith("wine-")
