"""Judging recipes: what is broken in one way is found broken in that way alone, wherever calls can be held."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.commands.judge import LOCKS
from harness.errors import ClaimgridError, Exit
from harness.judging import stories, supervise
from harness.judging.aging import AGE_SECONDS, aged
from harness.judging.contest import Contender, Stop, Subject
from harness.judging.schedules import PLOTS, Plot, Rehearsed, Schedule, parse_schedule, schedules
from harness.judging.trials import Theatre, play_all
from harness.promises import Act, Finding, Hold, Promise, Standing, Step, Trial, judge_promises, together
from harness.sentences import LANGUAGES

FAKES = Path(__file__).parent / "fakes" / "recipes"
RECIPES = Path(__file__).parent.parent / "probes"
HANDOVER = {
    "publish": (Promise.WHOLE_PUBLICATION, Promise.RECOVERY),
    "consume": (Promise.ONE_CONSUMER, Promise.IDEMPOTENCE, Promise.RECOVERY),
}
held = pytest.mark.skipif(bool(supervise.obstacle()), reason=supervise.obstacle())


def recipe(kind: str, broken: str = "nothing", **more: str) -> Subject:
    words = {"lock": ("{name}",), "publish": ("{name}", "{content}"), "consume": ("{name}", "{worker}")}[kind]
    script = str(FAKES / f"{kind}.py")
    return Subject((sys.executable, "-I", "-S", script, broken, *words), cwd=FAKES, kind=kind, **more)


def standings(subject: Subject, root: Path, promises) -> dict[Promise, Standing]:
    theatre = Theatre(subject, root)
    rehearsed = theatre.rehearse()
    played = play_all(theatre, rehearsed, list(schedules(subject.kind, rehearsed, promises)), lambda trial: None)
    return {each.promise: each.standing for each in judge_promises(played, promises) if each.promise in promises}


# ---- Recipes that are broken in one way


@held
@pytest.mark.parametrize("broken", [*LOCKS, "nothing"])
def test_a_lock_is_found_broken_for_the_one_promise_that_it_breaks(broken, tmp_path):
    found = standings(recipe("lock", broken), tmp_path, LOCKS)
    assert [promise for promise, standing in found.items() if standing is Standing.BROKEN] == (
        [] if broken == "nothing" else [broken]
    )
    if broken == "nothing":
        assert set(found.values()) == {Standing.KEPT}


@held
@pytest.mark.parametrize(
    ("kind", "broken"), [(kind, each) for kind in HANDOVER for each in (*HANDOVER[kind], "nothing")]
)
def test_a_hand_over_is_found_broken_for_the_one_promise_that_it_breaks(kind, broken, tmp_path):
    found = standings(recipe(kind, broken), tmp_path, HANDOVER[kind])
    assert found == {promise: Standing.BROKEN if promise == broken else Standing.KEPT for promise in HANDOVER[kind]}


@held
def test_a_done_mark_before_its_data_is_no_whole_publication(tmp_path):
    found = standings(recipe("publish", "done-mark", done_mark="{name}.done"), tmp_path, HANDOVER["publish"])
    assert found[Promise.WHOLE_PUBLICATION] is Standing.BROKEN


@held
def test_a_lock_that_is_removed_while_somebody_has_it_open_already_is_no_exclusion(tmp_path):
    program = RECIPES / "python" / "recipes" / "flock_unlink.py"
    theatre = Theatre(Subject((sys.executable, "-I", "-S", str(program), "{name}"), cwd=tmp_path), tmp_path)
    trial = theatre.play(Schedule(Plot.PASSING, 1), theatre.rehearse())
    assert trial.findings == (Finding(Promise.EXCLUSION, "late-one-unseen"),)


@held
@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_who_looks_again_after_it_has_moved_a_mark_leaves_the_name_free_for_a_third(tmp_path):
    program = RECIPES / "node" / "recipes" / "pid-file-whole.cjs"
    theatre = Theatre(Subject(("node", str(program), "{name}"), cwd=tmp_path), tmp_path)
    rehearsed = theatre.rehearse()
    found = [
        theatre.play(each, rehearsed)
        for each in schedules("lock", rehearsed, [Promise.RECOVERY])
        if each.plot is Plot.OVERTAKEN
    ]
    assert {finding.how for trial in found for finding in trial.findings} == {"third-comes-in"}


@held
def test_nothing_of_a_trial_is_left_and_nobody_runs_on(tmp_path):
    theatre = Theatre(recipe("lock"), tmp_path)
    theatre.play(Schedule(Plot.KILLED, 2), theatre.rehearse())
    assert list(tmp_path.iterdir()) == []


@held
def test_a_command_that_never_says_that_it_acquired_is_told_so(tmp_path):
    with pytest.raises(ClaimgridError, match="exit code 0"):
        Theatre(Subject((sys.executable, "-c", "pass", "{name}")), tmp_path).rehearse()


@held
def test_a_command_that_does_not_touch_the_name_is_told_so(tmp_path):
    with pytest.raises(ClaimgridError, match="no system call"):
        Theatre(Subject((sys.executable, "-c", "print('acquired')", "{name}")), tmp_path).rehearse()


def python(code: str, *words: str) -> Subject:
    """A lock in Python, given as its text; `name` is the contested path."""
    start = "import fcntl, os, signal, sys, time\nname = sys.argv[1]\n"
    make = (
        "def make():\n    try: os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))\n"
        "    except FileExistsError: return False\n    return True\n"
    )
    return Subject((sys.executable, "-I", "-S", "-c", start + make + code, "{name}", *words))


LATE = "if not make(): sys.exit(1)\nsys.stdout.write('acquired\\n')\nos.unlink(name)\nsys.stdout.flush()"
ELSEWHERE = "os.path.exists(name)\nprint('acquired', flush=True)"


@held
@pytest.mark.parametrize(
    ("code", "why"), [(LATE, "its line comes too late"), (ELSEWHERE, "has made nothing on the name")]
)
def test_one_whose_line_says_nothing_about_its_lock_is_told_so(code, why, tmp_path):
    with pytest.raises(ClaimgridError, match=why) as caught:
        Theatre(python(code), tmp_path).rehearse()
    assert caught.value.code is Exit.NOT_RUN


@held
@pytest.mark.parametrize("refusal", ["lock not acquired", "already acquired by 123", "ACQUIRED?"])
def test_a_refusal_that_has_the_word_in_it_is_no_success(refusal, tmp_path):
    lock = (
        "f = open(name, 'a')\ntry: fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        f"except OSError: print({refusal!r}); sys.exit(1)\nprint('acquired', flush=True)"
    )
    found = standings(python(lock), tmp_path, LOCKS)
    # It writes nothing that could be unreadable.
    assert found.pop(Promise.SAFE_ON_DOUBT) is Standing.NOT_PROMISED
    assert set(found.values()) == {Standing.KEPT}


@held
def test_what_says_so_may_be_a_pattern(tmp_path):
    lock = "if not make(): print('[x] it is taken by 7'); sys.exit(1)\nprint('[x] taken by me', flush=True)\nos.unlink(name)"
    subject = replace(python(lock), says="[x] TAKEN by *")
    assert standings(subject, tmp_path, [Promise.EXCLUSION]) == {Promise.EXCLUSION: Standing.KEPT}


@held
def test_a_crash_is_no_refusal(tmp_path):
    lock = "if not make(): os.kill(os.getpid(), signal.SIGKILL)\nprint('acquired', flush=True)\nos.unlink(name)"
    found = standings(python(lock), tmp_path, [Promise.EXCLUSION, Promise.NO_WRONG_TAKEOVER])
    assert set(found.values()) == {Standing.NOT_EXPLORED}


@held
def test_whoever_was_killed_is_dead_for_those_who_ask_whether_he_lives(tmp_path):
    # The process id in the mark is not that of the command itself, but of one that it has started.
    lock = tmp_path / "job.sh"
    lock.write_text(
        '(set -C; echo $$ > "$1") 2> /dev/null || { kill -0 "$(cat "$1")" 2> /dev/null && exit 1; rm -f "$1"; '
        '(set -C; echo $$ > "$1") 2> /dev/null || exit 1; }\necho acquired\nrm -f "$1"\n',
        encoding="utf-8",
    )
    outer = Subject(("sh", "-c", f'sh {shlex.quote(str(lock))} "$1"; exit $?', "sh", "{name}"))
    theatre = Theatre(outer, tmp_path)
    trial = theatre.play(Schedule(Plot.KILLED, theatre.rehearse().acquiring), theatre.rehearse())
    assert (trial.findings, trial.obstacle) == ((), "")
    assert [step.act for step in trial.steps] == [Act.HOLDS, Act.KILLED, Act.HOLDS, Act.REFUSED]


@held
def test_a_takeover_in_two_runs_is_not_said_to_be_explored(tmp_path):
    lock = (
        "import json\ndef lives(pid):\n    try: os.kill(pid, 0)\n    except OSError: return False\n    return True\n"
        "try: f = open(name, 'x')\nexcept FileExistsError:\n    if not lives(int(open(name).read() or 0)): os.unlink(name)\n"
        "    sys.exit(1)\nf.write(str(os.getpid())); f.close()\nprint('acquired', flush=True)\nos.unlink(name)"
    )
    assert Theatre(python(lock), tmp_path).rehearse().in_two_runs
    assert standings(python(lock), tmp_path, [Promise.RECOVERY])[Promise.RECOVERY] is not Standing.KEPT


@held
@pytest.mark.parametrize("pause", [0.05, 3600])
def test_whoever_polls_waits_and_is_not_blamed_for_sleeping(pause, tmp_path):
    lock = f"while not make(): time.sleep({pause})\nprint('acquired', flush=True)\nos.unlink(name)"
    found = standings(python(lock), tmp_path, [Promise.EXCLUSION, Promise.PROGRESS])
    assert found == {
        Promise.EXCLUSION: Standing.KEPT if pause < 1 else Standing.NOT_EXPLORED,
        Promise.PROGRESS: Standing.KEPT if pause < 1 else Standing.NOT_EXPLORED,
    }


@held
def test_a_mark_that_names_whoever_started_the_command_has_no_owner_that_could_be_killed(tmp_path):
    acquire = "if not make(): sys.exit(1)\nopen(name, 'w').write(str(os.getppid()))"
    two = replace(python(acquire), release=("rm", "{name}"))
    found = standings(two, tmp_path, [Promise.EXCLUSION, Promise.RECOVERY])
    assert found[Promise.EXCLUSION] is Standing.KEPT
    assert found[Promise.RECOVERY] is not Standing.KEPT


@held
def test_a_break_that_does_not_come_again_is_not_told_as_one(tmp_path, monkeypatch):
    theatre = Theatre(recipe("lock", "exclusion"), tmp_path)
    rehearsed = theatre.rehearse()
    chosen = list(schedules("lock", rehearsed, [Promise.EXCLUSION]))
    play, times = theatre.play, {}

    def once(schedule, rehearsed):
        times[schedule] = times.get(schedule, 0) + 1
        trial = play(schedule, rehearsed)
        return trial if times[schedule] == 1 else replace(trial, findings=())

    monkeypatch.setattr(theatre, "play", once)
    judged = judge_promises(play_all(theatre, rehearsed, chosen, lambda _: None), [Promise.EXCLUSION])
    (found,) = (each for each in judged if each.promise is Promise.EXCLUSION)
    assert (found.standing, "not-again" in found.obstacles) == (Standing.NOT_EXPLORED, True)


# ---- Holding system calls


def contender(tmp_path: Path, code: str, **more) -> Contender:
    subject = Subject((sys.executable, "-I", "-S", "-c", code, "{name}"), cwd=tmp_path, **more)
    return Contender("A", subject, {"name": str(tmp_path / "name")}, tmp_path, 5.0)


@held
def test_a_call_that_is_held_has_not_been_made_and_is_made_when_it_is_let_go(tmp_path):
    one = contender(tmp_path, "import os, sys; os.mkdir(sys.argv[1]); os.rmdir(sys.argv[1])")
    try:
        assert one.go(0) is Stop.HELD
        assert one.before is not None
        assert one.before.call.startswith("mkdir")
        assert not (tmp_path / "name").exists()
        assert one.go(1) is Stop.HELD
        assert (tmp_path / "name").is_dir()
        assert one.go() is Stop.ENDED
        assert not (tmp_path / "name").exists()
    finally:
        one.close()


@held
def test_whoever_is_killed_where_it_is_held_has_not_made_the_call(tmp_path):
    one = contender(tmp_path, "import os, sys; os.mkdir(sys.argv[1])")
    assert one.go(0) is Stop.HELD
    one.kill()
    one.close()
    assert not (tmp_path / "name").exists()


@held
def test_calls_of_threads_and_children_are_held_like_its_own(tmp_path):
    code = (
        "import os, subprocess, sys, threading\n"
        "name = sys.argv[1]\n"
        "thread = threading.Thread(target=os.mkdir, args=(name,)); thread.start(); thread.join()\n"
        "subprocess.run([sys.executable, '-I', '-S', '-c', 'import os, sys; os.rmdir(sys.argv[1])', name])\n"
    )
    one = contender(tmp_path, code)
    try:
        assert one.go(1) is Stop.HELD
        assert (tmp_path / "name").is_dir()
        assert one.go() is Stop.ENDED
        assert one.made == 2
    finally:
        one.close()


@held
def test_a_relative_path_and_one_by_a_descriptor_are_known(tmp_path):
    code = (
        "import os, sys\n"
        "os.chdir(os.path.dirname(sys.argv[1])); os.mkdir('one')\n"
        "folder = os.open('.', os.O_RDONLY); os.mkdir('two', dir_fd=folder)\n"
    )
    one = contender(tmp_path, code)
    try:
        one.go()
        assert [call.paths for call in one.take_calls()] == [
            (str(tmp_path.resolve() / each),) for each in ("one", "two")
        ]
    finally:
        one.close()


@held
def test_one_that_says_so_is_held_before_its_reader_could_know(tmp_path):
    one = contender(
        tmp_path,
        "import os, sys; os.mkdir(sys.argv[1]); print('acquired', flush=True); sys.stdin.read(); os.rmdir(sys.argv[1])",
    )
    try:
        assert one.go() is Stop.ACQUIRED
        assert (tmp_path / "name").is_dir()
        one.let_end()
        assert one.go() is Stop.ENDED
        assert not (tmp_path / "name").exists()
    finally:
        one.close()


@held
def test_one_that_waits_for_another_is_seen_to_wait(tmp_path):
    one = contender(tmp_path, "import sys, time; open(sys.argv[1], 'x'); time.sleep(60)")
    one.patience = 0.5
    try:
        assert one.go() is Stop.WAITS
    finally:
        one.close()


def test_where_no_call_can_be_held_exclusion_by_pauses_is_not_said_to_be_explored(monkeypatch, tmp_path):
    monkeypatch.setattr(supervise, "obstacle", lambda: "not here")
    monkeypatch.setattr("harness.judging.contest.obstacle", lambda: "not here")
    found = standings(recipe("lock"), tmp_path, LOCKS)
    assert found[Promise.EXCLUSION] is Standing.NOT_EXPLORED
    assert found[Promise.NO_WRONG_TAKEOVER] is Standing.KEPT
    assert found[Promise.SAFE_ON_DOUBT] is Standing.KEPT


# ---- The record

HOLDS = st.builds(
    lambda actor, since, length: Hold(actor, since, None if length is None else since + length),
    st.sampled_from("ABCD"),
    st.integers(0, 12),
    st.none() | st.integers(1, 6),
)


@given(st.lists(HOLDS, max_size=6))
def test_two_hold_together_exactly_when_at_some_step_two_hold(holds):
    def holding(step: int) -> int:
        return sum(hold.since <= step and (hold.until is None or step < hold.until) for hold in holds)

    assert (together(holds) is not None) == any(holding(step) > 1 for step in range(20))


@given(
    st.lists(
        st.builds(
            lambda tests, finding, obstacle: (
                tests,
                Trial("x", (), (Finding(tests[finding % len(tests)], "how"),) if finding is not None else (), obstacle),
            ),
            st.lists(st.sampled_from(Promise), min_size=1, max_size=3, unique=True),
            st.none() | st.integers(0, 2),
            st.sampled_from(["", "waits"]),
        ),
        max_size=6,
    )
)
def test_a_promise_is_kept_only_when_all_that_could_break_it_was_explored(played):
    for judged in judge_promises(played, list(Promise)):
        concerned = [(tests, trial) for tests, trial in played if judged.promise in tests]
        broken = any(trial.breaks(judged.promise) for _, trial in concerned)
        assert (judged.standing is Standing.BROKEN) == broken
        if judged.standing is Standing.KEPT:
            assert concerned
            assert not any(trial.obstacle for _, trial in concerned)


def test_what_is_not_promised_is_neither_kept_nor_broken():
    breaking = ((Promise.RECOVERY,), Trial("killed:1", (), (Finding(Promise.RECOVERY, "nobody-recovers"),)))
    judged = {each.promise: each.standing for each in judge_promises([breaking], [Promise.EXCLUSION])}
    assert judged[Promise.RECOVERY] is Standing.NOT_PROMISED
    assert judged[Promise.EXCLUSION] is Standing.NOT_EXPLORED


# ---- Schedules and words


@pytest.mark.parametrize("kind", PLOTS)
def test_every_schedule_can_be_asked_for_by_what_is_printed(kind):
    for schedule in schedules(kind, Rehearsed(3, 6, 4, True), list(Promise)):
        assert parse_schedule(str(schedule), kind) == schedule


@pytest.mark.parametrize("text", ["", "killed", "killed:0", "killed:x", "slow:1", "doubt", "doubt:2", "nonsense:1"])
def test_what_is_no_schedule_is_refused(text):
    with pytest.raises(ClaimgridError, match="no schedule"):
        parse_schedule(text, "lock")


def test_both_languages_tell_recipes_with_the_same_keys():
    first, second = (stories.catalogue(lang) for lang in LANGUAGES)
    assert list(first) == list(second)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_word_of_promises_and_steps_is_told(lang):
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(stories.__file__).parent.glob("*.py"))
    known = stories.catalogue(lang)
    for promise in Promise:
        assert stories.promise_word(promise, lang)
        assert stories.promise_meaning(promise, lang)
    for standing in Standing:
        assert stories.standing_word(standing, lang)
    for act in Act:
        assert stories.step(Step("A", act, detail="half" if act is Act.DAMAGED else "1"), lang) != f"act.{act}"
    for key in known:
        kind, _, code = key.partition(".")
        if kind in ("how", "obstacle") and code not in ("cut-short", "no-schedule"):
            assert f'"{code}"' in sources, f"{key} is used nowhere"


@given(st.integers(0, 2**33), st.booleans(), st.binary(max_size=5))
def test_times_that_are_near_are_made_old_and_nothing_else_is(seconds, millis, around):
    now = 1_790_000_000.0
    number = str(seconds * 1000 + 5 if millis else seconds).encode()
    text = b'{"at": ' + number + b"}" + around.replace(b"1", b"")
    near = len(number) == (13 if millis else 10) and abs(seconds - now) < 2 * 24 * 3600
    old = str(int(number) - AGE_SECONDS * (1000 if millis else 1)).encode()
    assert aged(text, now) == (text.replace(number, old) if near else text)


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%dT%H:%M:%SZ",
        "%Y-%m-%d %H:%M:%S.000001",
        "%Y/%m/%d %H:%M:%S",
        "%Y%m%dT%H%M%SZ",
        "%Y%m%d%H%M%S",
        "%a, %d %b %Y %H:%M:%S +0000",
        "%a %b %d %H:%M:%S UTC %Y",
        "%a %b %d %H:%M:%S %Y",
    ],
)
@pytest.mark.parametrize("day", [3, 21])
def test_dates_in_all_usual_forms_are_made_old_and_keep_their_length(form, day):
    when = datetime(2026, 12, day, 4, 5, 6, tzinfo=UTC)
    named = form.replace("%d", f"{day:2}") if " %d %H" in form else form
    text = f'{{"at": "{when.strftime(named)}"}}'.encode()
    then = when - timedelta(seconds=AGE_SECONDS)
    named = form.replace("%d", f"{then.day:2}") if " %d %H" in form else form
    older = aged(text, when.timestamp())
    assert older == f'{{"at": "{then.strftime(named)}"}}'.encode()
    assert len(older) == len(text)


@pytest.mark.parametrize("unit", [1, 10**3, 10**6, 10**9])
def test_numbers_of_any_unit_since_1970_are_made_old(unit):
    now = 1_796_646_224
    assert aged(b"%d" % (now * unit), now) == b"%d" % ((now - AGE_SECONDS) * unit)


def test_ticks_of_dotnet_are_made_old():
    now = 1_796_646_224
    ticks = 621_355_968_000_000_000 + now * 10**7
    assert aged(b"%d" % ticks, now) == b"%d" % (ticks - AGE_SECONDS * 10**7)


def test_a_written_date_is_made_old_and_keeps_its_length():
    now = 1_790_000_000.0
    written = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)).encode()
    older = aged(b'{"at": "' + written + b'.123Z"}', now)
    assert len(older) == len(written) + 15
    assert written not in older


# ---- The command


def run(*arguments: str, **more):
    from harness.processes import run as run_process

    return run_process([sys.executable, "-m", "harness", "judge", *arguments], limit=120, env=dict(os.environ), **more)


@held
def test_the_command_tells_the_promise_the_schedule_and_how_to_see_it_again(tmp_path):
    script = tmp_path / "日本 script.sh"
    script.write_text(
        '[ -e "$1" ] && exit 1\necho $$ > "$1"\necho acquired\nread _\nrm -f "$1"\n', encoding="utf-8", newline="\n"
    )
    command = f"sh {shlex.quote(str(script))} {{name}}"
    told = run("--run", command, "--promise", "exclusion", "--format", "json", "--at", str(tmp_path))
    assert told.code == 1, told.stderr.decode()
    (judged,) = json.loads(told.stdout)
    assert (judged["promise"], judged["standing"]) == ("exclusion", "broken")
    replay = shlex.split(judged["replay"])[2:]
    for _ in range(2):
        again = run(*replay, "--at", str(tmp_path))
        assert again.code == 1
        assert b"exclusion broken" in again.stdout


@held
def test_two_commands_for_acquiring_and_releasing_are_judged_together(tmp_path):
    told = run(
        "--acquire",
        "mkdir {name}",
        "--release",
        "rmdir {name}",
        "--promise",
        "exclusion,progress,recovery",
        "--at",
        str(tmp_path),
    )
    assert told.code == 1
    assert b"exclusion  kept" in told.stdout
    assert b"recovery   broken" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], b"--run, or by --acquire and --release"),
        (["--run", "a {name}", "--acquire", "b {name}"], b"--run, or by --acquire and --release"),
        (["--acquire", "a {name}"], b"--run, or by --acquire and --release"),
        (["--run", "true"], b"does not use the name"),
        (["--run", "'"], b"is no command"),
        (["--run", "x {name}", "--promise", "wealth"], b"'wealth' is no promise"),
        (["--run", "no-such-program {name}"], b"no-such-program"),
    ],
)
def test_wrong_use_gets_one_sentence_and_no_traceback(arguments, said):
    told = run(*arguments)
    assert told.code in (2, 4)
    assert said in told.stderr
    assert b"Traceback" not in told.stderr
