"""`claimgrid explain` and `claimgrid history`: cells told in words, from results."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from made import HERE, build

from harness.cli import cli
from harness.errors import ClaimgridError
from harness.results import write
from harness.vocabulary import Verdict

CLAIM = "node:fs.writeFileSync/wx"


@pytest.fixture
def told(tmp_path):
    """What a command prints about three versions of Node."""
    for version, verdict in (("18.1.0", Verdict.UNSAFE), ("20.1.0", Verdict.REFUSES), ("20.2.0", Verdict.REFUSES)):
        write(build(version, {CLAIM: verdict}), tmp_path)

    def run(command, *arguments):
        result = CliRunner().invoke(
            cli, [command, *arguments, "--results", str(tmp_path)], standalone_mode=False, catch_exceptions=False
        )
        return result.output

    return run


@pytest.mark.parametrize("claim", [CLAIM, "fs.writeFileSync/wx"])
def test_the_newest_build_that_answers_is_explained(told, claim):
    lines = told("explain", claim, "--runtime", "node@20").splitlines()
    assert lines[0] == f"{CLAIM} in node@20.2.0 on linux-x64, ext4"
    assert any(line.startswith("+ refuses: ") for line in lines)
    assert f"{CLAIM}: unsafe up to 18.1.0, refuses from 20.1.0" in lines
    assert lines[-1] == f"claimgrid try {CLAIM} --runtime node@20.2.0"


def test_a_cell_is_explained_in_japanese_too(told):
    english, japanese = (told("explain", CLAIM, "--language", each) for each in ("en", "ja"))
    assert english.isascii()
    assert not japanese.isascii()


def test_the_command_that_repeats_a_cell_of_wines_own_cmd_asks_for_that_one(tmp_path):
    wine = replace(HERE, platform="wine-x64")
    write(build("wine-8.0", {"cmd:mkdir": Verdict.REFUSES}, runtime="cmd", environment=wine), tmp_path)
    arguments = ["explain", "cmd:mkdir", "--runtime", "cmd@wine", "--results", str(tmp_path)]
    lines = CliRunner().invoke(cli, arguments, standalone_mode=False, catch_exceptions=False).output.splitlines()
    assert lines[-1] == "claimgrid try cmd:mkdir --runtime cmd@wine-8.0"


@pytest.mark.parametrize("arguments", [("explain", "node:nothing"), ("explain", CLAIM, "--runtime", "bun")])
def test_what_was_not_measured_cannot_be_explained(told, arguments):
    with pytest.raises(ClaimgridError, match="not measured"):
        told(*arguments)


def test_a_history_is_printed_version_by_version(told):
    head, first, second, between = told("history", "node").splitlines()
    assert head == f"{CLAIM} on linux-x64 ext4: unsafe up to 18.1.0, refuses from 20.1.0"
    assert first.split(maxsplit=1) == ["18.1.0", "X unsafe"]
    assert second.split(maxsplit=3) == ["20.1.0–20.2.0", "(2", "measured)", "+ refuses"]
    assert between.strip() == "not measured in between: 18.1.0 and 20.1.0"


def test_a_history_is_data_too(told):
    (history,) = json.loads(told("history", CLAIM, "--format", "json"))
    assert history["claim"] == CLAIM
    assert history["segments"] == [
        {"verdict": "unsafe", "versions": ["18.1.0"]},
        {"verdict": "refuses", "versions": ["20.1.0", "20.2.0"]},
    ]
