"""Playing schedules: contenders for one name in a fresh folder, held, killed and let go as it says, and what that shows.

Who held the name, and when, is the harness's own record, kept from outside: a contender holds it from the moment at which it is
about to say so until it is let go.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.aging import age
from harness.contest import Contender, Stop, Subject
from harness.errors import ClaimgridError, Exit
from harness.promises import Act, Finding, Hold, Promise, Step, Trial, together
from harness.schedules import Plot, Rehearsed, Schedule
from harness.supervise import Touch, obstacle

_FIRST_PATIENCE, _LEAST_PATIENCE = 20.0, 2.0
"""Seconds without a touch after which a contender is said to wait; the first is for one of which nothing is known yet."""
_NAME = "the.lock"


class _NotSo(Exception):
    """The schedule did not come about; the code says why."""


class _Broken(Exception):
    def __init__(self, promise: Promise, how: str) -> None:
        super().__init__(how)
        self.finding = Finding(promise, how)


@dataclass
class Stage:
    """A fresh folder with the contested name, the contenders in it, and the record."""

    subject: Subject
    folder: Path
    patience: float
    steps: list[Step] = field(default_factory=list)
    holds: dict[str, Hold] = field(default_factory=dict)
    contenders: dict[str, Contender] = field(default_factory=dict)

    @property
    def name(self) -> Path:
        """The contested path."""
        return self.folder / _NAME

    @property
    def next(self) -> str:
        """The label of one who has not come yet."""
        return chr(ord("A") + len(self.contenders))

    def go(self, label: str, stop_after: int | None = None) -> Stop:
        """Start this contender, or let it go on, and record how it stands afterwards."""
        if label not in self.contenders:
            self.contenders[label] = Contender(label, self.subject, self.name, self.folder, self.patience)
        contender = self.contenders[label]
        if contender.over:
            return Stop.ENDED
        if contender.acquired and label in self.holds and self.holds[label].until is None:
            # From here on it may release at any moment, so that it counts as holding no more.
            self.holds[label] = Hold(label, self.holds[label].since, len(self.steps))
            contender.let_end()
        had = contender.acquired
        stop = contender.go(stop_after)
        self._record(contender, stop, had)
        return stop

    def _record(self, contender: Contender, stop: Stop, had: bool) -> None:
        acts = {Stop.HELD: Act.HELD_BACK, Stop.ACQUIRED: Act.HOLDS, Stop.WAITS: Act.WAITS}
        ended = Act.RELEASED if had else Act.DONE if contender.code == 0 else Act.REFUSED
        detail = (
            self.told(contender.before)
            if stop is Stop.HELD and contender.before
            else str(contender.code)
            if stop is Stop.ENDED
            else ""
        )
        calls = tuple(self.told(touch) for touch in contender.take_calls())
        self.steps.append(Step(contender.label, acts.get(stop, ended), calls, detail))
        if stop is Stop.ACQUIRED:
            self.holds[contender.label] = Hold(contender.label, len(self.steps))

    def kill(self, label: str) -> None:
        """Kill this contender where it stands."""
        contender = self.contenders[label]
        contender.kill()
        before = self.told(contender.before) if contender.before else ""
        if label in self.holds:
            self.holds[label] = Hold(label, self.holds[label].since, len(self.steps))
        self.steps.append(Step(label, Act.KILLED, detail=before))

    def tell(self, act: Act, detail: str = "") -> None:
        """Record what the harness did itself."""
        self.steps.append(Step("", act, detail=detail))

    def told(self, touch: Touch) -> str:
        """A call as it is printed: paths without the folder, `{name}` for the contested one."""
        paths = ", ".join(self._short(path) for path in touch.paths)
        flags = f", {'|'.join(touch.flags)}" if touch.flags else ""
        return f"{touch.call}({paths}{flags})"

    def _short(self, path: str) -> str:
        inside = os.path.relpath(path, os.path.realpath(self.folder))
        return path if inside.startswith("..") else inside.replace(_NAME, "{name}")

    def two_hold(self) -> bool:
        """Whether two hold the name, by the record."""
        return together(self.holds.values()) is not None

    def marks(self) -> dict[str, bytes]:
        """The content of every file in the folder."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def close(self) -> None:
        """Leave nothing running."""
        for contender in self.contenders.values():
            contender.close()


@dataclass
class Theatre:
    """Where the schedules of one subject are played, below `root`; `patience` is in seconds."""

    subject: Subject
    root: Path
    patience: float = _FIRST_PATIENCE

    @contextlib.contextmanager
    def stage(self) -> Iterator[Stage]:
        """A fresh stage. Nothing is left of it afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="claimgrid-trial-", dir=self.root))
        stage = Stage(self.subject, folder, self.patience)
        try:
            yield stage
        finally:
            stage.close()
            shutil.rmtree(folder, ignore_errors=True)

    def rehearse(self) -> Rehearsed:
        """Have it acquire and release alone, then take over from one that was killed. Raises ClaimgridError when it does not work alone."""
        with self.stage() as stage:
            began = time.monotonic()
            if stage.go("A") is not Stop.ACQUIRED:
                raise _not_acquired(stage.contenders["A"])
            self.patience = max(_LEAST_PATIENCE, 10 * (time.monotonic() - began))
            acquiring = stage.contenders["A"].made
            if not acquiring and not obstacle():
                raise ClaimgridError(
                    "It says that it has acquired, but made no system call on the name or beside it.",
                    "Does the command use {name}?",
                    Exit.NOT_RUN,
                )
            if stage.go("A") is not Stop.ENDED:
                raise ClaimgridError("It does not end after it has acquired and was to release.", "", Exit.NOT_RUN)
            whole = stage.contenders["A"].made
        for by_age in (False, True):
            with self.stage() as stage:
                _dead_holder(stage, by_age)
                if stage.go("B") is Stop.ACQUIRED:
                    return Rehearsed(acquiring, whole, stage.contenders["B"].made, by_age)
        return Rehearsed(acquiring, whole)

    def play(self, schedule: Schedule, rehearsed: Rehearsed) -> Trial:
        """One schedule. Raises ClaimgridError only when a command cannot be started."""
        with self.stage() as stage:
            finding, obstacle = None, ""
            try:
                _PLAYS[schedule.plot](stage, schedule, rehearsed)
            except _Broken as broken:
                finding = broken.finding
            except _NotSo as not_so:
                obstacle = str(not_so)
            return Trial(str(schedule), tuple(stage.steps), finding, obstacle)


def _not_acquired(contender: Contender) -> ClaimgridError:
    said = (contender.errors.strip() or contender.output.strip()).splitlines()
    why = f"exit code {contender.code}" if contender.code is not None else "it neither acquired nor ended"
    return ClaimgridError(
        f"It does not acquire a free name: {why}{f', and said: {said[-1][:200]}' if said else ''}.",
        "A command given by --run has to print the text of --says (by default `acquired`) when it has acquired.",
        Exit.NOT_RUN,
    )


# ---- The plots


def _together(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _hold_back(stage, "A", schedule.point)
    second = stage.go("B")
    first = stage.go("A")
    if stage.two_hold():
        raise _Broken(Promise.EXCLUSION, "both-hold")
    if first is Stop.WAITS and second is Stop.WAITS:
        raise _NotSo("both-wait")
    if first is Stop.ENDED and second is Stop.ENDED:
        raise _Broken(Promise.PROGRESS, "both-refused")
    _still_free(stage)


def _while_held(stage: Stage, _: Schedule, __: Rehearsed) -> None:
    _acquire(stage, "A")
    second = stage.go("B")
    if stage.two_hold():
        raise _Broken(Promise.EXCLUSION, "taken-while-held")
    if second is Stop.ENDED:
        stage.go("C")
        if stage.two_hold():
            raise _Broken(Promise.OWNER_ONLY_RELEASE, "refused-one-released")
    _still_free(stage)


def _releasing(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _acquire(stage, "A")
    _hold_back(stage, "A", schedule.point)
    second = stage.go("B")
    stage.go("A")
    if second is Stop.ACQUIRED:
        stage.go("C")
        if stage.two_hold():
            raise _Broken(Promise.OWNER_ONLY_RELEASE, "released-for-another")
    _still_free(stage)


def _killed(stage: Stage, schedule: Schedule, rehearsed: Rehearsed) -> None:
    point = schedule.point or 0
    if point == rehearsed.acquiring:
        _acquire(stage, "A")
    elif point < rehearsed.acquiring:
        _hold_back(stage, "A", point)
    else:
        _acquire(stage, "A")
        # It may have ended with that touch: then nothing is left to kill.
        if stage.go("A", point) is not Stop.HELD and stage.contenders["A"].made < point:
            raise _NotSo("not-held-there")
    stage.kill("A")
    if not _succeeded(stage):
        raise _Broken(Promise.RECOVERY, "nobody-recovers")
    stage.go(stage.next)
    if stage.two_hold():
        raise _Broken(Promise.RECOVERY, "two-recover")


def _rivals(stage: Stage, schedule: Schedule, rehearsed: Rehearsed) -> None:
    _dead_holder(stage, rehearsed.by_age)
    _hold_back(stage, "B", schedule.point)
    rival = stage.go("C")
    first = stage.go("B")
    if stage.two_hold():
        raise _Broken(Promise.RECOVERY, "two-recover")
    if Stop.WAITS in (first, rival):
        raise _NotSo("waits")
    if first is Stop.ENDED and rival is Stop.ENDED and not _succeeded(stage):
        raise _Broken(Promise.RECOVERY, "nobody-recovers")


def _slow(stage: Stage, _: Schedule, __: Rehearsed) -> None:
    _acquire(stage, "A")
    _make_old(stage)
    stage.go("B")
    if stage.two_hold():
        raise _Broken(Promise.NO_WRONG_TAKEOVER, "robbed")


def _robbed(stage: Stage, schedule: Schedule, rehearsed: Rehearsed) -> None:
    _acquire(stage, "A")
    if (schedule.point or 0) > rehearsed.acquiring:
        _hold_back(stage, "A", schedule.point)
    _make_old(stage)
    if stage.go("B") is not Stop.ACQUIRED:
        # Nobody takes over from whoever lives: there is nothing to release wrongly.
        return
    stage.go("A")
    stage.go("C")
    # B has not been let go since it acquired, and whoever comes now gets the name only because the first one removed B's mark.
    if stage.holds.get("C") is not None:
        raise _Broken(Promise.OWNER_ONLY_RELEASE, "released-for-another")


def _taken_away(stage: Stage, _: Schedule, __: Rehearsed) -> None:
    _acquire(stage, "A")
    for path in stage.folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    stage.tell(Act.TAKEN_AWAY)
    if stage.go("B") is not Stop.ACQUIRED:
        return
    stage.go("A")
    stage.go("C")
    if stage.holds.get("C") is not None:
        raise _Broken(Promise.OWNER_ONLY_RELEASE, "released-for-another")


def _doubt(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _dead_holder(stage, False)
    marks = {name: content for name, content in stage.marks().items() if content}
    if not marks:
        raise _NotSo("no-content")
    for name, content in marks.items():
        (stage.folder / name).write_bytes(_damaged(content, schedule.damage))
    stage.tell(Act.DAMAGED, schedule.damage)
    before = stage.marks()
    if stage.go("B") is Stop.ACQUIRED:
        raise _Broken(Promise.SAFE_ON_DOUBT, "took-the-unreadable")
    if stage.marks() != before:
        raise _Broken(Promise.SAFE_ON_DOUBT, "changed-the-unreadable")


_PLAYS: dict[Plot, Callable[[Stage, Schedule, Rehearsed], None]] = {
    Plot.TOGETHER: _together,
    Plot.WHILE_HELD: _while_held,
    Plot.RELEASING: _releasing,
    Plot.KILLED: _killed,
    Plot.RIVALS: _rivals,
    Plot.SLOW: _slow,
    Plot.ROBBED: _robbed,
    Plot.TAKEN_AWAY: _taken_away,
    Plot.DOUBT: _doubt,
}

# ---- What several plots need


def _acquire(stage: Stage, label: str) -> None:
    if stage.go(label) is not Stop.ACQUIRED:
        raise _NotSo("free-not-acquired")


def _hold_back(stage: Stage, label: str, point: int | None) -> None:
    """Hold it once it has made so many touches. A last one before it says that it has acquired is held there as well."""
    stop = stage.go(label, point)
    if stage.contenders[label].made != point or stop not in (Stop.HELD, Stop.ACQUIRED, Stop.ENDED):
        raise _NotSo("not-held-there")


def _dead_holder(stage: Stage, old: bool) -> None:
    _acquire(stage, "A")
    stage.kill("A")
    if old:
        _make_old(stage)


def _make_old(stage: Stage) -> None:
    age(stage.folder)
    stage.tell(Act.AGED)


def _succeeded(stage: Stage) -> bool:
    """Whether somebody gets the name now that nobody alive holds it: at once, or when the marks are old."""
    if stage.go(stage.next) is not Stop.ACQUIRED:
        _make_old(stage)
        return stage.go(stage.next) is Stop.ACQUIRED
    return True


def _still_free(stage: Stage) -> None:
    """Have everybody release: whoever waited has to get the name then, and so has one who comes after all."""
    for contender in sorted(stage.contenders.values(), key=lambda contender: not contender.acquired):
        if not contender.over and not contender.acquired and stage.go(contender.label) is Stop.WAITS:
            raise _Broken(Promise.PROGRESS, "waits-for-ever")
        if not contender.over and stage.go(contender.label) is not Stop.ENDED:
            raise _NotSo("does-not-end")
    if stage.go(stage.next) is not Stop.ACQUIRED:
        raise _Broken(Promise.PROGRESS, "never-free-again")


def _damaged(content: bytes, how: str) -> bytes:
    return {"empty": b"", "half": content[: len(content) // 2], "garbage": bytes([0, 255, 123]) * 5}[how]


def play_all(
    theatre: Theatre, rehearsed: Rehearsed, chosen: Sequence[Schedule], played: Callable[[Trial], None]
) -> list[tuple[Sequence[Promise], Trial]]:
    """All of them in their order, each with the promises that it looks at. What would need held calls, and cannot have them, says so."""
    trials: list[tuple[Sequence[Promise], Trial]] = []
    for schedule in chosen:
        trial = theatre.play(schedule, rehearsed)
        played(trial)
        trials.append((schedule.plot.tests, trial))
    if obstacle():
        unplayed = (Plot.TOGETHER, Plot.RELEASING, Plot.RIVALS)
        trials += [(plot.tests, Trial(plot.value, obstacle="calls-not-held")) for plot in unplayed]
    return trials
