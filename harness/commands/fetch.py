"""`claimgrid fetch`: builds into the cache."""

from __future__ import annotations

import click

from harness.builds import asked_platform, fetch_build, identify, parse_request
from harness.commands.options import tell
from harness.errors import ClaimgridError, Exit
from harness.runtimes import RUNTIMES


@click.command("fetch")
@click.argument("wanted", nargs=-1, required=True, metavar="NAME[@VERSION]...")
def command(wanted: tuple[str, ...]) -> int:
    """Fetch the newest version that answers to each NAME@VERSION, such as node@18 or bun@1.3."""
    requests = [parse_request(text) for text in wanted]
    code = Exit.DONE
    for request in requests:
        try:
            version, platform = asked_platform(request)
            found = fetch_build(RUNTIMES[request.runtime], version, platform, tell)
            click.echo(f"{identify(request.runtime, found).id}  {found.program}")
        except ClaimgridError as error:
            tell(f"claimgrid: {request}: {error}")
            code = Exit.NOT_RUN
    return code
