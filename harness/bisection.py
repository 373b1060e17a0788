"""Bisection: the first version in which a claim is worth something else, found with few measurements. Pure, but for the measuring it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Change:
    """Two neighbours among what could be measured: `skipped` lie between them and could not be."""

    older: str
    newer: str
    before: Verdict
    after: Verdict
    skipped: tuple[str, ...] = ()


_SILENT = (Verdict.INDETERMINATE, Verdict.NOT_RUN)
"""Verdicts from which nothing follows about the call."""

Measure = Callable[[str], Verdict | None]
"""The verdict on a claim in one version; None when that version cannot be had or does not start."""


def worth(verdict: Verdict) -> Verdict:
    """What a verdict comes to when it is not known whether there was a race: a clean claim that was raced is a clean claim."""
    return Verdict.REFUSES if verdict is Verdict.SAFE else verdict


def first_change(versions: Sequence[str], before: Verdict, after: Verdict, measure: Measure) -> Change:
    """A place between the first and the last of `versions` (oldest first) where the verdict changes.

    The first one is known to be worth `before` and the last `after`. Where it changed more than once, one of the changes is found:
    the two neighbours are measured ones, and differ. A version of which nothing can be concluded is passed over, unless that is
    what is looked for. Raises ValueError when there is nothing to look for.
    """
    if len(versions) < 2 or worth(before) is worth(after):
        raise ValueError("nothing changed")
    sought = {worth(before), worth(after)}
    low, high = 0, len(versions) - 1
    seen: dict[int, Verdict | None] = {low: before, high: after}
    while untried := [place for place in range(low + 1, high) if place not in seen]:
        middle = (low + high) // 2
        place = min(untried, key=lambda each: abs(each - middle))
        verdict = seen[place] = measure(versions[place])
        if verdict is None or (verdict in _SILENT and verdict not in sought):
            continue
        if worth(verdict) is worth(before):
            low = place
        else:
            high, after = place, verdict
    older = seen[low]
    assert older is not None
    return Change(versions[low], versions[high], older, after, tuple(versions[low + 1 : high]))
