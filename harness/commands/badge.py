"""`claimgrid badge`: a small SVG picture of one claim's verdict."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.options import folders_option, keep_going_option, named_by, read_merged, runtime_option
from harness.errors import ClaimgridError
from harness.files import write_whole
from harness.report.badge import badge


@click.command("badge")
@click.argument("claim_id", metavar="CLAIM")
@folders_option
@keep_going_option
@runtime_option
@click.option("--platform", default="", help="Only on this platform, such as linux-x64.")
@click.option("--filesystem", default="", help="Only on this filesystem, such as ext4.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the picture to this file.")
def command(
    claim_id: str,
    folders: tuple[Path, ...],
    keep_going: bool,
    runtimes: tuple[str, ...],
    platform: str,
    filesystem: str,
    out: Path | None,
) -> None:
    """Print an SVG badge with the worst verdict of CLAIM in the builds named, or in all that were measured."""
    is_named = named_by(runtimes)
    known = [
        one.result
        for one in read_merged(folders, keep_going)
        if platform in ("", one.result.environment.platform) and filesystem in ("", one.result.environment.filesystem)
    ]
    ids = sorted({each for build in known for each in build.claims if claim_id in (each, each.partition(":")[2])})
    if len(ids) != 1:
        raise ClaimgridError(
            f"{claim_id!r} was measured in several runtimes: {', '.join(ids)}."
            if ids
            else f"No claim called {claim_id!r} was measured.",
            "Give the whole id." if ids else "`claimgrid claims` lists them.",
        )
    builds = [build for build in known if ids[0].startswith(f"{build.runtime}:") and is_named(build)]
    if not builds:
        raise ClaimgridError(
            f"{ids[0]} was not measured in {' or '.join(runtimes)}.", "`claimgrid matrix` shows what was."
        )
    picture = badge(ids[0], builds)
    if out is None:
        click.echo(picture, nl=False)
    else:
        write_whole(out, picture)
