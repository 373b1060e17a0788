"""History: what the versions that were measured say of a claim, one after another. Of those in between nothing is said. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.results import BuildResult
from harness.sentences import text, verdict_word
from harness.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Segment:
    """Measured versions next to each other with the same verdict, oldest first."""

    verdict: Verdict
    versions: tuple[str, ...]

    def label(self, lang: str) -> str:
        """`1.0.36` or `1.0.36–1.3.14 (4 measured)`."""
        first, last = self.versions[0], self.versions[-1]
        return (
            first
            if first == last
            else text("history.range", lang, first=first, last=last, count=str(len(self.versions)))
        )


def segments(builds: Sequence[BuildResult], claim_id: str) -> list[Segment]:
    """The history of a claim in builds of one runtime, oldest first; a build where it was not measured is passed over."""
    found: list[Segment] = []
    for build in builds:
        claim = build.claims.get(claim_id)
        if claim is None or claim.verdict is Verdict.NOT_RUN:
            continue
        if found and found[-1].verdict is claim.verdict:
            found[-1] = Segment(claim.verdict, (*found[-1].versions, build.version))
        else:
            found.append(Segment(claim.verdict, (build.version,)))
    return found


def told(history: Sequence[Segment], lang: str) -> str:
    """In one line: `unsafe up to 1.3.14, refuses from 1.4.0`, with only what was measured on either side of a change."""
    if not history:
        return text("history.none", lang)
    words = [verdict_word(each.verdict, lang) for each in history]
    first, last = history[0], history[-1]
    if first is last:
        return text("history.always", lang, verdict=words[0], versions=first.label(lang))
    parts = [
        text("history.up-to", lang, verdict=words[0], version=first.versions[-1]),
        *(_between(each, word, lang) for each, word in zip(history[1:-1], words[1:-1], strict=True)),
        text("history.from", lang, verdict=words[-1], version=last.versions[0]),
    ]
    return text("list.comma", lang).join(parts)


def _between(segment: Segment, word: str, lang: str) -> str:
    if len(segment.versions) == 1:
        return text("history.in", lang, verdict=word, version=segment.versions[0])
    return text("history.span", lang, verdict=word, first=segment.versions[0], last=segment.versions[-1])
