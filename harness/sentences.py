"""Sentences for codes: what a verdict, an occupant, a case, a reason, a race or a mechanism means, in English and Japanese. Pure functions.

The texts are in `harness/templates/en.json` and `ja.json`, which have the same keys. What is not among the codes, such as an
error text of the operating system, is shown as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType

from harness.judge import Case, Raced, Reason
from harness.vocabulary import Kind, Occupant, Outcome, RaceOutcome, Verdict

LANGUAGES = ("en", "ja")
_NAMED = 3
"""Occupants that a sentence names before it only counts the rest."""

_OBSTACLES = {
    "Wine makes no symbolic links, though it says so": "no-symlinks-in-wine",
    "only Windows has device names": "no-device-names",
    "only Windows makes junctions": "no-junctions",
    "an open file keeps nobody out except on Windows": "no-open-files",
    "the claim did not win the free name": "free-not-won",
    "it could not be held a second time": "not-held-again",
    "the operation is impossible here": "operation",
    "there is no file to write into": "no-file",
    "this filesystem has no read-only files": "no-readonly",
    "Windows has no FIFOs in directories": "no-fifos",
}
"""What claimgrid itself says when a case cannot be set up."""

_DISAGREED = re.compile(r"in the shared process: ([a-z-]+); in one of its own: ([a-z-]+)")
_OTHER_LOST = re.compile(r"(\S+) did not win the free name")

_MECHANISMS = {
    "mkdir": ("mkdir", "mkdirat"),
    "link": ("link", "linkat"),
    "symlink": ("symlink", "symlinkat"),
    "mknod": ("mknod", "mknodat"),
    "rename": ("rename", "renameat", "renameat2"),
    "remove": ("unlink", "unlinkat", "rmdir"),
    "lock": ("flock", "fcntl"),
    "plain-open": ("open", "openat", "openat2", "creat"),
}
_BY_CALL = {call: word for word, calls in _MECHANISMS.items() for call in calls}


@cache
def catalogue(lang: str) -> Mapping[str, str]:
    """All texts of one language by their keys. Raises KeyError for a language that is none of LANGUAGES."""
    if lang not in LANGUAGES:
        raise KeyError(lang)
    source = resources.files("harness").joinpath("templates", f"{lang}.json")
    return MappingProxyType(json.loads(source.read_text(encoding="utf-8")))


def text(key: str, lang: str, **parts: str) -> str:
    """One text with its parts filled in. Raises KeyError for a key that is not in the catalogue."""
    found = catalogue(lang)[key]
    return found.format_map(parts) if parts else found


def verdict_word(verdict: Verdict, lang: str) -> str:
    """One word for a cell."""
    return text(f"verdict.{verdict}", lang)


def verdict_meaning(verdict: Verdict, lang: str) -> str:
    """One sentence for a legend."""
    return text(f"meaning.{verdict}", lang)


def kind_word(which: Kind, lang: str) -> str:
    """What claims of this kind are for."""
    return text(f"kind.{which}", lang)


def occupant(which: Occupant, lang: str) -> str:
    """What sits on the name, to be put into a sentence."""
    return text(f"occupant.{which}", lang)


def said(case: Case, lang: str) -> str:
    """What the runtime said in a case."""
    if case.outcome in (Outcome.REFUSED, Outcome.DAMAGED, Outcome.FALSE_REFUSAL) and (case.code or case.error):
        key = "said.error" if case.recognised else "said.unrecognised"
        return text(key, lang, error=" ".join(dict.fromkeys(part for part in (case.error, case.code) if part)))
    return text(f"said.{case.outcome}", lang)


def saw(case: Case, lang: str) -> str:
    """What the disk showed in a case, and why, where something else than the claim was the reason."""
    what = text(f"detail.{case.detail}" if case.detail else f"saw.{case.outcome}", lang)
    return text("saw.because", lang, what=what, why=obstacle(case.reason, lang)) if case.reason else what


def outcome(case: Case, lang: str) -> str:
    """One case: what the runtime said and what the disk showed."""
    if case.outcome in (Outcome.UNAVAILABLE, Outcome.NOT_RUN):
        return text("case.moot", lang, saw=saw(case, lang))
    return text("case", lang, said=said(case, lang), saw=saw(case, lang))


def obstacle(why: str, lang: str) -> str:
    """Why a case could not be set up; what the operating system says about it stays as it is."""
    if why in _OBSTACLES:
        return text(f"obstacle.{_OBSTACLES[why]}", lang)
    known = catalogue(lang)
    if (match := _DISAGREED.fullmatch(why)) and all(f"saw.{outcome}" in known for outcome in match.groups()):
        together, alone = (f"{known[f'said.{outcome}']}, {known[f'saw.{outcome}']}" for outcome in match.groups())
        return text("obstacle.disagreed", lang, together=together, alone=alone)
    if match := _OTHER_LOST.fullmatch(why):
        return text("obstacle.other-lost", lang, claim=match[1])
    return why


def reason(why: Reason, kind: Kind, lang: str) -> str:
    """Why a verdict on a claim of this kind is what it is."""
    known = catalogue(lang)
    keys = [key for each in _reason_keys(why) for key in (f"{each}.{kind}", each)]
    key = next((each for each in keys if each in known), "reason.unknown")
    return text(
        key,
        lang,
        code=why.code,
        occupants=_listed([occupant(each, lang) for each in why.occupants], lang),
        what=text(f"detail.{why.detail}" if why.detail else f"saw.{why.outcome or Outcome.NOT_RUN}", lang),
        said=text(f"said.{why.outcome or Outcome.NOT_RUN}", lang),
        pause=pause(why.text, lang),
        race=race_reason(why.text, lang),
        mechanism=mechanism(why.text, lang),
    )


def _reason_keys(why: Reason) -> list[str]:
    """The keys that would fit, the most telling one first."""
    key = f"reason.{why.code}"
    if why.code.startswith("two-winners") and why.text:
        return [f"{key}.pause"]
    if why.code == "free-not-won":
        return [f"{key}.false-win" if why.outcome is Outcome.FALSE_WIN else f"{key}.refused"]
    return [f"{key}.{why.outcome}", f"{key}.{why.text}", key]


def race(raced: Raced, lang: str) -> str:
    """What racing and exploring showed, in one to three sentences."""
    happened = text(f"race.{raced.outcome}", lang)
    parts = [_with(happened, race_reason(raced.reason, lang), lang) if raced.reason else happened]
    if raced.explored is not RaceOutcome.NOT_RUN:
        parts.append(text(f"explored.{raced.explored}", lang, pause=pause(raced.pause, lang)))
    if raced.unexplored and raced.outcome is not RaceOutcome.NOT_RUN:
        parts.append(catalogue(lang).get(f"unexplored.{raced.unexplored}", raced.unexplored))
    return (" " if lang == "en" else "").join(parts)


def _with(sentence: str, why: str, lang: str) -> str:
    """A sentence with a remark in brackets before its full stop."""
    stop = sentence[-1]
    return text("saw.because", lang, what=sentence[:-1], why=why) + stop


def race_reason(code: str, lang: str) -> str:
    """Why a race came out as it did, to be put into a sentence; a code that is not known stays as it is."""
    return catalogue(lang).get(f"race-reason.{code}", code)


def pause(told: str, lang: str) -> str:
    """Where a contender was held: "after access, before openat(O_CREAT|O_TRUNC)"."""
    after, comma, before = told.removeprefix("after ").partition(", before ")
    if not told.startswith("after "):
        return told
    return text("pause", lang, after=after, before=before) if comma else text("pause.end", lang, after=after)


def mechanism(call: str | None, lang: str) -> str:
    """Which system call carries a claim, in words that a person understands; None when it was not traced."""
    return text(f"mechanism.{_mechanism_key(call)}", lang, call=call or "")


def _mechanism_key(call: str | None) -> str:
    if not call:
        return "none"
    name, _, flags = call.rstrip(")").partition("(")
    word = _BY_CALL.get(name, call if call == "check-then-act" else "other")
    if word == "plain-open" and {"O_CREAT", "O_EXCL"} <= set(flags.split("|")):
        return "exclusive-create"
    if word == "rename" and "RENAME_NOREPLACE" in flags:
        return "rename-noreplace"
    return "shared-lock" if word == "lock" and "LOCK_SH" in flags else word


def _listed(words: Sequence[str], lang: str) -> str:
    """Words as a list in a sentence; beyond the first few they are only counted."""
    shown = list(words)
    if len(shown) > _NAMED + 1:
        shown = [*shown[:_NAMED], text("list.more", lang, count=str(len(words) - _NAMED))]
    if len(shown) < 2:
        return "".join(shown)
    return text("list.two", lang, first=text("list.comma", lang).join(shown[:-1]), last=shown[-1])
