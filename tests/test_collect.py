"""Collecting: results of several runs become one folder, and nothing that stands there is lost by a run that did less."""

from dataclasses import replace
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from made import build, claim

from harness.cli import cli
from harness.encounters import Meeting, write_meeting
from harness.judge import Judgement, Raced, Reason
from harness.results import read, write
from harness.vocabulary import RaceOutcome, Verdict

WON = Raced(RaceOutcome.ONE_WINNER, explored=RaceOutcome.ONE_WINNER, unexplored="")
SAFE = replace(claim(Verdict.SAFE), raced=WON, judgement=Judgement(Verdict.SAFE, Reason("one-winner")))


def with_claims(version, **claims):
    return replace(build(version, {}), claims=MappingProxyType({f"node:{name}": each for name, each in claims.items()}))


@pytest.fixture
def collect(tmp_path):
    def run():
        words = ["collect", *map(str, sorted(tmp_path.glob("leg-*"))), "--into", str(tmp_path / "results")]
        return CliRunner().invoke(cli, words, standalone_mode=False)

    return run


def test_new_builds_and_pairs_come_in_and_others_stay(tmp_path, collect):
    write(with_claims("20.1.0", a=SAFE), tmp_path / "results")
    new = with_claims("22.1.0", a=SAFE)
    write(new, tmp_path / "leg-0")
    meeting = Meeting(new.environment, ("node", "22.1.0"), ("bun", "1.4.0"), ())
    write_meeting(meeting, tmp_path / "leg-0")
    assert collect().return_value == 0
    assert sorted(path.name for path in (tmp_path / "results").rglob("*.json")) == [
        "node-20.1.0.json",
        meeting.path.name,
        "node-22.1.0.json",
    ]


def test_a_run_that_did_not_get_to_race_leaves_the_races_of_the_same_claims(tmp_path, collect):
    write(with_claims("22.1.0", a=SAFE, gone=SAFE, changed=SAFE), tmp_path / "results")
    unraced = claim(Verdict.REFUSES)
    write(
        with_claims("22.1.0", a=replace(unraced, digest=SAFE.digest), changed=replace(unraced, digest="other")),
        tmp_path / "leg-0",
    )
    collect()
    claims = read(tmp_path / "results" / build("22.1.0", {}).path).claims
    assert {name: each.raced == WON for name, each in claims.items()} == {"node:a": True, "node:changed": False}


def test_a_broken_file_is_told_and_the_others_come_in(tmp_path, collect):
    write(with_claims("22.1.0", a=SAFE), tmp_path / "leg-0")
    write(with_claims("24.1.0", a=SAFE), tmp_path / "leg-1").write_text("{", encoding="utf-8")
    done = collect()
    assert done.return_value == 2
    assert "node-24.1.0.json" in done.output
    assert [path.name for path in (tmp_path / "results").rglob("*.json")] == ["node-22.1.0.json"]
