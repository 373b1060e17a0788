"""`claimgrid report`: the page and the Markdown that people consult, from results alone."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.options import folders_option, keep_going_option, read_merged, tell_disagreements
from harness.encounters import read_meetings
from harness.errors import ClaimgridError
from harness.files import write_whole
from harness.judging.records import read_records
from harness.report.markdown import render_readme, render_summary
from harness.report.page import render_page


@click.command("report")
@folders_option
@keep_going_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The folder for report.html and README.md, the first folder of results by default.",
)
@click.option(
    "--summary", is_flag=True, help="Write nothing, and print a short Markdown summary for the page of a CI job."
)
def command(folders: tuple[Path, ...], keep_going: bool, out: Path | None, summary: bool) -> None:
    """Write report.html, which needs nothing else, and README.md."""
    merged = read_merged(folders, keep_going)
    results = [one.result for one in merged]
    if not results:
        raise ClaimgridError(
            f"There are no results in {' or '.join(map(str, folders))}.", "`claimgrid run` makes some."
        )
    if summary:
        click.echo(render_summary(results), nl=False)
    else:
        meetings, records = read_meetings(folders), read_records(folders)
        target = out or folders[0]
        for name, text in (
            ("report.html", render_page(results, meetings, records)),
            ("README.md", render_readme(results, meetings, records)),
        ):
            write_whole(target / name, text)
            click.echo(str(target / name))
    tell_disagreements(merged)
