"""The tempo of a race: how far apart rounds are, and how many make a batch, learned from the batch before. Pure."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.rounds import Attempt, Round

_SMALLEST_GAP = 0.15
_SPREAD, _ROOM = 2.0, 3.0
"""Between claims there is room for so many more of them, but not for more than so many milliseconds: whoever lost the processor for a
moment catches up within some rounds."""
_SLACK, _MEMORY = 1.3, 0.97
"""Gaps are this many times as long as a contender needs from one round to the next. That shows only when it is late, so that it is
remembered, each batch a little less."""
_SHORTEST_BATCH, _LONGEST_BATCH = 2.0, 100.0
"""Milliseconds. A contender that lost the processor for longer is out of step for the rest of its batch, so that batches are the
shorter the busier the machine is: one that has just woken up is seldom made to wait."""
_FEWEST_ROUNDS, _MOST_ROUNDS = 3, 400
_SHORTEST_LEAD, _LONGEST_LEAD = 2.0, 16.0
_PATIENCE = 3
"""Contenders are asked earlier only when they were late so many times in a row: by then it is not the scheduler but their preparations.
Earlier than needed is no good either, for they spin until the start, and whoever spins for long loses the processor."""
_LATE = 0.1
"""Whoever starts later than planned by more than this part of the gap is late."""
_MANY_LATE, _FEW_LATE = 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Tempo:
    """How the next batch is run; all times in milliseconds. The first one is a guess, small enough for the slowest runtime.

    `lead` is from asking the contenders to the start of the first round, `length` what a batch is to last, `duration` what a claim
    took last, `turnaround` what a contender needs from one claim to the next, and `delays` how late they were for the first round
    of recent batches.
    """

    rounds: int = 8
    gap: float = 1.0
    lead: float = 4.0
    length: float = 20.0
    duration: float = 0.0
    turnaround: float = 0.0
    delays: tuple[float, ...] = ()

    @property
    def planned(self) -> float:
        """From asking the contenders to the end of the last round, if all goes as it should."""
        return self.lead + self.rounds * self.gap

    def after(self, rounds: Sequence[Round], starts: Sequence[float]) -> Tempo:
        """The tempo after a batch, `starts` being when each contender was to start its first round."""
        lateness = [
            [attempt.began - (starts[who] + number * self.gap) for who, attempt in enumerate(_everybody(each))]
            for number, each in enumerate(rounds)
        ]
        late = [[delay > _LATE * self.gap for delay in delays] for delays in lateness]
        share = sum(map(sum, late)) / sum(map(len, late))
        # What the first rounds took is no guide: code is compiled, caches are cold.
        settled = rounds[len(rounds) // 2 :]
        duration = statistics.median(attempt.ended - attempt.began for each in settled for attempt in each.attempts)
        turnaround = max(_turnaround(rounds, late), _MEMORY * self.turnaround)
        gap = max(duration + min(_SPREAD * duration, _ROOM), _SLACK * turnaround, _SMALLEST_GAP)
        length = _steered(self.length, share > _MANY_LATE, share < _FEW_LATE)
        delays = (*self.delays, max(0.0, *lateness[0]))[-_PATIENCE:]
        steadily = min(delays) if len(delays) == _PATIENCE else 0.0
        return Tempo(
            rounds=max(_FEWEST_ROUNDS, min(_MOST_ROUNDS, round(length / gap))),
            gap=round(gap, 3),
            lead=min(self.lead + 1.5 * steadily, _LONGEST_LEAD)
            if any(late[0])
            else max(0.8 * self.lead, _SHORTEST_LEAD),
            length=length,
            duration=duration,
            turnaround=turnaround,
            delays=delays,
        )


def _everybody(each: Round) -> Sequence[Attempt]:
    return each.attempts if each.bystander is None else (*each.attempts, each.bystander)


def _turnaround(rounds: Sequence[Round], late: Sequence[Sequence[bool]]) -> float:
    """From the beginning of one round to that of the next for whoever is late in both, and so does not wait; 0 when nobody is."""
    return statistics.median(list(_without_waiting(rounds, late)) or [0.0])


def _without_waiting(rounds: Sequence[Round], late: Sequence[Sequence[bool]]) -> Iterator[float]:
    for (each, then), lateness in zip(itertools.pairwise(rounds), itertools.pairwise(late), strict=True):
        for before, after, *hurried in zip(_everybody(each), _everybody(then), *lateness, strict=True):
            if all(hurried):
                yield after.began - before.began


def _steered(length: float, down: bool, up: bool) -> float:
    """Down by half, up by double, inside the bounds."""
    return max(_SHORTEST_BATCH, length / 2) if down else min(_LONGEST_BATCH, length * 2) if up else length
