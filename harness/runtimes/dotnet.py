""".NET: the SDK on the machine compiles the probe, once for each runtime version, together with that version's runtime pack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.probes import probes_folder
from harness.runtimes.contract import Found, Launch, Source
from harness.sources.dotnet_file import compiled
from harness.sources.dotnet_pack import DotnetPackSource


def _sources() -> tuple[str, ...]:
    """What is compiled, and nothing that a build by hand left beside it."""
    folder = probes_folder()
    patterns = ("dotnet/*.csproj", "dotnet/*.cs", "dotnet/claims/*.cs")
    return tuple(sorted(path.relative_to(folder).as_posix() for pattern in patterns for path in folder.glob(pattern)))


NAME = "dotnet"
PROBE = _sources()
PER_CASE = False
START_SECONDS = 20.0
CASE_SECONDS = 5.0
DEFAULTS: tuple[str, ...] = ("3.1", "8", "9", "10", "11")
SOURCE: Source | None = DotnetPackSource(PROBE)


def find() -> Iterator[Found]:
    """Nothing: a `dotnet` on the PATH is no build of the probe. It makes builds."""
    return iter(())


def launch(program: Path, platform: str, probes: Path) -> Launch:
    """A build is the probe and its runtime in one. Raises ClaimgridError for the SDK's `dotnet`, which people may name."""
    if program.stem == "dotnet":
        raise ClaimgridError(
            f"{program} builds the probe but does not contain it.", "Write dotnet@10 or another version.", Exit.NOT_RUN
        )
    # Without diagnostics no socket is made in the temporary folder. Runtimes before 6 read the older prefix.
    return Launch((str(program),), {"DOTNET_EnableDiagnostics": "0", "COMPlus_EnableDiagnostics": "0"})


def script(program: Path, platform: str, file: Path) -> Launch:
    """The SDK compiles the file first, or has done so before. Raises ClaimgridError when it cannot."""
    return Launch((str(program), str(compiled(file))), {"DOTNET_EnableDiagnostics": "0"})
