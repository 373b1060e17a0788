"""Schedules: who is held or killed where, while the others run. Pure; they are played by `harness.trials`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.errors import ClaimgridError
from harness.promises import Promise


class Plot(StrEnum):
    """What a schedule is about.

    TOGETHER: one is held after each of its touches before it acquires, the other comes meanwhile.
    PASSING: one is held after each of its touches before it acquires, the other acquires and releases meanwhile, and a third comes.
    WHILE_HELD: others come while one holds.
    RELEASING: the holder is held after each touch of its release, another comes meanwhile.
    KILLED: one is killed after each of its touches, then others come.
    RIVALS: a holder was killed; of two who come to take over, one is held after each of its touches.
    OVERTAKEN: the same, but the one is held just before it changes what the dead one left, and once more after each of its touches from
    there; then a third comes.
    SLOW: the holder's marks are made old while it lives, and another comes.
    ROBBED: the same, and whoever took over holds while the first one releases, held after each touch of its release.
    TAKEN_AWAY: somebody removes the holder's marks by hand, another acquires, and the first one releases.
    DOUBT: a killed holder's mark is emptied, overwritten with garbage, cut in half or robbed of its fields, and another comes.
    PUBLISHING: a publisher is held after each of its touches, and a reader looks.
    CRASHING: a publisher is killed after each of its touches, a reader looks, and another publishes.
    BESIDE: a worker is held after each of its touches while another works.
    STRANDED: a worker is killed after each of its touches, and others work on.
    LATE: a worker is held after each of its touches until all that it has is old, another works meanwhile, and the first goes on.
    """

    TOGETHER = "together"
    PASSING = "passing"
    WHILE_HELD = "while-held"
    RELEASING = "releasing"
    KILLED = "killed"
    RIVALS = "rivals"
    OVERTAKEN = "overtaken"
    SLOW = "slow"
    ROBBED = "robbed"
    TAKEN_AWAY = "taken-away"
    DOUBT = "doubt"
    PUBLISHING = "publishing"
    CRASHING = "crashing"
    BESIDE = "beside"
    STRANDED = "stranded"
    LATE = "late"

    @property
    def tests(self) -> tuple[Promise, ...]:
        """The promises that it can break, in the order in which they are looked at."""
        return _TESTS[self]


_TESTS = {
    Plot.TOGETHER: (Promise.EXCLUSION, Promise.PROGRESS),
    Plot.PASSING: (Promise.EXCLUSION, Promise.PROGRESS),
    Plot.WHILE_HELD: (Promise.EXCLUSION, Promise.OWNER_ONLY_RELEASE, Promise.PROGRESS),
    Plot.RELEASING: (Promise.OWNER_ONLY_RELEASE, Promise.PROGRESS),
    Plot.KILLED: (Promise.RECOVERY,),
    Plot.RIVALS: (Promise.RECOVERY,),
    Plot.OVERTAKEN: (Promise.RECOVERY,),
    Plot.SLOW: (Promise.NO_WRONG_TAKEOVER,),
    Plot.ROBBED: (Promise.OWNER_ONLY_RELEASE,),
    Plot.TAKEN_AWAY: (Promise.OWNER_ONLY_RELEASE,),
    Plot.DOUBT: (Promise.SAFE_ON_DOUBT,),
    Plot.PUBLISHING: (Promise.WHOLE_PUBLICATION,),
    Plot.CRASHING: (Promise.WHOLE_PUBLICATION, Promise.RECOVERY),
    Plot.BESIDE: (Promise.ONE_CONSUMER,),
    Plot.STRANDED: (Promise.RECOVERY, Promise.IDEMPOTENCE),
    Plot.LATE: (Promise.NO_WRONG_TAKEOVER,),
}

PLOTS = {
    "lock": tuple(Plot)[:11],
    "publish": (Plot.PUBLISHING, Plot.CRASHING),
    "consume": (Plot.BESIDE, Plot.STRANDED, Plot.LATE),
}
"""The plots for each kind of recipe."""

_POINTLESS = (Plot.WHILE_HELD, Plot.SLOW, Plot.TAKEN_AWAY)
DAMAGES = ("empty", "garbage", "half", "fields")
"""What becomes of a mark: `fields` takes those of an object in JSON away, and leaves the object."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A plot and its point: a number of touches, or a kind of damage. Written `killed:3`, `doubt:half`, `slow`."""

    plot: Plot
    point: int | None = None
    damage: str = ""

    def __str__(self) -> str:
        return self.plot.value if self.point is None and not self.damage else f"{self.plot}:{self.damage or self.point}"


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What a run alone showed: touches until it has acquired, and in all; then of one who takes over from a killed holder, until it has
    acquired (0 when it does not take over), and whether the marks had to be made old for that; and how many of its touches come before
    it changes what the killed one left. `in_two_runs` is that it changes that and ends, so that the next one acquires.
    """

    acquiring: int
    whole: int
    takeover: int = 0
    by_age: bool = False
    decided: int = 0
    in_two_runs: bool = False


def schedules(kind: str, rehearsed: Rehearsed, promises: Collection[Promise]) -> Iterator[Schedule]:
    """All that can break one of the promises of a recipe of this kind, the simplest first.

    Where no call can be held there were no touches in the rehearsal, and so there are only schedules that need none.
    """
    for plot in PLOTS[kind]:
        if any(promise in promises for promise in plot.tests):
            if plot is Plot.DOUBT:
                yield from (Schedule(plot, damage=damage) for damage in DAMAGES)
            else:
                yield from (Schedule(plot, point) for point in _points(plot, rehearsed))


def _points(plot: Plot, rehearsed: Rehearsed) -> Iterable[int | None]:
    acquiring, whole = rehearsed.acquiring, rehearsed.whole
    match plot:
        case Plot.TOGETHER | Plot.PASSING:
            # Held after its last touch it has acquired, which is another plot.
            return range(1, acquiring)
        case Plot.RELEASING:
            return range(acquiring + 1, whole + 1)
        case Plot.KILLED:
            # A kill while it holds is what happens most. Before the first touch nothing has happened yet.
            return [acquiring, *(point for point in range(1, whole + 1) if point != acquiring)]
        case Plot.RIVALS:
            return range(1, rehearsed.takeover)
        case Plot.OVERTAKEN:
            return range(rehearsed.decided + 1, rehearsed.takeover) if rehearsed.decided else ()
        case Plot.ROBBED:
            return range(acquiring, whole + 1) if rehearsed.by_age else ()
        case Plot.PUBLISHING | Plot.CRASHING | Plot.BESIDE | Plot.STRANDED | Plot.LATE:
            return range(1, whole + 1)
        case _:
            return (None,)


def parse_schedule(text: str, kind: str) -> Schedule:
    """What `str` gave, of a recipe of this kind. Raises ClaimgridError for anything else."""
    word, _, point = text.partition(":")
    try:
        plot = Plot(word)
        if plot not in PLOTS[kind]:
            raise ClaimgridError(f"{text!r} is no schedule of a {kind}.", f"Its plots are {', '.join(PLOTS[kind])}.")
        if plot is Plot.DOUBT and point in DAMAGES:
            return Schedule(plot, damage=point)
        if plot in _POINTLESS and not point:
            return Schedule(plot)
        if plot not in (*_POINTLESS, Plot.DOUBT) and int(point) > 0:
            return Schedule(plot, int(point))
    except ValueError:
        pass
    raise ClaimgridError(
        f"{text!r} is no schedule.",
        "A schedule is printed with every broken promise, such as `killed:3` or `doubt:half`.",
    )
