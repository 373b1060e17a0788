"""Racing in a run: what is clean one after another is traced, explored and raced, build after build, for as long as there is time."""

from __future__ import annotations

import contextlib
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness.claims import Claim
from harness.errors import ClaimgridError
from harness.explore import Examination, Laboratory, laboratory
from harness.judge import LOCKS_LATE, Raced, judge_claim, told_nothing
from harness.measure import Workspace
from harness.plan import Job
from harness.races import Pace, Race, Track, track
from harness.results import BuildResult, ClaimResult
from harness.versions import sort_key
from harness.vocabulary import Kind, RaceOutcome, Verdict

_RACED = (Verdict.REFUSES, Verdict.CONDITIONAL, Verdict.SAFE)
"""Verdicts that a race can change for the worse or confirm."""
IN_A_RUN = Pace(seconds=0.1, patience=60.0, bystander_seconds=0.1)
"""Hundreds of claims are raced one after another: each only briefly, unless its contenders do not meet."""
_ONCE_MORE = 10.0
"""A race that told nothing is given so many times as long when it is run again."""
_LOCKING_SECONDS = 1.0
"""For a bystander that takes locks, or may, where nothing could be traced: what it does to a creator takes a thousand rounds to show."""
_FEW_PAUSES = 16
"""Older builds are explored only where that is quick; what the newest one shows of the same code and mechanism is a good guess there,
but no more than that, and the race and the mechanism have to speak for themselves."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A build whose claims were raced: its result, the evidence by claim, and how many claims the time was too short for."""

    job: Job
    result: BuildResult
    evidence: dict[str, Any]
    left: int


@dataclass(frozen=True, slots=True)
class Unraced:
    """A build whose contenders did not start, and why."""

    job: Job
    why: str


def race_builds(
    builds: Sequence[tuple[Job, BuildResult]], seconds: float, raced: Callable[[Job], None], *, again: bool = False
) -> Iterator[Finished | Unraced]:
    """Race what is worth it in every build, one build at a time, the newest of each runtime first; `raced` is told of each claim.

    The `seconds` are shared by the builds that have something to race: every one may use as much of what is left as every other.
    A claim that there is no time for says so. `again` is for those, too, of which an earlier race told nothing.
    """
    ends = time.monotonic() + seconds
    ordered = [each for each in _in_order(builds) if worth_racing(each[1], each[0].claims, again=again)]
    for number, (job, result, is_newest) in enumerate(ordered):
        share = max(0.0, ends - time.monotonic()) / (len(ordered) - number)
        try:
            claims = worth_racing(result, job.claims, again=again)
            yield _race_build(job, result, claims, None if is_newest else _FEW_PAUSES, time.monotonic() + share, raced)
        except ClaimgridError as error:
            yield Unraced(job, str(error))


def worth_racing(result: BuildResult, claims: Sequence[Claim], *, again: bool = False) -> list[Claim]:
    """The claims that are clean so far and that nobody has raced yet; `again` also those of which their race told nothing."""

    def is_worth_it(known: ClaimResult) -> bool:
        if known.verdict in _RACED and _is_open(known.raced):
            return True
        return again and told_nothing(known.raced) and known.verdict not in (Verdict.UNSAFE, Verdict.RACY)

    return [claim for claim in claims if claim.id in result.claims and is_worth_it(result.claims[claim.id])]


def _is_open(raced: Raced) -> bool:
    return raced.outcome is RaceOutcome.NOT_RUN and raced.reason in ("", "budget")


def _in_order(builds: Sequence[tuple[Job, BuildResult]]) -> list[tuple[Job, BuildResult, bool]]:
    """The newest build of each runtime, platform and filesystem first, then the next newest of each; True for the former."""
    groups: dict[tuple[str, str, str], list[tuple[Job, BuildResult]]] = {}
    for job, result in sorted(builds, key=lambda each: sort_key(each[1].version), reverse=True):
        groups.setdefault(result.group, []).append((job, result))
    ranked = [(rank, job, result) for group in groups.values() for rank, (job, result) in enumerate(group)]
    return [(job, result, rank == 0) for rank, job, result in sorted(ranked, key=lambda each: each[0])]


def _race_build(
    job: Job,
    result: BuildResult,
    claims: Sequence[Claim],
    pauses: int | None,
    ends: float,
    raced: Callable[[Job], None],
) -> Finished:
    judged: dict[str, ClaimResult] = {}
    evidence: dict[str, Any] = {}
    caught: list[bool] = []
    with _raceway(job, pauses) as way:
        for claim in claims:
            if time.monotonic() > ends:
                break
            race, examination = way.race(claim, _ONCE_MORE if told_nothing(result.claims[claim.id].raced) else 1.0)
            if race.caught is not None:
                caught.append(race.caught)
            judged[claim.id] = _judged(claim, result, race, examination, way.obstacle)
            evidence[claim.id] = {"race": race.evidence(), **_explored(examination)}
            raced(job)
    controls = replace(result.controls, race_caught=all(caught) if caught else result.controls.race_caught)
    late = {
        claim.id: _too_late(claim, result)
        for claim in claims
        if claim.id not in judged and _is_open(result.claims[claim.id].raced)
    }
    whole = replace(result, claims=MappingProxyType({**result.claims, **judged, **late}), controls=controls)
    return Finished(job, whole, evidence, len(claims) - len(judged))


@dataclass(slots=True)
class _Raceway:
    """A build's contenders, and where it can be traced its laboratory; `obstacle` says why it cannot.

    `looks_lock` is that whoever looks at a file asks for a lock, or may.
    """

    track: Track
    laboratory: Laboratory | None
    obstacle: str
    pauses: int | None
    looks_lock: bool

    def race(self, claim: Claim, longer: float = 1.0) -> tuple[Race, Examination | None]:
        """Everything that contenders for one name show of a claim, in a race of so many times the usual length."""
        examination = self.laboratory.examine(claim, pauses=self.pauses) if self.laboratory else None
        if examination and examination.locks_late and not self.looks_lock:
            examination = replace(examination, locks_late=False)
        pace = replace(
            IN_A_RUN,
            seconds=IN_A_RUN.seconds * longer,
            patience=IN_A_RUN.patience / longer,
            bystander_seconds=self._bystander_seconds(examination),
        )
        return self.track.race([claim, claim], pace), examination

    def _bystander_seconds(self, examination: Examination | None) -> float:
        """How long to race beside a bystander: for long where only chance tells, and not at all in an older build where the traces do."""
        if self.looks_lock and (examination is None or examination.locks_late is None):
            return _LOCKING_SECONDS
        return IN_A_RUN.bystander_seconds if self.pauses is None else 0.0


@contextlib.contextmanager
def _raceway(job: Job, pauses: int | None) -> Iterator[_Raceway]:
    job.root.mkdir(parents=True, exist_ok=True)
    space = Workspace(Path(tempfile.mkdtemp(dir=job.root)))
    with contextlib.ExitStack() as stack:
        ready = stack.enter_context(track([job.build, job.build], space, random.randrange(1 << 32)))
        try:
            bench: Laboratory | None = stack.enter_context(laboratory(job.build, space))
            obstacle = ""
        except ClaimgridError as error:
            bench, obstacle = None, str(error)
        looks = [claim for claim in job.build.claims if claim.kind is Kind.LOOK]
        looks_lock = bench is None or any(map(bench.takes_locks, looks[:1]))
        yield _Raceway(ready, bench, obstacle, pauses, looks_lock)


def _too_late(claim: Claim, result: BuildResult) -> ClaimResult:
    """A claim that there was no time for says so."""
    known = result.claims[claim.id]
    raced = Raced(reason="budget")
    return replace(known, raced=raced, judgement=judge_claim(claim.kind, known.cases, result.controls, raced))


def _judged(
    claim: Claim, result: BuildResult, race: Race, examination: Examination | None, obstacle: str
) -> ClaimResult:
    known = result.claims[claim.id]
    raced = as_raced(race, examination, traced=not obstacle)
    mechanism = examination.mechanism if examination else None
    judgement = judge_claim(claim.kind, known.cases, result.controls, raced, mechanism)
    return replace(known, judgement=judgement, raced=raced, mechanism=mechanism)


def by_the_clock(race: Race) -> Raced:
    """What a race alone comes to in results. Two winners need no control to be believed."""
    missed = race.caught is False and race.outcome is not RaceOutcome.TWO_WINNERS
    return Raced(race.outcome, "control-missed" if missed else race.reason, unexplored="")


def as_raced(race: Race, examination: Examination | None, *, traced: bool) -> Raced:
    """What a race and an examination come to in results; without `traced` nothing could be examined."""
    raced = by_the_clock(race)
    if not traced or examination is None:
        return replace(raced, unexplored="no-trace")
    if examination.locks_late and raced.outcome in (RaceOutcome.ONE_WINNER, RaceOutcome.NO_WINNER):
        raced = replace(
            raced, outcome=RaceOutcome.ONE_WINNER, reason=raced.reason if race.caught is False else LOCKS_LATE
        )
    exploration = examination.exploration
    if exploration is None:
        return replace(raced, unexplored="not-asked")
    if exploration.outcome is RaceOutcome.NOT_RUN:
        return replace(raced, unexplored="unproved")
    telling = exploration.telling
    harmful = exploration.outcome is not RaceOutcome.ONE_WINNER
    return replace(raced, explored=exploration.outcome, pause=telling.pause if telling and harmful else "")


def _explored(examination: Examination | None) -> dict[str, Any]:
    if examination is None:
        return {}
    exploration = examination.exploration
    return {
        **({"exploration": exploration.evidence()} if exploration else {}),
        **({"untraced": examination.obstacle} if examination.obstacle else {}),
    }
