"""How the schedules of locks are played: who comes when, who is held or killed, and which promise is broken then."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable

from harness.judging.aging import age
from harness.judging.contest import Stop
from harness.judging.schedules import Plot, Rehearsed, Schedule
from harness.judging.stage import Broken, NotSo, Stage
from harness.promises import Act, Promise


def _together(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    stage.hold_back("A", schedule.point)
    second = stage.go("B")
    first = stage.go("A")
    if stage.two_hold():
        raise Broken(Promise.EXCLUSION, "both-hold")
    if first is Stop.WAITS and second is Stop.WAITS:
        raise NotSo("both-wait")
    if first is Stop.ENDED and second is Stop.ENDED:
        raise Broken(Promise.PROGRESS, "both-refused")
    _still_free(stage)


def _passing(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    stage.hold_back("A", schedule.point)
    if stage.go("B") is not Stop.ACQUIRED:
        # What becomes of them then is the business of another plot.
        return
    stage.go("B")
    stage.go("A")
    stage.go("C")
    if stage.two_hold():
        raise Broken(Promise.EXCLUSION, "late-one-unseen")
    _still_free(stage)


def _while_held(stage: Stage, _: Schedule, __: Rehearsed) -> None:
    _acquire(stage, "A")
    second = stage.go("B")
    if stage.two_hold():
        raise Broken(Promise.EXCLUSION, "taken-while-held")
    if second is Stop.ENDED:
        stage.go("C")
        if stage.two_hold():
            raise Broken(Promise.OWNER_ONLY_RELEASE, "refused-one-released")
    _still_free(stage)


def _releasing(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _acquire(stage, "A")
    stage.hold_back("A", schedule.point)
    second = stage.go("B")
    stage.go("A")
    if second is Stop.ACQUIRED:
        stage.go("C")
        if stage.two_hold():
            raise Broken(Promise.OWNER_ONLY_RELEASE, "released-for-another")
    _still_free(stage)


def _killed(stage: Stage, schedule: Schedule, rehearsed: Rehearsed) -> None:
    point = schedule.point or 0
    if point == rehearsed.acquiring:
        _acquire(stage, "A")
        _check_owner(stage)
    elif point < rehearsed.acquiring:
        stage.hold_back("A", point)
    else:
        _acquire(stage, "A")
        _check_owner(stage)
        # It may have ended with that touch: then nothing is left to kill.
        if stage.go("A", point) is not Stop.HELD and stage.contenders["A"].made < point:
            raise NotSo("not-held-there")
    stage.kill("A")
    if not _succeeded(stage):
        raise Broken(Promise.RECOVERY, "nobody-recovers")
    stage.go(stage.next)
    if stage.two_hold():
        raise Broken(Promise.RECOVERY, "two-recover")


def _rivals(stage: Stage, schedule: Schedule, rehearsed: Rehearsed) -> None:
    dead_holder(stage, rehearsed.by_age)
    stage.hold_back("B", schedule.point)
    rival = stage.go("C")
    first = stage.go("B")
    if stage.two_hold():
        raise Broken(Promise.RECOVERY, "two-recover")
    if Stop.WAITS in (first, rival):
        raise NotSo("waits")
    if first is Stop.ENDED and rival is Stop.ENDED and not _succeeded(stage):
        raise Broken(Promise.RECOVERY, "nobody-recovers")


def _overtaken(stage: Stage, schedule: Schedule, rehearsed: Rehearsed) -> None:
    dead_holder(stage, rehearsed.by_age)
    stage.hold_back("B", rehearsed.decided)
    if stage.go("C") is not Stop.ACQUIRED:
        return
    held = stage.go("B", schedule.point) is Stop.HELD
    if not stage.two_hold() and held:
        stage.go("D")
    if stage.two_hold():
        raise Broken(Promise.RECOVERY, "third-comes-in" if held else "two-recover")


def _slow(stage: Stage, _: Schedule, __: Rehearsed) -> None:
    _acquire(stage, "A")
    _make_old(stage)
    stage.go("B")
    if stage.two_hold():
        raise Broken(Promise.NO_WRONG_TAKEOVER, "robbed")


def _robbed(stage: Stage, schedule: Schedule, rehearsed: Rehearsed) -> None:
    _acquire(stage, "A")
    if (schedule.point or 0) > rehearsed.acquiring:
        stage.hold_back("A", schedule.point)
    _make_old(stage)
    if stage.go("B") is not Stop.ACQUIRED:
        # Nobody takes over from whoever lives: there is nothing to release wrongly.
        return
    stage.go("A")
    stage.go("C")
    # B has not been let go since it acquired, and whoever comes now gets the name only because the first one removed B's mark.
    if stage.holds.get("C") is not None:
        raise Broken(Promise.OWNER_ONLY_RELEASE, "released-for-another")


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
        raise Broken(Promise.OWNER_ONLY_RELEASE, "released-for-another")


def _doubt(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    dead_holder(stage, False)
    marks = {name: content for name, content in stage.marks().items() if content}
    if not marks:
        raise NotSo("no-content")
    damaged = {name: _damaged(content, schedule.damage) for name, content in marks.items()}
    if None in damaged.values():
        # There is nothing of that kind to damage, and so nothing to be in doubt about.
        return
    for name, content in damaged.items():
        (stage.folder / name).write_bytes(content or b"")
    stage.tell(Act.DAMAGED, schedule.damage)
    before = stage.marks()
    if stage.go("B") is Stop.ACQUIRED:
        raise Broken(Promise.SAFE_ON_DOUBT, "took-the-unreadable")
    if stage.marks() != before:
        raise Broken(Promise.SAFE_ON_DOUBT, "changed-the-unreadable")


LOCK_PLOTS: dict[Plot, Callable[[Stage, Schedule, Rehearsed], None]] = {
    Plot.TOGETHER: _together,
    Plot.PASSING: _passing,
    Plot.WHILE_HELD: _while_held,
    Plot.RELEASING: _releasing,
    Plot.KILLED: _killed,
    Plot.RIVALS: _rivals,
    Plot.OVERTAKEN: _overtaken,
    Plot.SLOW: _slow,
    Plot.ROBBED: _robbed,
    Plot.TAKEN_AWAY: _taken_away,
    Plot.DOUBT: _doubt,
}

# ---- What several plots need


def _acquire(stage: Stage, label: str) -> None:
    if stage.go(label) is not Stop.ACQUIRED:
        raise NotSo("free-not-acquired")


def dead_holder(stage: Stage, old: bool) -> None:
    """Have one acquire and be killed while it holds; its marks are made old when that is asked for."""
    _acquire(stage, "A")
    _check_owner(stage)
    stage.kill("A")
    if old:
        _make_old(stage)


def _check_owner(stage: Stage) -> None:
    """Of two commands the first is over when it has acquired. A mark that names us, who started it, is one whose owner cannot be killed."""
    own = re.compile(rb"(?<!\d)%d(?!\d)" % os.getpid())
    if stage.subject.release and any(own.search(content) for content in stage.marks().values()):
        raise NotSo("names-its-parent")


def _make_old(stage: Stage) -> None:
    if not stage.subject.ages:
        raise NotSo("age-not-set")
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
            # One that looks again after a while may be asleep still; who waits in a system call for a lock would have been woken.
            raise Broken(Promise.PROGRESS, "waits-for-ever") if contender.asks_for_a_lock else NotSo("sleeps")
        if not contender.over and stage.go(contender.label) is not Stop.ENDED:
            raise NotSo("does-not-end")
    if stage.go(stage.next) is not Stop.ACQUIRED:
        raise Broken(Promise.PROGRESS, "never-free-again")


def _damaged(content: bytes, how: str) -> bytes | None:
    """The content when it is damaged so; None where that leaves something that can be read."""
    match how:
        case "empty":
            return b""
        case "garbage":
            return bytes([0, 255, 123]) * 5
        case "half":
            # Half of a pid is another pid, dead or alive as it comes.
            return None if content.strip().isdigit() else content[: len(content) // 2]
        case _:
            return b"{}" if content.strip().startswith(b"{") and content.strip().endswith(b"}") else None
