"""The published schema, the checker that is used, and jsonschema as the referee between them."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import HERE, build

from harness.encounters import Encounter, Meeting, write_meeting
from harness.evidence import write_evidence
from harness.judge import Case, Raced
from harness.results import from_dict, to_dict, write
from harness.schema import EVIDENCE, PAIRS, RESULTS, SCHEMAS
from harness.strict import checker
from harness.validate import faults_of
from harness.vocabulary import Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict

MEASURED = Path(__file__).resolve().parent.parent / "results"
REFEREES = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}
CHECKS = {name: checker(schema, schema) for name, schema in SCHEMAS.items()}

CLAIM = {
    "kind": "create",
    "code": "fs.call(name)",
    "digest": "0123456789ab",
    "verdict": "racy",
    "reason": {"code": "two-winners", "occupants": ["own"], "outcome": "won", "detail": "waited", "text": "x"},
    "cases": {
        "free": {"outcome": "won"},
        "own": {"outcome": "refused", "error": "E", "code": "1", "recognised": False, "reason": "so"},
        "fifo": {"outcome": "overwrote", "detail": "into-pipe"},
    },
    "race": {
        "outcome": "two-winners",
        "reason": "x",
        "explored": "two-winners",
        "unexplored": "",
        "pause": "after access",
    },
    "mechanism": "openat(O_CREAT|O_EXCL)",
}
ENVIRONMENT = {"platform": "linux-x64", "filesystem": "ext4", "os": "Debian", "privileged": False}
GOOD = {
    "results": {
        "schema": 1,
        "environment": ENVIRONMENT,
        "runtime": {"name": "node", "version": "1.0.0", "source": "npm"},
        "harness": {"version": "0.1.0", "catalogue": "cafe"},
        "controls": {"free-name-won": True, "overwrite-seen": None, "race-caught": False},
        "claims": {"node:fs.a/wx": CLAIM},
    },
    "evidence": {"schema": 1, "claims": {"node:fs.a/wx": {"own": {"message": "no", "stderr": "x"}}}},
    "pairs": {
        "schema": 1,
        "environment": ENVIRONMENT,
        "first": {"name": "node", "version": "1.0.0"},
        "second": {"name": "bun", "version": "2.0.0"},
        "pairs": [
            {
                "first": "node:a",
                "second": "bun:a",
                "over-first": {"outcome": "refused"},
                "over-second": {"outcome": "refused"},
                "race": {"outcome": "one-winner", "reason": "x"},
                "verdict": "safe",
            }
        ],
    },
    "recipes": {
        "schema": 1,
        "environment": ENVIRONMENT,
        "runtime": {"name": "node", "version": "1.0.0"},
        "harness": {"version": "0.1.0"},
        "recipes": {
            "node:recipe/a": {
                "kind": "lock",
                "title": {"en": "a", "ja": "b"},
                "advice": {"en": "a", "ja": "b"},
                "code": "x",
                "digest": "cafe",
                "library": "a 1.0",
                "obstacle": "no",
                "promises": {
                    "recovery": {
                        "standing": "broken",
                        "explored": 3,
                        "obstacles": ["waits"],
                        "how": "two-recover",
                        "schedule": "killed:3",
                        "also": [{"how": "nobody-recovers", "schedule": "killed:1"}],
                        "steps": [{"actor": "A", "act": "holds", "calls": ["open(x)"], "detail": "0"}],
                    }
                },
            }
        },
    },
}


def places(value, at=()):
    """Every place in a JSON value."""
    yield at
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in below:
        yield from places(each, (*at, name))


words = st.sampled_from(
    [word.value for kind in (Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict) for word in kind]
)
strange = st.sampled_from(
    ["", "node:x", "node:\x1b[2J", "../up", "a\n", ".x", "a/b", "\u202e", "x" * 2000, "é日", "\x9b"]
)
anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.just(1.0),
    st.just(1.5),
    words,
    strange,
    st.just([]),
    st.just({}),
    st.just([1]),
)


@st.composite
def damaged(draw):
    """A good file in which something was replaced, removed or added."""
    name = draw(st.sampled_from(sorted(GOOD)))
    value = copy.deepcopy(GOOD[name])
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from([each for each in places(value) if each]))
        holder = value
        for step in place[:-1]:
            holder = holder[step]
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "replace":
            holder[place[-1]] = draw(anything)
        elif action == "remove":
            del holder[place[-1]]
        elif isinstance(holder, dict):
            holder[draw(words | strange)] = draw(anything)
        if len(list(places(value))) == 1:
            break
    return name, value


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one_and_a_good_file_fits_it(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert [error.message for error in REFEREES[name].iter_errors(GOOD[name])] == []
    assert list(CHECKS[name](GOOD[name])) == []


@given(damaged())
def test_the_checker_refuses_what_the_schema_refuses_and_nothing_else(case):
    name, value = case
    assert bool(CHECKS[name](value)) is not REFEREES[name].is_valid(value)


@given(damaged())
def test_what_passes_the_checker_can_be_read(case):
    name, value = case
    if name == "results" and not CHECKS[name](value):
        assert to_dict(from_dict(value))["claims"].keys() == value["claims"].keys()


@given(damaged())
def test_every_fault_names_a_place_in_one_plain_line(case):
    name, value = case
    assert all(str(fault).startswith("$") and str(fault).isprintable() for fault in CHECKS[name](value))


def test_a_written_result_fits_the_schema(tmp_path):
    path = write(build("20.11.1", {f"node:{verdict}": verdict for verdict in Verdict}), tmp_path)
    assert list(REFEREES["results"].iter_errors(json.loads(path.read_text(encoding="utf-8")))) == []


def test_written_evidence_fits_the_schema(tmp_path):
    path = write_evidence(tmp_path, Path("x.json"), {"node:a": {"own": {"message": "no"}}}, ["node:a"])
    assert list(REFEREES["evidence"].iter_errors(json.loads(path.read_text(encoding="utf-8")))) == []


def test_a_written_meeting_fits_the_schema(tmp_path):
    refused = Case(Outcome.REFUSED, error="EEXIST", code="17", recognised=False)
    met = Encounter(
        "node:a", "bun:a", refused, Case(Outcome.WON), Raced(RaceOutcome.NOT_RUN, "budget"), Verdict.REFUSES
    )
    path = write_meeting(Meeting(HERE, ("node", "1.0.0"), ("bun", "2.0.0"), (met, met)), tmp_path)
    assert faults_of(path) == []
    assert list(REFEREES["pairs"].iter_errors(json.loads(path.read_text(encoding="utf-8")))) == []


def test_the_newest_measured_file_fits_the_schema():
    newest = sorted(MEASURED.glob("linux-x64-ext4/node-*.json"))[-1]
    assert list(REFEREES["results"].iter_errors(json.loads(newest.read_text(encoding="utf-8")))) == []


def test_the_schemas_differ_in_what_they_want():
    assert [schema["required"] for schema in (RESULTS, EVIDENCE, PAIRS)] == [
        ["schema", "environment", "runtime", "harness", "controls", "claims"],
        ["schema", "claims"],
        ["schema", "environment", "first", "second", "pairs"],
    ]
