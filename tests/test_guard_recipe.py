"""The guard of a scheduled task: its eight cases, by its exit codes and by what it leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GUARD = Path(__file__).resolve().parent.parent / "probes" / "python" / "recipes" / "guard.py"
MONDAY, TUESDAY = "2026-11-30", "2026-12-01"


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state.json"


def guard(state, today=MONDAY, says="", encoding="utf-8"):
    """Runs it with a task that is told `says`; gives the exit code."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-B", GUARD, state, "--today", today],
        input=says.encode(),
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode


def left(state):
    return {path.name: path.read_bytes() for path in state.parent.iterdir()}


def test_the_first_run_is_done(state):
    assert guard(state) == 0
    assert json.loads(state.read_bytes()) == {"state": "completed", "day": MONDAY}
    assert list(left(state)) == ["state.json"]


def test_the_same_day_again_nothing_is_done(state):
    guard(state)
    before = left(state)
    assert guard(state) == 10
    assert left(state) == before


def test_the_next_day_it_is_done_again(state):
    guard(state)
    assert guard(state, TUESDAY) == 0
    assert json.loads(state.read_bytes())["day"] == TUESDAY


@pytest.mark.parametrize(
    "content", [b"", b'{"state": "compl', b"\xff\xfe", b'["completed"]', b'{"state": "new", "day": "2026-11-30"}']
)
def test_a_state_that_cannot_be_read_stops_it_and_stays_as_it_is(state, content):
    state.write_bytes(content)
    assert guard(state) == 20
    assert left(state) == {"state.json": content}


def test_after_a_crash_a_person_has_to_review_it(state):
    assert guard(state, says="crash") == 30
    before = left(state)
    assert guard(state) == 22
    assert guard(state, TUESDAY) == 22
    assert left(state) == before


def test_while_the_lock_is_there_nothing_is_touched(state):
    guard(state)
    state.with_name("state.json.lock").write_bytes(b"")
    before = left(state)
    assert guard(state, TUESDAY) == 21
    assert left(state) == before


def test_output_that_the_encoding_lacks_fails_and_asks_for_review(state):
    assert guard(state, encoding="cp932") == 1
    assert guard(state, encoding="utf-8") == 22


def test_the_same_output_in_utf_8_is_done(state):
    assert guard(state, encoding="utf-8") == 0
