"""Trials: schedules of one subject, rehearsed and played, each on a fresh stage."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.judging import stories
from harness.judging.contest import Contender, Stop, Subject
from harness.judging.handover import HANDOVER_PLOTS, rehearse_handover
from harness.judging.locking import LOCK_PLOTS, dead_holder
from harness.judging.running import Touch
from harness.judging.schedules import PLOTS, Plot, Rehearsed, Schedule, parse_schedule
from harness.judging.stage import Broken, NotSo, Stage
from harness.processes import OWN_MARK, kill_marked
from harness.promises import Promise, Trial

_FIRST_PATIENCE, _LEAST_PATIENCE = 20.0, 2.0
_WORK_SECONDS = 120.0
"""Seconds without a touch after which a contender is said to wait; the first is for one of which nothing is known yet."""

_NEED_HELD_CALLS = frozenset(Plot) - {Plot.WHILE_HELD, Plot.KILLED, Plot.SLOW, Plot.TAKEN_AWAY, Plot.DOUBT, Plot.ROBBED}
_PLAYS = {**LOCK_PLOTS, **HANDOVER_PLOTS}


@dataclass
class Theatre:
    """Where the schedules of one subject are played, below `root`; `patience` is in seconds."""

    subject: Subject
    root: Path
    patience: float = _FIRST_PATIENCE

    @contextlib.contextmanager
    def stage(self) -> Iterator[Stage]:
        """A fresh stage. Nothing is left of it afterwards."""
        try:
            outer = Path(tempfile.mkdtemp(prefix="claimgrid-trial-", dir=self.root))
        except OSError as error:
            raise ClaimgridError(
                f"{self.root} cannot be worked in: {error.strerror}.", "Give --at a directory that you may write to."
            ) from error
        # Calls are told to touch the folder by its name, which therefore nothing else may have.
        folder = outer / outer.name
        folder.mkdir()
        stage = Stage(self.subject, folder, self.patience)
        try:
            yield stage
        finally:
            stage.close()
            shutil.rmtree(outer, ignore_errors=True)

    def rehearse(self) -> Rehearsed:
        """Have it do its work alone; a lock has to take over, too, from one that was killed. Raises ClaimgridError when it does not work."""
        try:
            return self._rehearse()
        except NotSo as not_so:
            if str(not_so) == "free-not-acquired":
                raise ClaimgridError(
                    "The second one does not acquire a fresh name.",
                    "Is what locks elsewhere than at {name}?",
                    Exit.NOT_RUN,
                ) from None
            why = stories.obstacle(str(not_so), "en")
            raise ClaimgridError(f"It cannot be judged: {why}.", "", Exit.NOT_RUN) from None

    def _rehearse(self) -> Rehearsed:
        if self.subject.kind != "lock":
            with self.stage() as stage:
                began = time.monotonic()
                whole = rehearse_handover(stage)
                self.patience = max(_LEAST_PATIENCE, 10 * (time.monotonic() - began))
                return Rehearsed(0, whole)
        with self.stage() as stage:
            began = time.monotonic()
            if stage.go("A") is not Stop.ACQUIRED:
                raise _not_acquired(stage.contenders["A"])
            needed = 10 * (time.monotonic() - began)
            acquiring = stage.contenders["A"].made
            if acquiring and not any(map(_makes, stage.contenders["A"].touches)):
                raise ClaimgridError(
                    "When it says that it has acquired it has made nothing on the name or beside it.",
                    "Is what locks elsewhere than at {name}?",
                    Exit.NOT_RUN,
                )
            if acquiring and not any(stage.folder.iterdir()):
                raise ClaimgridError(
                    "When it says that it has acquired nothing of its lock is left: its line comes too late.",
                    "Most programs keep back what they print into a pipe: flush the line (in Python print(…, flush=True)).",
                    Exit.NOT_RUN,
                )
            if not acquiring and self.subject.held_calls:
                raise ClaimgridError(
                    "It says that it has acquired, but made no system call on the name or beside it.",
                    "Does the command use {name}?",
                    Exit.NOT_RUN,
                )
            stage.contenders["A"].patience = _WORK_SECONDS
            if stage.go("A") is not Stop.ENDED:
                raise ClaimgridError(
                    f"It does not end within {_WORK_SECONDS:.0f} seconds after it has acquired.",
                    "Give it less to do, or end its standard input where it waits for that.",
                    Exit.NOT_RUN,
                )
            whole = stage.contenders["A"].made
            self.patience = max(_LEAST_PATIENCE, needed, 2 * (time.monotonic() - began))
        in_two_runs = False
        for by_age in (False, True) if self.subject.ages else (False,):
            with self.stage() as stage:
                try:
                    dead_holder(stage, by_age)
                    left, marks = _paths(stage), stage.marks()
                    if stage.go("B") is Stop.ACQUIRED:
                        other = stage.contenders["B"]
                        return Rehearsed(acquiring, whole, other.made, by_age, _before_change(other.touches, left))
                    changed = stage.marks() != marks or bool(left - _paths(stage))
                    in_two_runs = in_two_runs or (changed and stage.go("C") is Stop.ACQUIRED)
                except NotSo as not_so:
                    if str(not_so) == "free-not-acquired":
                        raise
                    # Whatever it was is in the way of single schedules, and they say so.
        return Rehearsed(acquiring, whole, in_two_runs=in_two_runs)

    def play(self, schedule: Schedule, rehearsed: Rehearsed) -> Trial:
        """One schedule. Raises ClaimgridError only when a command cannot be started."""
        with self.stage() as stage:
            why, cut = "", False
            try:
                _PLAYS[schedule.plot](stage, schedule, rehearsed)
            except Broken as broken:
                stage.findings.append(broken.finding)
                cut = True
            except NotSo as not_so:
                why = str(not_so)
            return Trial(str(schedule), tuple(stage.steps), tuple(stage.findings), why, cut)


def _confirmed(
    theatre: Theatre, rehearsed: Rehearsed, trials: Sequence[tuple[Sequence[Promise], Trial]]
) -> list[tuple[Sequence[Promise], Trial]]:
    """The trials, without the findings that do not come again: of each way to break a promise the shortest schedule is played twice."""
    again: dict[tuple[Promise, str], str] = {}
    doubtful: set[str] = set()
    kind = theatre.subject.kind
    for trial in sorted((trial for _, trial in trials if trial.findings), key=lambda each: len(each.steps)):
        new = [finding for finding in trial.findings if (finding.promise, finding.how) not in again]
        if not new:
            continue
        found = theatre.play(parse_schedule(trial.schedule, kind), rehearsed).findings
        again.update({(each.promise, each.how): trial.schedule for each in new if each in found})
        if any(each not in found for each in new):
            doubtful.add(trial.schedule)
    return [
        (
            promises,
            replace(trial, findings=(), obstacle="not-again", cut=False) if trial.schedule in doubtful else trial,
        )
        for promises, trial in trials
    ]


def _paths(stage: Stage) -> set[str]:
    return {os.path.realpath(path) for path in stage.folder.rglob("*")}


def _makes(touch: Touch) -> bool:
    """Whether a touch can make a name."""
    makes = touch.call.startswith(("mkdir", "link", "symlink", "mknod", "rename")) or touch.call in ("creat", "openat2")
    return makes or "O_CREAT" in touch.flags


def _before_change(touches: Sequence[Touch], left: Collection[str]) -> int:
    """How many touches come before the first that moves, removes or empties one of the paths that were there; 0 when none does."""
    for number, touch in enumerate(touches):
        removes = touch.call.startswith(("rename", "unlink", "rmdir"))
        empties = "O_TRUNC" in touch.flags and "O_EXCL" not in touch.flags
        if (removes or empties) and touch.paths[0] in left:
            return number
    return 0


def _not_acquired(contender: Contender) -> ClaimgridError:
    said = (contender.errors.strip() or contender.output.strip()).splitlines()
    why = f"exit code {contender.code}" if contender.code is not None else "it neither acquired nor ended"
    if contender.code in (126, 127):
        return ClaimgridError(
            f"It does not start: {said[-1][:200] if said else why}.",
            "Is the command where --run or --acquire says?",
            Exit.NOT_RUN,
        )
    return ClaimgridError(
        f"It does not acquire a free name: {why}{f', and said: {said[-1][:200]}' if said else ''}.",
        "A command given by --run has to print the text of --says (by default `acquired`) as a line of its own when it has acquired.",
        Exit.NOT_RUN,
    )


def play_all(
    theatre: Theatre, rehearsed: Rehearsed, chosen: Sequence[Schedule], played: Callable[[Trial], None]
) -> list[tuple[Sequence[Promise], Trial]]:
    """All of them in their order, each with the promises that it looks at. What would need held calls, and cannot have them, says so."""
    trials: list[tuple[Sequence[Promise], Trial]] = []
    # Most of a schedule is waiting for programs to start.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for schedule, trial in zip(
                chosen, pool.map(lambda each: theatre.play(each, rehearsed), chosen), strict=True
            ):
                played(trial)
                trials.append((schedule.plot.tests, trial))
        except BaseException:
            # Whoever still plays waits for programs that are held, and nobody lets them go any more.
            pool.shutdown(wait=False, cancel_futures=True)
            kill_marked(OWN_MARK)
            raise
    if rehearsed.in_two_runs:
        # Who takes over so can be robbed between the two, and no schedule of ours tries that.
        trials += [(plot.tests, Trial(plot.value, obstacle="in-two-runs")) for plot in (Plot.RIVALS, Plot.OVERTAKEN)]
    trials = _confirmed(theatre, rehearsed, trials)
    if not theatre.subject.held_calls:
        unplayed = [plot for plot in PLOTS[theatre.subject.kind] if plot in _NEED_HELD_CALLS]
        trials += [(plot.tests, Trial(plot.value, obstacle="calls-not-held")) for plot in unplayed]
    return trials
