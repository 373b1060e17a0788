"""The whole of claimgrid as people start it: real runtimes, real workers, a real Ctrl-C."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.builds import identify
from harness.environment import this_platform
from harness.results import read_folder
from harness.runtimes.contract import Found

PROJECT = Path(__file__).resolve().parent.parent
LIMIT = 120

posix = pytest.mark.skipif(os.name == "nt", reason="signals to a process group are POSIX's")


@pytest.fixture(scope="session")
def known_builds(tmp_path_factory):
    """A cache for all tests of this module, so that a real runtime is asked once for its claims."""
    return tmp_path_factory.mktemp("known builds")


@pytest.fixture
def surroundings(tmp_path, known_builds):
    """The environment of a command: its temporary files are all below `temp`."""
    temp = tmp_path / "temp"
    temp.mkdir()
    places = {name: str(temp) for name in ("TMPDIR", "TMP", "TEMP")}
    return {
        **os.environ,
        **places,
        "CLAIMGRID_CACHE": str(known_builds),
        "PYTHONPATH": str(PROJECT),
        "PYTHONIOENCODING": "utf-8",
    }


@pytest.fixture
def claimgrid(surroundings, tmp_path):
    """Runs a command as people do; gives its exit code and what it printed."""

    def command(*arguments, **changes):
        done = subprocess.run(
            [sys.executable, "-m", "harness", *map(str, arguments)],
            cwd=tmp_path,
            env={**surroundings, **changes},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
        encoding = changes.get("PYTHONIOENCODING", "utf-8")
        return done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)

    return command


def verdicts(folder):
    return {
        claim_id: claim.verdict.value for result in read_folder(folder) for claim_id, claim in result.claims.items()
    }


# Real runtimes


def test_node_refuses_with_wx_and_overwrites_with_w(claimgrid, real, tmp_path):
    node = real("node")
    arguments = (
        "-r",
        f"node={node}",
        "--results",
        "results",
        "--claim",
        "fs.writeFileSync/wx",
        "--claim",
        "fs.writeFileSync/w",
    )
    code, out, err = claimgrid("run", "--no-race", *arguments)
    assert (code, "Traceback" in err) == (0, False)
    assert verdicts(tmp_path / "results") == {
        "node:fs.writeFileSync/wx": "refuses",
        "node:fs.writeFileSync/w": "unsafe",
    }
    assert [line.split()[:3] for line in out.splitlines() if line.startswith("fs.")] == [
        ["fs.writeFileSync/w", "X", "unsafe"],
        ["fs.writeFileSync/wx", "+", "refuses"],
    ]


def test_python_refuses_with_x_and_overwrites_with_w(claimgrid, tmp_path):
    python = f"python={sys.executable}"
    code, _, err = claimgrid(
        "run",
        "--no-race",
        "-r",
        python,
        "--results",
        "results",
        "--claim",
        "python:open/x",
        "--claim",
        "python:open/w",
        "-q",
    )
    assert (code, "Traceback" in err) == (0, False)
    assert verdicts(tmp_path / "results") == {"python:open/x": "refuses", "python:open/w": "unsafe"}


MAKES_A_HARD_LINK = re.compile(
    r"(?<![a-z])link(Sync)?[ (]|hardlink_to|(?<!sym)link_to|HardLink|(?<![a-z])ln (?!-s)|lockfile|shlock|cp -l"
)


@pytest.mark.parametrize("runtime", ["node", "sh", "python"])
def test_what_goes_by_a_hard_link_says_so_in_the_catalogue(real, runtime):
    program = Path(sys.executable) if runtime == "python" else real(runtime)
    claims = identify(runtime, Found(program, "given", this_platform())).claims
    told = {claim.id for claim in claims if claim.via == "hard-link"}
    assert told == {claim.id for claim in claims if MAKES_A_HARD_LINK.search(claim.code)} != set()


def test_two_runs_of_a_real_runtime_give_the_same_bytes_under_the_version_that_it_reports(claimgrid, real, tmp_path):
    node = real("node")
    told = subprocess.run([str(node), "--version"], capture_output=True, check=True, timeout=LIMIT).stdout.decode()
    for name in ("first", "second"):
        code, _, _ = claimgrid(
            "run", "--no-race", "-r", f"node={node}", "--results", name, "--claim", "fs.mkdirSync", "-q"
        )
        assert code == 0
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / name).glob("*/*.json")} for name in ("first", "second")
    )
    assert list(first) == [f"node-{told.strip().removeprefix('v')}.json"]
    assert first == second
    assert list((tmp_path / "temp").iterdir()) == []


def test_a_case_of_a_real_runtime_is_tried_with_its_evidence(claimgrid, real):
    node = real("node")
    code, out, _ = claimgrid("try", "node:fs.writeFileSync/wx", "-r", f"node={node}", "--occupant", "file")
    assert code == 0
    assert "{ flag: 'wx' }" in out or "{flag: 'wx'}" in out
    assert "\nfile: refused\n  said    no EEXIST\n" in out
    assert "  after   the same\n" in out


@posix
def test_an_overwriting_case_of_a_real_runtime_shows_what_it_did(claimgrid, real):
    node = real("node")
    code, out, _ = claimgrid("try", "node:fs.writeFileSync/w", "-r", f"node={node}", "--occupant", "dangling-link")
    assert code == 0
    assert "\ndangling-link: overwrote (followed-link)\n  said    yes\n" in out
    assert "target: file" in out


# Several builds and workers


def test_builds_are_spread_over_workers_and_each_is_measured(claimgrid, fake_program, tmp_path):
    programs = [argument for name in ("honest", "is_version_two") for argument in ("-r", f"node={fake_program(name)}")]
    code, out, err = claimgrid(
        "run", "--no-race", *programs, "--results", "results", "-n", "2", "--junitxml", "junit.xml"
    )
    assert (code, "Traceback" in err) == (0, False)
    assert [result.version for result in read_folder(tmp_path / "results")] == ["1.0.0", "2.0.0"]
    assert "1.0.0–2.0.0" in out
    assert (tmp_path / "junit.xml").read_text(encoding="utf-8").count("<testcase") == 10
    assert list((tmp_path / "temp").iterdir()) == []


def test_workers_and_one_process_give_the_same_bytes(claimgrid, fake_program, tmp_path):
    programs = [argument for name in ("honest", "is_version_two") for argument in ("-r", f"node={fake_program(name)}")]
    for workers in ("0", "2"):
        assert claimgrid("run", "--no-race", *programs, "--results", workers, "-n", workers, "-q")[0] == 0
    alone, together = (
        {path.name: path.read_bytes() for path in (tmp_path / name).glob("*/*.json")} for name in ("0", "2")
    )
    assert len(alone) == 2
    assert alone == together


@posix
def test_a_crash_is_shown_with_the_command_that_repeats_it(claimgrid, fake_program):
    code, out, _ = claimgrid(
        "run", "--no-race", "-r", f"node={fake_program('exits')}", "--results", "results", "-k", "wrong", "-n", "0"
    )
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.endswith("--occupant file")]
    program, *arguments = shlex.split(line)
    assert program == "claimgrid"
    code, out, _ = claimgrid(*arguments)
    assert (code, "\nfile: crashed\n" in out) == (0, True)


# Exit codes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("run", "-r", "nodejs"), 2),
        (("run", "-r", "node=/no/such/node"), 4),
        (("run", "-r", f"python={sys.executable}", "--claim", "nothing"), 2),
        (("run", "-r", f"python={sys.executable}", "--claim", "python:open/x", "--results", "file/results"), 2),
    ],
)
def test_the_exit_code_tells_what_kind_of_trouble_it_is(claimgrid, tmp_path, arguments, code):
    (tmp_path / "file").touch()
    told = claimgrid(*arguments)
    assert told[0] == code
    assert told[2].strip().startswith("claimgrid: ")


def test_a_program_that_does_not_start_could_not_be_run(claimgrid, fake_program):
    code, _, err = claimgrid(
        "run", "--no-race", "-r", f"node={fake_program('refuses_to_start')}", "--results", "results"
    )
    assert (code, "a newer system library is needed" in err) == (4, True)


def test_what_could_not_be_run_shows_in_the_exit_code_and_the_rest_is_done(claimgrid, fake_program, tmp_path):
    programs = [
        argument for name in ("starts_only_once", "is_version_two") for argument in ("-r", f"node={fake_program(name)}")
    ]
    code, _, err = claimgrid("run", "--no-race", *programs, "--results", "results", "-n", "0", "-q")
    assert (code, [result.version for result in read_folder(tmp_path / "results")]) == (4, ["2.0.0"])
    assert "not measured" in err


# Names and consoles


@posix
def test_any_folder_can_be_worked_in_and_written_to(claimgrid, real, tmp_path):
    place = tmp_path / "with space 日本語 quo'te\"s"
    place.mkdir()
    arguments = (
        "--claim",
        "fs.openSync/wx",
        "--claim",
        "fs.renameSync/file",
        "--at",
        place,
        "--results",
        place / "results",
        "-q",
    )
    code, _, err = claimgrid("run", "--no-race", "-r", f"node={real('node')}", *arguments)
    assert (code, "Traceback" in err) == (0, False)
    assert [path.name for path in place.iterdir()] == ["results"]
    assert verdicts(place / "results") == {"node:fs.openSync/wx": "refuses", "node:fs.renameSync/file": "unsafe"}


def test_no_console_is_too_old_for_the_output(claimgrid, fake_program):
    arguments = ("-r", f"node={fake_program('honest')}", "--results", "größer 日本")
    code, out, err = claimgrid("run", "--no-race", *arguments, PYTHONIOENCODING="cp932")
    assert (code, "Traceback" in err, "+ refuses" in out) == (0, False, True)
    code, out, err = claimgrid("matrix", "--results", "größer 日本", "--format", "fancy_grid", PYTHONIOENCODING="cp932")
    assert (code, err, "+ refuses" in out) == (0, "", True)


@posix
def test_a_reader_who_has_seen_enough_is_no_trouble(surroundings, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", "--help"],
        cwd=tmp_path,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert "Traceback" not in err
    assert process.wait(LIMIT) == 0


# Ctrl-C


def wait_until(true):
    deadline = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def left_running(folder):
    """Processes that carry the folder in their arguments or live in it."""
    found = []
    for process in psutil.process_iter():
        try:
            if (
                process.pid != os.getpid()
                and process.status() != psutil.STATUS_ZOMBIE
                and str(folder) in " ".join(process.cmdline())
            ):
                found.append(process.cmdline())
        except psutil.Error:
            continue
    return found


@posix
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ctrl_c_ends_everything_and_keeps_what_was_finished(surroundings, fake_program, tmp_path, workers):
    programs = [argument for name in ("honest", "hangs") for argument in ("-r", f"node={fake_program(name)}")]
    process = subprocess.Popen(
        [sys.executable, "-m", "harness", "run", "--no-race", *programs, "--results", "results", "-n", workers],
        cwd=tmp_path,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A test run in the background ignores Ctrl-C, and hands that down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    results = tmp_path / "results"
    # The honest build is written, and the other hangs in the middle of its claim.
    wait_until(lambda: (tmp_path / "hanging").exists() and list(results.glob("*/node-1.0.0.json")))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert "interrupted; what was finished before is kept" in err.decode()
    assert "Traceback" not in err.decode()
    wait_until(lambda: left_running(tmp_path) == [])
    assert [path.name for path in (tmp_path / "temp").iterdir()] == []
    assert [result.version for result in read_folder(results)] == ["1.0.0"]
    assert len(read_folder(results)[0].claims) == 5
    assert {path.name for path in results.rglob("*") if path.is_file()} == {"node-1.0.0.json"}


@posix
def test_a_run_that_is_asked_to_end_by_the_system_leaves_no_probe(surroundings, fake_program, tmp_path):
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "harness",
            "run",
            "--no-race",
            "-r",
            f"node={fake_program('hangs')}",
            "--results",
            "results",
            "-n",
            "0",
        ],
        cwd=tmp_path,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until((tmp_path / "hanging").exists)
    process.terminate()
    process.wait(LIMIT)
    wait_until(lambda: left_running(tmp_path) == [])


# The catalogue of a real runtime


@pytest.mark.parametrize("name", ["node", "python3"])
def test_a_real_catalogue_has_its_controls_and_no_id_twice(claimgrid, real, known_builds, name):
    runtime = name.rstrip("3")
    program = real(name)
    code, out, _ = claimgrid("claims", "-r", f"{runtime}={sys.executable if runtime == 'python' else program}")
    ids = [line.split()[0] for line in out.splitlines()[2:] if line.startswith(f"{runtime}:")]
    assert code == 0
    assert len(ids) == len(set(ids)) > 50
    roles = [
        entry.get("role")
        for memory in (known_builds / "identities").iterdir()
        for entry in json.loads(memory.read_text(encoding="utf-8"))["claims"]
        if f"{runtime}:{entry['id']}" in ids
    ]
    assert roles.count("overwrites") >= 1
    assert roles.count("check-then-act") >= 1
