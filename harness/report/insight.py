"""What a reader asks of results: which calls are left, which are traps, what changed, and how sure all of that is. Pure functions.

Nothing here interpolates: of versions that were not measured nothing is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, zip_longest

from harness.changes import differs, was_raced
from harness.mechanism import CHECK_THEN_ACT, way_of
from harness.results import BuildResult, ClaimResult
from harness.versions import sort_key
from harness.vocabulary import EVERYDAY, Kind, Occupant, Outcome, RaceOutcome, Verdict

UNMEASURED = (Verdict.NOT_RUN, Verdict.UNSUPPORTED)
"""Verdicts that say nothing about the call."""
HARMFUL = (Verdict.UNSAFE, Verdict.RACY)

_ASKS = re.compile(
    r"excl|no.?clobber|no.?overwrite|create.?new|errorOnExist|noreplace|overwrite=false|force=false|exist_ok=False"
    r"|(?:^|[/+ ])(?:[wa]x\+?|x[aw]?b?\+?)(?=$|[/+ ])|(?:mv|cp)(?:/| )(?:.*\+)?-n(?=$|[+ ])|set -C",
    re.IGNORECASE,
)
"""Arguments by which a caller asks not to get a name that is taken."""


class Sureness(StrEnum):
    """How much was done to find out; listed from most to least."""

    EXPLORED = "explored"
    RACED = "raced"
    SEQUENTIAL = "sequential"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Series:
    """Builds of one runtime on one platform and filesystem that are versions of one another, oldest first.

    `family` tells apart what shares a name without being one program: the shells, with the tools that they call.
    """

    runtime: str
    platform: str
    filesystem: str
    family: str
    builds: tuple[BuildResult, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Claims whose verdict differs between two measured versions next to each other."""

    older: str
    newer: str
    was: Verdict
    became: Verdict
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trap:
    """A claim that does not do what its caller would expect, with the points that say how surprising that is.

    `builds` are those where it is harmful, in order, and `shown` the one of them that shows it best; `clean` is some other build where
    it is not, None when there is none.
    """

    claim_id: str
    builds: tuple[BuildResult, ...]
    shown: BuildResult
    clean: BuildResult | None
    points: int
    asks: bool
    racy: bool
    empty_handed: bool


def in_order(results: Iterable[BuildResult]) -> list[BuildResult]:
    """Results as every form of the report lists them."""
    return sorted(
        results,
        key=lambda each: (each.runtime, each.environment.platform, each.environment.filesystem, sort_key(each.version)),
    )


def sureness(claim: ClaimResult) -> Sureness:
    """How much was done to find out what a claim is worth."""
    if claim.verdict in UNMEASURED:
        return Sureness.NONE
    if claim.raced.explored is not RaceOutcome.NOT_RUN:
        return Sureness.EXPLORED
    return Sureness.SEQUENTIAL if claim.raced.outcome is RaceOutcome.NOT_RUN else Sureness.RACED


def counts(build: BuildResult) -> Mapping[Verdict, int]:
    """How many claims of a build have each verdict, worst verdict first; verdicts that none has are left out."""
    found = Counter(claim.verdict for claim in build.claims.values())
    return {verdict: found[verdict] for verdict in Verdict if found[verdict]}


def all_series(results: Iterable[BuildResult]) -> list[Series]:
    """Everything that can be told as a history."""

    def key(each: BuildResult) -> tuple[str, str, str, str]:
        return each.runtime, each.environment.platform, each.environment.filesystem, _family(each.version)

    ordered = sorted(in_order(results), key=key)
    return [Series(*name, tuple(builds)) for name, builds in groupby(ordered, key)]


def _family(version: str) -> str:
    """What is left of "bash-5.2.15+coreutils-9.1" without its numbers; "" for a plain version."""
    return re.sub(r"[\d.]+", "", version) if version[:1].isalpha() else ""


def changes(series: Series) -> list[Change]:
    """All that changed, newest first. A build where a claim was not measured is passed over, and stands for nothing; one where it was
    not raced stands for what it does alone.
    """
    found: dict[tuple[int, int, Verdict, Verdict], list[str]] = {}
    for claim_id in sorted({claim_id for build in series.builds for claim_id in build.claims}):
        last: tuple[int, ClaimResult] | None = None
        for place, build in enumerate(series.builds):
            claim = build.claims.get(claim_id)
            if claim is None or claim.verdict is Verdict.NOT_RUN:
                continue
            if last is not None and differs(last[1], claim):
                found.setdefault((place, last[0], last[1].verdict, claim.verdict), []).append(claim_id)
            elif last is not None and was_raced(last[1]) and not was_raced(claim):
                continue
            last = place, claim
    ordered = sorted(
        found.items(), key=lambda each: (-each[0][0], -each[0][1], -each[0][3].badness, -each[0][2].badness)
    )
    return [
        Change(series.builds[older].version, series.builds[newer].version, was, became, tuple(claims))
        for (newer, older, was, became), claims in ordered
    ]


def verdict_in(build: BuildResult, claim_id: str) -> Verdict:
    """The verdict of a claim that may not be among those that were measured."""
    return build.claims[claim_id].verdict if claim_id in build.claims else Verdict.NOT_RUN


def ways(
    build: BuildResult, kind: Kind, verdict: Verdict, limit: int | None = None, shunned: Container[str] = ()
) -> list[str]:
    """The ways to do it with this verdict: for every mechanism the claim that people would write, the mechanism of most claims first.

    That is one that needs nothing laid out beside the name, leaves the caller's own data in a file, and is short. Where the mechanism was
    not traced, a call is a way of its own. Left out are what is known to look first and act afterwards, the `shunned` claims, and code
    that is harmful with another source: whoever copies it has no way to see the difference.
    """
    harmful = {claim.code for claim in build.claims.values() if claim.verdict in HARMFUL}
    fitting = {
        claim_id: claim
        for claim_id, claim in build.claims.items()
        if claim.kind is kind and claim.verdict is verdict and claim.mechanism != CHECK_THEN_ACT
        if claim.code not in harmful and claim_id not in shunned
    }
    carried = Counter(way_of(claim.mechanism) for claim in fitting.values() if claim.mechanism)
    # Of two that are as short, the one whose first argument more claims have is what people write: `wx`, not `ax`.
    usual = Counter(_first_argument(claim_id) for claim_id in build.claims)

    def rank(claim_id: str) -> tuple[int, bool, bool, bool, int, int, str]:
        code, way = fitting[claim_id].code, way_of(fitting[claim_id].mechanism or "")
        needs_source = kind is Kind.CREATE and re.search(r"\bsource\b", code) is not None
        writes_nothing = kind is Kind.CREATE and re.search(r"\bdata\b", code) is None
        odd = kind is Kind.TAKE and re.search(r"dir|link", claim_id.partition("/")[2]) is not None
        return -carried[way], needs_source, writes_nothing, odd, len(code), -usual[_first_argument(claim_id)], claim_id

    first: dict[str, str] = {}
    for claim_id in sorted(fitting, key=rank):
        mechanism = fitting[claim_id].mechanism
        first.setdefault(way_of(mechanism) if mechanism else call_of(claim_id), claim_id)
    # What needs something beside the name is for those whom the rest does not suit.
    beside = re.compile(r"\bsource\b|\bmine\b")
    return sorted(
        first.values(), key=lambda each: kind is Kind.CREATE and beside.search(fitting[each].code) is not None
    )[:limit]


def racy_somewhere(results: Iterable[BuildResult]) -> frozenset[str]:
    """The claims that a race undid in some build: where nobody raced them they are no advice."""
    return frozenset(
        claim_id for build in results for claim_id, claim in build.claims.items() if claim.verdict is Verdict.RACY
    )


def _one_of_each_call(claim_ids: Iterable[str]) -> list[str]:
    """The first variant of each call."""
    first: dict[str, str] = {}
    for claim_id in claim_ids:
        first.setdefault(call_of(claim_id), claim_id)
    return list(first.values())


def call_of(claim_id: str) -> str:
    """The runtime and the bare name of the call: `mkdir` blocking, promised, with a callback and from another module is one call."""
    runtime, _, call = claim_id.partition("/")[0].partition(":")
    return f"{runtime}:{re.sub(r'(?:Sync|Async)$', '', re.split('[.:]', call)[-1])}"


def _first_argument(claim_id: str) -> str:
    return claim_id.partition("/")[2].partition("+")[0]


def asks_for_new(claim_id: str) -> bool:
    """Whether the arguments of a claim ask not to get a name that is taken."""
    return _ASKS.search(claim_id.partition(":")[2]) is not None


def traps_of(
    build: BuildResult, kind: Kind, clean: Mapping[Verdict, Mapping[str, BuildResult]], limit: int
) -> list[str]:
    """The traps of one build that people fall into: of every sort of trap in turn the plainest code, the most surprising sort first;
    one variant of each call. `clean` is what `clean_somewhere` found.
    """
    found = [
        _trap(claim_id, [build], clean)
        for claim_id, claim in build.claims.items()
        if claim.verdict in HARMFUL and claim.kind is kind
    ]

    def plainness(trap: Trap) -> tuple[bool, int, int, str]:
        code = build.claims[trap.claim_id].code
        return re.search(r"\bdone\b|\bsource\b", code) is not None, -trap.points, len(code), trap.claim_id

    sorts: dict[tuple[bool, bool, bool], list[str]] = {}
    kept = set(_one_of_each_call(trap.claim_id for trap in sorted(found, key=plainness)))
    for trap in sorted(found, key=plainness):
        if trap.claim_id in kept:
            sorts.setdefault((not trap.asks, not trap.racy, not trap.empty_handed), []).append(trap.claim_id)
    in_turn = zip_longest(*(sorts[sort] for sort in sorted(sorts)))
    return [claim_id for turn in in_turn for claim_id in turn if claim_id is not None][:limit]


def traps(results: Sequence[BuildResult], limit: int = 10, per_runtime: int = 3) -> list[Trap]:
    """The most surprising verdicts of all.

    Points: 4 when the arguments ask for a new name and do not get it, 3 when only a race shows it, 2 when another measured build
    of the runtime is clean, 1 when it says yes and takes nothing. Of each call one variant, of each runtime at most `per_runtime`.
    """
    ordered = in_order(results)
    clean = clean_somewhere(ordered)
    harmful: dict[str, list[BuildResult]] = {}
    for build in ordered:
        for claim_id, claim in build.claims.items():
            if claim.verdict in HARMFUL:
                harmful.setdefault(claim_id, []).append(build)
    best = _best([_trap(claim_id, builds, clean) for claim_id, builds in harmful.items()])
    taken: Counter[str] = Counter()
    chosen = []
    for trap in best:
        runtime = trap.claim_id.partition(":")[0]
        taken[runtime] += 1
        if taken[runtime] <= per_runtime:
            chosen.append(trap)
    return chosen[:limit]


def clean_somewhere(results: Sequence[BuildResult]) -> Mapping[Verdict, Mapping[str, BuildResult]]:
    """For what is unsafe, and for what is racy, a build for every claim that is clean of that somewhere, the last in order.

    Only a race shows that a claim is not racy.
    """
    safe: dict[str, BuildResult] = {}
    keeps_out: dict[str, BuildResult] = {}
    for build in results:
        for claim_id, claim in build.claims.items():
            if claim.verdict is Verdict.SAFE:
                safe[claim_id] = build
            if claim.verdict in (Verdict.SAFE, Verdict.REFUSES):
                keeps_out[claim_id] = build
    return {Verdict.RACY: safe, Verdict.UNSAFE: keeps_out}


def _trap(claim_id: str, builds: Sequence[BuildResult], clean: Mapping[Verdict, Mapping[str, BuildResult]]) -> Trap:
    shown = max(builds, key=lambda build: (*_telling(build.claims[claim_id]), sort_key(build.version)))
    verdict = shown.claims[claim_id].verdict
    asks, racy = asks_for_new(claim_id), verdict is Verdict.RACY
    empty_handed = _is_empty_handed(shown.claims[claim_id])
    otherwise = clean[verdict].get(claim_id)
    points = 4 * asks + 3 * racy + 2 * (otherwise is not None) + empty_handed
    return Trap(claim_id, tuple(builds), shown, otherwise, points, asks, racy, empty_handed)


def _telling(claim: ClaimResult) -> tuple[int, bool]:
    return claim.verdict.badness, sureness(claim) is Sureness.EXPLORED


def _is_empty_handed(claim: ClaimResult) -> bool:
    return any(
        case.outcome is Outcome.FALSE_WIN
        for occupant, case in claim.cases.items()
        if occupant in {Occupant.OWN, *EVERYDAY}
    )


def _best(found: Iterable[Trap]) -> list[Trap]:
    """The traps with the most points first, then those in the most builds, then the shortest code; one variant of each call."""
    ordered = sorted(
        found,
        key=lambda trap: (
            -trap.points,
            -len(trap.builds),
            len(trap.shown.claims[trap.claim_id].code),
            trap.claim_id,
        ),
    )
    first = set(_one_of_each_call(trap.claim_id for trap in ordered))
    return [trap for trap in ordered if trap.claim_id in first]
