"""Merging: what several files say about one build becomes one result that is never better than the worst of them. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType
from typing import Any

from harness.environment import Environment
from harness.judge import Case, Controls, Raced
from harness.mechanism import CHECK_THEN_ACT
from harness.results import BuildResult, ClaimResult, claim_to_dict, to_text
from harness.vocabulary import Occupant, Outcome, RaceOutcome, Verdict


@dataclass(frozen=True, slots=True)
class Part:
    """What one file, `source`, says about a build."""

    source: str
    result: BuildResult


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A claim about which files differ: the verdict that each of them gives, and the occupants whose cases differ."""

    claim_id: str
    verdicts: tuple[tuple[str, Verdict], ...]
    occupants: tuple[Occupant, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """One build: what it comes to, and the parts that it came from, in order of their sources."""

    result: BuildResult
    parts: tuple[Part, ...]
    disagreements: tuple[Disagreement, ...] = field(default=())

    @property
    def sources(self) -> tuple[str, ...]:
        """The files that it came from."""
        return tuple(part.source for part in self.parts)


Key = tuple[str, str, str, str]


def build_key(result: BuildResult) -> Key:
    """What makes two results results of the same build in the same surroundings."""
    return *result.group, result.version


def merge(parts: Iterable[Part]) -> list[Merged]:
    """Every build once, in order of platform, filesystem, runtime and version; the same for any order and repetition of the parts."""
    groups: dict[Key, list[Part]] = {}
    for part in parts:
        groups.setdefault(build_key(part.result), []).append(part)
    return [_merged(group) for _, group in sorted(groups.items())]


def worse_build(one: BuildResult, other: BuildResult) -> BuildResult:
    """Two results of the same build as one: claim by claim, and in all that is said about how they came about, the worse."""
    claims = {**one.claims, **other.claims}
    for claim_id in one.claims.keys() & other.claims.keys():
        claims[claim_id] = worse_claim(one.claims[claim_id], other.claims[claim_id])
    measured = max(one, other, key=lambda each: (each.harness, each.catalogue, each.source))
    return replace(
        measured,
        environment=_worse_environment(one.environment, other.environment),
        controls=Controls(
            *map(
                _worse_control,
                (one.controls.free_name_won, one.controls.overwrite_seen, one.controls.race_caught),
                (other.controls.free_name_won, other.controls.overwrite_seen, other.controls.race_caught),
            )
        ),
        claims=MappingProxyType(dict(sorted(claims.items()))),
    )


def worse_claim(one: ClaimResult, other: ClaimResult) -> ClaimResult:
    """One claim from two files: the worse verdict with its reason and code, the worse outcome of every case, the worse race."""
    if one == other:
        return one
    cases = {**one.cases, **other.cases}
    for occupant in one.cases.keys() & other.cases.keys():
        cases[occupant] = max(one.cases[occupant], other.cases[occupant], key=_case_key)
    judged = max(one, other, key=_claim_key)
    return replace(
        judged,
        cases=MappingProxyType({occupant: cases[occupant] for occupant in Occupant if occupant in cases}),
        raced=_worse_race(one.raced, other.raced),
        mechanism=max(one.mechanism, other.mechanism, key=_mechanism_key),
    )


def outcome_badness(outcome: Outcome) -> int:
    """The order in which outcomes of one case are combined: higher is worse."""
    return _BADNESS[outcome]


_BADNESS = {
    outcome: badness
    for badness, outcomes in enumerate(
        (
            (Outcome.NOT_RUN,),
            (Outcome.UNAVAILABLE,),
            (Outcome.UNSUPPORTED,),
            (Outcome.WON, Outcome.REFUSED),
            (Outcome.FALSE_REFUSAL,),
            (Outcome.NO_ANSWER, Outcome.TIMED_OUT, Outcome.CRASHED, Outcome.DISAGREED),
            (Outcome.DAMAGED, Outcome.FALSE_WIN, Outcome.OVERWROTE),
        )
    )
    for outcome in outcomes
}
_RACES = (
    RaceOutcome.ONE_WINNER,
    RaceOutcome.NOT_RUN,
    RaceOutcome.NEVER_MET,
    RaceOutcome.NO_WINNER,
    RaceOutcome.TWO_WINNERS,
)
"""From best to worst. A race that was not run shows nothing, so one winner elsewhere does not stand for it."""


def _merged(group: Iterable[Part]) -> Merged:
    unique: list[Part] = []
    for part in sorted(group, key=lambda part: part.source):
        if part not in unique:
            unique.append(part)
    if len(unique) == 1:
        return Merged(unique[0].result, tuple(unique))
    if len({part.source for part in unique}) < len(unique):
        # One source may have said two things, at two times: then the order of the parts has to tell these apart as well.
        unique.sort(key=lambda part: (part.source, to_text(part.result)))
    return Merged(reduce(worse_build, (part.result for part in unique)), tuple(unique), tuple(_disagreements(unique)))


def _disagreements(parts: list[Part]) -> Iterable[Disagreement]:
    for claim_id in sorted({claim_id for part in parts for claim_id in part.result.claims}):
        said = [(part.source, part.result.claims[claim_id]) for part in parts if claim_id in part.result.claims]
        if all(claim == said[0][1] for _, claim in said):
            continue
        verdicts = tuple((source, claim.verdict) for source, claim in said)
        differing = tuple(occupant for occupant in Occupant if len(_outcomes(occupant, said)) > 1)
        if differing or len({verdict for _, verdict in verdicts} - {Verdict.NOT_RUN}) > 1:
            yield Disagreement(claim_id, verdicts, differing)


def _outcomes(occupant: Occupant, said: Iterable[tuple[str, ClaimResult]]) -> set[Outcome]:
    """The different outcomes of one case; that one machine could not try it contradicts nobody."""
    outcomes = {claim.cases[occupant].outcome for _, claim in said if occupant in claim.cases}
    return outcomes - {Outcome.NOT_RUN, Outcome.UNAVAILABLE}


def _claim_key(claim: ClaimResult) -> tuple[int, str]:
    """Verdict, reason, kind and code belong together, and so they are taken from the same side. The text only makes the order total."""
    return claim.verdict.badness, _text(
        {key: value for key, value in claim_to_dict(claim).items() if key in ("kind", "code", "digest", "reason")}
    )


def _case_key(case: Case) -> tuple[int, str, bool, str, str, str, str]:
    return (
        _BADNESS[case.outcome],
        case.outcome.value,
        not case.recognised,
        case.detail or "",
        case.error,
        case.code,
        case.reason,
    )


def _worse_race(one: Raced, other: Raced) -> Raced:
    by_clock = max(one, other, key=lambda raced: (_RACES.index(raced.outcome), raced.reason))
    explored = max(one, other, key=lambda raced: (_RACES.index(raced.explored), raced.unexplored, raced.pause))
    return Raced(by_clock.outcome, by_clock.reason, explored.explored, explored.unexplored, explored.pause)


def _mechanism_key(mechanism: str | None) -> tuple[bool, bool, str]:
    """A mechanism that was seen says more than none; one that checks and then acts is the worst."""
    return mechanism is not None, mechanism == CHECK_THEN_ACT, mechanism or ""


def _worse_environment(one: Environment, other: Environment) -> Environment:
    return max(one, other, key=lambda each: (each.privileged, each.os))


def _worse_control(one: bool | None, other: bool | None) -> bool | None:
    """A control that failed anywhere failed; one that was not part of a batch is not worth one that held."""
    return min(one, other, key=(False, None, True).index)


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True)
