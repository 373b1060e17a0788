"""Schedules: who is held or killed where, while the others run. Pure; they are played by `harness.trials`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.errors import ClaimgridError
from harness.promises import Promise


class Plot(StrEnum):
    """What a schedule is about.

    TOGETHER: one is held after each of its touches before it acquires, the other comes meanwhile.
    WHILE_HELD: others come while one holds.
    RELEASING: the holder is held after each touch of its release, another comes meanwhile.
    KILLED: one is killed after each of its touches, then others come.
    RIVALS: a holder was killed; of two who come to take over, one is held after each of its touches.
    SLOW: the holder's marks are made old while it lives, and another comes.
    ROBBED: the same, and whoever took over holds while the first one releases, held after each touch of its release.
    TAKEN_AWAY: somebody removes the holder's marks by hand, another acquires, and the first one releases.
    DOUBT: a killed holder's mark is emptied, cut in half or overwritten with garbage, and another comes.
    """

    TOGETHER = "together"
    WHILE_HELD = "while-held"
    RELEASING = "releasing"
    KILLED = "killed"
    RIVALS = "rivals"
    SLOW = "slow"
    ROBBED = "robbed"
    TAKEN_AWAY = "taken-away"
    DOUBT = "doubt"

    @property
    def tests(self) -> tuple[Promise, ...]:
        """The promises that it can break, in the order in which they are looked at."""
        return _TESTS[self]


_TESTS = {
    Plot.TOGETHER: (Promise.EXCLUSION, Promise.PROGRESS),
    Plot.WHILE_HELD: (Promise.EXCLUSION, Promise.OWNER_ONLY_RELEASE, Promise.PROGRESS),
    Plot.RELEASING: (Promise.OWNER_ONLY_RELEASE, Promise.PROGRESS),
    Plot.KILLED: (Promise.RECOVERY,),
    Plot.RIVALS: (Promise.RECOVERY,),
    Plot.SLOW: (Promise.NO_WRONG_TAKEOVER,),
    Plot.ROBBED: (Promise.OWNER_ONLY_RELEASE,),
    Plot.TAKEN_AWAY: (Promise.OWNER_ONLY_RELEASE,),
    Plot.DOUBT: (Promise.SAFE_ON_DOUBT,),
}

DAMAGES = ("empty", "half", "garbage")


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
    acquired (0 when it does not take over), and whether the marks had to be made old for that.
    """

    acquiring: int
    whole: int
    takeover: int = 0
    by_age: bool = False


def schedules(rehearsed: Rehearsed, promises: Collection[Promise]) -> Iterator[Schedule]:
    """All that can break one of the promises, the simplest first.

    Where no call can be held there were no touches in the rehearsal, and so there are only schedules that need none.
    """
    points = {
        Plot.WHILE_HELD: [None],
        # Held after its last touch it has acquired, which is another plot.
        Plot.TOGETHER: range(1, rehearsed.acquiring),
        Plot.RELEASING: range(rehearsed.acquiring + 1, rehearsed.whole + 1),
        # Before the first touch nothing has happened yet, and after the last nothing is left to do.
        Plot.KILLED: [rehearsed.acquiring, *(n for n in range(1, rehearsed.whole + 1) if n != rehearsed.acquiring)],
        Plot.RIVALS: range(1, rehearsed.takeover),
        Plot.SLOW: [None],
        Plot.ROBBED: range(rehearsed.acquiring, rehearsed.whole + 1) if rehearsed.by_age else [],
        Plot.TAKEN_AWAY: [None],
    }
    for plot in Plot:
        if any(promise in promises for promise in plot.tests):
            if plot is Plot.DOUBT:
                yield from (Schedule(plot, damage=damage) for damage in DAMAGES)
            else:
                yield from (Schedule(plot, point) for point in points[plot])


def parse_schedule(text: str) -> Schedule:
    """What `str` gave. Raises ClaimgridError for anything else."""
    word, _, point = text.partition(":")
    try:
        plot = Plot(word)
        if plot is Plot.DOUBT and point in DAMAGES:
            return Schedule(plot, damage=point)
        if plot in (Plot.WHILE_HELD, Plot.SLOW, Plot.TAKEN_AWAY) and not point:
            return Schedule(plot)
        if plot is not Plot.DOUBT and int(point) > 0:
            return Schedule(plot, int(point))
    except ValueError:
        pass
    raise ClaimgridError(
        f"{text!r} is no schedule.",
        "A schedule is printed with every broken promise, such as `killed:3` or `doubt:half`.",
    )
