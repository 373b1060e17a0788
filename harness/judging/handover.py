"""How the schedules of hand-over folders are played: publishers whom a reader looks at, and workers who take items."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.judging.aging import age
from harness.judging.contest import Stop
from harness.judging.schedules import Plot, Rehearsed, Schedule
from harness.judging.stage import NotSo, Stage
from harness.promises import Act, Finding, Promise

_ITEMS = ("first.csv", "second.csv")
_LINE = "a line of {}\n"
_SETTLING_SECONDS = 0.2
_LINES = 40
"""Few enough to be quick, enough for two buffers of a careful writer."""


def rehearse_handover(stage: Stage) -> int:
    """Have one publish or work alone; its touches. Raises ClaimgridError when it does not do what it is for."""
    if stage.subject.kind == "publish":
        _published(stage, "new")
        done = stage.go("A") is Stop.ENDED and stage.contenders["A"].code == 0 and _seen(stage) == "new"
    else:
        _lay_items(stage)
        done = stage.go("A") is Stop.ENDED and stage.contenders["A"].code == 0 and _effects(stage) == Counter(_ITEMS)
    if not done:
        contender = stage.contenders["A"]
        said = contender.errors.strip().splitlines()
        raise ClaimgridError(
            f"Alone it does not do what it is for: exit code {contender.code}{f', and said: {said[-1][:200]}' if said else ''}.",
            "",
            Exit.NOT_RUN,
        )
    return stage.contenders["A"].made


# ---- Publishers


def _publishing(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _old_and_new(stage)
    stage.hold_back("B", schedule.point)
    _look(stage)


def _crashing(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _old_and_new(stage)
    stage.hold_back("B", schedule.point)
    stage.kill("B")
    _look(stage)
    stage.go("C")
    if _seen(stage) != "new":
        stage.tell(Act.SEEN, _seen(stage))
        stage.findings.append(Finding(Promise.RECOVERY, "stays-broken"))


def _old_and_new(stage: Stage) -> None:
    """What is published already is whole, unless readers are told of data by a mark: that is for a name that is new."""
    if not stage.subject.done_mark:
        _published(stage, "old")
        if stage.go("A") is not Stop.ENDED:
            raise NotSo("does-not-end")
    _published(stage, "new")


def _published(stage: Stage, which: str) -> None:
    """Lay what is to be published beside the folder, where no reader looks."""
    stage.content = stage.folder.with_name(which)
    stage.content.write_text(_content(which), encoding="utf-8", newline="\n")


def _content(which: str) -> str:
    return _LINE.format(which) * _LINES


def _look(stage: Stage) -> None:
    seen = _seen(stage)
    stage.tell(Act.SEEN, seen)
    if seen == "part":
        how = "mark-before-data" if stage.subject.done_mark else "part-seen"
        stage.findings.append(Finding(Promise.WHOLE_PUBLICATION, how))


def _seen(stage: Stage) -> str:
    """What a reader finds: nothing, the old, the new, or a part. Where there is a done-mark it looks at the data only after that, and
    where it goes by the size only when that stands still.
    """
    mark = stage.subject.done_mark
    if mark and not Path(mark.replace("{name}", str(stage.name))).exists():
        return "nothing"
    try:
        if stage.subject.settles and not _stands_still(stage.name):
            return "nothing"
        content = stage.name.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "part" if mark else "nothing"
    return next((which for which in ("old", "new") if content == _content(which)), "part")


def _stands_still(path: Path) -> bool:
    """Whether a file has something in it, and as much a moment later. Raises OSError when it is not there."""
    size = path.stat().st_size
    time.sleep(_SETTLING_SECONDS)
    return size == path.stat().st_size > 0


# ---- Workers


def _beside(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _lay_items(stage)
    stage.hold_back("A", schedule.point)
    stage.go("B")
    _finish(stage, "A", "B")
    counts = _effects(stage)
    _tell_effects(stage, counts)
    if any(count > 1 for count in counts.values()):
        stage.findings.append(Finding(Promise.ONE_CONSUMER, "taken-twice"))
    elif len(counts) < len(_ITEMS):
        stage.findings.append(Finding(Promise.ONE_CONSUMER, "lost"))


def _stranded(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _lay_items(stage)
    stage.hold_back("A", schedule.point)
    stage.kill("A")
    stage.go("B")
    _finish(stage, "B")
    # What lies about from a worker of long ago may be taken up by age.
    age(stage.folder)
    stage.tell(Act.AGED)
    stage.go("C")
    _finish(stage, "C")
    counts = _effects(stage)
    _tell_effects(stage, counts)
    if len(counts) < len(_ITEMS):
        stage.findings.append(Finding(Promise.RECOVERY, "lost-after-crash"))
    if any(count > 1 for count in counts.values()):
        stage.findings.append(Finding(Promise.IDEMPOTENCE, "counted-twice"))


def _late(stage: Stage, schedule: Schedule, _: Rehearsed) -> None:
    _lay_items(stage)
    stage.hold_back("A", schedule.point)
    age(stage.folder)
    stage.tell(Act.AGED)
    stage.go("B")
    _finish(stage, "A", "B")
    counts = _effects(stage)
    _tell_effects(stage, counts)
    if any(count > 1 for count in counts.values()):
        stage.findings.append(Finding(Promise.NO_WRONG_TAKEOVER, "counted-twice-late"))


def _lay_items(stage: Stage) -> None:
    (stage.folder / "incoming").mkdir()
    for item in _ITEMS:
        (stage.folder / "incoming" / item).write_text(f"{item}\n", encoding="utf-8", newline="\n")


def _finish(stage: Stage, *labels: str) -> None:
    for label in labels:
        if stage.go(label) is not Stop.ENDED:
            raise NotSo("does-not-end")


def _effects(stage: Stage) -> Counter[str]:
    """How often each item took effect, by what all workers wrote."""
    written = (path.read_text(encoding="utf-8", errors="replace") for path in stage.folder.glob("effects-*"))
    return Counter(line.strip() for text in written for line in text.splitlines() if line.strip())


def _tell_effects(stage: Stage, counts: Counter[str]) -> None:
    stage.tell(Act.SEEN, ", ".join(f"{item} × {counts[item]}" for item in _ITEMS))


HANDOVER_PLOTS: dict[Plot, Callable[[Stage, Schedule, Rehearsed], None]] = {
    Plot.PUBLISHING: _publishing,
    Plot.CRASHING: _crashing,
    Plot.BESIDE: _beside,
    Plot.STRANDED: _stranded,
    Plot.LATE: _late,
}
