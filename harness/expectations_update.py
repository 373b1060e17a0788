"""Updating: the entries that make expectations true of results again, as few and as coarse as the results allow. Pure functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.expectations import MEASURED, Book, Entry, Expectation, holds, render
from harness.expectations_compare import Comparison, Standing, compare, is_measured, standing
from harness.report.insight import all_series
from harness.results import BuildResult
from harness.sentences import reason
from harness.vocabulary import Verdict

_RELEASE = re.compile(r"\d+(?:\.\d+)*", re.ASCII)
_SENTENCES = 3
"""How many different reasons an entry repeats."""

_Group = tuple[str, str, str]
"""Runtime, platform and filesystem."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring builds in which one verdict can be expected of a claim; `is_last` when there is none newer."""

    verdict: Verdict
    builds: tuple[BuildResult, ...]
    is_last: bool


def updated(book: Book, results: Iterable[BuildResult]) -> Book:
    """The book after which no cell contradicts its expectation and none is without one.

    What people wrote stays as long as a cell bears it out; what nobody wrote a reason for is made anew, and stands last.
    """
    builds = list(results)
    kept = [entry for entry in book.entries if entry.expectation.is_written]
    while True:
        comparison = compare([entry.expectation for entry in kept], builds)
        refuted = _refuted(comparison)
        if not refuted:
            break
        kept = [entry for entry in kept if id(entry.expectation) not in refuted]
    made = [Entry(render(each), each) for each in _wanted(comparison, builds)]
    return Book((*kept, *made), book.head, book.tail)


def _refuted(comparison: Comparison) -> set[int]:
    """The expectations that some of their cells contradict and none bears out."""
    found: dict[int, set[Standing]] = {}
    for cell in comparison.cells:
        if cell.standing:
            found.setdefault(id(cell.expectation), set()).add(cell.standing)
    return {
        key
        for key, standings in found.items()
        if any(each.contradicts for each in standings) and not standings & {Standing.AS_EXPECTED, Standing.UNPROVED}
    }


def _wanted(comparison: Comparison, builds: Sequence[BuildResult]) -> list[Expectation]:
    """An expectation for every cell that has none or contradicts it; claims with one history share them."""
    open_cells = {
        (id(cell.build), cell.claim_id)
        for cell in comparison.cells
        if (is_measured(cell.claim) if cell.standing is None else cell.standing.contradicts)
    }
    found: list[Expectation] = []
    ordered = sorted(all_series(builds), key=lambda each: (each.runtime, each.platform, each.filesystem))
    for group, series in groupby(ordered, key=lambda each: (each.runtime, each.platform, each.filesystem)):
        families = [each.builds for each in series]
        members = [build for family in families for build in family]
        shared: dict[tuple[Verdict, tuple[str, ...]], dict[str, list[BuildResult]]] = {}
        for claim_id in sorted({claim_id for build in members for claim_id in build.claims}):
            for verdict, runs in _by_verdict(families, claim_id).items():
                wanted = [run for run in runs if any((id(build), claim_id) in open_cells for build in run.builds)]
                if wanted:
                    spec = tuple(part for run in wanted for part in _spec(run, members, claim_id))
                    shared.setdefault((verdict, spec), {})[claim_id] = [
                        build for run in wanted for build in run.builds if claim_id in build.claims
                    ]
        found += [
            _made(group, verdict, spec, claims, members)
            for (verdict, spec), claims in sorted(
                shared.items(), key=lambda each: (-each[0][0].badness, each[0][1], min(each[1]))
            )
        ]
    return found


def _by_verdict(families: Iterable[Sequence[BuildResult]], claim_id: str) -> Mapping[Verdict, list[_Run]]:
    found: dict[Verdict, list[_Run]] = {}
    for family in families:
        for run in _runs([build for build in family if claim_id in build.claims], claim_id):
            found.setdefault(run.verdict, []).append(run)
    return found


def _runs(builds: Sequence[BuildResult], claim_id: str) -> Iterable[_Run]:
    """The history of a claim, oldest first, in as few runs as there can be; none for builds that say nothing."""
    place = 0
    while place < len(builds):
        end, verdict = place + 1, _verdict(builds[place : place + 1], claim_id)
        while end < len(builds):
            longer = builds[place : end + 1]
            wider = _verdict(longer, claim_id)
            if wider is None and any(is_measured(build.claims[claim_id]) for build in longer):
                break
            end, verdict = end + 1, wider
        if verdict is not None:
            yield _Run(verdict, tuple(builds[place:end]), end == len(builds))
        place = end


def _verdict(builds: Sequence[BuildResult], claim_id: str) -> Verdict | None:
    """The verdict of one of the builds that none of them contradicts; the best of several, None when there is none."""
    claims = [build.claims[claim_id] for build in builds]
    fitting = [
        verdict
        for verdict in {claim.verdict for claim in claims if is_measured(claim)}
        if not any(standing((verdict,), claim).contradicts for claim in claims)
    ]
    return min(fitting, key=lambda verdict: verdict.badness, default=None)


def _spec(run: _Run, members: Collection[BuildResult], claim_id: str) -> tuple[str, ...]:
    """The versions of a run as an entry has them: a range, the name of a program, or each by itself where these would say too much."""
    names = [build.version for build in run.builds]
    first, last = _RELEASE.match(names[0]), _RELEASE.match(names[-1])
    if first and last:
        coarse = f">={first[0]}" if run.is_last else f">={first[0]},<={last[0]}"
    else:
        coarse = names[0].partition("-")[0]
    held = {build.version for build in members if holds(coarse, build.version)}
    beyond = [build for build in members if build.version in held - set(names) and claim_id in build.claims]
    exact = set(names) <= held and not any(is_measured(build.claims[claim_id]) for build in beyond)
    return (coarse,) if exact else tuple(names)


def _made(
    group: _Group,
    verdict: Verdict,
    spec: tuple[str, ...],
    claims: Mapping[str, Sequence[BuildResult]],
    members: Sequence[BuildResult],
) -> Expectation:
    runtime, platform, filesystem = group
    # The newest build that shows it tells why.
    shown = {
        claim_id: next(build for build in reversed(builds) if build.claims[claim_id].verdict is verdict)
        for claim_id, builds in claims.items()
    }
    newest = [build.claims[claim_id] for claim_id, build in shown.items()]
    told = Counter(reason(claim.judgement.reason, claim.kind, "en") for claim in newest)
    sentences = [sentence for sentence, _ in sorted(told.items(), key=lambda each: (-each[1], each[0]))]
    more = [f"{len(sentences) - _SENTENCES} other reasons"] if len(sentences) > _SENTENCES else []
    covered = [build for build in members if any(holds(each, build.version) for each in spec)]
    return Expectation(
        _folded(claims, covered),
        (verdict,),
        MEASURED + "; ".join([*sentences[:_SENTENCES], *more]),
        shown[min(shown)].path.as_posix(),
        (runtime,),
        spec,
        (platform,),
        (filesystem,),
    )


def _folded(claims: Collection[str], covered: Sequence[BuildResult]) -> tuple[str, ...]:
    """The claims, where all variants of a call are among them as one pattern."""
    measured = {claim_id for build in covered for claim_id, claim in build.claims.items() if is_measured(claim)} | set(
        claims
    )
    found = []
    for call, group in groupby(sorted(claims, key=_by_call), key=lambda claim_id: claim_id.partition("/")[0]):
        variants = [claim_id for claim_id in group if claim_id != call]
        pattern = Expectation((f"{call}/*",), (), "", "")
        whole = len(variants) > 1 and set(pattern.chosen(measured)) <= set(variants)
        found += [call] if call in claims else []
        found += [f"{call}/*"] if whole and not re.search(r"[*?]", call) else variants
    return tuple(found)


def _by_call(claim_id: str) -> tuple[str, str]:
    call, _, variant = claim_id.partition("/")
    return call, variant
