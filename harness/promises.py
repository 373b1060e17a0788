"""What recipes promise, and what trials of them show of every promise. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Promise(StrEnum):
    """What a recipe says that it does for those who use it.

    EXCLUSION is about contenders that live; what happens after one was killed is RECOVERY: the next one gets it, and only one does.
    """

    EXCLUSION = "exclusion"
    PROGRESS = "progress"
    RECOVERY = "recovery"
    OWNER_ONLY_RELEASE = "owner-only-release"
    NO_WRONG_TAKEOVER = "no-wrong-takeover"
    WHOLE_PUBLICATION = "whole-publication"
    ONE_CONSUMER = "one-consumer"
    IDEMPOTENCE = "idempotence"
    SAFE_ON_DOUBT = "safe-on-doubt"


class Standing(StrEnum):
    """What can be said of one promise of one recipe."""

    KEPT = "kept"
    BROKEN = "broken"
    NOT_EXPLORED = "not-explored"
    NOT_PROMISED = "not-promised"

    @property
    def badness(self) -> int:
        """Position in the order of combination: higher is worse."""
        return (Standing.NOT_PROMISED, Standing.KEPT, Standing.NOT_EXPLORED, Standing.BROKEN).index(self)


class Act(StrEnum):
    """What happens in one step of a schedule."""

    HELD_BACK = "held-back"
    HOLDS = "holds"
    REFUSED = "refused"
    DONE = "done"
    FINISHED = "finished"
    FAILED = "failed"
    WAITS = "waits"
    RELEASED = "released"
    KILLED = "killed"
    AGED = "aged"
    TAKEN_AWAY = "taken-away"
    DAMAGED = "damaged"
    SEEN = "seen"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: who (empty for the harness), what became of it, the calls that it made on the way, and what else there is to tell.

    `detail` is the call before which somebody is held or killed, an exit code, or what was seen.
    """

    actor: str
    act: Act
    calls: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A promise that a schedule breaks, and how, as a code."""

    promise: Promise
    how: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One schedule as it went. With an `obstacle` (a code) it did not come about, and proves nothing.

    It is `cut` when it ended with a finding, before all that it could break was looked at.
    """

    schedule: str
    steps: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()
    obstacle: str = ""
    cut: bool = False

    def breaks(self, promise: Promise) -> Finding | None:
        """How it breaks this promise, if it does."""
        return next((finding for finding in self.findings if finding.promise is promise), None)


@dataclass(frozen=True, slots=True)
class Judged:
    """What all trials show of one promise: how many schedules were `explored`, the shortest that breaks it, or what was in the way.

    `also` are other ways in which it is broken, each with the shortest schedule: pairs of a code and a schedule.
    """

    promise: Promise
    standing: Standing
    explored: int = 0
    broken_by: Trial | None = None
    obstacles: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Hold:
    """That somebody held the name from one step to another, by the harness's own record; `until` is None when it still does."""

    actor: str
    since: int
    until: int | None = None


def together(holds: Iterable[Hold]) -> tuple[Hold, Hold] | None:
    """The first two that held the name at the same time, in order of who had it first; None when nobody did."""
    ordered = sorted(holds, key=lambda hold: (hold.since, hold.actor))
    last: Hold | None = None
    for hold in ordered:
        if last is not None and (last.until is None or hold.since < last.until):
            return last, hold
        if last is None or hold.until is None or (last.until is not None and hold.until > last.until):
            last = hold
    return None


def judge_promises(trials: Sequence[tuple[Sequence[Promise], Trial]], promised: Sequence[Promise]) -> list[Judged]:
    """Every promise of the list by what its trials showed; each trial comes with the promises that it looks at, in
    that order.
    """
    return [
        _judged(promise, trials) if promise in promised else Judged(promise, Standing.NOT_PROMISED)
        for promise in Promise
    ]


def _judged(promise: Promise, trials: Sequence[tuple[Sequence[Promise], Trial]]) -> Judged:
    breaking = [trial for _, trial in trials if trial.breaks(promise)]
    concerned = [(promises, trial) for promises, trial in trials if promise in promises]
    obstacles = tuple(dict.fromkeys(trial.obstacle for _, trial in concerned if trial.obstacle))
    explored = sum(not trial.obstacle for _, trial in concerned)
    if breaking:
        ways: dict[str, Trial] = {}
        for trial in sorted(breaking, key=lambda trial: len(trial.steps)):
            finding = trial.breaks(promise)
            assert finding is not None
            ways.setdefault(finding.how, trial)
        (_, shortest), *others = ways.items()
        also = tuple((how, trial.schedule) for how, trial in others)
        return Judged(promise, Standing.BROKEN, explored, shortest, obstacles, also)
    if any(trial.cut and _comes_later(promise, promises, trial) for promises, trial in concerned):
        obstacles = (*obstacles, "cut-short")
    if obstacles == (_NOTHING_TO_DOUBT,) and not explored:
        # Whoever writes nothing cannot find it unreadable.
        return Judged(promise, Standing.NOT_PROMISED, 0, None, obstacles)
    if obstacles or not explored:
        return Judged(promise, Standing.NOT_EXPLORED, explored, None, obstacles or ("no-schedule",))
    return Judged(promise, Standing.KEPT, explored)


_NOTHING_TO_DOUBT = "no-content"


def _comes_later(promise: Promise, promises: Sequence[Promise], trial: Trial) -> bool:
    """Whether a trial that was cut had not looked at this promise yet."""
    return promises.index(promise) > max(promises.index(finding.promise) for finding in trial.findings)
