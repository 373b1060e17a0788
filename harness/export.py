"""Exports: the numbers of the matrix as one flat table, for spreadsheets, other programs and CI servers. Pure functions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from xml.etree import ElementTree

from harness.plain import plain, plain_lines
from harness.results import BuildResult, ClaimResult, by_group
from harness.vocabulary import Occupant, Verdict

Row = Mapping[str, str]

COLUMNS = (
    "platform",
    "filesystem",
    "runtime",
    "version",
    "claim",
    "kind",
    "verdict",
    "reason",
    "race",
    "explored",
    "mechanism",
    *(occupant.value for occupant in Occupant),
)
"""One column for each occupant's outcome; empty where nothing was measured."""

_FORMULA = ("=", "+", "-", "@")


def rows_of(results: Iterable[BuildResult]) -> list[Row]:
    """A row for every claim in every build, ordered by platform, filesystem, runtime, version and claim."""
    return [
        _row(result, claim_id, claim)
        for result in by_group(results)
        for claim_id, claim in sorted(result.claims.items())
    ]


def to_csv(rows: Iterable[Row]) -> str:
    """Comma-separated, with a head.

    Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, and files may come from anywhere: such a cell gets
    an apostrophe in front, which they take for "this is text", and what cannot be seen stands as its number. None of our own values needs either; JSON has
    all of them as they are.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_harmless(row[column]) for column in COLUMNS] for row in rows)
    return text.getvalue()


def to_json(rows: Iterable[Row]) -> str:
    """A list of objects, with null where nothing was measured."""
    return json.dumps([{name: value or None for name, value in row.items()} for row in rows], indent=1) + "\n"


def to_junit(rows: Iterable[Row]) -> str:
    """A test suite for every build and a test case for every claim.

    Unsafe and racy claims have failed, indeterminate ones are errors, and those that a build lacks or that did not run are skipped.
    A conditional claim passes, for it excludes its own kind; the exact verdict of each is a property.
    """
    root = ElementTree.Element("testsuites", name="claimgrid")
    for build, group in groupby(rows, key=lambda row: tuple(row[name] for name in COLUMNS[:4])):
        cases = list(group)
        verdicts = [Verdict(row["verdict"]) for row in cases]
        name = "{}-{}.{}-{}".format(*build)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=name,
            tests=str(len(cases)),
            failures=str(sum(verdict in _FAILED for verdict in verdicts)),
            errors=str(verdicts.count(Verdict.INDETERMINATE)),
            skipped=str(sum(verdict in _SKIPPED for verdict in verdicts)),
        )
        for row, verdict in zip(cases, verdicts, strict=True):
            case = ElementTree.SubElement(suite, "testcase", classname=plain(name), name=plain(row["claim"]))
            properties = ElementTree.SubElement(case, "properties")
            ElementTree.SubElement(properties, "property", name="verdict", value=verdict.value)
            if verdict in _TAGS:
                shown = f"{verdict}: {verdict.meaning}"
                ElementTree.SubElement(case, _TAGS[verdict], message=shown, type=verdict.value)
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + plain_lines(ElementTree.tostring(root, "unicode")) + "\n"


FORMATS: Mapping[str, Callable[[Iterable[Row]], str]] = {"csv": to_csv, "json": to_json, "junit": to_junit}

_FAILED = (Verdict.UNSAFE, Verdict.RACY)
_SKIPPED = (Verdict.UNSUPPORTED, Verdict.NOT_RUN)
_TAGS = {
    **dict.fromkeys(_FAILED, "failure"),
    Verdict.INDETERMINATE: "error",
    **dict.fromkeys(_SKIPPED, "skipped"),
}


def _row(result: BuildResult, claim_id: str, claim: ClaimResult) -> Row:
    return {
        "platform": result.environment.platform,
        "filesystem": result.environment.filesystem,
        "runtime": result.runtime,
        "version": result.version,
        "claim": claim_id,
        "kind": claim.kind.value,
        "verdict": claim.verdict.value,
        "reason": claim.judgement.reason.code,
        "race": claim.raced.outcome.value,
        "explored": claim.raced.explored.value,
        "mechanism": claim.mechanism or "",
        **{
            occupant.value: claim.cases[occupant].outcome.value if occupant in claim.cases else ""
            for occupant in Occupant
        },
    }


def _harmless(cell: str) -> str:
    # Python 3.11 does not even quote a lone carriage return, which other readers take for the end of a row.
    shown = plain_lines(cell).replace("\n", "\\n")
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
