"""Schedules told in words: promises, steps, and how a promise is broken, in English and Japanese. Pure functions.

The texts are in `harness/templates/recipes.en.json` and `recipes.ja.json`, which have the same keys.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType

from harness.promises import Act, Judged, Promise, Standing, Step, Trial
from harness.sentences import LANGUAGES

_SIGNS = {Standing.KEPT: "*", Standing.BROKEN: "X", Standing.NOT_EXPLORED: "?", Standing.NOT_PROMISED: "."}


@cache
def catalogue(lang: str) -> Mapping[str, str]:
    """All texts of one language by their keys. Raises KeyError for a language that is none of LANGUAGES."""
    if lang not in LANGUAGES:
        raise KeyError(lang)
    source = resources.files("harness").joinpath("templates", f"recipes.{lang}.json")
    return MappingProxyType(json.loads(source.read_text(encoding="utf-8")))


def promise_word(promise: Promise, lang: str) -> str:
    """What the promise is called."""
    return catalogue(lang)[f"promise.{promise}"]


def promise_meaning(promise: Promise, lang: str) -> str:
    """What is promised, in a sentence."""
    return catalogue(lang)[f"meaning.{promise}"]


def standing_sign(standing: Standing) -> str:
    """One character that tells how a promise stands; plain ASCII, so that every console shows it."""
    return _SIGNS[standing]


def standing_word(standing: Standing, lang: str) -> str:
    """How a promise stands, in a word or two."""
    return catalogue(lang)[f"standing.{standing}"]


def step(which: Step, lang: str) -> str:
    """What a step comes to; its calls stand beside it."""
    known = catalogue(lang)
    key = f"act.{which.act}"
    if which.act is Act.DAMAGED:
        key = f"{key}.{which.detail}"
    elif which.act is Act.KILLED and not which.detail:
        key = f"{key}.holding"
    return known.get(key, key).format_map({"detail": which.detail})


def how(code: str, lang: str) -> str:
    """How a promise is broken; a code that is not known stays as it is."""
    return catalogue(lang).get(f"how.{code}", code)


def obstacle(code: str, lang: str) -> str:
    """Why a schedule did not come about; a code that is not known stays as it is."""
    return catalogue(lang).get(f"obstacle.{code}", code)


def conclusion(judged: Judged, lang: str) -> str:
    """Why a promise stands as it does, in a few words."""
    finding = judged.broken_by.breaks(judged.promise) if judged.broken_by else None
    if finding is not None:
        return how(finding.how, lang)
    return ", ".join(obstacle(code, lang) for code in judged.obstacles)


def steps(trial: Trial, lang: str) -> list[tuple[str, str, str, str]]:
    """The steps of a schedule as rows: number, who, what became of it, and the calls on the way."""
    return [
        (str(number), each.actor, step(each, lang), made)
        for number, (each, made) in enumerate(zip(trial.steps, calls(trial), strict=True), 1)
    ]


def calls(trial: Trial) -> list[str]:
    """The calls on the way of each step, as a line."""
    return [", ".join(_counted(each.calls)) for each in trial.steps]


def _counted(calls: Sequence[str]) -> Iterator[str]:
    """The calls, what is repeated at once only counted."""
    for call, repeated in itertools.groupby(calls):
        many = len(list(repeated))
        yield call if many == 1 else f"{many} × {call}"
