"""`claimgrid expect`: expectations that are true of results, written or shown."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from harness.commands.options import expectations_option, folders_option, keep_going_option, read_merged, tell
from harness.errors import ClaimgridError, Exit
from harness.expectations import Book, parse_book
from harness.expectations_update import updated
from harness.files import write_whole
from harness.plain import plain, plain_lines


@click.command("expect")
@click.option("--update", is_flag=True, help="Write the file, instead of showing what would change in it.")
@folders_option
@expectations_option
@keep_going_option
def command(update: bool, folders: tuple[Path, ...], expectations: Path, keep_going: bool) -> int:
    """Make the expectations that `claimgrid check` compares with true of the results.

    What people wrote stays as long as results bear it out. For the rest there are new entries whose reason begins with "measured: ",
    until somebody writes why. Without --update the exit code is 1 when something would change.
    """
    results = [one.result for one in read_merged(folders, keep_going)]
    if not results:
        raise ClaimgridError(
            "There are no results to expect anything from.", "`claimgrid run` makes some.", Exit.NOT_RUN
        )
    book = parse_book(_text(expectations), expectations.as_posix())
    new = updated(book, results)
    if new == book:
        click.echo(f"{expectations.as_posix()} is true of the results: {len(book.entries)} entries")
        return Exit.DONE
    if update:
        write_whole(expectations, new.to_text())
        for entry in book.entries:
            if entry.expectation.is_written and entry not in new.entries:
                told = f"{expectations.as_posix()}:{entry.expectation.line}: {entry.expectation.reason}"
                tell(f"dropped, for no result bears it out: {plain(told, 1000)}")
        click.echo(f"{expectations.as_posix()}: {len(new.entries)} entries")
        return Exit.DONE
    now, then = (each.to_text().splitlines() for each in (book, new))
    lines = difflib.unified_diff(now, then, "now", "updated", lineterm="")
    click.echo(plain_lines("\n".join(lines)))
    return Exit.FINDINGS


def _text(path: Path) -> str:
    """What is in the file, nothing where there is none. Raises ClaimgridError."""
    try:
        return path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        return Book().to_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ClaimgridError(f"{path} cannot be read: {error}.") from error
