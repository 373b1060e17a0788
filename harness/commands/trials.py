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
from harness.judging.records import Records, promises_made
from harness.plain import plain_lines
from harness.promises import Judged, Standing, Trial

_WHAT, _CALLS = 34, 52
"""Columns of text, so that a schedule fits a terminal of a hundred."""


class Progress:
    """A bar on a terminal, and nothing anywhere else. Use as a context manager."""

    def __init__(self, what: str, total: int | None = None) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
        self._what = what
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Progress:
        # One that is disabled would still end with an empty line.
        if not self._bar.disable:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._bar.disable:
            self._bar.stop()

    def began(self, total: int) -> None:
        """So many schedules there are."""
        self._bar.update(self._task, total=total)

    def played(self, trial: Trial) -> None:
        """One schedule more is through."""
        self._bar.update(self._task, advance=1, description=f"{self._what}: {trial.schedule}")


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
            also = "".join(f"\nalso: {stories.how(how, 'en')} ({schedule})" for how, schedule in each.also)
            parts.append(f"{render_trial(each.broken_by)}\nagain: {click.unstyle(replay(each.broken_by))}{also}")
    return "\n\n".join(parts)


def render_standings(all_records: Sequence[Records]) -> str:
    """Recipes down, the promises that any of them makes across; then a line for each that could not be judged."""
    rows = [(records, name, record) for records in all_records for name, record in records.recipes.items()]
    promises = promises_made(record for _, _, record in rows)
    table = tabulate.tabulate(
        [
            (name, records.version, *(stories.standing_sign(record.standing(promise)) for promise in promises))
            for records, name, record in rows
            if not record.obstacle
        ],
        ["recipe", "build", *("\n".join(promise.value.split("-")) for promise in promises)],
        disable_numparse=True,
    )
    legend = "   ".join(
        f"{stories.standing_sign(standing)} {stories.standing_word(standing, 'en')}" for standing in Standing
    )
    obstacles = [
        f"not judged: {name} with {records.version}: {record.obstacle}"
        for records, name, record in rows
        if record.obstacle
    ]
    return plain_lines("\n".join([table, "", legend, *obstacles]))


def trial_exit(trial: Trial) -> Exit:
    """FINDINGS when it broke something, NOT_RUN when it could not be played, else DONE."""
    return Exit.FINDINGS if trial.findings else Exit.NOT_RUN if trial.obstacle else Exit.DONE


def standing_exit(judged: Sequence[Judged]) -> Exit:
    """FINDINGS when a promise is broken, NOT_RUN when one could not be explored, else DONE."""
    standings = {each.standing for each in judged}
    if Standing.BROKEN in standings:
        return Exit.FINDINGS
    return Exit.NOT_RUN if Standing.NOT_EXPLORED in standings else Exit.DONE
