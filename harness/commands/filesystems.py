"""`claimgrid filesystems`: measure on small filesystems that are made for it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from harness.commands import run
from harness.commands.options import offline_option, results_option, runtime_option, tell
from harness.errors import ClaimgridError, Exit
from harness.filesystems import MAKINGS, mounted
from harness.scratch import scratch

_BUILDS = (
    *("node@22", "node@26", "bun@1.3", "bun@1.4", "deno@2.3", "deno@2.9", "powershell@7.6.9", "powershell@7.6.10"),
    *("dotnet@8", "dotnet@11", "cmd@wine"),
)
_FOUND = {"python": ("python3", "python"), "sh": ("dash", "busybox")}
"""Two of each of those runtimes that are only ever found."""


@click.command("filesystems")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@runtime_option
@click.option(
    "--race-seconds",
    type=click.FloatRange(0),
    default=900,
    show_default=True,
    help="For all races together; 0 is none.",
)
@results_option
@offline_option
def command(
    names: tuple[str, ...], runtimes: tuple[str, ...], race_seconds: float, results: Path, offline: bool
) -> int:
    """Make small filesystems, measure two builds of each runtime on each, and remove them: for root, on Linux.

    NAMEs are tmpfs, overlay, ext4, xfs, btrfs, exfat, ntfs; all of them without any.
    What cannot be made here is told. Results name them as the system does.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        raise ClaimgridError("Filesystems are made and mounted by root, on Linux.", "", Exit.NOT_RUN)
    known = {making.name: making for making in MAKINGS}
    if unknown := [name for name in names if name not in known]:
        raise ClaimgridError(f"No filesystem is called {unknown[0]!r} here.", f"They are: {', '.join(known)}.")
    with scratch("filesystems") as folder, contextlib.ExitStack() as stack:
        places = []
        for name in names or known:
            try:
                places.append(stack.enter_context(mounted(known[name], folder / name)))
            except ClaimgridError as error:
                tell(f"not measured: {error}")
        if not places:
            raise ClaimgridError("None of these filesystems can be made here.", "", Exit.NOT_RUN)
        words = [
            *(part for place in places for part in ("--at", str(place))),
            *(part for build in runtimes or _usual() for part in ("--runtime", build)),
            *(("--race-seconds", str(race_seconds)) if race_seconds else ("--no-race",)),
            *("--results", str(results), "--quiet", *(("--offline",) if offline else ())),
        ]
        return int(run.command.main(words, standalone_mode=False) or Exit.DONE)


def _usual() -> Iterator[str]:
    yield from _BUILDS
    for name, programs in _FOUND.items():
        for program in dict.fromkeys(Path(found).resolve() for found in map(shutil.which, programs) if found):
            yield f"{name}={program}"
