"""Expectations: what claims are expected to be worth where, as a file of entries that people write and read."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from fnmatch import fnmatchcase, translate
from functools import cache
from pathlib import Path
from typing import Any

from harness.errors import ClaimgridError
from harness.plain import plain
from harness.ranges import Range
from harness.results import BuildResult
from harness.runtimes import RUNTIMES
from harness.versions import answers
from harness.vocabulary import Verdict, worst

MEASURED = "measured: "
"""What a reason begins with that nobody has written yet: it only repeats what was seen."""

_KEYS = ("claims", "runtime", "versions", "platform", "filesystem", "verdict", "reason", "link", "expires")
_NEEDED = ("claims", "verdict", "reason", "link")
_VERDICTS = tuple(verdict.value for verdict in Verdict if verdict is not Verdict.NOT_RUN)
_OPENING = re.compile(r"\s*\[\[\s*expect\s*\]\]\s*(#.*)?")
_SIGNS = "<>=!"
_LINE = 100


@dataclass(frozen=True, slots=True)
class Expectation:
    """One entry: the verdict of these claims in these builds. What it does not tell, `()`, does not matter.

    `claims` are ids, with or without the runtime, each of which is that very claim, or patterns with `*` and `?`. `versions` are ranges
    (`>=18,<22.3`), whole versions, or names of programs (`bash`), any of which may hold. There is more than one verdict where chance
    decides which it comes to. `line` is where it stands.
    """

    claims: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    reason: str
    link: str
    runtimes: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    filesystems: tuple[str, ...] = ()
    expires: date | None = None
    line: int = field(default=0, compare=False)

    @property
    def verdict(self) -> Verdict:
        """The worst that is expected."""
        return worst(list(self.verdicts))

    @property
    def is_written(self) -> bool:
        """Whether a person gave the reason."""
        return not self.reason.startswith(MEASURED)

    def covers(self, build: BuildResult) -> bool:
        """Whether it says anything about a build."""
        return (
            (not self.runtimes or build.runtime in self.runtimes)
            and (not self.versions or any(holds(each, build.version) for each in self.versions))
            and _fits(build.environment.platform, self.platforms)
            and _fits(build.environment.filesystem, self.filesystems)
        )

    def chosen(self, claim_ids: Collection[str]) -> list[str]:
        """Which of these claims it names."""
        calls = {claim_id: claim_id.partition(":")[2] for claim_id in claim_ids}
        # Ids such as `mkdir/$?` have signs of patterns in them, and name themselves.
        whole = {each for each in self.claims if not _is_pattern(each) or each in calls or each in calls.values()}
        matches = _compiled(tuple(each for each in self.claims if each not in whole)).match
        return [
            claim_id
            for claim_id, call in calls.items()
            if claim_id in whole or call in whole or matches(call) or matches(claim_id)
        ]


@dataclass(frozen=True, slots=True)
class Entry:
    """An expectation with the text that it was read from, with the comments above it."""

    text: str
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class Book:
    """A whole file: its entries, and the comments before the first and after the last."""

    entries: tuple[Entry, ...] = ()
    head: str = ""
    tail: str = ""

    @property
    def expectations(self) -> tuple[Expectation, ...]:
        """Its entries in order; of those that speak about one cell the last holds."""
        return tuple(entry.expectation for entry in self.entries)

    def to_text(self) -> str:
        """The file: what was read stays as it is, an empty line between any two entries."""
        parts = [self.head, *(entry.text for entry in self.entries), self.tail]
        return "\n\n".join(part for part in parts if part) + "\n"


def holds(asked: str, version: str) -> bool:
    """Whether a version lies in a range, is the one named, or is a version of the program named."""
    if asked[0] in _SIGNS:
        return _range(asked).holds(version)
    return version == asked or (asked[0].isalpha() and "-" not in asked and answers(version, asked))


def read_book(path: Path) -> Book:
    """Raises ClaimgridError with the place in the file and what is wrong; also for a file that is not there."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ClaimgridError(
            f"There are no expectations {path}.",
            "`claimgrid expect --update` writes them; --expectations names others.",
        ) from None
    except UnicodeDecodeError as error:
        raise ClaimgridError(f"{path} is not UTF-8 at byte {error.start}.") from error
    except OSError as error:
        raise ClaimgridError(f"{path} cannot be read: {error.strerror}.") from error
    return parse_book(text, path.as_posix())


def parse_book(text: str, name: str) -> Book:
    """The same from text; `name` is what the file is called in a message."""
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ClaimgridError(f"{name} is nested too deeply.", "An entry needs no more than lists of words.") from None
    except ValueError as error:
        # Mostly tomllib's own; a number of thousands of digits is Python's.
        raise ClaimgridError(f"{name} is not TOML: {error}.") from error
    head, blocks, tail = _split(text.replace("\r\n", "\n"))
    entries = data.pop("expect", [])
    if data:
        raise ClaimgridError(
            f"{name}: {_quoted(min(data))} stands outside of any entry.", "Entries begin with [[expect]]."
        )
    if not isinstance(entries, list) or len(entries) != len(blocks):
        raise ClaimgridError(
            f"{name}: its entries do not stand apart.", "Begin each with [[expect]] on a line of its own."
        )
    return Book(
        tuple(
            Entry(block, _expectation(entry, line, f"{name}:{line}"))
            for (line, block), entry in zip(blocks, entries, strict=True)
        ),
        head,
        tail,
    )


def render(expectation: Expectation) -> str:
    """An entry as text."""
    lines = ["[[expect]]", f"claims = {_listed(expectation.claims)}"]
    for key, values in (
        ("runtime", expectation.runtimes),
        ("versions", expectation.versions),
        ("platform", expectation.platforms),
        ("filesystem", expectation.filesystems),
        ("verdict", expectation.verdicts),
    ):
        if values:
            lines.append(f"{key} = {_text(values[0]) if len(values) == 1 else _listed(values)}")
    lines += [f"{key} = {_text(getattr(expectation, key))}" for key in ("reason", "link")]
    if expectation.expires:
        lines.append(f"expires = {expectation.expires.isoformat()}")
    return "\n".join(lines)


def _split(text: str) -> tuple[str, list[tuple[int, str]], str]:
    """The text before the first entry, each entry with its line and the comments above it, and the text after the last."""
    lines = text.split("\n")
    openings = [place for place, line in enumerate(lines) if _OPENING.fullmatch(line)]
    if not openings:
        return _joined(lines), [], ""
    # What stands between two entries is about the second. Above the first it may be about the whole file: only what touches it is its own.
    starts = [_above(lines, openings[0], lambda line: line.startswith("#"))]
    starts += [_above(lines, place, lambda line: not line.strip() or line.startswith("#")) for place in openings[1:]]
    ends = [*starts[1:], _above(lines, len(lines), lambda line: not line.strip() or line.startswith("#"))]
    blocks = [
        (opening + 1, _joined(lines[start:end])) for opening, start, end in zip(openings, starts, ends, strict=True)
    ]
    return _joined(lines[: starts[0]]), blocks, _joined(lines[ends[-1] :])


def _above(lines: list[str], place: int, belongs: Callable[[str], bool]) -> int:
    """Where the lines right above a place begin that belong to it."""
    while place > 0 and belongs(lines[place - 1]):
        place -= 1
    return place


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines).strip("\n")


def _expectation(entry: Mapping[str, Any], line: int, where: str) -> Expectation:
    """Raises ClaimgridError."""
    unknown = sorted(entry.keys() - set(_KEYS))
    if unknown:
        raise ClaimgridError(f"{where}: an entry has no key {_quoted(unknown[0])}.", f"It has {', '.join(_KEYS)}.")
    missing = [key for key in _NEEDED if key not in entry]
    if missing:
        raise ClaimgridError(f"{where}: {missing[0]} is missing.", f"Every entry needs {', '.join(_NEEDED)}.")
    lists = {key: _words(entry, key, where) for key in ("claims", "runtime", "versions", "platform", "filesystem")}
    single = {key: _word(entry, key, where) for key in ("reason", "link")}
    verdicts = _words(entry, "verdict", where)
    if wrong := [verdict for verdict in verdicts if verdict not in _VERDICTS]:
        raise ClaimgridError(f"{where}: {_quoted(wrong[0])} is no verdict.", f"One of {', '.join(_VERDICTS)}.")
    if wrong := [name for name in lists["runtime"] if name not in RUNTIMES]:
        raise ClaimgridError(f"{where}: {_quoted(wrong[0])} is no runtime.", f"One of {', '.join(RUNTIMES)}.")
    for asked in lists["versions"]:
        try:
            _check_versions(asked)
        except ClaimgridError as error:
            raise ClaimgridError(f"{where}: {error.message}", error.hint) from error
    if not single["link"].startswith("https://") and not single["link"].endswith(".json"):
        raise ClaimgridError(
            f"{where}: link is {_quoted(single['link'])}.", "Give an address, https://…, or a results file."
        )
    expires = entry.get("expires")
    if expires is not None and (not isinstance(expires, date) or isinstance(expires, datetime)):
        raise ClaimgridError(f"{where}: expires is no date.", "Write it as expires = 2027-01-31, without quotes.")
    return Expectation(
        lists["claims"],
        tuple(map(Verdict, verdicts)),
        single["reason"],
        single["link"],
        lists["runtime"],
        lists["versions"],
        lists["platform"],
        lists["filesystem"],
        expires,
        line,
    )


def _check_versions(asked: str) -> None:
    """Raises ClaimgridError for what no version can answer to."""
    if asked[0] in _SIGNS:
        if Range.parse(asked).is_empty:
            raise ClaimgridError(f"No version lies in {_quoted(asked)}.", "Write bounds such as '>=18,<22.3'.")
    elif not _VERSION.fullmatch(asked):
        raise ClaimgridError(
            f"{_quoted(asked)} is no version and no range.", "Write '22.1.0', or bounds such as '>=18,<22.3'."
        )


_VERSION = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z+_~-]|\.(?![xX*](?:\.|$)))*")
"""`18.x` looks like a range elsewhere, and would be nobody's version here."""


def _words(entry: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = entry.get(key)
    if value is None:
        return ()
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(each, str) and each.strip() for each in values):
        raise ClaimgridError(f"{where}: {key} is neither text nor a list of texts.")
    return tuple(each.strip() for each in values)


def _word(entry: Mapping[str, Any], key: str, where: str) -> str:
    value = entry[key]
    if not isinstance(value, str) or not value.strip():
        raise ClaimgridError(f"{where}: {key} is no text.")
    return value.strip()


def _fits(value: str, wanted: Collection[str]) -> bool:
    return not wanted or any(fnmatchcase(value, each) for each in wanted)


def _is_pattern(name: str) -> bool:
    return "*" in name or "?" in name


@cache
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    # Brackets are ordinary characters in ids, as for the selectors of commands. No pattern at all matches nothing.
    return re.compile("|".join(translate(each.replace("[", "[[]")) for each in patterns) or "(?!)")


@cache
def _range(text: str) -> Range:
    return Range.parse(text)


def _listed(values: Collection[str]) -> str:
    line = f"[{', '.join(map(_text, values))}]"
    if len(values) == 1 or len(line) <= _LINE:
        return line
    return "[\n" + "".join(f"  {_text(each)},\n" for each in values) + "]"


def _text(value: str) -> str:
    # A basic string of TOML is one of JSON, but for one control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _quoted(value: object) -> str:
    return repr(plain(str(value), 80))
