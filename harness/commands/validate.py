"""`claimgrid validate`: whether files are what they should be, and where not."""

from __future__ import annotations

from pathlib import Path

import click

from harness.errors import Exit
from harness.plain import plain
from harness.validate import faults_of, files_below

_SHOWN = 20


@click.command("validate")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
def command(paths: tuple[Path, ...]) -> int:
    """Check results, evidence, pairs and recipes files, and all those in folders.

    Every place that is broken gets a line. The exit code is 2 when there is any.
    """
    files = list(dict.fromkeys(file for path in paths for file in files_below(path)))
    broken = 0
    for file in files:
        faults = faults_of(file)
        broken += bool(faults)
        for fault in faults[:_SHOWN]:
            click.echo(f"{plain(str(file), 1000)}: {plain(str(fault), 1000)}")
        if len(faults) > _SHOWN:
            click.echo(f"{plain(str(file), 1000)}: and {len(faults) - _SHOWN} more")
    click.echo(
        f"{broken} of {len(files)} files broken" if broken else f"{len(files)} files as they should be", err=True
    )
    return Exit.USAGE if broken else Exit.DONE
