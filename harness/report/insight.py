"""What a reader asks of results: which calls are left, which are traps, what changed, and how sure all of that is. Pure functions.

Nothing here interpolates: of versions that were not measured nothing is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from harness.mechanism import CHECK_THEN_ACT
from harness.results import BuildResult, ClaimResult
from harness.versions import sort_key
from harness.vocabulary import EVERYDAY, Kind, Occupant, Outcome, RaceOutcome, Verdict

UNMEASURED = (Verdict.NOT_RUN, Verdict.UNSUPPORTED)
"""Verdicts that say nothing about the call."""
CLEAN = (Verdict.SAFE, Verdict.REFUSES)
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

    `builds` are those where it is harmful, in order; `clean` is some other build where it is not, None when there is none.
    """

    claim_id: str
    builds: tuple[BuildResult, ...]
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
    """All that changed, newest first. A build where a claim was not measured is passed over, and stands for nothing."""
    found: dict[tuple[int, int, Verdict, Verdict], list[str]] = {}
    for claim_id in sorted({claim_id for build in series.builds for claim_id in build.claims}):
        last: tuple[int, Verdict] | None = None
        for place, build in enumerate(series.builds):
            verdict = verdict_in(build, claim_id)
            if verdict is Verdict.NOT_RUN:
                continue
            if last is not None and last[1] is not verdict:
                found.setdefault((place, last[0], last[1], verdict), []).append(claim_id)
            last = place, verdict
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


def ways(build: BuildResult, kind: Kind, verdict: Verdict, limit: int | None = None) -> list[str]:
    """The ways to do it with this verdict: for every mechanism the claim with the shortest code, the mechanism of most claims first.

    Where the mechanism was not traced, a call is a way of its own. What is known to look first and act afterwards is left out.
    """
    fitting = {
        claim_id: claim
        for claim_id, claim in build.claims.items()
        if claim.kind is kind and claim.verdict is verdict and claim.mechanism != CHECK_THEN_ACT
    }
    carried = Counter(claim.mechanism for claim in fitting.values() if claim.mechanism)
    # Of two that are as short, the one whose first argument more claims have is what people write: `wx`, not `ax`.
    usual = Counter(_first_argument(claim_id) for claim_id in build.claims)

    def rank(claim_id: str) -> tuple[int, int, int, str]:
        claim = fitting[claim_id]
        return -carried[claim.mechanism or ""], len(claim.code), -usual[_first_argument(claim_id)], claim_id

    first: dict[str, str] = {}
    for claim_id in sorted(fitting, key=rank):
        first.setdefault(fitting[claim_id].mechanism or call_of(claim_id), claim_id)
    return list(first.values())[:limit]


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


def traps_of(build: BuildResult, clean: Mapping[str, BuildResult], limit: int) -> list[str]:
    """The most surprising verdicts of one build, one variant of each call; `clean` is what `clean_somewhere` found."""
    found = [_trap(claim_id, [build], clean) for claim_id, claim in build.claims.items() if claim.verdict in HARMFUL]
    return [trap.claim_id for trap in _best(found)][:limit]


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


def clean_somewhere(results: Sequence[BuildResult]) -> Mapping[str, BuildResult]:
    """A build for every claim that is clean somewhere, the last in order."""
    return {claim_id: build for build in results for claim_id, claim in build.claims.items() if claim.verdict in CLEAN}


def _trap(claim_id: str, builds: Sequence[BuildResult], clean: Mapping[str, BuildResult]) -> Trap:
    results = [build.claims[claim_id] for build in builds]
    asks = asks_for_new(claim_id)
    racy = any(claim.verdict is Verdict.RACY for claim in results)
    empty_handed = any(_is_empty_handed(claim) for claim in results)
    points = 4 * asks + 3 * racy + 2 * (claim_id in clean) + empty_handed
    return Trap(claim_id, tuple(builds), clean.get(claim_id), points, asks, racy, empty_handed)


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
            len(trap.builds[-1].claims[trap.claim_id].code),
            trap.claim_id,
        ),
    )
    first = set(_one_of_each_call(trap.claim_id for trap in ordered))
    return [trap for trap in ordered if trap.claim_id in first]
