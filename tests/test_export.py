"""Exports: the same numbers as the matrix, in shapes that other programs read."""

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from types import MappingProxyType
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from made import build, builds, claim, some_builds

from harness.cli import cli
from harness.export import COLUMNS, FORMATS, rows_of, to_csv, to_json, to_junit
from harness.judge import Case, Judgement, Raced, Reason
from harness.matrix import build_tables
from harness.results import write
from harness.vocabulary import Kind, Occupant, Outcome, RaceOutcome, Verdict

FULL = replace(
    claim(Verdict.RACY),
    kind=Kind.HELD,
    judgement=Judgement(Verdict.RACY, Reason("two-winners")),
    cases=MappingProxyType({Occupant.FREE: Case(Outcome.WON), Occupant.HELD: Case(Outcome.REFUSED)}),
    raced=Raced(RaceOutcome.ONE_WINNER, explored=RaceOutcome.TWO_WINNERS),
    mechanism="check-then-act",
)
BUILD = replace(build("1.0.0", {}), claims=MappingProxyType({"node:a": FULL}))


def test_a_row_tells_all_there_is_to_a_claim():
    (row,) = rows_of([BUILD])
    assert {name: value for name, value in row.items() if value} == {
        "platform": "linux-x64",
        "filesystem": "ext4",
        "runtime": "node",
        "version": "1.0.0",
        "claim": "node:a",
        "kind": "held",
        "verdict": "racy",
        "reason": "two-winners",
        "race": "one-winner",
        "explored": "two-winners",
        "mechanism": "check-then-act",
        "free": "won",
        "held": "refused",
    }
    assert tuple(row) == COLUMNS


def in_matrix(results):
    """How many cells of the matrix have each verdict, but for what no file says anything about."""
    cells = Counter(
        cell
        for table in build_tables(results)
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        for _ in range(len(column.versions) * len(row.variants))
    )
    return {verdict: count for verdict, count in cells.items() if verdict is not Verdict.NOT_RUN}


def in_csv(results):
    return Counter(Verdict(row["verdict"]) for row in csv.DictReader(io.StringIO(to_csv(rows_of(results)))))


def in_json(results):
    return Counter(Verdict(row["verdict"]) for row in json.loads(to_json(rows_of(results))))


def in_junit(results):
    root = ElementTree.fromstring(to_junit(rows_of(results)))
    return Counter(Verdict(each.get("value")) for each in root.iter("property"))


@pytest.mark.parametrize("count", [in_csv, in_json, in_junit])
@given(results=some_builds)
def test_the_numbers_are_those_of_the_matrix(count, results):
    counted = count(results)
    counted.pop(Verdict.NOT_RUN, None)
    assert counted == in_matrix(results)


@given(builds)
def test_a_table_comes_back_from_csv_whatever_is_in_it(result):
    rows = rows_of([result])
    back = list(csv.DictReader(io.StringIO(to_csv(rows), newline="")))
    assert back == [{name: value.replace("\n", "\\n") for name, value in row.items()} for row in rows]


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_cell_is_a_formula(start):
    evil = replace(BUILD, claims=MappingProxyType({f"{start}cmd|' /C calc'!A0": FULL}))
    (row,) = list(csv.DictReader(io.StringIO(to_csv(rows_of([evil])), newline="")))
    assert row["claim"] == f"'{start}cmd|' /C calc'!A0"


def test_no_cell_breaks_a_row():
    evil = replace(BUILD, claims=MappingProxyType({'node:"a",\r\n\x1b[2J': FULL}))
    (row,) = list(csv.DictReader(io.StringIO(to_csv(rows_of([evil])), newline="")))
    assert row["claim"] == 'node:"a",\\r\\n\\x1b[2J'


def test_what_was_not_measured_is_empty():
    (row,) = json.loads(to_json(rows_of([BUILD])))
    assert (row["free"], row["fifo"]) == ("won", None)


def test_junit_fails_what_is_unsafe_and_skips_what_did_not_run():
    every = build("1.0.0", {f"node:{verdict}": verdict for verdict in Verdict})
    (suite,) = ElementTree.fromstring(to_junit(rows_of([every])))
    assert suite.attrib == {
        "name": "linux-x64-ext4.node-1.0.0",
        "tests": "8",
        "failures": "2",
        "errors": "1",
        "skipped": "2",
    }
    assert {case.get("name"): case[1].tag for case in suite if len(case) > 1} == {
        "node:unsafe": "failure",
        "node:racy": "failure",
        "node:indeterminate": "error",
        "node:unsupported": "skipped",
        "node:not-run": "skipped",
    }


@given(st.text(st.characters(), min_size=1))
def test_junit_is_xml_whatever_a_claim_is_called(name):
    odd = replace(BUILD, claims=MappingProxyType({name: FULL}), version=name)
    assert len(list(ElementTree.fromstring(to_junit(rows_of([odd]))).iter("testcase"))) == 1


@pytest.mark.parametrize("style", FORMATS)
def test_the_command_prints_what_is_in_the_folders(tmp_path, style):
    write(BUILD, tmp_path)
    done = CliRunner().invoke(cli, ["export", "--results", str(tmp_path), "--format", style], standalone_mode=False)
    assert done.output == FORMATS[style](rows_of([BUILD]))
