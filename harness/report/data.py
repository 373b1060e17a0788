"""The data of the page: results as plain values with everything that repeats kept once, so that hundreds of builds stay small.

Every list of distinct things is referred to by index. Sentences are pairs, English and Japanese.

| key | what |
| --- | --- |
| `verdicts`, `signs`, `occupants`, `languages` | the words that indexes stand for |
| `builds` | one object each, in order; `safe`, `refuses`, `conditional` and `traps` are claim ids by kind, best first |
| `tables` | one for each runtime: `builds`, `claims` as [id, kind, code], `cells` as a row of cells for every claim, -1 where there is none |
| `cells` | [verdict, reason, cases, race, mechanism, verdict without any race, code if it is not the claim's], -1 for no mechanism |
| `reasons`, `races`, `mechanisms` | [as in results, sentence], for races also how much was done and whether it showed anything |
| `caseSets` | [occupant, case, occupant, case …] |
| `cases` | [as in results, what was said, what was seen] |
| `sentences` | [English, Japanese] |
| `promises`, `standings`, `standingSigns` | the words that indexes of recipes stand for |
| `recipes` | for each recipe with each build [id, kind, title, code, library, advice, obstacle, build, promises]; texts as sentences (-1 for none), `build` as in `kitchens` |
| `kitchens` | the builds of recipes: runtime, version, platform, filesystem |
| `calls` | system calls on the way, as a line |
| `changes`, `traps`, `meetings` | what `harness.report.insight` and `harness.encounters` found |
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from harness import __version__, sentences
from harness.changes import alone, was_raced
from harness.encounters import Meeting
from harness.judge import Case, Raced
from harness.judging import stories
from harness.judging.records import Record, Records
from harness.plain import plain, plain_lines
from harness.promises import Judged, Promise, Standing
from harness.report.insight import (
    Sureness,
    all_series,
    changes,
    clean_somewhere,
    counts,
    in_order,
    racy_somewhere,
    sureness,
    traps,
    traps_of,
    ways,
)
from harness.results import BuildResult, ClaimResult, case_to_dict, raced_to_dict, reason_to_dict
from harness.sentences import LANGUAGES, catalogue
from harness.versions import asked_as
from harness.vocabulary import Kind, Occupant, Verdict

_VERDICTS = list(Verdict)
_OCCUPANTS = list(Occupant)
_LONGEST_CODE = 4000
_LONGEST_SENTENCE = 1000
_LONGEST_CALLS = 600
_PROMISES = list(Promise)
_STANDINGS = list(Standing)
_RECIPE_TEXTS = ("promise.", "meaning.", "standing.")
_WAYS = 4
_TRAPS = {Kind.CREATE: 5, Kind.TAKE: 3, Kind.HELD: 2}
"""How many of each kind are shown at first, in this order."""


@dataclass
class _Kept:
    """Things kept once each, and where."""

    values: list[Any] = field(default_factory=list)
    _places: dict[Hashable, int] = field(default_factory=dict)

    def place(self, key: Hashable, make: Callable[[], Any]) -> int:
        """Where the thing with this key is; it is made when it is new."""
        known = self._places.get(key)
        if known is not None:
            return known
        self.values.append(make())
        self._places[key] = len(self.values) - 1
        return self._places[key]


class _Pool:
    """Everything that repeats among cells."""

    def __init__(self) -> None:
        self.sentences, self.codes, self.cells = _Kept(), _Kept(), _Kept()
        self.reasons, self.case_sets, self.cases = _Kept(), _Kept(), _Kept()
        self.races, self.mechanisms, self.calls = _Kept(), _Kept(), _Kept()

    def sentence(self, say: Callable[[str], str]) -> int:
        """A sentence in all languages; whatever it quotes from results is shown plainly."""
        texts = tuple(plain(say(lang), _LONGEST_SENTENCE) for lang in LANGUAGES)
        return self.sentences.place(texts, lambda: list(texts))

    def code(self, code: str) -> int:
        """The code that ran."""
        text = code if len(code) <= _LONGEST_CODE else f"{code[:_LONGEST_CODE]}…"
        return self.codes.place(text, lambda: plain_lines(text))

    def cell(self, claim: ClaimResult, usual_code: int) -> int:
        """One claim in one build; `usual_code` is the code of the claim in its newest build."""
        code, why, mechanism = self.code(claim.code), claim.judgement.reason, claim.mechanism
        parts = [
            _VERDICTS.index(claim.verdict),
            self.reasons.place(
                (why, claim.kind),
                lambda: [_shown(reason_to_dict(why)), self.sentence(partial(sentences.reason, why, claim.kind))],
            ),
            self._case_set(claim),
            self.race(claim.raced, sureness(claim), was_raced(claim)),
            self._mechanism(mechanism) if mechanism is not None else -1,
            _VERDICTS.index(alone(claim)),
            *([code] if code != usual_code else []),
        ]
        return self.cells.place(tuple(parts), lambda: parts)

    def _case_set(self, claim: ClaimResult) -> int:
        def make() -> list[int]:
            return [place for occupant, case in cases for place in (_OCCUPANTS.index(occupant), self.case(case))]

        cases = tuple(claim.cases.items())
        return self.case_sets.place(cases, make)

    def case(self, case: Case) -> int:
        """One case, with its two sentences."""

        def make() -> list[Any]:
            said, saw = self.sentence(partial(sentences.said, case)), self.sentence(partial(sentences.saw, case))
            return [_shown(case_to_dict(case)), said, saw]

        return self.cases.place(case, make)

    def race(self, raced: Raced, how: Sureness, told: bool = True) -> int:
        """A race, with its sentence, how much was done, and whether that showed anything."""
        return self.races.place(
            (raced, how, told),
            lambda: [_shown(raced_to_dict(raced)), self.sentence(partial(sentences.race, raced)), how.value, told],
        )

    def _mechanism(self, mechanism: str) -> int:
        return self.mechanisms.place(
            mechanism, lambda: [plain(mechanism), self.sentence(partial(sentences.mechanism, mechanism))]
        )


def page_data(
    results: Sequence[BuildResult], meetings: Sequence[Meeting], records: Sequence[Records]
) -> dict[str, Any]:
    """Everything that the page shows, in the shape that this module's docstring tells."""
    ordered = in_order(results)
    pool = _Pool()
    clean, racy = clean_somewhere(ordered), racy_somewhere(ordered)
    tables = [
        _table(runtime, list(builds), ordered, pool) for runtime, builds in groupby(ordered, lambda each: each.runtime)
    ]
    return {
        "version": __version__,
        "languages": list(LANGUAGES),
        "texts": {lang: {**catalogue(lang), **_recipe_texts(lang)} for lang in LANGUAGES},
        "verdicts": [verdict.value for verdict in _VERDICTS],
        "signs": [verdict.sign for verdict in _VERDICTS],
        "occupants": [occupant.value for occupant in _OCCUPANTS],
        "builds": [_build(build, clean, racy) for build in ordered],
        "tables": tables,
        "changes": _changes(ordered),
        "traps": _traps(ordered),
        "meetings": [_meeting(meeting, pool) for meeting in meetings],
        "promises": [promise.value for promise in _PROMISES],
        "standings": [standing.value for standing in _STANDINGS],
        "standingSigns": [stories.standing_sign(standing) for standing in _STANDINGS],
        "kitchens": [_kitchen(each) for each in records],
        "recipes": [
            _recipe(name, record, place, pool)
            for place, each in enumerate(records)
            for name, record in each.recipes.items()
        ],
        "cells": pool.cells.values,
        "reasons": pool.reasons.values,
        "caseSets": pool.case_sets.values,
        "cases": pool.cases.values,
        "races": pool.races.values,
        "mechanisms": pool.mechanisms.values,
        "calls": pool.calls.values,
        "sentences": pool.sentences.values,
        "codes": pool.codes.values,
    }


def _shown(raw: dict[str, Any]) -> dict[str, Any]:
    """A part of a results file with its texts made plain."""
    return {name: plain(value) if isinstance(value, str) else value for name, value in raw.items()}


def _build(
    build: BuildResult, clean: Mapping[Verdict, Mapping[str, BuildResult]], racy: Container[str]
) -> dict[str, Any]:
    environment = build.environment
    return {
        "runtime": plain(build.runtime),
        "version": plain(build.version),
        "platform": plain(environment.platform),
        "filesystem": plain(environment.filesystem),
        "os": plain(environment.os),
        "privileged": environment.privileged,
        "source": plain(build.source),
        "harness": plain(build.harness),
        "request": request(build),
        "controls": {
            "free-name-won": build.controls.free_name_won,
            "overwrite-seen": build.controls.overwrite_seen,
            "race-caught": build.controls.race_caught,
        },
        "counts": {verdict.value: number for verdict, number in counts(build).items()},
        "safe": _ways(build, Verdict.SAFE),
        "refuses": _ways(build, Verdict.REFUSES, racy),
        "conditional": _ways(build, Verdict.CONDITIONAL),
        "traps": _by_kind({kind: traps_of(build, kind, clean, limit) for kind, limit in _TRAPS.items()}),
    }


def _ways(build: BuildResult, verdict: Verdict, shunned: Container[str] = ()) -> dict[str, list[str]]:
    """The first calls with a verdict, by kind."""
    return _by_kind({kind: ways(build, kind, verdict, _WAYS, shunned) for kind in _TRAPS})


def _by_kind(found: Mapping[Kind, Sequence[str]]) -> dict[str, list[str]]:
    return {kind.value: [plain(claim_id) for claim_id in claims] for kind, claims in found.items() if claims}


def request(build: BuildResult) -> str:
    """What `--runtime` has to be given to have this build: `node@22.23.3+wine` for a Windows build under Wine."""
    return f"{plain(build.runtime)}@{plain(asked_as(build.version, build.environment.platform))}"


def _table(runtime: str, builds: list[BuildResult], results: Sequence[BuildResult], pool: _Pool) -> dict[str, Any]:
    claims, cells = [], []
    for claim_id in sorted({claim_id for build in builds for claim_id in build.claims}):
        known = [build.claims.get(claim_id) for build in builds]
        newest = next(claim for claim in reversed(known) if claim is not None)
        code = pool.code(newest.code)
        claims.append([plain(claim_id), newest.kind.value, code])
        cells.append([pool.cell(claim, code) if claim is not None else -1 for claim in known])
    first = results.index(builds[0])
    return {
        "runtime": plain(runtime),
        "builds": list(range(first, first + len(builds))),
        "claims": claims,
        "cells": cells,
    }


def _changes(results: Sequence[BuildResult]) -> list[dict[str, Any]]:
    return [
        {
            "runtime": plain(series.runtime),
            "platform": plain(series.platform),
            "filesystem": plain(series.filesystem),
            "versions": [plain(build.version) for build in series.builds],
            "changes": [
                [
                    plain(each.older),
                    plain(each.newer),
                    _VERDICTS.index(each.was),
                    _VERDICTS.index(each.became),
                    [plain(claim) for claim in each.claims],
                ]
                for each in changes(series)
            ],
        }
        for series in all_series(results)
        if len(series.builds) > 1
    ]


def _traps(results: Sequence[BuildResult]) -> list[dict[str, Any]]:
    places = {build.path: place for place, build in enumerate(results)}
    found = []
    for trap in traps(results):
        why = {"asks": trap.asks, "racy": trap.racy, "clean": trap.clean, "empty": trap.empty_handed}
        found.append(
            {
                "claim": plain(trap.claim_id),
                "builds": [places[build.path] for build in trap.builds],
                "shown": places[trap.shown.path],
                "clean": places[trap.clean.path] if trap.clean else -1,
                "points": trap.points,
                "why": [name for name, holds in why.items() if holds],
            }
        )
    return found


def _meeting(meeting: Meeting, pool: _Pool) -> dict[str, Any]:
    return {
        "platform": plain(meeting.environment.platform),
        "filesystem": plain(meeting.environment.filesystem),
        "first": [plain(each) for each in meeting.first],
        "second": [plain(each) for each in meeting.second],
        "pairs": [
            [
                plain(each.first),
                plain(each.second),
                _VERDICTS.index(each.verdict),
                pool.case(each.over_first),
                pool.case(each.over_second),
                pool.race(each.raced, Sureness.RACED),
            ]
            for each in meeting.encounters
        ],
    }


def _recipe_texts(lang: str) -> dict[str, str]:
    return {key: text for key, text in stories.catalogue(lang).items() if key.startswith(_RECIPE_TEXTS)}


def _kitchen(records: Records) -> dict[str, str]:
    return {
        "runtime": plain(records.runtime),
        "version": plain(records.version),
        "platform": plain(records.environment.platform),
        "filesystem": plain(records.environment.filesystem),
        "request": f"{plain(records.runtime)}@{plain(asked_as(records.version, records.environment.platform))}",
    }


def _recipe(name: str, record: Record, place: int, pool: _Pool) -> list[Any]:
    return [
        plain(name),
        record.kind,
        pool.sentence(record.title.__getitem__),
        pool.code(record.code),
        plain(record.library),
        pool.sentence(record.advice.__getitem__) if record.advice else -1,
        plain(record.obstacle, _LONGEST_SENTENCE),
        place,
        [_judged(judged, pool) for judged in record.judged],
    ]


def _judged(judged: Judged, pool: _Pool) -> list[Any]:
    """[promise, standing, schedules, why, schedule, steps, other ways]; of each step [who, what became of it, calls, act],
    of each other way [how, schedule]."""
    trial = judged.broken_by
    steps = (
        [
            [
                plain(step.actor, 1),
                pool.sentence(partial(stories.step, step)),
                pool.calls.place(calls, partial(plain, calls, _LONGEST_CALLS)) if calls else -1,
                step.act.value,
            ]
            for step, calls in zip(trial.steps, stories.calls(trial), strict=True)
        ]
        if trial
        else []
    )
    return [
        _PROMISES.index(judged.promise),
        _STANDINGS.index(judged.standing),
        judged.explored,
        pool.sentence(partial(stories.conclusion, judged)),
        plain(trial.schedule) if trial else "",
        steps,
        [[pool.sentence(partial(stories.how, how)), plain(schedule)] for how, schedule in judged.also],
    ]
