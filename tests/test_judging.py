"""Judging recipes: what is broken in one way is found broken in that way alone, wherever calls can be held."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.commands.judge import LOCKS
from harness.errors import ClaimgridError
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
