"""`claimgrid judge`: which promises does a lock script keep, as it is, and by which schedule does it break the others?"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from harness.annotations import Finding, annotate
from harness.commands.options import annotate_option, default_place, place_option, tell
from harness.commands.trials import Progress, render_judged, render_trial, standing_exit, trial_exit
from harness.environment import describe, this_platform
from harness.errors import ClaimgridError
from harness.judging import stories
from harness.judging.contest import Subject
from harness.judging.keeping import parse_promises
from harness.judging.schedules import parse_schedule, schedules
from harness.judging.trials import Theatre, play_all
from harness.processes import quoted
from harness.promises import Judged, Promise, Standing, Trial, judge_promises

LOCKS = (
    Promise.EXCLUSION,
    Promise.PROGRESS,
    Promise.RECOVERY,
    Promise.OWNER_ONLY_RELEASE,
    Promise.NO_WRONG_TAKEOVER,
    Promise.SAFE_ON_DOUBT,
)
"""What a lock can promise."""


@click.command("judge")
@click.option("--run", "whole", metavar="COMMAND", help="One process that acquires, says so, works and releases.")
@click.option("--acquire", metavar="COMMAND", help="A command whose exit code 0 says that it has acquired.")
@click.option("--release", metavar="COMMAND", help="The command that releases what --acquire has acquired.")
@click.option(
    "--says",
    default="acquired",
    show_default=True,
    help="The line that --run prints when it has acquired; * stands for anything.",
)
@click.option(
    "--promise",
    "promised",
    metavar="PROMISE,...",
    help=f"Only these promises; all by default: {', '.join(LOCKS)}.",
)
@click.option("--schedule", metavar="SCHEDULE", help="Play only this schedule, as it was printed, and tell every step.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What is printed."
)
@place_option
@annotate_option
def command(
    whole: str | None,
    acquire: str | None,
    release: str | None,
    says: str,
    promised: str | None,
    schedule: str | None,
    form: str,
    place: Path,
    annotated: bool,
) -> int:
    """Put a lock script, unchanged, through every schedule with one pause or one kill, and tell which promises it keeps.

    In a COMMAND, {name} stands for the path of the lock, which is in a fresh folder every time. No shell is used.
    Exit code 1: a promise is broken; 4: none is, but not all could be explored.
    """
    subject = _subject(whole, acquire, release, says)
    promises: Sequence[Promise] = LOCKS if promised is None else parse_promises(promised, LOCKS)
    theatre = Theatre(subject, place.absolute())
    rehearsed = theatre.rehearse()
    if schedule is not None:
        trial = theatre.play(parse_schedule(schedule, subject.kind), rehearsed)
        click.echo(
            render_trial(trial) if form == "text" else json.dumps(_plain_trial(trial), ensure_ascii=False, indent=1)
        )
        return trial_exit(trial)
    chosen = list(schedules(subject.kind, rehearsed, promises))
    if not sys.stderr.isatty():
        tell(f"{len(chosen)} schedules")
    with Progress("judge", len(chosen)) as progress:
        trials = play_all(theatre, rehearsed, chosen, progress.played)
    judged = [each for each in judge_promises(trials, promises) if each.promise in promises]
    replay = _replay(whole, acquire, release, says, place)
    if form == "json":
        click.echo(json.dumps([_plain(each, replay) for each in judged], ensure_ascii=False, indent=1))
    else:
        environment = describe(place, this_platform())
        click.echo(f"{quoted(subject.acquire)} on {environment.platform}, {environment.filesystem}\n")
        click.echo(render_judged(judged, lambda trial: quoted([*replay, "--schedule", trial.schedule])))
    if annotated:
        annotate("claimgrid judge", [_finding(each, subject) for each in judged])
    return standing_exit(judged)


def _finding(judged: Judged, subject: Subject) -> Finding:
    word = stories.standing_word(judged.standing, "en")
    why = f": {stories.conclusion(judged, 'en')}" if judged.broken_by or judged.obstacles else ""
    return Finding(judged.standing is Standing.KEPT, f"{quoted(subject.acquire)}: {judged.promise} {word}{why}")


def _subject(whole: str | None, acquire: str | None, release: str | None, says: str) -> Subject:
    if (whole is None) == (acquire is None) or (acquire is None) != (release is None):
        raise ClaimgridError(
            "What is to be judged is given by --run, or by --acquire and --release.",
            "For instance: claimgrid judge --run './job.sh {name}'",
        )
    start = _split(whole or acquire or "")
    subject = Subject(start, _split(release) if release else (), says, Path.cwd())
    for part in filter(None, (subject.acquire, subject.release)):
        if not any("{name}" in word for word in part):
            raise ClaimgridError(
                f"{quoted(part)} does not use the name.", "Put {name} where the path of the lock goes."
            )
    return subject


def _split(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command, posix=os.name == "posix"))
    except ValueError as error:
        raise ClaimgridError(f"{command!r} is no command: {error}.", "") from None
    if not words:
        raise ClaimgridError("An empty command cannot be judged.", "")
    return words if os.name == "posix" else tuple(word.strip('"') for word in words)


def _replay(whole: str | None, acquire: str | None, release: str | None, says: str, place: Path) -> list[str]:
    given = [("--run", whole), ("--acquire", acquire), ("--release", release)]
    command = [
        "claimgrid",
        "judge",
        *(part for option, value in given if value is not None for part in (option, value)),
    ]
    said = [] if says == "acquired" else ["--says", says]
    return [*command, *said, *([] if place == default_place() else ["--at", str(place)])]


def _plain_trial(trial: Trial) -> dict[str, object]:
    return {
        "schedule": trial.schedule,
        "steps": [
            {"actor": actor, "what": what, "calls": calls} for _, actor, what, calls in stories.steps(trial, "en")
        ],
        "broken": {finding.promise.value: stories.how(finding.how, "en") for finding in trial.findings},
        **({"not explored": stories.obstacle(trial.obstacle, "en")} if trial.obstacle else {}),
    }


def _plain(judged: Judged, replay: Sequence[str]) -> dict[str, object]:
    trial = judged.broken_by
    return {
        "promise": judged.promise,
        "standing": judged.standing,
        "explored": judged.explored,
        **({"why": stories.conclusion(judged, "en")} if trial or judged.obstacles else {}),
        **(
            {
                **_plain_trial(trial),
                "replay": quoted([*replay, "--schedule", trial.schedule]),
            }
            if trial
            else {}
        ),
    }
