"""Options that several commands share, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from harness.builds import Build, newest_build, parse_request, resolve

runtime_option = click.option(
    "-r",
    "--runtime",
    "runtimes",
    multiple=True,
    metavar="NAME[@VERSION|=PATH]",
    help="A runtime (node), a version of it (node@22, node@20.11.1, cmd@wine) or a program (node=/path/to/node). Repeatable.",
)

results_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="The folder of measured results.",
)

offline_option = click.option("--offline", is_flag=True, help="Fetch nothing; use what is on this machine.")


def tell(line: str) -> None:
    """One line about what goes on, where it does not mix with results."""
    click.echo(line, err=True)


def builds_named(selectors: Sequence[str], runtimes: Sequence[str], offline: bool) -> list[Build]:
    """The builds asked for; without any, the newest of each runtime that the claims name."""
    if runtimes:
        return resolve([parse_request(text) for text in runtimes], tell, fetch=not offline)
    named = dict.fromkeys(selector.partition(":")[0] for selector in selectors)
    return [newest_build(parse_request(name).runtime, tell, fetch=not offline) for name in named]
