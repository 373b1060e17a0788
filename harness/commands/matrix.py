"""`claimgrid matrix`: the matrix from results."""

from __future__ import annotations

from pathlib import Path

import click

from harness.claims import matches
from harness.commands.options import (
    folders_option,
    keep_going_option,
    named_by,
    read_merged,
    runtime_option,
    tell_disagreements,
)
from harness.errors import ClaimgridError
from harness.matrix import build_tables
from harness.tables import FORMATS, TERMINAL, render_tables
from harness.vocabulary import Verdict


@click.command("matrix")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@folders_option
@keep_going_option
@runtime_option
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    type=click.Choice([each.value for each in Verdict]),
    help="Only claims with this verdict somewhere. Repeatable.",
)
@click.option("-k", "text", default="", metavar="TEXT", help="Only claims whose id contains TEXT.")
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    default=TERMINAL,
    show_default=True,
    metavar="FORMAT",
    help="One of tabulate's formats: github, plain, tsv, html …",
)
@click.option("--unfold", is_flag=True, help="Every claim and every version apart.")
def command(
    selectors: tuple[str, ...],
    folders: tuple[Path, ...],
    keep_going: bool,
    runtimes: tuple[str, ...],
    verdicts: tuple[str, ...],
    text: str,
    style: str,
    unfold: bool,
) -> None:
    """Print the matrix: claims down, builds across.

    SELECTORs choose claims as for `claimgrid claims`.
    """
    is_named = named_by(runtimes)

    def keep(claim_id: str) -> bool:
        return text in claim_id and (not selectors or any(matches(claim_id, selector) for selector in selectors))

    chosen = [one for one in read_merged(folders, keep_going) if is_named(one.result)]
    tables = build_tables(
        [one.result for one in chosen], keep=keep, verdicts=[Verdict(each) for each in verdicts], fold=not unfold
    )
    if not tables:
        raise ClaimgridError(
            f"Nothing in {' or '.join(map(str, folders))} fits.", "`claimgrid run` measures; looser filters show more."
        )
    click.echo(render_tables(tables, style=style))
    tell_disagreements(chosen)
