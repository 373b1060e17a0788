"""Starting and ending processes: limits that hold, and nothing left behind."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from harness.processes import Ending, Finished, Process, clean_environment, kill_marked, run

posix = pytest.mark.skipif(os.name == "nt", reason="signals and sessions are POSIX's")

PATIENT = 60.0
"""For what has to end by itself."""
SHORT = 0.5
"""For what has to be cut off."""


def python(code):
    return [sys.executable, "-S", "-c", code]


def wait_until(true):
    """Wait for an event that is going to happen."""
    deadline = time.monotonic() + PATIENT
    while not true():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# run


def test_a_program_that_ends_is_told_with_everything_it_said():
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    done = run(python(code), limit=PATIENT)
    assert done == Finished(True, 3, False, False, f"out{os.linesep}".encode(), f"err{os.linesep}".encode())


def test_only_code_0_is_ok():
    assert run(python(""), limit=PATIENT).ok
    assert not run(python("raise SystemExit(1)"), limit=PATIENT).ok


def test_a_program_that_is_not_there_is_a_result():
    done = run(["/no/such/program"], limit=PATIENT)
    assert (done.started, done.code, done.ok) == (False, None, False)
    assert done.stderr


@posix
def test_a_file_that_is_no_program_is_a_result(tmp_path):
    file = tmp_path / "file"
    file.write_text("just text", encoding="utf-8")
    assert not run([str(file)], limit=PATIENT).started


@posix
def test_a_program_killed_by_a_signal_has_a_negative_code():
    done = run(python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"), limit=PATIENT)
    assert (done.code, done.ok) == (-signal.SIGKILL, False)


def test_a_program_that_does_not_end_is_cut_off():
    done = run(python("import time; time.sleep(3600)"), limit=SHORT)
    assert (done.timed_out, done.overflowed, done.ok) == (True, False, False)


@posix
def test_a_program_that_ignores_polite_signals_is_cut_off():
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
    done = run(python(code), limit=SHORT)
    assert (done.timed_out, done.code) == (True, -signal.SIGKILL)


def test_a_program_that_floods_is_cut_off_and_its_output_is_bounded():
    done = run(python("while True: print('y' * 65536)"), limit=PATIENT, max_bytes=1000)
    assert (done.overflowed, done.timed_out, done.ok, done.stdout) == (True, False, False, b"y" * 1000)


def test_standard_error_without_end_is_bounded_and_blocks_nobody():
    code = "import sys; [sys.stderr.write('e' * 65536) for _ in range(64)]; print('done')"
    done = run(python(code), limit=PATIENT)
    assert (done.ok, done.stdout.strip(), done.stderr) == (True, b"done", b"e" * 65536)


def test_input_arrives_whole():
    code = "import sys; print(len(sys.stdin.buffer.read()))"
    assert run(python(code), limit=PATIENT, input=b"x" * 300_000).stdout.strip() == b"300000"


def test_a_program_that_does_not_read_its_input_is_cut_off_all_the_same():
    assert run(python("import time; time.sleep(3600)"), limit=SHORT, input=b"x" * 1_000_000).timed_out


def test_without_input_there_is_none_to_wait_for():
    assert run(python("import sys; print(repr(sys.stdin.read()))"), limit=PATIENT).stdout.strip() == b"''"


def test_the_environment_given_is_the_whole_environment(monkeypatch):
    monkeypatch.setenv("NODE_OPTIONS", "--inspect")
    needed = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    done = run(
        python("import os; print(os.environ.get('NODE_OPTIONS'), os.environ['GIVEN'])"),
        limit=PATIENT,
        env={**needed, "GIVEN": "1"},
    )
    assert done.stdout.split() == [b"None", b"1"]


@pytest.mark.parametrize("name", ["with space", "日本語", "quo'te", "a;b&c", "$HOME", "*"])
def test_arguments_and_folders_arrive_as_they_are(tmp_path, name):
    folder = tmp_path / name.replace("*", "star")
    folder.mkdir()
    code = "import os, sys; sys.stdout.buffer.write((sys.argv[1] + '|' + os.path.basename(os.getcwd())).encode('utf-8', 'surrogateescape'))"
    done = run([sys.executable, "-X", "utf8", "-c", code, name], limit=PATIENT, cwd=folder)
    assert done.stdout.decode() == f"{name}|{folder.name}"


# What is left behind


@posix
@pytest.mark.parametrize("escape", ["", "os.setsid()", "os.setpgid(0, 0)", "[os.close(handle) for handle in range(3)]"])
def test_a_grandchild_neither_delays_the_end_nor_outlives_it(tmp_path, escape):
    note = tmp_path / "pid"
    code = f"""
import os, time
if os.fork() == 0:
    {escape or "pass"}
    open({str(note)!r}, "w").write(str(os.getpid()))
    time.sleep(3600)
while not os.path.exists({str(note)!r}) or not open({str(note)!r}).read():
    time.sleep(0.001)
print("done")
"""
    started = time.monotonic()
    done = run(python(code), limit=PATIENT)
    assert (done.ok, done.stdout) == (True, b"done\n")
    assert time.monotonic() - started < PATIENT
    wait_until(lambda: not is_running(int(note.read_text(encoding="utf-8"))))


@posix
def test_the_children_of_a_program_that_was_cut_off_end_with_it(tmp_path):
    note = tmp_path / "pid"
    code = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    for handle in range(3): os.close(handle)
    open({str(note)!r}, "w").write(str(os.getpid()))
    time.sleep(3600)
time.sleep(3600)
"""
    process = Process(python(code), cwd=None, env=os.environ)
    wait_until(lambda: note.exists() and note.read_text(encoding="utf-8"))
    process.end(polite=False)
    wait_until(lambda: not is_running(int(note.read_text(encoding="utf-8"))))


@posix
def test_whoever_carries_a_mark_is_found_wherever_it_went(tmp_path):
    process = Process(python("import time; print('up', flush=True); time.sleep(3600)"), cwd=None, env=os.environ)
    assert process.read_line(time.monotonic() + PATIENT, 100) == b"up"
    mark = psutil.Process(process.pid).environ()["CLAIMGRID_PROCESS"]
    kill_marked(mark + "0")
    assert process.code is None
    kill_marked(mark)
    wait_until(lambda: process.code == -signal.SIGKILL)
    process.end()


@posix
def test_ending_closes_every_descriptor_and_thread():
    before = (len(list(Path("/dev/fd").iterdir())), threading.active_count())
    for _ in range(3):
        run(python("print(1)"), limit=PATIENT)
    # A thread that has done its work may need a moment to end.
    wait_until(lambda: (len(list(Path("/dev/fd").iterdir())), threading.active_count()) == before)


# Process, line by line


@pytest.fixture
def started():
    running = []

    def start(code):
        process = Process(python(code), cwd=None, env=os.environ)
        running.append(process)
        return process

    yield start
    for process in running:
        process.end(polite=False)


def line(process, seconds=PATIENT, max_bytes=1000, **more):
    return process.read_line(time.monotonic() + seconds, max_bytes, **more)


def test_lines_come_one_by_one_with_either_end(started):
    process = started("import sys; sys.stdout.buffer.write(b'one\\ntwo\\r\\n\\nfour\\n')")
    assert [line(process) for _ in range(5)] == [b"one", b"two", b"", b"four", Ending.ENDED]


def test_a_line_may_come_in_pieces(started):
    process = started("""
import sys
for piece in ("o", "n", "e", chr(10)):
    sys.stdout.write(piece); sys.stdout.flush(); sys.stdin.readline()
""")
    process.send(b"\n\n\n\n")
    assert line(process) == b"one"


def test_a_line_without_an_end_is_no_line_and_can_be_looked_at(started):
    process = started("import sys; sys.stdout.write('half')")
    assert (line(process), process.unread()) == (Ending.ENDED, b"half")


def test_what_was_said_before_death_is_still_read(started):
    process = started("import os, sys; sys.stdout.write('last words' + chr(10)); sys.stdout.flush(); os._exit(9)")
    wait_until(lambda: process.code == 9)
    assert (line(process), line(process)) == (b"last words", Ending.ENDED)


def test_a_silent_program_is_told_from_one_that_ended(started):
    assert line(started("import time; time.sleep(3600)"), SHORT) is Ending.SILENT
    assert line(started("")) is Ending.ENDED


def test_a_line_longer_than_allowed_is_a_flood(started):
    assert line(started("print('x' * 1001)")) is Ending.FLOODED


def test_a_line_as_long_as_allowed_is_a_line(started):
    assert line(started("print('x' * 1000)")) == b"x" * 1000


def test_a_flood_without_a_line_is_told_soon(started):
    assert line(started("import sys\nwhile True: sys.stdout.write('x' * 65536)")) is Ending.FLOODED


def test_a_program_that_closed_its_output_has_ended_as_far_as_lines_go(started):
    process = started("import os, time; os.close(1); time.sleep(3600)")
    assert (line(process), process.code) == (Ending.ENDED, None)


def test_an_idle_program_is_not_waited_for_as_long(started):
    began = time.monotonic()
    assert line(started("import time; time.sleep(3600)"), idle_limit=SHORT) is Ending.SILENT
    assert time.monotonic() - began < PATIENT


def test_a_busy_program_is_not_taken_for_an_idle_one(started):
    busy = started("""
import time
end = time.process_time() + 0.8
while time.process_time() < end: pass
print("done")
""")
    assert line(busy, idle_limit=SHORT) == b"done"


def test_writing_to_a_program_that_ended_is_no_harm(started):
    process = started("")
    wait_until(lambda: process.code == 0)
    process.send(b"anybody there?\n")
    assert line(process) is Ending.ENDED


def test_a_program_that_is_not_there_cannot_be_started():
    with pytest.raises(FileNotFoundError):
        Process(["/no/such/program"], cwd=None, env=os.environ)


def test_ending_twice_is_no_harm(started):
    process = started("import time; time.sleep(3600)")
    process.end(polite=False)
    process.end()
    assert process.code is not None


def test_a_polite_end_lets_the_program_end_by_itself(started, tmp_path):
    process = started(f"import sys; sys.stdin.read(); open({str(tmp_path / 'bye')!r}, 'w').close()")
    process.end()
    assert (process.code, (tmp_path / "bye").exists()) == (0, True)


# The environment of probes


def test_a_probe_sees_nothing_of_the_users_settings(monkeypatch, tmp_path):
    for name in (
        "NODE_OPTIONS",
        "PYTHONPATH",
        "BUN_INSTALL",
        "DENO_DIR",
        "HTTP_PROXY",
        "LD_PRELOAD",
        "AWS_SECRET_ACCESS_KEY",
    ):
        monkeypatch.setenv(name, "mine")
    assert "mine" not in clean_environment(tmp_path).values()


def test_a_probe_writes_to_the_home_that_it_is_given(tmp_path):
    given = clean_environment(tmp_path)
    assert {given[name] for name in ("HOME", "TMPDIR", "TEMP", "XDG_CACHE_HOME", "APPDATA")} == {str(tmp_path)}


def test_a_probe_finds_programs_where_we_do(tmp_path):
    assert clean_environment(tmp_path)["PATH"] == os.environ["PATH"]
