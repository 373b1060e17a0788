"""`claimgrid builds`: what is on this machine, what can be fetched, and where was looked in vain."""

from __future__ import annotations

import json

import click
import tabulate

from harness.builds import cached, identify, parse_request
from harness.commands.options import offline_option, runtime_option
from harness.environment import this_platform
from harness.errors import ClaimgridError
from harness.files import cache_folder
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Runtime
from harness.versions import sort_key


@click.command("builds")
@runtime_option
@click.option("--json", "as_json", is_flag=True, help="All versions, for other programs.")
@offline_option
def command(runtimes: tuple[str, ...], as_json: bool, offline: bool) -> None:
    """List builds: found, in the cache, and offered for fetching."""
    names = [parse_request(text).runtime for text in runtimes] or list(RUNTIMES)
    here: list[list[str]] = []
    offered: dict[str, list[str]] = {}
    missing: list[str] = []
    for name in dict.fromkeys(names):
        rows = _here(name, missing)
        here.extend(rows)
        if not rows:
            missing.append(f"{name}: not found on the PATH, nothing in {cache_folder() / 'builds'}")
        if not offline:
            offered[name] = _offered(RUNTIMES[name], missing)
    if as_json:
        keys = ("build", "platform", "source", "program")
        click.echo(
            json.dumps(
                {"here": [dict(zip(keys, row, strict=True)) for row in here], "offered": offered, "missing": missing},
                indent=1,
            )
        )
        return
    click.echo(tabulate.tabulate(here, ["here", "platform", "source", "program"], disable_numparse=True))
    for name, versions in offered.items():
        if versions:
            click.echo(f"\n{name} can be fetched: {_majors(versions)}")
    if missing:
        click.echo("\n" + "\n".join(missing))


def _here(name: str, missing: list[str]) -> list[list[str]]:
    rows = []
    for found in [*RUNTIMES[name].find(), *(found for _, found in cached(RUNTIMES[name]))]:
        try:
            rows.append([f"{name}@{identify(name, found).version}", found.platform, found.source, str(found.program)])
        except ClaimgridError as error:
            missing.append(f"{name}: {error}")
    return rows


def _offered(runtime: Runtime, missing: list[str]) -> list[str]:
    if runtime.SOURCE is None:
        return []
    try:
        return runtime.SOURCE.versions(this_platform())
    except ClaimgridError as error:
        missing.append(f"{runtime.NAME}: {error}")
        return []


def _majors(versions: list[str]) -> str:
    """`12.0.0–12.22.12, 13.…`: the first and last of every major, or minor below 1."""
    groups: dict[str, list[str]] = {}
    for version in versions:
        major, _, rest = version.partition(".")
        groups.setdefault(major if major != "0" else f"0.{rest.partition('.')[0]}", []).append(version)
    spans = [
        group[0] if len(group) == 1 else f"{group[0]}–{group[-1]}"
        for group in (sorted(each, key=sort_key) for each in groups.values())
    ]
    return f"{len(versions)} versions, {', '.join(spans)}"
