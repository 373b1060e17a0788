"""Comparing: how every measured cell stands to what is expected of it. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.expectations import Expectation
from harness.results import BuildResult, ClaimResult
from harness.vocabulary import RaceOutcome, Verdict, worst


class Standing(StrEnum):
    """How a cell stands to what is expected of it."""

    WORSE = "worse"
    BETTER = "better"
    UNPROVED = "unproved"
    UNMEASURED = "unmeasured"
    AS_EXPECTED = "as-expected"

    @property
    def contradicts(self) -> bool:
        """Whether the cell says something else than was expected."""
        return self in (Standing.WORSE, Standing.BETTER)


@dataclass(frozen=True, slots=True)
class Cell:
    """One claim in one build with the expectation that holds for it; `standing` is None where none does."""

    build: BuildResult
    claim_id: str
    claim: ClaimResult
    expectation: Expectation | None
    standing: Standing | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every cell, and the expectations that hold for none of them, in the order of their file."""

    cells: tuple[Cell, ...]
    idle: tuple[Expectation, ...]

    def of(self, standing: Standing | None) -> list[Cell]:
        """The cells that stand so."""
        return [cell for cell in self.cells if cell.standing is standing]


_UNFINISHED = ("never-met", "race-failed", "control-missed", "unexplored", "own-not-tried")
"""Why nothing could be concluded though nothing was seen to go wrong with the claim."""
_UNRACED = {
    Verdict.REFUSES: (Verdict.SAFE, Verdict.CONDITIONAL, Verdict.RACY, Verdict.INDETERMINATE),
    Verdict.CONDITIONAL: (Verdict.RACY, Verdict.INDETERMINATE),
}
"""What a claim may yet turn out to be, that was only tried one after another."""


def compare(expectations: Sequence[Expectation], results: Iterable[BuildResult]) -> Comparison:
    """Set results against expectations; of several that speak about one cell the last holds."""
    builds = list(results)
    known: dict[str, set[str]] = {}
    for build in builds:
        known.setdefault(build.runtime, set()).update(build.claims)
    chosen = {
        (place, runtime): each.chosen(ids)
        for place, each in enumerate(expectations)
        for runtime, ids in known.items()
        if not each.runtimes or runtime in each.runtimes
    }
    cells, holding = [], set()
    for build in builds:
        last = {
            claim_id: place
            for place, each in enumerate(expectations)
            if each.covers(build)
            for claim_id in chosen[place, build.runtime]
        }
        for claim_id, claim in build.claims.items():
            place = last.get(claim_id)
            if place is None:
                cells.append(Cell(build, claim_id, claim, None, None))
                continue
            holding.add(place)
            expected = expectations[place]
            cells.append(Cell(build, claim_id, claim, expected, standing(expected.verdicts, claim)))
    idle = tuple(each for place, each in enumerate(expectations) if place not in holding)
    return Comparison(tuple(cells), idle)


def standing(expected: Sequence[Verdict], claim: ClaimResult) -> Standing:
    """How one claim stands to the verdicts expected of it.

    What was not raced, or raced to no conclusion, is never worse than what a race may yet show; and where nothing can be concluded,
    nothing has become better. A call that a build lacks is worth nothing, neither good nor bad.
    """
    verdict = claim.verdict
    if verdict in expected:
        return Standing.AS_EXPECTED
    if verdict in (Verdict.UNSUPPORTED, Verdict.NOT_RUN):
        return Standing.UNMEASURED
    limit = worst(list(expected))
    if limit is Verdict.UNSUPPORTED:
        return Standing.BETTER
    worse = verdict.badness > limit.badness
    if verdict is Verdict.INDETERMINATE and (not worse or claim.judgement.reason.code in _UNFINISHED):
        return Standing.UNPROVED
    unraced = verdict is Verdict.REFUSES or claim.raced.outcome is RaceOutcome.NOT_RUN
    if unraced and set(expected) & set(_UNRACED.get(verdict, ())):
        return Standing.UNPROVED
    return Standing.WORSE if worse else Standing.BETTER


def is_measured(claim: ClaimResult) -> bool:
    """Whether a cell says anything that could be expected."""
    return claim.verdict not in (Verdict.UNSUPPORTED, Verdict.NOT_RUN)
