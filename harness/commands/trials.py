"""What the commands that play schedules print: progress, promises, and schedules step by step."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Sequence

import click
import tabulate
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from harness.errors import Exit
from harness.judging import stories
from harness.plain import plain_lines
from harness.promises import Judged, Standing, Trial

_WHAT, _CALLS = 34, 52
"""Columns of text, so that a schedule fits a terminal of a hundred."""


class Progress:
    """A bar on a terminal, and nothing anywhere else. Use as a context manager."""

    def __init__(self, what: str, total: int) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def played(self, trial: Trial) -> None:
        """One schedule more is through."""
        self._bar.update(self._task, advance=1, description=trial.schedule)


def render_trial(trial: Trial) -> str:
    """A schedule, step by step, and what it showed."""
    rows = [
        (number, actor or "-", "\n".join(textwrap.wrap(what, _WHAT)), "\n".join(textwrap.wrap(calls, _CALLS)))
        for number, actor, what, calls in stories.steps(trial, "en")
    ]
    told = tabulate.tabulate(rows, ["", "who", "what becomes of it", "calls on the way"], disable_numparse=True)
    end = "; ".join(f"{finding.promise} broken: {stories.how(finding.how, 'en')}" for finding in trial.findings)
    if not end:
        end = f"not explored: {stories.obstacle(trial.obstacle, 'en')}" if trial.obstacle else "nothing was broken"
    return plain_lines(f"{trial.schedule}\n{told}\n{end}" if rows else f"{trial.schedule}\n{end}")


def render_judged(judged: Sequence[Judged], replay: Callable[[Trial], str]) -> str:
    """The promises, then the shortest schedule that breaks each that is broken, with the command that plays it again."""
    rows = [
        (
            stories.standing_sign(each.standing),
            each.promise,
            stories.standing_word(each.standing, "en"),
            each.explored,
            stories.conclusion(each, "en"),
        )
        for each in judged
    ]
    parts = [tabulate.tabulate(rows, ["", "promise", "", "schedules", ""], disable_numparse=True)]
    for each in judged:
        if each.broken_by is not None:
            parts.append(f"{render_trial(each.broken_by)}\nagain: {click.unstyle(replay(each.broken_by))}")
    return "\n\n".join(parts)


def standing_exit(judged: Sequence[Judged]) -> Exit:
    """FINDINGS when a promise is broken, NOT_RUN when one could not be explored, else DONE."""
    standings = {each.standing for each in judged}
    if Standing.BROKEN in standings:
        return Exit.FINDINGS
    return Exit.NOT_RUN if Standing.NOT_EXPLORED in standings else Exit.DONE
