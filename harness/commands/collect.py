"""`claimgrid collect`: results of several runs into one folder."""

from __future__ import annotations

from pathlib import Path

import click

from harness.collect import collect
from harness.commands.options import tell
from harness.errors import ClaimgridError, Exit


@click.command("collect")
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="FOLDER...",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--into",
    "target",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="The folder that they go into.",
)
def command(sources: tuple[Path, ...], target: Path) -> int:
    """Bring the results of each FOLDER into one: new measurements over older ones of the same builds.

    A build that was measured but not raced keeps the races it had. Broken files are told and left out; then the exit code is 2.
    """
    broken: list[ClaimgridError] = []

    def skip(error: ClaimgridError) -> None:
        broken.append(error)
        tell(f"left out: {error.message}")

    written = [path for source in sources for path in collect(source, target, skip)]
    click.echo(f"{len(written)} files into {target}")
    return Exit.USAGE if broken else Exit.DONE
