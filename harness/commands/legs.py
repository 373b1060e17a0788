"""`claimgrid legs`: what a workflow has to measure on which runner, and which of that did not come back."""

from __future__ import annotations

import json
from pathlib import Path

import click

from harness.commands.options import tell
from harness.errors import ClaimgridError, Exit
from harness.legs import MOST, RUNNERS, found, from_matrix, lost, plan_legs, to_matrix
from harness.plain import code_span, plain
from harness.results import BuildResult, read_folder
from harness.runtimes import RUNTIMES


@click.command("legs")
@click.option(
    "--platform",
    "platforms",
    multiple=True,
    type=click.Choice(list(RUNNERS)),
    default=("linux-x64", "windows-x64"),
    help="Where to measure: linux-x64 and windows-x64 by default. Repeatable.",
)
@click.option(
    "--new-since",
    "measured",
    type=click.Path(file_okay=False, path_type=Path),
    help="Only versions that are newer than what is in this folder of results.",
)
@click.option("--came", type=click.Path(path_type=Path), help="Print, as Markdown, which legs left no results here.")
@click.option("--of", "planned", metavar="MATRIX", help="The legs that --came is about, as they were printed.")
def command(platforms: tuple[str, ...], measured: Path | None, came: Path | None, planned: str | None) -> int:
    """Print the matrix of a workflow as JSON: a leg for the last version of every series, by platform.

    With --came and --of instead: which of these legs did not come back. Exit code 1 when there are any.
    """
    if (came is None) != (planned is None):
        raise click.UsageError("--came and --of go together.")
    if came is not None and planned is not None:
        return _tell_lost(came, planned)
    offered = {}
    for platform in platforms:
        for name, runtime in RUNTIMES.items():
            if runtime.SOURCE is not None:
                try:
                    offered[platform, name] = runtime.SOURCE.versions(platform)
                except ClaimgridError as error:
                    tell(f"{name} for {platform}: {error}")
    if not offered:
        raise ClaimgridError("No registry tells of any version.", "Is one in reach?", Exit.NOT_RUN)
    legs = plan_legs(offered, _results(measured) if measured is not None else None)
    if len(legs) > MOST:
        tell(
            f"{len(legs) - MOST} legs more than a workflow can have are left out: {', '.join(leg.build for leg in legs[MOST:])}"
        )
    click.echo(json.dumps(to_matrix(legs[:MOST]), separators=(",", ":")))
    return Exit.DONE


def _tell_lost(came: Path, planned: str) -> int:
    try:
        legs = from_matrix(json.loads(planned))
    except (ValueError, KeyError, TypeError) as error:
        raise ClaimgridError("--of is no matrix as `claimgrid legs` prints it.", str(error)) from error
    # Each leg leaves a folder of results of its own.
    results = [result for folder in sorted(came.glob("*")) if folder.is_dir() for result in _results(folder)]
    gone = lost(legs, results)
    click.echo(f"### Measured: {len(legs) - len(gone)} of {len(legs)} legs\n")
    for leg, versions in found(legs, results):
        click.echo(f"- {code_span(plain(leg.build))} on {leg.platform}: {plain(', '.join(versions))}")
    for leg in gone:
        click.echo(
            f"- {code_span(plain(leg.build))} on {leg.platform} left no results: what was measured of it before still stands."
        )
    return Exit.FINDINGS if gone else Exit.DONE


def _results(folder: Path) -> list[BuildResult]:
    return read_folder(folder, lambda error: tell(f"left out: {error.message}")) if folder.is_dir() else []
