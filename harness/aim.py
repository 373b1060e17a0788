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
_LAST_STEP, _SPREAD = 0.25, 0.1
"""The parts of the shorter claim that the smallest step is, and that starts stray by."""
_POINT = 0.05
"""Milliseconds that neither is larger than. Long claims come to the point as suddenly as short ones, and waver more by themselves."""


@dataclass(frozen=True, slots=True)
class Aim:
    """How many milliseconds later than the first contender the second one starts; earlier where it is negative.

    `step` is how far the next correction goes, `spread` how far a start may stray from the aim: contenders in step pass through
    the same instructions together and through others never.
    """

    lag: float = 0.0
    step: float = 0.0
    spread: float = 0.0

    def starts(self, first: float, contenders: int, stray: float) -> list[float]:
        """When each one starts, none before `first`; `stray` is between -1 and 1."""
        lag = self.lag + stray * self.spread
        return [first + max(0.0, -lag), first + max(0.0, lag), *[first] * (contenders - 2)][:contenders]

    def after(self, rounds: Sequence[Round], starts: Sequence[float], gap: float, kind: Kind) -> Aim:
        """The aim after a batch of claims of this kind."""
        parties = [_parties(each) for each in rounds]
        if len(parties[0]) != 2:
            return self
        settled = parties[len(parties) // 2 :]
        durations = [statistics.median(each[who].ended - each[who].began for each in settled) for who in (0, 1)]
        smallest = min(_LAST_STEP * min(durations), _POINT)
        tardiness = 0
        for number, (each, both) in enumerate(zip(rounds, parties, strict=True)):
            late = max(both[who].began - starts[who] - number * gap for who in (0, 1))
            if late <= max(_ON_TIME * min(durations), smallest):
                tardiness += _second_came_late(each, kind)
        return Aim(*_corrected(self, tardiness, smallest, max(durations)), spread=min(_SPREAD * min(durations), _POINT))


def _parties(each: Round) -> Sequence[Attempt]:
    return each.attempts if each.bystander is None else (*each.attempts, each.bystander)


def _second_came_late(each: Round, kind: Kind) -> int:
    """1 when the second contender was the later one, -1 when it was the earlier one, 0 when that does not show."""
    if each.bystander is not None:
        # It finds the name that the creator made, or the thing that nobody took yet.
        return 1 if each.bystander.won is not (kind is Kind.TAKE) else -1
    winners = [who for who, attempt in enumerate(each.attempts) if attempt.won]
    return 0 if len(winners) != 1 else 1 if winners == [0] else -1


def _corrected(aim: Aim, tardiness: int, smallest: float, longest: float) -> tuple[float, float]:
    """The lag moved by one step, and the next step: half as far after a change of direction, farther without one."""
    if tardiness == 0:
        return aim.lag, aim.step
    step = abs(aim.step) or _FIRST_STEP * longest
    towards = -1 if tardiness > 0 else 1
    if aim.step:
        step = step / 2 if (aim.step > 0) is not (towards > 0) else step * 1.5
    step = min(max(step, smallest), longest)
    return min(max(aim.lag + towards * step, -longest), longest), towards * step
