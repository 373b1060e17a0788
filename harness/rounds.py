"""Judging a race from its rounds: who won by their own account, what the disk says of it, and what that adds up to. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from harness.vocabulary import Kind, RaceOutcome

MIN_MET = 20
"""Rounds in which contenders have to have met before anything is concluded from nothing having happened."""
MIN_SHARE = 0.1
"""The part of all rounds that they have to be. Contenders that meet more seldom are out of step, and their meetings are accidents of
the scheduler, one asleep in the middle of its claim while the other makes a whole one: that is not how claims collide."""
MIN_EXPECTED = 10.0
"""How many times the control, by the rate at which it was seen to double, would have doubled in as many met rounds. A claim with half
the control's window then passes by luck once in 150 races; for one with a tenth of it, only a longer race or a trace will do."""


class Attempt(NamedTuple):
    """One contender's part of a round: what its caller learned, and when, in milliseconds of the common clock."""

    won: bool
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Left:
    """What the disk shows after a round: whether the name is there, and which contenders are named by what it, or their loot, is."""

    there: bool
    owners: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Round:
    """One name, everybody who wanted it, and somebody who only looked at it, if there was one."""

    attempts: tuple[Attempt, ...]
    left: Left
    bystander: Attempt | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """What rounds add up to. `several_unmet` are those of `several` in which nobody met: there it was no race that let two win.

    `contradicted`: one contender was told that it had won, and the disk says otherwise.
    """

    rounds: int = 0
    met: int = 0
    one: int = 0
    several: int = 0
    none: int = 0
    several_unmet: int = 0
    contradicted: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(Counts)))

    @property
    def doubling(self) -> float:
        """The part of the met rounds that several won."""
        return (self.several - self.several_unmet) / self.met if self.met else 0.0

    def is_enough(self, control: Counts | None = None) -> bool:
        """Whether they met often enough, for their number and by what the control, if it doubled, tells of its worth."""
        expected = control.doubling * self.met if control and control.doubling else MIN_EXPECTED
        return self.met >= MIN_MET and self.met >= MIN_SHARE * self.rounds and expected >= MIN_EXPECTED


def count_rounds(rounds: Sequence[Round], kinds: Sequence[Kind], error: float) -> Counts:
    """Count the rounds of one batch: `kinds` are those of the contenders' claims, `error` is how far their clocks may be apart."""
    marking = marking_contenders(rounds)
    tally = dict.fromkeys((field.name for field in fields(Counts)), 0)
    released = release_times(rounds, kinds)
    for each in rounds:
        if not won_at_once(each, released):
            continue
        winners = [number for number, attempt in enumerate(each.attempts) if attempt.won]
        met = have_met(each, error)
        tally["rounds"] += 1
        tally["met"] += met
        tally["one" if len(winners) == 1 else "several" if winners else "none"] += 1
        tally["several_unmet"] += len(winners) > 1 and not met
        tally["contradicted"] += len(winners) == 1 and contradicts(each.left, winners[0], kinds[winners[0]], marking)
    return Counts(**tally)


def release_times(rounds: Sequence[Round], kinds: Sequence[Kind]) -> list[float]:
    """Until when each contender keeps what it wins: what is *held* only until the contender has made its last claim of the batch."""
    last = [max((each.attempts[number].ended for each in rounds), default=0.0) for number in range(len(kinds))]
    return [last[number] if kind is Kind.HELD else math.inf for number, kind in enumerate(kinds)]


def won_at_once(each: Round, released: Sequence[float]) -> bool:
    """Whether all who won a round had it at the same time; if not, one may have let go before another took hold, and the round says nothing."""
    winners = [number for number, attempt in enumerate(each.attempts) if attempt.won]
    return len(winners) < 2 or max(each.attempts[one].ended for one in winners) <= min(released[one] for one in winners)


def have_met(each: Round, error: float) -> bool:
    """Whether at least two were at it at the same time, for certain."""
    attempts = [*each.attempts, *([each.bystander] if each.bystander else [])]
    # Sorted by beginning, two of them overlap only if one overlaps with the one that reaches furthest before it.
    attempts.sort(key=lambda attempt: attempt.began)
    reach = attempts[0].ended
    for attempt in attempts[1:]:
        if min(reach, attempt.ended) - attempt.began > error:
            return True
        reach = max(reach, attempt.ended)
    return False


def marking_contenders(rounds: Iterable[Round]) -> frozenset[int]:
    """Those whose claim leaves a mark: the disk names them somewhere. A directory that was made says nothing about its maker."""
    return frozenset(owner for each in rounds for owner in each.left.owners)


def contradicts(left: Left, winner: int, kind: Kind, marking: frozenset[int]) -> bool:
    """Whether the disk denies what the only winner was told."""
    match kind:
        case Kind.CREATE:
            # Somebody else's mark beside the winner's counts too: that one wrote into what it was told it had not got.
            return not left.there or bool(left.owners - {winner}) or (winner in marking and not left.owners)
        case Kind.TAKE:
            # A loser may have kept a copy of the thing; what matters is that the winner has it, and that nobody else can get it.
            return left.there or (winner in marking and winner not in left.owners)
        case _:
            # What was held is let go of when the disk is looked at.
            return False


def judge_race(
    claimants: Counts, control: Counts | None = None, bystander: Counts | None = None
) -> tuple[RaceOutcome, str]:
    """The outcome, and why as a code where the outcome alone does not tell; what was seen to happen goes before what was not."""
    if claimants.several:
        return RaceOutcome.TWO_WINNERS, "unmet" if claimants.several == claimants.several_unmet else ""
    if claimants.contradicted or (bystander and bystander.contradicted):
        return RaceOutcome.NOT_RUN, "contradicted"
    if claimants.none:
        return RaceOutcome.NO_WINNER, "contenders"
    if bystander and bystander.none:
        return RaceOutcome.NO_WINNER, "bystander"
    if not claimants.is_enough(control):
        return RaceOutcome.NEVER_MET, "contenders"
    # No share is asked for: the look is aimed at the very end of a claim, and often falls just behind it.
    if bystander and bystander.met < MIN_MET:
        return RaceOutcome.ONE_WINNER, "bystander-unmet"
    return RaceOutcome.ONE_WINNER, ""
