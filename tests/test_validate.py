"""`claimgrid schema` and `claimgrid validate`."""

import json
import os
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from made import TWO_WINNERS, build, claim, measured
from test_schema import GOOD

from harness.cli import cli
from harness.errors import ClaimgridError
from harness.judge import Case
from harness.results import read_folder, write
from harness.schema import SCHEMAS
from harness.validate import faults_of
from harness.vocabulary import Occupant, Outcome, Verdict


def claimgrid(*arguments):
    """Exit code and what was printed."""
    done = CliRunner().invoke(cli, [*map(str, arguments)], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value or 0), done.output


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_printed(name):
    assert claimgrid("schema", name) == (0, json.dumps(SCHEMAS[name], indent=2) + "\n")


def test_without_a_name_it_is_that_of_results():
    assert claimgrid("schema") == claimgrid("schema", "results")


@pytest.fixture
def folder(tmp_path):
    """A folder with a good file of each sort."""
    write(build("1.0.0", {}), tmp_path)
    for place, name in (
        ("evidence/linux-x64-ext4/node-1.0.0.json", "evidence"),
        ("linux-x64-ext4/pairs/node-1.0.0--bun-2.0.0.json", "pairs"),
    ):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(json.dumps(GOOD[name]), encoding="utf-8")
    return tmp_path


def test_good_files_are_as_they_should_be(folder):
    assert claimgrid("validate", folder) == (0, "3 files as they should be\n")


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("linux-x64-ext4/node-1.0.0.json", {"schema": 2}, "$.schema: 2 is not 1"),
        ("evidence/linux-x64-ext4/node-1.0.0.json", {"claims": []}, "$.claims: a list is not an object"),
        ("linux-x64-ext4/pairs/node-1.0.0--bun-2.0.0.json", {"pairs": [{}]}, '$.pairs[0]: "first" is missing'),
        (
            "linux-x64-ext4/pairs/node-1.0.0--bun-2.0.0.json",
            {"first": {"name": "deno", "version": "1"}},
            '$.pairs[0].first: "node:a" is no claim of deno',
        ),
        (
            "linux-x64-ext4/pairs/node-1.0.0--bun-2.0.0.json",
            {"second": {"name": "bun", "version": "3"}},
            "its content belongs into linux-x64-ext4/pairs/node-1.0.0--bun-3.json",
        ),
    ],
)
def test_a_broken_file_is_named_with_the_place_in_it(folder, name, change, told):
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **change}), encoding="utf-8")
    code, out = claimgrid("validate", folder)
    assert code == 2
    assert f"{path}: {told}\n" in out
    assert out.endswith("1 of 3 files broken\n")


def test_every_place_is_told_up_to_a_number(folder):
    path = folder / "linux-x64-ext4" / "node-1.0.0.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, **{f"x{number}": 1 for number in range(30)}}), encoding="utf-8")
    _, out = claimgrid("validate", path)
    assert [line.partition(".json: ")[2] for line in out.splitlines()[:2]] == [
        '$["x0"]: there is no such entry',
        '$["x1"]: there is no such entry',
    ]
    assert "and 10 more" in out


def test_nothing_from_a_file_reaches_the_terminal_as_it_is(folder):
    path = folder / "linux-x64-ext4" / "node-1.0.0.json"
    evil = "\x1b]0;owned\x07\u202e\n" + "x" * 1_000_000
    path.write_text(json.dumps({evil: 1, "schema": evil, "claims": {evil: evil}}), encoding="utf-8")
    code, out = claimgrid("validate", path)
    assert code == 2
    assert all(line.isprintable() and len(line) < 2000 for line in out.splitlines())


def test_a_verdict_that_is_better_than_its_cases_is_told(tmp_path):
    cases = {Occupant.FREE: Case(Outcome.WON), Occupant.OWN: Case(Outcome.OVERWROTE)}
    praised = replace(claim(Verdict.SAFE), cases=MappingProxyType(cases))
    path = write(replace(build("1.0.0", {}), claims=MappingProxyType({"node:a": praised})), tmp_path)
    assert [str(fault) for fault in faults_of(path)] == [
        '$.claims["node:a"].verdict: safe, but its cases come to unsafe'
    ]


def test_a_verdict_that_is_better_than_its_cases_is_not_believed(tmp_path):
    cases = {Occupant.FREE: Case(Outcome.WON), Occupant.OWN: Case(Outcome.OVERWROTE)}
    praised = replace(claim(Verdict.SAFE), cases=MappingProxyType(cases))
    lying = replace(build("1.0.0", {}), claims=MappingProxyType({"node:a": praised}), harness="0.0.9")
    write(lying, tmp_path)
    (believed,) = read_folder(tmp_path)
    assert believed.claims["node:a"].verdict is Verdict.UNSAFE


def test_two_winners_are_not_called_safe_whoever_says_so(tmp_path):
    praised = replace(measured(Verdict.SAFE, TWO_WINNERS))
    path = write(replace(build("1.0.0", {}), claims=MappingProxyType({"node:a": praised})), tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    (believed,) = read_folder(tmp_path)
    assert believed.claims["node:a"].verdict is Verdict.RACY


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_to_nowhere_is_told_and_a_hidden_file_is_not_ours(tmp_path):
    path = write(build("1.0.0", {"node:a": Verdict.SAFE}), tmp_path)
    (path.parent / ".#node-2.0.0.json").symlink_to("nobody@nowhere")
    assert claimgrid("validate", tmp_path)[0] == 0
    assert len(read_folder(tmp_path)) == 1
    (path.parent / "node-3.0.0.json").symlink_to("nowhere")
    code, out = claimgrid("validate", tmp_path)
    assert (code, "node-3.0.0.json leads nowhere" in out) == (2, True)
    with pytest.raises(ClaimgridError, match=r"node-3\.0\.0\.json leads nowhere"):
        read_folder(tmp_path)
    told = []
    assert (len(read_folder(tmp_path, told.append)), len(told)) == (1, 1)


def test_a_folder_that_cannot_be_listed_is_told(tmp_path, monkeypatch):
    write(build("1.0.0", {"node:a": Verdict.SAFE}), tmp_path)
    closed = tmp_path / "linux-x64-xfs"
    closed.mkdir()
    listdir = os.listdir

    def denied(path):
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    monkeypatch.setattr(os, "listdir", denied)
    with pytest.raises(ClaimgridError, match="linux-x64-xfs cannot be read: Permission denied"):
        read_folder(tmp_path)
    told = []
    assert (len(read_folder(tmp_path, told.append)), len(told)) == (1, 1)


def test_a_file_is_checked_from_wherever_one_stands(tmp_path, monkeypatch):
    path = write(build("1.0.0", {"node:a": Verdict.SAFE}), tmp_path)
    monkeypatch.chdir(path.parent)
    assert claimgrid("validate", path.name)[0] == 0


@pytest.mark.parametrize("version", ["=1+1", ">=22", "<b>", "1 2", ""])
def test_a_version_that_reads_like_a_range_is_none(tmp_path, version):
    path = write(build("1.0.0", {"node:a": Verdict.SAFE}), tmp_path)
    text = path.read_text(encoding="utf-8").replace('"version":"1.0.0"', f'"version":"{version}"')
    path.write_text(text, encoding="utf-8")
    assert any("$.runtime.version" in str(fault) for fault in faults_of(path))


def test_a_file_that_cannot_be_read_is_broken(tmp_path):
    (tmp_path / "x.json").mkdir()
    assert claimgrid("validate", tmp_path)[0] == 2


def test_a_path_without_files_is_the_users_trouble(tmp_path):
    with pytest.raises(ClaimgridError, match="There are no JSON files"):
        claimgrid("validate", tmp_path)
    with pytest.raises(ClaimgridError, match="There is no"):
        claimgrid("validate", tmp_path / "nothing")
