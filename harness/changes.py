"""Changes between two sets of results: what became worse or better, appeared or vanished, versions folded. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from harness.judge import Controls, judge_claim, told_nothing
from harness.matrix import Column, Row
from harness.merge import Key, build_key, outcome_badness
from harness.results import BuildResult, ClaimResult
from harness.versions import sort_key
from harness.vocabulary import Occupant, Outcome, RaceOutcome, Verdict


class Word(StrEnum):
    """What became of a claim, of what a race tells about it, or of a whole build."""

    WORSE = "worse"
    BETTER = "better"
    APPEARED = "appeared"
    VANISHED = "vanished"


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of one claim in one build; `cases` are those whose outcome changed."""

    word: Word
    before: Verdict | None
    after: Verdict | None
    cases: tuple[tuple[Occupant, Outcome, Outcome], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The same turn of a claim in several versions; `claim_id` is empty where whole builds appeared or vanished.

    `versions` are runs of neighbours among the builds that were compared; nothing is said about those in between that were not.
    """

    turn: Turn
    platform: str
    filesystem: str
    runtime: str
    claim_id: str
    versions: tuple[Column, ...]


def compare(old: Iterable[BuildResult], new: Iterable[BuildResult]) -> list[Change]:
    """Every change, the worse first; none for equal results. Each build is in each set at most once."""
    before = {build_key(result): result for result in old}
    after = {build_key(result): result for result in new}
    changes = [
        *_whole(Word.VANISHED, before.keys() - after.keys(), before.keys()),
        *_whole(Word.APPEARED, after.keys() - before.keys(), after.keys()),
    ]
    for group, versions in _by_runtime(before.keys() & after.keys()).items():
        turns: dict[tuple[str, Turn], list[str]] = {}
        for version in versions:
            one, other = before[(*group, version)], after[(*group, version)]
            for claim_id in sorted(one.claims.keys() | other.claims.keys()):
                turn = turn_of(one.claims.get(claim_id), other.claims.get(claim_id))
                if turn is not None:
                    turns.setdefault((claim_id, turn), []).append(version)
        changes += [Change(turn, *group, claim_id, _runs(found, versions)) for (claim_id, turn), found in turns.items()]
    return sorted(changes, key=_order)


def turn_of(before: ClaimResult | None, after: ClaimResult | None) -> Turn | None:
    """What became of a claim in one build; None when it is as it was."""
    old, new = _known(before), _known(after)
    shown = (before.verdict if before else None, after.verdict if after else None)
    if old is None and new is None:
        return None
    if old is None or before is None:
        return Turn(Word.APPEARED, *shown)
    if new is None or after is None:
        return Turn(Word.VANISHED, *shown)
    cases = _changed_cases(before, after)
    if old is not new:
        told, tells = _knowledge(before), _knowledge(after)
        if told != tells and not differs(before, after):
            # Nothing is shown to have become otherwise: a race tells now what it did not tell before, or does not any more.
            return Turn(Word.APPEARED if tells > told else Word.VANISHED, *shown, cases)
        # Where nothing can be concluded any more, nothing has become better: what was known is gone.
        if new is Verdict.INDETERMINATE and old.badness > new.badness:
            return Turn(Word.VANISHED, *shown, cases)
        return Turn(Word.WORSE if new.badness > old.badness else Word.BETTER, *shown, cases)
    if not cases:
        return None
    worse = any(outcome_badness(now) > outcome_badness(then) for _, then, now in cases)
    return Turn(Word.WORSE if worse else Word.BETTER, *shown, cases)


def was_raced(claim: ClaimResult) -> bool:
    """Whether contenders for one name showed anything of the claim, by chance or by every pause."""
    explored = claim.raced.explored is not RaceOutcome.NOT_RUN
    return explored or (claim.raced.outcome is not RaceOutcome.NOT_RUN and not told_nothing(claim.raced))


def _knowledge(claim: ClaimResult) -> int:
    """How much is known of a claim: nothing for certain, what it does alone, what it does in a race."""
    return 2 if was_raced(claim) else int(claim.verdict is not Verdict.INDETERMINATE)


def alone(claim: ClaimResult) -> Verdict:
    """What a claim is worth when nobody else wants the name at the same moment: its verdict without any race."""
    if claim.verdict is Verdict.UNSAFE or claim.judgement.reason.code == "control-failed":
        return claim.verdict
    return judge_claim(claim.kind, claim.cases, Controls(True, True)).verdict


def differs(one: ClaimResult, other: ClaimResult) -> bool:
    """Whether two builds are shown to do otherwise. Where one of them was not raced, only what both do alone can be compared."""
    if one.verdict is other.verdict:
        return False
    return was_raced(one) is was_raced(other) is True or alone(one) is not alone(other)


def fold(changes: Iterable[Change]) -> list[tuple[Change, str]]:
    """Changes with the claims they are about, as printed: variants of one call that turned alike are one."""
    folded: dict[tuple[object, ...], tuple[Change, list[str]]] = {}
    for each in changes:
        call, _, variant = each.claim_id.partition("/")
        same = (each.turn, each.platform, each.filesystem, each.versions, call, each.runtime)
        folded.setdefault(same, (each, []))[1].append(variant)
    return [
        (change, Row(change.claim_id.partition("/")[0] or change.runtime, tuple(variants), ()).label)
        for change, variants in folded.values()
    ]


def to_dict(change: Change) -> dict[str, Any]:
    """A change for other programs."""
    return {
        "change": change.turn.word.value,
        "platform": change.platform,
        "filesystem": change.filesystem,
        "runtime": change.runtime,
        "versions": [version for run in change.versions for version in run.versions],
        "claim": change.claim_id or None,
        "before": change.turn.before,
        "after": change.turn.after,
        "cases": {occupant.value: [then.value, now.value] for occupant, then, now in change.turn.cases},
    }


def _known(claim: ClaimResult | None) -> Verdict | None:
    """A verdict that says something about a claim; none where the build has no such call or did not try it."""
    if claim is None or claim.verdict in (Verdict.UNSUPPORTED, Verdict.NOT_RUN):
        return None
    return claim.verdict


_LEAST = outcome_badness(Outcome.UNSUPPORTED)


def _changed_cases(before: ClaimResult, after: ClaimResult) -> tuple[tuple[Occupant, Outcome, Outcome], ...]:
    """The cases that were answered both times, and not alike."""
    return tuple(
        (occupant, before.cases[occupant].outcome, after.cases[occupant].outcome)
        for occupant in Occupant
        if occupant in before.cases and occupant in after.cases
        if before.cases[occupant].outcome is not after.cases[occupant].outcome
        if min(outcome_badness(each.cases[occupant].outcome) for each in (before, after)) > _LEAST
    )


def _whole(word: Word, keys: Iterable[Key], among: Iterable[Key]) -> list[Change]:
    neighbours = _by_runtime(among)
    return [
        Change(Turn(word, None, None), *group, "", _runs(versions, neighbours[group]))
        for group, versions in _by_runtime(keys).items()
    ]


def _by_runtime(keys: Iterable[Key]) -> Mapping[tuple[str, str, str], list[str]]:
    """Versions, oldest first, by platform, filesystem and runtime."""
    ordered = sorted(keys, key=lambda key: (key[:3], sort_key(key[3])))
    return {group: [key[3] for key in found] for group, found in groupby(ordered, key=lambda key: key[:3])}


def _runs(found: Sequence[str], among: Sequence[str]) -> tuple[Column, ...]:
    """Versions as runs of neighbours among all that were compared."""
    wanted = set(found)
    return tuple(Column(tuple(run)) for inside, run in groupby(among, key=lambda version: version in wanted) if inside)


def _order(change: Change) -> tuple[object, ...]:
    return (
        list(Word).index(change.turn.word),
        change.claim_id,
        change.runtime,
        change.platform,
        change.filesystem,
        [sort_key(version) for run in change.versions for version in run.versions],
    )
