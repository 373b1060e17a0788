"""Across runtimes in a run: the clean claims of every runtime against those of every other, for as long as there is time."""

from __future__ import annotations

import itertools
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.claims import Claim
from harness.encounters import Encounter, Meeting
from harness.errors import ClaimgridError
from harness.measure import Workspace
from harness.pairs import Pair, facing
from harness.plan import Job
from harness.racing import IN_A_RUN, by_the_clock
from harness.results import BuildResult, ClaimResult
from harness.versions import sort_key
from harness.vocabulary import Kind, Verdict

_MOST = {Kind.CREATE: 3, Kind.HELD: 1}
"""Claims of one build that meet others: one for each way of taking a name, which is what decides whom it excludes, and a lock."""

Party = tuple[Job, BuildResult]


@dataclass(frozen=True, slots=True)
class Unmet:
    """Two builds that could not meet, and why."""

    one: str
    other: str
    why: str


def cross(pairs: Sequence[tuple[Party, Party]], seconds: float) -> Iterator[Meeting | Unmet]:
    """The meetings of these builds, two by two. Only whole meetings are given: what there is no time for is left to another run."""
    ends = time.monotonic() + seconds
    for one, other in pairs:
        if time.monotonic() > ends:
            return
        try:
            meeting = _meet(one, other, ends)
        except ClaimgridError as error:
            yield Unmet(one[0].build.id, other[0].build.id, str(error))
            continue
        if meeting is not None:
            yield meeting


def crossings(builds: Sequence[Party], known: Callable[[Meeting], Meeting | None]) -> list[tuple[Party, Party]]:
    """Which builds are to meet: the newest ones of different runtimes on the same platform and filesystem.

    `known` gives what was measured before of a meeting that is still without encounters, or None.
    """
    return [
        (one, other)
        for one, other in itertools.combinations(_newest(builds), 2)
        if one[1].environment == other[1].environment and _is_new(one, other, known(_empty(one, other)))
    ]


def _is_new(one: Party, other: Party, stored: Meeting | None) -> bool:
    """Whether other claims are to meet than have met before."""
    wanted = {
        (first.id, second.id) for first, second in itertools.product(representatives(*one), representatives(*other))
    }
    return bool(wanted) and (stored is None or {(each.first, each.second) for each in stored.encounters} != wanted)


def representatives(job: Job, result: BuildResult) -> list[Claim]:
    """One claim for every way of taking a name that excludes its own kind: by mechanism, or else by what it makes.

    Locks are among them although whoever asks for none may write, since that is just what shows then.
    """
    ways: dict[tuple[Kind, str], Claim] = {}
    for claim in job.build.claims:
        measured = result.claims.get(claim.id)
        if measured is not None and _excludes(measured) and claim.makes != "nothing":
            # Other flags than O_EXCL change nothing about who is excluded.
            way = (measured.mechanism or claim.makes).replace("|O_TRUNC", "").replace("O_APPEND|", "")
            ways.setdefault((claim.kind, way), claim)
    return [claim for kind, most in _MOST.items() for claim in _of_kind(ways.values(), kind)[:most]]


def _of_kind(claims: Iterable[Claim], kind: Kind) -> list[Claim]:
    return [claim for claim in claims if claim.kind is kind]


def _excludes(measured: ClaimResult) -> bool:
    if measured.kind is Kind.HELD:
        return measured.verdict in (Verdict.SAFE, Verdict.REFUSES, Verdict.CONDITIONAL)
    # Contenders of slow runtimes may not have met; that says nothing against their claims.
    clean = measured.verdict in (Verdict.SAFE, Verdict.REFUSES) or measured.judgement.reason.code == "never-met"
    return measured.kind is Kind.CREATE and clean


def _newest(builds: Sequence[Party]) -> list[Party]:
    found: dict[tuple[str, str, str], Party] = {}
    for job, result in sorted(builds, key=lambda each: sort_key(each[1].version)):
        found[result.group] = (job, result)
    return [found[key] for key in sorted(found)]


def _empty(one: Party, other: Party) -> Meeting:
    return Meeting(one[1].environment, (one[1].runtime, one[1].version), (other[1].runtime, other[1].version), ())


def _meet(one: Party, other: Party, ends: float) -> Meeting | None:
    """All encounters of two builds; None when the time was too short for them. Raises ClaimgridError when one does not start."""
    encounters = []
    one[0].root.mkdir(parents=True, exist_ok=True)
    space = Workspace(Path(tempfile.mkdtemp(dir=one[0].root)))
    with facing(one[0].build, other[0].build, space, random.randrange(1 << 32)) as between:
        for first, second in itertools.product(representatives(*one), representatives(*other)):
            if time.monotonic() > ends:
                return None
            encounters.append(_encounter(first, second, between.contest(first, second, IN_A_RUN)))
    empty = _empty(one, other)
    return Meeting(empty.environment, empty.first, empty.second, tuple(encounters))


def _encounter(first: Claim, second: Claim, pair: Pair) -> Encounter:
    return Encounter(first.id, second.id, pair.over_first, pair.over_second, by_the_clock(pair.race), pair.verdict)
