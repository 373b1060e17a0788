"""`claimgrid doctor`: what this machine has for measuring, what it lacks, and how to get that."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.options import place_option
from harness.doctor import can_measure, examine
from harness.errors import Exit
from harness.plain import plain


@click.command("doctor")
@place_option
def command(place: Path) -> int:
    """Tell what is here, what is missing, and how to get it. Nothing is fetched, and nothing but the controls measured.

    The exit code is 4 when there is no runtime at all to measure.
    """
    signs = examine(place.absolute())
    width = max(len(sign.about) for sign in signs)
    for sign in signs:
        click.echo(f"{'*' if sign.well else '-'} {sign.about:<{width}}  {plain(sign.found)}")
        if sign.help and not sign.well:
            click.echo(f"  {'':<{width}}  {plain(sign.help)}")
    return Exit.DONE if can_measure(signs) else Exit.NOT_RUN
