"""`claimgrid history`: what a claim is worth in one version after another."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import click
import tabulate

from harness.claims import matches
from harness.commands.options import folders_option, keep_going_option, read_merged, tell_disagreements
from harness.errors import ClaimgridError
from harness.history import Segment, segments, told
from harness.report.insight import Series, all_series
from harness.tables import word


@click.command("history")
@click.argument("selector", metavar="CLAIM")
@folders_option
@keep_going_option
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What is printed."
)
def command(selector: str, folders: tuple[Path, ...], keep_going: bool, style: str) -> None:
    """Print the verdicts of CLAIM, an id or a selector as for `claimgrid claims`, by version.

    Nothing is said of versions that were not measured.
    """
    merged = read_merged(folders, keep_going)
    series = all_series(one.result for one in merged)
    found = [
        (each, claim_id, history)
        for each in series
        for claim_id in sorted({claim_id for build in each.builds for claim_id in build.claims})
        if matches(claim_id, selector) and (history := segments(each.builds, claim_id))
    ]
    if not found:
        raise ClaimgridError(f"No claim called {selector!r} was measured.", "`claimgrid claims` lists them.")
    if style == "json":
        click.echo(json.dumps([_plain(*each) for each in found], ensure_ascii=False, indent=1))
        return
    for place, each in enumerate(found):
        click.echo(("\n" if place else "") + _text(*each))
    tell_disagreements(merged)


def _text(series: Series, claim_id: str, history: list[Segment]) -> str:
    rows = [[segment.label("en"), word(segment.verdict)] for segment in history]
    where = " ".join(part for part in (series.platform, series.filesystem, series.family) if part)
    table = tabulate.tabulate(rows, tablefmt="plain", disable_numparse=True)
    lines = [f"{claim_id} on {where}: {told(history, 'en')}", *(f"  {line}" for line in table.splitlines())]
    between = [f"{older.versions[-1]} and {newer.versions[0]}" for older, newer in pairwise(history)]
    if between:
        lines.append(f"  not measured in between: {', '.join(between)}")
    return "\n".join(lines)


def _plain(series: Series, claim_id: str, history: list[Segment]) -> dict[str, object]:
    return {
        "claim": claim_id,
        "platform": series.platform,
        "filesystem": series.filesystem,
        "family": series.family,
        "segments": [{"verdict": each.verdict.value, "versions": list(each.versions)} for each in history],
    }
