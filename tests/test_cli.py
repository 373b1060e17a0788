"""The command line: what it prints, and the exit code that tells the user's trouble from ours."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from made import build

from harness import cli
from harness.results import write
from harness.vocabulary import Verdict

PROJECT = Path(__file__).resolve().parent.parent
COMMANDS = cli.cli.list_commands(None)
SAFE, UNSAFE = Verdict.SAFE, Verdict.UNSAFE


@pytest.fixture
def claimgrid(monkeypatch, capsys):
    """Runs a command in this process; gives its exit code and what it printed."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["claimgrid", *map(str, arguments)])
        before = signal.getsignal(signal.SIGTERM)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        signal.signal(signal.SIGTERM, before)
        captured = capsys.readouterr()
        return int(ended.value.code), captured.out, captured.err

    return command


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    write(build("18.20.8", {"node:fs.open/wx": SAFE, "node:fs.open/w": UNSAFE}), folder)
    write(build("22.1.0", {"node:fs.open/wx": SAFE, "node:fs.open/w": SAFE}), folder)
    write(build("1.3.14", {"bun:fs.open/wx": UNSAFE}, runtime="bun"), folder)
    return folder


def test_help_is_given(claimgrid):
    code, out, _ = claimgrid("--help")
    assert code == 0
    assert all(command in out for command in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(claimgrid, name):
    code, out, err = claimgrid(name, "--help")
    assert (code, err) == (0, "")
    assert f"claimgrid {name}" in out


def test_the_version_is_told(claimgrid):
    from harness import __version__

    assert claimgrid("--version") == (0, f"claimgrid {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("matrix", "--no-such-option"),
        ("matrix", "--format", "nonsense"),
        ("matrix", "--verdict", "fine"),
        ("run", "-n", "-1"),
        ("try",),
        ("try", "node:fs.openSync/wx", "--occupant", "dragon"),
        ("fetch",),
    ],
)
def test_wrong_use_is_told_in_a_sentence(claimgrid, arguments):
    code, out, err = claimgrid(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert "Error" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "-r", "nodejs"),
        ("run", "-r", "node="),
        ("claims", "-r", "nodejs"),
        ("builds", "-r", "nodejs"),
        ("fetch", "nodejs"),
        ("matrix", "-r", "nodejs"),
        ("try", "nodejs:fs.openSync/wx"),
    ],
)
def test_a_runtime_that_does_not_exist_is_told_in_a_sentence(claimgrid, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = claimgrid(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("claimgrid: ")


def test_a_program_that_is_missing_could_not_be_run(claimgrid, tmp_path):
    code, out, err = claimgrid("run", "-r", f"node={tmp_path / 'nothing'}")
    assert (code, out) == (4, "")
    assert err == f"claimgrid: {tmp_path / 'nothing'} is not a program. Give the path of one after the = sign.\n"


def test_a_fault_of_ours_shows_where_it_is(claimgrid, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("harness.commands.matrix.read_merged", broken)
    code, _, err = claimgrid("matrix")
    assert code == 3
    assert "ZeroDivisionError: on purpose" in err
    assert "a fault of claimgrid itself" in err


def test_an_interruption_is_told(claimgrid, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("harness.commands.matrix.read_merged", interrupted)
    code, _, err = claimgrid("matrix")
    assert (code, err.strip()) == (130, "claimgrid: interrupted; what was finished before is kept.")


# matrix


def test_the_matrix_is_printed(claimgrid, results):
    code, out, err = claimgrid("matrix", "--results", results)
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines() if line.startswith("fs.open")] == [
        ["fs.open/wx", "X", "unsafe"],
        ["fs.open/w", "X", "unsafe", "*", "safe"],
        ["fs.open/wx", "*", "safe", "*", "safe"],
    ]


def rows(out):
    return [line.split("\t")[0].strip() for line in out.splitlines() if "fs." in line]


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        (("-r", "bun"), ["fs.open/wx"]),
        (("-r", "node@18"), ["fs.open/w", "fs.open/wx"]),
        (("-r", "node", "fs.open/wx"), ["fs.open/wx"]),
        (("bun:*",), ["fs.open/wx"]),
        (("-r", "node", "--verdict", "unsafe"), ["fs.open/w"]),
        (("-r", "node", "-k", "/wx"), ["fs.open/wx"]),
    ],
)
def test_the_matrix_is_filtered(claimgrid, results, filters, shown):
    code, out, _ = claimgrid("matrix", "--results", results, "--format", "tsv", "--unfold", *filters)
    assert (code, rows(out)) == (0, shown)


def test_a_filter_that_leaves_nothing_is_told(claimgrid, results):
    code, out, err = claimgrid("matrix", "--results", results, "-k", "nothing")
    assert (code, out) == (2, "")
    assert "fits" in err


def test_a_folder_of_results_that_is_not_there_is_told(claimgrid, tmp_path):
    code, _, err = claimgrid("matrix", "--results", tmp_path / "nothing")
    assert (code, "There is no folder" in err) == (2, True)


def test_a_damaged_results_file_is_told_by_its_name(claimgrid, results):
    damaged = results / "linux-x64-ext4" / "node-22.1.0.json"
    damaged.write_text("{", encoding="utf-8")
    code, _, err = claimgrid("matrix", "--results", results)
    assert (code, str(damaged) in err) == (2, True)


# claims, builds and try, with a program of our own


def test_claims_are_listed_with_their_code(claimgrid, fake_program):
    code, out, _ = claimgrid("claims", "-r", f"node={fake_program('honest')}", "open")
    assert code == 0
    assert [line.split() for line in out.splitlines()[2:]] == [
        ["node:open/x", "create", "open/x(name)"],
        ["node:open/w", "create", "open/w(name)"],
    ]


def test_a_selector_that_names_nothing_is_told(claimgrid, fake_program):
    code, out, err = claimgrid("claims", "-r", f"node={fake_program('honest')}", "open/xx")
    assert (code, out) == (2, "")
    assert "Did you mean 'open/x'" in err


def test_where_a_build_was_looked_for_in_vain_is_told_to_people_and_programs(claimgrid, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, _ = claimgrid("builds", "--offline", "--json", "-r", "node")
    listed = json.loads(out)
    assert (code, listed["here"], listed["offered"]) == (0, [], {})
    assert "node: not found on the PATH" in listed["missing"][0]
    code, out, _ = claimgrid("builds", "--offline", "-r", "node")
    assert (code, listed["missing"][0] in out) == (0, True)


def test_a_case_is_tried_with_the_whole_evidence(claimgrid, fake_program, tmp_path):
    program = fake_program("exits")
    code, out, _ = claimgrid("try", "node:wrong", "-r", f"node={program}", "--occupant", "file", "--at", tmp_path)
    assert code == 0
    assert str(program) in out
    assert "    wrong(name)\n" in out
    assert (
        "\nfile: crashed\n  said    crashed exit 7\n          ended with code 7\n  stderr  fatal: out of luck\n  before  name: file, inode"
        in out
    )
    assert "  after   the same\n" in out


def test_what_a_lying_claim_did_is_shown(claimgrid, fake_program):
    _, out, _ = claimgrid(
        "try", "node:wrong", "-r", f"node={fake_program('says_no_and_truncates')}", "--occupant", "file"
    )
    assert "\nfile: damaged (truncated)\n  said    no FileExistsError\n" in out
    assert "  after   name: file, inode" in out
    assert ", 0 bytes b''" in out


def test_a_claim_that_the_build_lacks_cannot_be_tried(claimgrid, fake_program):
    code, _, err = claimgrid("try", "node:missing", "-r", f"node={fake_program('honest')}")
    assert (code, "has no such call" in err) == (4, True)


def test_trying_leaves_nothing_behind(claimgrid, fake_program, tmp_path):
    place = tmp_path / "at"
    place.mkdir()
    claimgrid("try", "node:wrong", "-r", f"node={fake_program('exits')}", "--occupant", "full-dir", "--at", place)
    assert list(place.iterdir()) == []


# Folders of results from elsewhere


@pytest.fixture
def two_folders(tmp_path):
    """Two folders that differ about one claim."""
    for name, verdict in (("first", SAFE), ("second", UNSAFE)):
        write(build("1.0.0", {"node:fs.a": verdict, "node:fs.b": SAFE}), tmp_path / name)
    return tmp_path / "first", tmp_path / "second"


@pytest.mark.parametrize("order", [1, -1])
def test_folders_are_combined_the_worse_counts_and_the_difference_is_told(claimgrid, two_folders, order):
    first, second = two_folders
    arguments = [part for folder in two_folders[::order] for part in ("--results", folder)]
    code, out, err = claimgrid("matrix", *arguments)
    assert code == 0
    assert [line.split() for line in out.splitlines() if line.startswith("fs.")] == [
        ["fs.a", "X", "unsafe"],
        ["fs.b", "*", "safe"],
    ]
    told = f"safe in {first.as_posix()}/linux-x64-ext4/node-1.0.0.json, unsafe in {second.as_posix()}/"
    assert told in err
    assert err.count("\n") == 1


def test_a_broken_file_stops_a_command_unless_it_may_keep_going(claimgrid, results):
    broken = results / "linux-x64-ext4" / "node-9.json"
    broken.write_text('{"schema": 1, "\\u001b[2J": 1}', encoding="utf-8")
    code, out, err = claimgrid("matrix", "--results", results)
    assert (code, out) == (2, "")
    assert f"{broken} is not a results file: $: " in err
    code, out, err = claimgrid("matrix", "--results", results, "--keep-going")
    assert code == 0
    assert "fs.open/wx" in out
    assert err.startswith(f"left out: {broken} is not a results file")
    assert "\x1b" not in err


@pytest.mark.parametrize("command", [("matrix",), ("export",), ("export", "--format", "junit")])
def test_what_a_file_says_in_free_text_reaches_no_terminal_as_it_is(claimgrid, tmp_path, command):
    evil = "\x1b]0;owned\x07\u202e\r<script>" + "x" * 100_000
    one = build("1.0.0", {"node:fs.a": UNSAFE})
    one = replace(
        one,
        environment=replace(one.environment, os=evil),
        claims=MappingProxyType({"node:fs.a": replace(one.claims["node:fs.a"], code=evil, digest=evil)}),
    )
    write(one, tmp_path)
    code, out, err = claimgrid(*command, "--results", tmp_path)
    assert (code, err) == (0, "")
    assert all(line.isprintable() and len(line) < 1000 for line in out.splitlines())


# run, with a program of our own


def test_a_run_prints_the_matrix_and_says_what_it_finished(claimgrid, fake_program, tmp_path):
    code, out, err = claimgrid(
        "run",
        "--no-race",
        "-r",
        f"node={fake_program('honest')}",
        "-n",
        "0",
        "--results",
        tmp_path / "results",
        "-k",
        "open/x",
    )
    assert code == 0
    assert out.splitlines()[0].startswith("node · ")
    assert "open/x" in out
    assert err.split() == ["node@1.0.0", err.split()[1], "1", "refuses"]


def test_a_quiet_run_prints_no_matrix(claimgrid, fake_program, tmp_path):
    arguments = ("-n", "0", "--results", tmp_path / "results", "-k", "open/x", "-q")
    assert claimgrid("run", "--no-race", "-r", f"node={fake_program('honest')}", *arguments)[:2] == (0, "")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("-k", "nothing"), "No claim is left to run"),
        (("--claim", "nothing"), "No claim is called 'nothing'"),
        (("--at", "/no/such/folder"), "is not a directory"),
        (("--", "--no-such-option"), "pytest did not accept"),
        (("--no-such-option",), "pytest did not accept"),
    ],
)
def test_a_run_that_cannot_begin_is_told_why(claimgrid, fake_program, tmp_path, arguments, why):
    code, _, err = claimgrid(
        "run",
        "--no-race",
        "-r",
        f"node={fake_program('honest')}",
        "-n",
        "0",
        "--results",
        tmp_path / "results",
        *arguments,
    )
    assert (code, why in err, "Traceback" in err) == (2, True, False)


def test_what_a_message_quotes_begins_no_line(claimgrid, tmp_path):
    path = tmp_path / "results" / "linux-x64-ext4" / "node-1.0.0.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"schema": "x\\n::error::y"}', encoding="utf-8")
    (tmp_path / "x\n::error title=x::y").mkdir()
    for arguments in (
        ("check", "--results", tmp_path / "x\n::error title=x::y"),
        ("matrix", "--results", path.parents[1]),
    ):
        _, out, err = claimgrid(*arguments)
        assert not any(line.startswith("::") for line in (out + err).splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_is_told_how_to_complete(shell):
    env = {**os.environ, "_CLAIMGRID_COMPLETE": f"{shell}_source", "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-c", "from harness.cli import main; import sys; sys.argv = ['claimgrid']; main()"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 0
    assert "_CLAIMGRID_COMPLETE" in done.stdout
    assert f"{shell}_complete" in done.stdout


def test_a_beginning_is_completed_to_the_commands_that_it_begins():
    env = {
        **os.environ,
        "_CLAIMGRID_COMPLETE": "bash_complete",
        "COMP_WORDS": "claimgrid re",
        "COMP_CWORD": "1",
        "PYTHONPATH": str(PROJECT),
    }
    command = [sys.executable, "-c", "from harness.cli import main; import sys; sys.argv = ['claimgrid']; main()"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)
    assert done.stdout.split() == ["plain,recipe", "plain,recommend", "plain,report"]
