"""Aiming contenders at each other: who starts how much later, so that what they do to the name falls together. Pure.

Two claims that start together do not act together when one takes longer to come to the point: a shell starts a tool, a runtime
hands its claim to another thread. But who came first shows in who won, and so the second contender's start is moved until each
comes first about as often.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from harness.rounds import Attempt, Round
from harness.vocabulary import Kind

_ON_TIME = 0.1
"""Rounds count in which nobody began later than planned by more than this part of the shorter claim, or than the smallest step."""
_FIRST_STEP = 0.5
"""The part of the longer claim that the first step is."""
_LAST_STEP = 0.1
"""The part of the shorter claim that the smallest step is."""
_POINT = 0.05
"""Milliseconds that it is not larger than: long claims come to the point as suddenly as short ones."""
_FAR = 0.7
"""How much more often one contender has to come first than the other for the aim to be far off still."""
_CLOSE, _WIDE = 0.1, 1.0
"""The parts of the shorter claim by which starts stray, for two batches and for the third. The first are for claims that look and act
at once, the other is for those that do more in between: what lets two win may then need them farther apart."""


@dataclass(frozen=True, slots=True)
class Aim:
    """How many milliseconds later than the first contender the second one starts; earlier where it is negative.

    `step` is how far the last correction went, `duration` the time that the shorter claim takes. Starts stray around the aim:
    contenders in step pass through the same instructions together and through others never.
    """

    lag: float = 0.0
    step: float = 0.0
    duration: float = 0.0
    batches: int = 0

    def starts(self, first: float, contenders: int, stray: float) -> list[float]:
        """When each one starts, none before `first`; `stray` is between -1 and 1."""
        lag = self.lag + stray * self.duration * (_WIDE if self.is_wide else _CLOSE)
        return [first + max(0.0, -lag), first + max(0.0, lag), *[first] * (contenders - 2)][:contenders]

    @property
    def is_wide(self) -> bool:
        """Whether the next batch strays far, and so cannot tell whether the aim is right."""
        return self.batches % 3 == 2

    def after(self, rounds: Sequence[Round], starts: Sequence[float], gap: float, kind: Kind) -> Aim:
        """The aim after a batch of claims of this kind."""
        parties = [_parties(each) for each in rounds]
        if len(parties[0]) != 2:
            return self
        settled = parties[len(parties) // 2 :]
        durations = [statistics.median(each[who].ended - each[who].began for each in settled) for who in (0, 1)]
        smallest = min(_LAST_STEP * min(durations), _POINT)
        # Whoever is late by more than that did not come second by aim.
        punctual = [
            _second_came_late(each, kind)
            for number, (each, both) in enumerate(zip(rounds, parties, strict=True))
            if max(both[who].began - starts[who] - number * gap for who in (0, 1))
            <= max(_ON_TIME * min(durations), smallest)
        ]
        tardiness = sum(punctual) / len(punctual) if punctual and not self.is_wide else 0.0
        lag, step = _corrected(self, tardiness, smallest, max(durations))
        # The moment that matters to a bystander is known: it need not look elsewhere.
        watched = rounds[0].bystander is not None
        return Aim(lag, step, min(durations), self.batches + (0 if watched else 1))


def _parties(each: Round) -> Sequence[Attempt]:
    return each.attempts if each.bystander is None else (*each.attempts, each.bystander)


def _second_came_late(each: Round, kind: Kind) -> float:
    """1 when the second contender was the later one, -1 when it was the earlier one, 0 when that does not show.

    A bystander is right when it comes late once in three times: what it does to a creator, it does just after the name was made,
    and where it opens the name but is refused it as well it seems to have come early.
    """
    if each.bystander is not None:
        return 1.0 if each.bystander.won is not (kind is Kind.TAKE) else -0.5
    winners = [who for who, attempt in enumerate(each.attempts) if attempt.won]
    return 0.0 if len(winners) != 1 else 1.0 if winners == [0] else -1.0


def _corrected(aim: Aim, tardiness: float, smallest: float, longest: float) -> tuple[float, float]:
    """The lag and the step of the next batches. A step is halved when the direction changes, and grows as long as the aim is far off.

    `tardiness` is how much more often the second contender came late than early, between -1 and 1.
    """
    if tardiness == 0:
        return aim.lag, aim.step
    towards = -1 if tardiness > 0 else 1
    step = abs(aim.step) or _FIRST_STEP * longest
    if aim.step and (aim.step > 0) is not (towards > 0):
        step /= 2
    elif aim.step and abs(tardiness) > _FAR:
        step *= 1.5
    step = min(max(step, smallest), longest)
    return min(max(aim.lag - tardiness * step, -longest), longest), towards * step
