"""`claimgrid claims`: the catalogue, as the probes list it."""

from __future__ import annotations

import click
import tabulate

from harness.builds import parse_request, resolve
from harness.claims import select
from harness.commands.options import offline_option, runtime_option, tell


@click.command("claims")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@runtime_option
@offline_option
def command(selectors: tuple[str, ...], runtimes: tuple[str, ...], offline: bool) -> None:
    """List claims: id, kind and code.

    A SELECTOR is an id, a beginning of one (node, node:fs.cpSync) or a pattern with * and ?.
    """
    newest = {
        build.runtime: build for build in resolve([parse_request(text) for text in runtimes], tell, fetch=not offline)
    }
    listed = select([claim for build in newest.values() for claim in build.claims], selectors)
    click.echo(
        tabulate.tabulate(
            [[claim.id, claim.kind, " ".join(claim.code.split())] for claim in listed],
            ["id", "kind", "code"],
            disable_numparse=True,
        )
    )
