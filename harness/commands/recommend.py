"""`claimgrid recommend`: the calls that the results show safe in everything that is asked for, with code to paste."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import click
from click.core import ParameterSource

from harness.advice import as_markdown, as_text, blocks, blocks_together, to_dict, together_to_dict
from harness.commands.options import folders_option, keep_going_option, read_merged
from harness.encounters import read_meetings
from harness.errors import ClaimgridError
from harness.judging.keeping import blocks_keeping, keeping, keeping_to_dict, parse_promises
from harness.judging.records import read_records
from harness.promises import Promise
from harness.recommend import Advice, Places, Together, Wanted, recommend, together
from harness.runtimes import RUNTIMES
from harness.vocabulary import Kind


@click.command("recommend")
@click.option(
    "-r",
    "--runtime",
    "runtimes",
    multiple=True,
    metavar="NAME[@VERSION|RANGE]",
    help="A runtime and the versions that are meant: 'node>=18', 'node>=18,<23', bun@1.3, deno. Repeatable: a call for each.",
)
@click.option(
    "--platform",
    "platforms",
    multiple=True,
    help="Where it has to hold: linux-x64, windows-x64, wine-x64 … Repeatable; by default wherever it was measured, but for Wine.",
)
@click.option("--filesystem", "filesystems", multiple=True, help="On which filesystem it has to hold. Repeatable.")
@click.option(
    "--kind",
    type=click.Choice([each.value for each in Kind if each is not Kind.LOOK]),
    default=Kind.CREATE.value,
    show_default=True,
    help="Make the name, take something away, or hold a lock while the process lives.",
)
@click.option(
    "--promise",
    "promised",
    metavar="PROMISE,...",
    help="Not a call but a recipe or library that keeps these promises, such as exclusion,recovery; then --runtime is a name, or any.",
)
@folders_option
@keep_going_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="What is printed.",
)
@click.pass_context
def command(
    context: click.Context,
    runtimes: tuple[str, ...],
    platforms: tuple[str, ...],
    filesystems: tuple[str, ...],
    kind: str,
    promised: str | None,
    folders: tuple[Path, ...],
    keep_going: bool,
    style: str,
) -> None:
    """Print the calls that are safe in ALL that is asked for, the best first, and what proves it.

    What was not measured is told as that. Several runtimes: also whether their calls keep each other out.
    """
    if promised is not None:
        if context.get_parameter_source("kind") is not ParameterSource.DEFAULT:
            raise click.UsageError("--kind is about calls, and goes without --promise.", context)
        if wrong := [each for each in runtimes if each not in RUNTIMES]:
            raise ClaimgridError(
                f"{wrong[0]!r} is not the name of a runtime.", f"With --promise it is one of {', '.join(RUNTIMES)}."
            )
        _recipes(parse_promises(promised), runtimes, platforms, filesystems, folders, style)
        return
    if not runtimes:
        raise ClaimgridError("Which runtime is meant?", "For instance: claimgrid recommend --runtime 'node>=18'")
    wishes, places, wanted = list(map(Wanted.parse, runtimes)), Places(platforms, filesystems), Kind(kind)
    results = [one.result for one in read_merged(folders, keep_going)]
    advice = [recommend(results, wish, places, wanted) for wish in wishes]
    if not any(each.builds or each.elsewhere for each in advice):
        raise ClaimgridError(
            f"Nothing was measured of {' or '.join(runtimes)}.",
            "`claimgrid run` measures, `claimgrid matrix` shows what was.",
        )
    pairs = list(combinations(advice, 2))
    meetings = read_meetings(folders) if pairs else []
    met = [(one, other, together(one, other, meetings)) for one, other in pairs]
    if style == "json":
        click.echo(json.dumps(_plain(wanted, advice, met), ensure_ascii=False, indent=1))
        return
    found = [block for each in advice for block in blocks(each, wanted)]
    found += [block for one, other, encounters in met for block in blocks_together(one, other, encounters)]
    click.echo(as_text(found) if style == "text" else as_markdown(found))


def _recipes(
    asked: list[Promise],
    runtimes: Sequence[str],
    platforms: Sequence[str],
    filesystems: Sequence[str],
    folders: Sequence[Path],
    style: str,
) -> None:
    found = keeping(read_records(folders), asked, runtimes, platforms, filesystems)
    if not found:
        where = " ".join((*runtimes, *platforms, *filesystems)) or "anything"
        raise ClaimgridError(f"No recipe was judged of {where}.", "`claimgrid recipe run --at DIR` judges them.")
    if style == "json":
        click.echo(json.dumps([keeping_to_dict(each) for each in found], ensure_ascii=False, indent=1))
        return
    told = blocks_keeping(found, asked)
    click.echo(as_text(told) if style == "text" else as_markdown(told))


def _plain(kind: Kind, advice: list[Advice], met: list[tuple[Advice, Advice, list[Together]]]) -> dict[str, object]:
    return {
        "kind": kind.value,
        "recommended": [to_dict(each) for each in advice],
        "together": [together_to_dict(*each) for each in met],
    }
