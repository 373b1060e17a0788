"""Advice as text, Markdown or JSON: code to paste, what it does not protect from, and the cells that prove it. Pure functions."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from harness import sentences
from harness.plain import code_span, markdown_text, plain, plain_lines
from harness.recommend import Advice, Candidate, Together, by_way, unrecognised
from harness.report.insight import call_of
from harness.results import BuildResult, ClaimResult, raced_to_dict
from harness.tables import word
from harness.vocabulary import Kind, Occupant, Outcome, RaceOutcome, Verdict

_WAYS = 3
_NEAR = 3
_NAMED = 3
_WIDTH = 100

_COMMON = {
    Kind.CREATE: (
        "A crash: the name stays, and nobody gets it until somebody removes it.",
        "Others who use another call: only callers that ask for a new name are kept out.",
        "Letting go of what another holds: whoever removes the name without having won it removes it all the same.",
    ),
    Kind.TAKE: ("A crash of the one who got it: what was taken stays taken, and nobody does the rest.",),
    Kind.HELD: (
        "Work that goes on after the lock is gone: it ends with the process, or when what holds it is closed.",
    ),
}
"""What claims of a kind cannot protect from, however well they are made."""
_ELSEWHERE = (
    "Other filesystems and computers than those measured: network filesystems, contenders on different computers."
)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of advice: a `heading`, a `claim`, `code` or a `list` under a label, `notes` that stand for all claims,
    the `lead` of the claims, or a `line`."""

    kind: str
    text: str
    items: tuple[str, ...] = ()


def blocks(advice: Advice, kind: Kind) -> Iterator[Block]:
    """All that is said to one wish."""
    yield Block("heading", f"{plain(advice.wanted.text)}: {_kind(kind)}")
    if advice.builds:
        yield Block("list", "measured", tuple(_measured(advice.builds)))
    yield from (Block("line", f"not shown on {plain(each)}: nothing was measured there") for each in advice.missing)
    if not advice.builds:
        where = ", ".join(map(plain, advice.elsewhere))
        yield Block("line", f"measured only on {where}" if where else "not measured anywhere")
        return
    yield Block("lead", _lead(advice))
    ways = by_way(advice.best)
    for number, way in enumerate(ways[:_WAYS], 1):
        yield from _claim(number, way)
    if hidden := len(ways) - min(len(ways), _WAYS):
        yield Block("line", f"{_count(hidden, 'other way')} of the system to do it: --format json tells all.")
    if advice.safe and advice.open:
        yield Block(
            "line",
            f"{_count(len(advice.open), 'more claim')} safe in some and not proved in the others: --format json.",
        )
    if advice.best:
        yield Block("notes", "None of this protects from", (*_COMMON.get(kind, ()), _ELSEWHERE))
    if near := _near(advice):
        yield Block("notes", "near misses", tuple(near))


def _lead(advice: Advice) -> str:
    if advice.safe:
        return "Proved on the rest only, the best first:" if advice.missing else "Safe in all of them, the best first:"
    if advice.open:
        return "Nothing is proved in all of them. Safe in some, and nothing measured speaks against it in the others:"
    if advice.excepting:
        return "Nothing is safe in all of them. What keeps its own kind out, with exceptions:"
    return "Nothing that was measured is safe in all of them."


def _near(advice: Advice) -> list[str]:
    """One of each call, the others counted."""
    first = {call_of(claim_id): (claim_id, places) for claim_id, places in reversed(advice.near)}
    told = [each for each in advice.near if first[call_of(each[0])] == each][:_NEAR]
    lines = [f"{plain(claim_id)}: {plain('; '.join(places), 1000)}" for claim_id, places in told]
    left = len(advice.near) - len(told)
    return [*lines, *([f"and {left} more: --format json"] if left else [])]


def _kind(kind: Kind) -> str:
    return sentences.kind_word(kind, "en")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _measured(builds: Sequence[BuildResult]) -> Iterator[str]:
    for (platform, filesystem), group in groupby(
        builds, lambda each: (each.environment.platform, each.environment.filesystem)
    ):
        versions = [each.version for each in group]
        yield plain(f"{platform} {filesystem}: {_versions(versions)}", 1000)


def _versions(versions: Sequence[str]) -> str:
    """A range names the first and the last that was measured; what has no order is named one by one."""
    if len(versions) == 1 or any(each[:1].isalpha() for each in versions):
        return ", ".join(versions)
    return sentences.text("history.range", "en", first=versions[0], last=versions[-1], count=str(len(versions)))


def _claim(number: int, way: Sequence[Candidate]) -> Iterator[Block]:
    best, *others = way
    yield Block("claim", f"{number}. {plain(best.claim_id)}", (_proof(best),))
    yield Block("code", "take it", (plain_lines(best.newest.code),))
    if best.release is not None:
        yield Block("code", "let it go (not measured with it)", (plain_lines(best.release),))
    if remarks := list(_remarks(best)):
        yield Block("list", "mind", tuple(remarks))
    yield Block("list", "proved by" if best.proved else "measured as", tuple(_cells(best)))
    if others:
        named = ", ".join(plain(each.claim_id) for each in others[:_NAMED])
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        yield Block("line", f"the same way: {named}{more}")


def _proof(candidate: Candidate) -> str:
    builds = _count(len(candidate.cells), "build")
    if Verdict.CONDITIONAL in candidate.verdicts:
        return f"keeps its own kind out in {builds}, with exceptions"
    return f"safe in {candidate.proved} of {builds}"


def _remarks(candidate: Candidate) -> Iterator[str]:
    """What is special about this claim."""
    newest = candidate.newest
    if candidate.needs_source and newest.kind is Kind.CREATE:
        yield "`source` has to be made first, under a name that nobody else uses."
    errors = _errors(candidate)
    if errors:
        yield f"Its refusal is {' or '.join(errors)}."
    for error, occupants in unrecognised(candidate).items():
        what = ", ".join(sentences.occupant(each, "en") for each in occupants)
        yield f"Over {what} it says {plain(error)}, which a test for “it exists” does not recognise."
    if candidate.makes_pipe:
        yield "It makes a named pipe: whoever opens it waits."
    if all(_outcome(claim, Occupant.KILLED) is Outcome.WON for claim in candidate.measured):
        yield "The lock of a holder that was killed could be had again."
    if newest.kind is Kind.CREATE and (newest.mechanism or "").startswith("open") and "data" in newest.code:
        yield "Whoever reads the name may come before what is written into it."
    exceptions = {claim.judgement.reason: None for claim in candidate.measured if claim.verdict is Verdict.CONDITIONAL}
    yield from (plain(sentences.reason(each, newest.kind, "en"), 1000) for each in exceptions)


def _outcome(claim: ClaimResult, occupant: Occupant) -> Outcome:
    return claim.cases[occupant].outcome if occupant in claim.cases else Outcome.NOT_RUN


def _errors(candidate: Candidate) -> list[str]:
    """The errors of refusals that are recognised, in order of the alphabet."""
    found = {
        case.code or case.error
        for claim in candidate.measured
        for case in claim.cases.values()
        if case.outcome is Outcome.REFUSED and case.recognised
    }
    return [plain(each) for each in sorted(found - {""})]


def _cells(candidate: Candidate) -> Iterator[str]:
    """The cells, neighbouring versions with the same content together."""

    def content(cell: tuple[BuildResult, ClaimResult | None]) -> tuple[str, str, str]:
        build, claim = cell
        return build.environment.platform, build.environment.filesystem, _cell(claim)

    for (platform, filesystem, cell), group in groupby(candidate.cells, content):
        versions = [build.version for build, _ in group]
        yield plain(f"{platform} {filesystem} {_versions(versions)}: {cell}", 1000)


def _cell(claim: ClaimResult | None) -> str:
    if claim is None:
        return word(Verdict.NOT_RUN)
    raced = claim.raced
    race = "not raced" if raced.outcome is RaceOutcome.NOT_RUN else f"raced: {raced.outcome}"
    explored = [] if raced.explored is RaceOutcome.NOT_RUN else [f"every pause: {raced.explored}"]
    return ", ".join([word(claim.verdict), race, *explored, claim.mechanism or "system call not traced"])


def blocks_together(one: Advice, other: Advice, found: Sequence[Together]) -> Iterator[Block]:
    """Whether the claims for two wishes keep each other out."""
    yield Block("heading", f"{plain(one.wanted.text)} and {plain(other.wanted.text)} on one name")
    if not found:
        yield Block("line", "Not shown: these claims were not measured on one name.")
        return
    best = [advice.best[0].claim_id for advice in (one, other)]
    if not any([each.first, each.second] == best for each in found):
        yield Block(
            "line", f"Not shown for {plain(best[0])} with {plain(best[1])}: they were not measured on one name."
        )
    good = [each for each in found if each.encounter.verdict is Verdict.SAFE]
    bad = [each for each in found if each.encounter.verdict is not Verdict.SAFE]
    if good:
        yield Block("list", "keep each other out, one after another and raced", tuple(map(_meeting, _some(good))))
    if bad:
        yield Block("list", "do not, or that is not shown", tuple(map(_meeting, _some(bad))))


def _some(found: Sequence[Together]) -> Sequence[Together]:
    return found[:_NAMED]


def _meeting(each: Together) -> str:
    meeting = each.meeting
    builds = " and ".join(" ".join(side) for side in (meeting.first, meeting.second))
    where = f"{meeting.environment.platform} {meeting.environment.filesystem}"
    return plain(
        f"{each.first} with {each.second}: {word(each.encounter.verdict)}, raced: {each.encounter.raced.outcome}, {builds}, {where}",
        1000,
    )


def as_text(found: Iterable[Block]) -> str:
    """For a terminal."""
    lines: list[str] = []
    for block in found:
        match block.kind:
            case "heading":
                lines += [*([""] if lines else []), block.text]
            case "lead":
                lines += ["", block.text]
            case "claim":
                lines += ["", f"{block.text} ({block.items[0]})"]
            case "code":
                lines += [f"   {block.text}:", *textwrap.indent(block.items[0], "       ").split("\n")]
            case "list" | "notes":
                lines += ["", f"{block.text}:"] if block.kind == "notes" else [f"   {block.text}:"]
                for item in block.items:
                    lines += textwrap.wrap(
                        item, _WIDTH, initial_indent="     - ", subsequent_indent="       ", break_on_hyphens=False
                    )
            case _:
                lines += textwrap.wrap(
                    block.text, _WIDTH, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False
                )
    return "\n".join(lines)


def as_markdown(found: Iterable[Block]) -> str:
    """For an issue, a pull request or a wiki."""
    parts: list[str] = []
    for block in found:
        match block.kind:
            case "heading":
                parts.append(f"## {markdown_text(block.text)}")
            case "claim":
                number, _, claim_id = block.text.partition(" ")
                parts.append(f"### {number} {code_span(claim_id)} ({block.items[0]})")
            case "code":
                fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.items[0])), default=0))
                parts.append(f"{block.text}:\n\n{fence}\n{block.items[0]}\n{fence}")
            case "list" | "notes":
                parts.append(
                    "\n".join(
                        [f"{markdown_text(block.text)}:\n", *(f"- {markdown_text(item)}" for item in block.items)]
                    )
                )
            case _:
                parts.append(markdown_text(block.text))
    return "\n\n".join(parts)


def to_dict(advice: Advice) -> dict[str, Any]:
    """One wish for other programs: nothing is left out, every list has the best first."""
    return {
        "runtime": advice.wanted.text,
        "complete": advice.complete,
        "measured": [
            {
                "platform": each.environment.platform,
                "filesystem": each.environment.filesystem,
                "version": each.version,
            }
            for each in advice.builds
        ],
        "missing": list(advice.missing),
        "elsewhere": list(advice.elsewhere),
        "safe": [_candidate_to_dict(each) for each in advice.safe],
        "open": [_candidate_to_dict(each) for each in advice.open],
        "excepting": [_candidate_to_dict(each) for each in advice.excepting],
        "near": [{"claim": claim_id, "measured": list(places)} for claim_id, places in advice.near],
    }


def _candidate_to_dict(candidate: Candidate) -> dict[str, Any]:
    return {
        "claim": candidate.claim_id,
        "code": candidate.newest.code,
        "release": candidate.release,
        "proved": candidate.proved,
        "exclusive": candidate.exclusive,
        "recognised": candidate.recognised,
        "source": candidate.needs_source,
        "mind": list(_remarks(candidate)),
        "not-against": [*_COMMON.get(candidate.newest.kind, ()), _ELSEWHERE],
        "cells": [
            {
                "platform": build.environment.platform,
                "filesystem": build.environment.filesystem,
                "version": build.version,
                "verdict": (Verdict.NOT_RUN if claim is None else claim.verdict).value,
                "race": None if claim is None else raced_to_dict(claim.raced),
                "mechanism": None if claim is None else claim.mechanism,
            }
            for build, claim in candidate.cells
        ],
    }


def together_to_dict(one: Advice, other: Advice, found: Sequence[Together]) -> dict[str, Any]:
    """What was measured of the claims for two wishes on one name."""
    return {
        "runtimes": [one.wanted.text, other.wanted.text],
        "pairs": [
            {
                "claims": [each.first, each.second],
                "verdict": each.encounter.verdict.value,
                "race": each.encounter.raced.outcome.value,
                "platform": each.meeting.environment.platform,
                "filesystem": each.meeting.environment.filesystem,
                "builds": [" ".join(side) for side in (each.meeting.first, each.meeting.second)],
            }
            for each in found
        ],
    }
