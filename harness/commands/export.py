"""`claimgrid export`: the matrix as one flat table for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.options import folders_option, keep_going_option, read_merged, tell_disagreements
from harness.export import FORMATS, rows_of


@click.command("export")
@folders_option
@keep_going_option
@click.option(
    "--format", "style", type=click.Choice(list(FORMATS)), default="csv", show_default=True, help="What to print."
)
def command(folders: tuple[Path, ...], keep_going: bool, style: str) -> None:
    """Print a row for every claim in every build: verdict, reason, race, mechanism and the outcome against every occupant."""
    merged = read_merged(folders, keep_going)
    click.echo(FORMATS[style](rows_of(one.result for one in merged)), nl=False)
    tell_disagreements(merged)
