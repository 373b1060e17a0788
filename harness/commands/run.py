"""`claimgrid run`: the main job."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from harness.builds import Build, parse_request, resolve
from harness.claims import select
from harness.commands.options import default_place, offline_option, results_option, runtime_option, tell
from harness.encounters import Meeting
from harness.errors import Exit
from harness.matrix import build_tables
from harness.plan import Job, Plan
from harness.processes import quoted
from harness.results import BuildResult
from harness.run import Outcome, Wanted, Watcher, run
from harness.tables import render_tables
from harness.vocabulary import Verdict

_SHOWN_COMMANDS = 20


@click.command("run", context_settings={"ignore_unknown_options": True})
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- PYTEST OPTIONS]")
@runtime_option
@click.option(
    "--claim",
    "selectors",
    multiple=True,
    metavar="SELECTOR",
    help="Only these claims, as for `claimgrid claims`. Repeatable.",
)
@click.option(
    "--at",
    "places",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Work in this directory, to measure its filesystem. Repeatable.  [default: the temporary folder]",
)
@results_option
@click.option("-k", "expression", default="", metavar="EXPRESSION", help="pytest's own: only items that match.")
@click.option(
    "-n", "workers", type=click.IntRange(0), default=None, help="Workers side by side.  [default: one per core]"
)
@click.option(
    "--junitxml", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Also write a JUnit file."
)
@click.option(
    "--isolate", is_flag=True, help="Also one process per case; where the two ways disagree the case is indeterminate."
)
@click.option(
    "--race-seconds",
    type=click.FloatRange(0),
    default=240.0,
    show_default=True,
    help="Time for all races together; the next run goes on where it was too short.",
)
@click.option("--all", "everything", is_flag=True, help="Measure again also what was measured before.")
@click.option("--again", is_flag=True, help="Race once more, and longer, where an earlier race told nothing.")
@click.option("--no-race", is_flag=True, help="Race nothing: what is clean one after another then only refuses.")
@offline_option
@click.option("-q", "--quiet", is_flag=True, help="Print no matrix at the end.")
def command(
    pytest_arguments: tuple[str, ...],
    runtimes: tuple[str, ...],
    selectors: tuple[str, ...],
    places: tuple[Path, ...],
    results: Path,
    expression: str,
    workers: int | None,
    junitxml: Path | None,
    isolate: bool,
    race_seconds: float,
    no_race: bool,
    everything: bool,
    again: bool,
    offline: bool,
    quiet: bool,
) -> int:
    """Measure builds against every claim and occupant, write results, print the matrix."""
    builds = resolve([parse_request(text) for text in runtimes], tell, fetch=not offline)
    claims = select([claim for build in builds for claim in build.claims], selectors) if selectors else []
    passed_on = [
        *pytest_arguments,
        *(["-k", expression] if expression else []),
        *([f"--junitxml={junitxml.absolute()}"] if junitxml else []),
    ]
    wanted = Wanted(
        builds,
        claims,
        [place.absolute() for place in places] or [default_place()],
        results.absolute(),
        workers,
        isolate,
        passed_on,
        0.0 if no_race else race_seconds,
        everything,
        again,
    )
    with _Display() as display:
        outcome = run(wanted, display)
    _conclude(outcome, builds, quiet)
    if outcome.interrupted:
        raise KeyboardInterrupt
    return Exit.NOT_RUN if outcome.failures else Exit.DONE


class _Display(Watcher, contextlib.AbstractContextManager["_Display"]):
    """A bar while it works (on a terminal only), and a line for every finished build."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.bar = Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self.task = self.bar.add_task("claims")
        self.started = time.monotonic()

    def __enter__(self) -> _Display:
        # Even a disabled bar prints an empty line when it stops.
        if self.console.is_terminal:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.console.is_terminal:
            self.bar.stop()

    def planned(self, plan: Plan, unchanged: int) -> None:
        if unchanged:
            self._say(f"{unchanged} builds were measured before and have nothing new; --all measures them again.")
        self.bar.update(self.task, total=sum(len(job.claims) for job in plan.jobs))

    def measured(self, job: Job) -> None:
        self.bar.advance(self.task)

    def racing(self, claims: int) -> None:
        self.bar.reset(self.task, description="races", total=claims)

    def raced(self, job: Job) -> None:
        self.bar.advance(self.task)

    def settled(self, job: Job, result: BuildResult, left: int) -> None:
        self._say(f"{job.id:28} {_counted(result)}{f'; {left} still to be raced' if left else ''}")

    def crossing(self, meetings: int) -> None:
        self.bar.reset(self.task, description="across runtimes", total=meetings)

    def met(self, meeting: Meeting) -> None:
        self.bar.advance(self.task)
        one, other = ("@".join(side) for side in (meeting.first, meeting.second))
        counts = Counter(each.verdict for each in meeting.encounters)
        self._say(f"{one} and {other} on one name: {_worded(counts)}")

    def finished(self, job: Job, result: BuildResult) -> None:
        self._say(f"{job.id:28} {_counted(result)}")

    def failed(self, job: str, why: str) -> None:
        self._say(f"{job}: not measured: {why}")

    def _say(self, line: str) -> None:
        self.console.print(line, markup=False, soft_wrap=True)


def _counted(result: BuildResult) -> str:
    return _worded(Counter(claim.verdict for claim in result.claims.values()))


def _worded(counts: Counter[Verdict]) -> str:
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])


def _conclude(outcome: Outcome, builds: Sequence[Build], quiet: bool) -> None:
    if outcome.results and not quiet:
        click.echo(render_tables(build_tables(outcome.results)))
    commands = _commands(outcome.results, builds)
    if commands:
        click.echo("\nCases without a valid answer; to see one:")
        click.echo("\n".join(f"  {line}" for line in commands[:_SHOWN_COMMANDS]))
        if len(commands) > _SHOWN_COMMANDS:
            click.echo(f"  … and {len(commands) - _SHOWN_COMMANDS} more: claimgrid matrix --verdict indeterminate")


def _commands(written: Sequence[BuildResult], builds: Sequence[Build]) -> list[str]:
    """The command that repeats each case that crashed, timed out or went without an answer."""
    requests = {(build.runtime, build.version, build.platform): build.request for build in builds}
    return [
        quoted(["claimgrid", "try", claim_id, "--runtime", requests[build], "--occupant", occupant])
        for result in written
        for build in [(result.runtime, result.version, result.environment.platform)]
        for claim_id, claim in sorted(result.claims.items())
        for occupant, case in claim.cases.items()
        if case.outcome.broken
    ]
