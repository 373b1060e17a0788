"""The contender of a runtime without a loop: a process that starts one process per round."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import starter
from harness.clocks import now
from harness.environment import this_platform

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the shell is POSIX's")
PACKAGES = {**os.environ, "PYTHONPATH": str(Path(starter.__file__).parent.parent)}


@pytest.fixture
def ask(tmp_path, real):
    """What the starter of the plain shell answers to requests."""

    def exchange(*requests):
        done = subprocess.run(
            [sys.executable, starter.__file__, "sh", str(real("sh")), this_platform()],
            input="".join(json.dumps(request) + "\n" for request in requests),
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=PACKAGES,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return exchange


def race(tmp_path, claim, **more):
    folder = tmp_path / "names 日本'"
    folder.mkdir(exist_ok=True)
    paths = {"name": f"{folder}/name", "source": f"{folder}/source", "mine": f"{folder}/mine"}
    return {
        "do": "race",
        "id": 7,
        "claim": claim,
        **paths,
        "data": "x\n",
        "start": 0.0,
        "gap": 1.0,
        "rounds": 3,
        **more,
    }


def test_it_tells_the_time_of_the_system(ask):
    before = now()
    (answer,) = ask({"do": "clock", "id": 3})
    assert answer["id"] == 3
    assert before < answer["clock"] < now()


def test_every_round_is_a_claim_with_its_own_name(ask, tmp_path):
    (answer,) = ask(race(tmp_path, "mkdir"))
    assert answer["id"] == 7
    assert [won for won, _, _ in answer["rounds"]] == [1, 1, 1]
    assert sorted(path.name for path in (tmp_path / "names 日本'").iterdir()) == ["name0", "name1", "name2"]


def test_a_refusal_is_counted_by_what_it_is_called(ask, tmp_path):
    names = tmp_path / "names 日本'"
    names.mkdir()
    (names / "name1").mkdir()
    (answer,) = ask(race(tmp_path, "mkdir"))
    assert [won for won, _, _ in answer["rounds"]] == [1, 0, 1]
    assert answer["errors"] == {"exit 1": 1}


def test_a_round_begins_before_its_claim_and_ends_after_its_answer(ask, tmp_path):
    before = now()
    (answer,) = ask(race(tmp_path, "mkdir"))
    times = [time for _, began, ended in answer["rounds"] for time in (began, ended)]
    assert times == sorted(times)
    assert before < times[0]
    assert times[-1] < now()


def test_rounds_wait_for_their_time(ask, tmp_path):
    start = round(now() + 1500)
    (answer,) = ask(race(tmp_path, "mkdir", start=start, gap=300.0))
    began = [began for _, began, _ in answer["rounds"]]
    assert all(moment >= start + 300.0 * number for number, moment in enumerate(began))


def test_what_is_held_is_held_until_the_race_is_over(ask, tmp_path):
    """Both names are one file: the second cannot be had as long as the first is held."""
    again = race(tmp_path, "flock/-n", kind="held", rounds=2)
    names = tmp_path / "names 日本'"
    (names / "name0").touch()
    os.link(names / "name0", names / "name1")
    first, second = ask(again, again)
    if first.get("said") == "unsupported":
        pytest.skip("there is no flock")
    assert [won for won, _, _ in first["rounds"]] == [1, 0]
    assert [won for won, _, _ in second["rounds"]] == [1, 0]


def test_an_unknown_claim_is_a_fault_and_not_a_refusal(ask, tmp_path):
    (answer,) = ask(race(tmp_path, "no such claim"))
    assert "fault" in answer
    assert "rounds" not in answer


def test_what_the_shell_lacks_is_told_as_such(ask, tmp_path):
    (answer,) = ask(race(tmp_path, "mv/--update=none-fail"))
    assert answer.get("said", "yes") in ("unsupported", "yes")
