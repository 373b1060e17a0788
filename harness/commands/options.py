"""Options that several commands share, declared once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from harness.builds import Build, newest_build, parse_request, resolve
from harness.errors import ClaimgridError
from harness.merge import Merged, Part, merge
from harness.plain import plain, plain_lines
from harness.results import BuildResult, ClaimResult, read_sources
from harness.revisions import read_revision
from harness.versions import answers_on

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

folders_option = click.option(
    "--results",
    "folders",
    multiple=True,
    type=click.Path(file_okay=False, path_type=Path),
    default=[Path("results")],
    help="A folder of measured results, `results` by default. Repeatable: what is in several is combined, the worse counts.",
)

keep_going_option = click.option(
    "--keep-going", is_flag=True, help="Name broken files and leave them out, instead of stopping at the first."
)

expectations_option = click.option(
    "--expectations",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("expectations.toml"),
    show_default=True,
    help="The file that says what is expected.",
)


def default_place() -> Path:
    """Where is worked without `--at`."""
    return Path(tempfile.gettempdir())


place_option = click.option(
    "--at", "place", type=click.Path(path_type=Path), default=default_place, help="Work in this directory."
)

annotate_option = click.option(
    "--annotate",
    "annotated",
    is_flag=True,
    help="For a GitHub workflow: also as annotations, and on the page of the job.",
)

offline_option = click.option("--offline", is_flag=True, help="Fetch nothing; use what is on this machine.")


def tell(line: str) -> None:
    """One line about what goes on, where it does not mix with results."""
    click.echo(plain_lines(line), err=True)


def read_merged(folders: Sequence[Path], keep_going: bool) -> list[Merged]:
    """What is in the folders, every build once. Raises ClaimgridError for a broken file, or tells of it and goes on."""
    known: dict[str, tuple[str, ClaimResult]] = {}
    skip = _tell_skipped if keep_going else None
    return merge(Part(source, result) for folder in folders for source, result in read_sources(folder, skip, known))


def read_merged_revision(revision: str, folders: Sequence[Path], keep_going: bool) -> list[Merged]:
    """The same for what the folders had in a revision of git."""
    known: dict[str, tuple[str, ClaimResult]] = {}
    skip = _tell_skipped if keep_going else None
    return merge(
        Part(source, result) for folder in folders for source, result in read_revision(revision, folder, skip, known)
    )


def tell_disagreements(merged: Sequence[Merged]) -> None:
    """A line for every claim about which files differ."""
    for one in merged:
        for each in one.disagreements:
            said = ", ".join(f"{verdict} in {source}" for source, verdict in each.verdicts)
            where = f" ({', '.join(each.occupants)})" if each.occupants else ""
            build = f"{one.result.runtime}@{one.result.version} on {one.result.environment.platform}"
            tell(f"disagreement: {build}: {each.claim_id}: {said}{where}; the worse counts")


def _tell_skipped(error: ClaimgridError) -> None:
    tell(f"left out: {plain(error.message, 4000)}")


def named_by(runtimes: Sequence[str]) -> Callable[[BuildResult], bool]:
    """Which results `--runtime` names; all of them without it. Raises ClaimgridError for a runtime that does not exist."""
    requests = [parse_request(each) for each in runtimes]

    def is_named(result: BuildResult) -> bool:
        return not requests or any(
            each.runtime == result.runtime and answers_on(result.version, result.environment.platform, each.version)
            for each in requests
        )

    return is_named


def builds_named(selectors: Sequence[str], runtimes: Sequence[str], offline: bool) -> list[Build]:
    """The builds asked for; without any, the newest of each runtime that the claims name."""
    if runtimes:
        return resolve([parse_request(text) for text in runtimes], tell, fetch=not offline)
    named = dict.fromkeys(selector.partition(":")[0] for selector in selectors)
    return [newest_build(parse_request(name).runtime, tell, fetch=not offline) for name in named]
