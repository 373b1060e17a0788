"""`claimgrid diff`: what changed between two sets of results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import click

from harness.changes import Change, Word, compare, fold, to_dict
from harness.commands.options import (
    folders_option,
    keep_going_option,
    read_merged,
    read_merged_revision,
    tell_disagreements,
)
from harness.errors import ClaimgridError, Exit
from harness.merge import Merged
from harness.plain import code_span


@click.command("diff")
@click.argument("old")
@click.argument("new", required=False)
@folders_option
@keep_going_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How to print the changes.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 when something became worse.")
def command(old: str, new: str | None, folders: tuple[Path, ...], keep_going: bool, style: str, exit_code: bool) -> int:
    """Tell what became worse or better, appeared or vanished from OLD to NEW. What was raced on one side only has appeared or vanished.

    Each is a folder of results or else a revision of git (HEAD~1), in which the folder of --results is looked at. Without NEW,
    what is in that folder now.
    """
    before = _results(old, folders, keep_going)
    after = read_merged(folders, keep_going) if new is None else _results(new, folders, keep_going)
    for side, found in ((old, before), (new or " and ".join(map(str, folders)), after)):
        if not found:
            raise ClaimgridError(f"There are no results in {side}.", "`claimgrid run` makes some.", Exit.NOT_RUN)
    changes = compare([one.result for one in before], [one.result for one in after])
    if style == "json":
        click.echo(json.dumps([to_dict(change) for change in changes], indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join((_text if style == "text" else _markdown)(changes)))
    tell_disagreements([*before, *after])
    worse = any(change.turn.word is Word.WORSE for change in changes)
    return Exit.FINDINGS if exit_code and worse else Exit.DONE


def _results(name: str, folders: Sequence[Path], keep_going: bool) -> list[Merged]:
    if name and Path(name).is_dir():
        return read_merged([Path(name)], keep_going)
    return read_merged_revision(name, folders, keep_going)


def _text(changes: Sequence[Change]) -> list[str]:
    lines: list[str] = []
    for word, group in groupby(changes, key=lambda change: change.turn.word):
        lines += ["", str(word)] if lines else [str(word)]
        lines += [f"  {label}  {_what(change)}" for change, label in fold(group)]
    return lines or ["nothing changed"]


def _markdown(changes: Sequence[Change]) -> list[str]:
    lines: list[str] = []
    for word, group in groupby(changes, key=lambda change: change.turn.word):
        lines += ["", f"**{word}**", ""] if lines else [f"**{word}**", ""]
        lines += [f"- {code_span(label)} {_what(change)}" for change, label in fold(group)]
    return lines or ["Nothing changed."]


def _what(change: Change) -> str:
    """All but the claim: `refuses → unsafe in 20.11.1–22.1.0 on linux-x64, ext4 (fifo: refused → overwrote)`."""
    turn = change.turn
    turned = (
        f"still {turn.after}"
        if turn.before is turn.after
        else f"{turn.before or 'nothing'} → {turn.after or 'nothing'}"
    )
    verdicts = f"{turned} in " if change.claim_id else ""
    cases = "; ".join(f"{occupant}: {then} → {now}" for occupant, then, now in turn.cases)
    versions = ", ".join(run.label for run in change.versions)
    return f"{verdicts}{versions} on {change.platform}, {change.filesystem}{f' ({cases})' if cases else ''}"
