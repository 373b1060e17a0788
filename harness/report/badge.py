"""A badge: one claim and its verdict in the builds asked for, as a small SVG picture that can stand in any README. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from harness.plain import plain
from harness.report.insight import verdict_in
from harness.results import BuildResult
from harness.sentences import verdict_word
from harness.versions import sort_key
from harness.vocabulary import Verdict, worst

_COLOURS = {
    Verdict.UNSAFE: "#a51d24",
    Verdict.RACY: "#8a3b00",
    Verdict.INDETERMINATE: "#6b4b8a",
    Verdict.CONDITIONAL: "#6b5200",
    Verdict.REFUSES: "#1f5478",
    Verdict.SAFE: "#14603a",
    Verdict.UNSUPPORTED: "#5c636b",
    Verdict.NOT_RUN: "#5c636b",
}
_CHARACTER = 6.6
_WIDE_CHARACTER = 11.0
_PADDING = 8


def badge(claim_id: str, builds: Sequence[BuildResult]) -> str:
    """The worst verdict of the claim in these builds, and which they are."""
    verdict = worst([verdict_in(build, claim_id) for build in builds])
    label, message = plain(claim_id, 120), f"{verdict.sign} {verdict_word(verdict, 'en')} · {scope(builds)}"
    left, right = _width(label), _width(message)
    title = f"{label}: {message}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label={quoteattr(title)}>'
        f"<title>{escape(title)}</title>"
        f'<rect width="{left}" height="20" fill="#3b4149"/><rect x="{left}" width="{right}" height="20" fill="{_COLOURS[verdict]}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_words(label, 0, left)}{_words(message, left, right)}</g></svg>\n"
    )


def scope(builds: Sequence[BuildResult]) -> str:
    """The builds in few words: "20.20.2–26.12.1 (4 measured) on linux-x64, ext4"."""
    places: dict[str, set[str]] = {}
    for build in builds:
        places.setdefault(plain(build.environment.platform), set()).add(plain(build.version))
    filesystems = sorted({plain(build.environment.filesystem) for build in builds})
    told = [f"{_range(sorted(places[each], key=sort_key))} on {each}" for each in sorted(places)]
    return ", ".join([*told, filesystems[0] if len(filesystems) == 1 else f"{len(filesystems)} filesystems"])


def _range(versions: Sequence[str]) -> str:
    return versions[0] if len(versions) == 1 else f"{versions[0]}–{versions[-1]} ({len(versions)} measured)"


def _width(text: str) -> int:
    return round(sum(_WIDE_CHARACTER if ord(sign) > 0x2E7F else _CHARACTER for sign in text)) + 2 * _PADDING


def _words(text: str, start: int, width: int) -> str:
    # The length is fixed, so that the words fit whichever font the reader has.
    return (
        f'<text x="{start + _PADDING}" y="14" textLength="{width - 2 * _PADDING}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(text)}</text>"
    )
