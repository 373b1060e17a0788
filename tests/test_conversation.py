"""Talking to probes that do everything wrong: each failure is charged to its own request, and none becomes a refusal."""

import json
import os
import signal
import time
from dataclasses import replace

import psutil
import pytest
from conftest import FAKES, PYTHON
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.conversation import Conversation, Limits, Reply, Request, _as_reply
from harness.errors import ClaimgridError, Exit
from harness.observation import Answer, Said
from harness.runtimes.contract import Launch

posix = pytest.mark.skipif(os.name == "nt", reason="signals and sessions are POSIX's")

PATIENT = Limits(start=60, case=60)
HURRIED = Limits(start=60, case=1)
"""For probes that are going to be cut off."""

YES = Reply(Answer(Said.YES))


@pytest.fixture
def talk(fake_argv, tmp_path):
    """A conversation with a fake by its name; nothing of it is left running."""
    open_ones = []

    def start(name, limits=PATIENT, **more):
        conversation = Conversation(Launch(fake_argv(name)), tmp_path / "home", limits, **more)
        open_ones.append(conversation)
        return conversation

    yield start
    for conversation in open_ones:
        conversation.close(polite=False)


@pytest.fixture
def requests(tmp_path):
    """Requests for free names, numbered from 1."""

    def make(*calls):
        made = []
        for number, call in enumerate(calls, 1):
            folder = tmp_path / f"case{number}"
            folder.mkdir()
            made.append(
                Request(number, call, folder / "name", folder / "source", folder / "mine", f"claimed by {number}\n")
            )
        return made

    return make


def around(requests):
    """An honest request, the fake's own, and an honest one again."""
    return requests("open/x", "wrong", "open/x")


def all_replies(conversation, requests):
    """Ask until every request has its reply, as a measurement does."""
    replies = []
    while len(replies) < len(requests):
        replies.extend(conversation.claims(requests[len(replies) :]))
    return replies


# Honest probes


def test_an_honest_probe_is_understood(talk, requests):
    asked = requests("open/x", "open/x", "exists/open")
    asked[1].name.touch()
    assert [reply.answer.said for reply in talk("honest").claims(asked)] == [Said.YES, Said.NO, Said.YES]
    assert asked[0].name.read_text(encoding="utf-8") == "claimed by 1\n"


def test_a_refusal_keeps_what_was_said(talk, requests):
    asked = requests("open/x")
    asked[0].name.touch()
    (reply,) = talk("honest").claims(asked)
    assert (reply.answer.error, reply.answer.exists) == ("FileExistsError", True)
    assert str(asked[0].name) in reply.answer.message


def test_hello_and_list_are_answered(talk):
    conversation = talk("honest")
    assert conversation.ask("hello")["version"] == "1.0.0"
    assert [entry["id"] for entry in conversation.ask("list")["claims"]] == [
        "open/x",
        "open/w",
        "exists/open",
        "missing",
        "wrong",
    ]


def test_one_process_answers_everything(talk, requests):
    conversation = talk("honest")
    list(conversation.claims(requests("open/x")))
    first = conversation._process.pid
    conversation.ask("hello")
    assert conversation._process.pid == first


def test_isolated_cases_have_a_process_each(talk, requests):
    conversation = talk("honest", isolate=True)
    pids = []
    for reply in conversation.claims(requests("open/x", "open/x")):
        assert reply == YES
        pids.append(conversation._process.pid)
    assert len(set(pids)) == 2
    assert conversation._process is None


def test_a_runtime_without_a_loop_has_its_request_as_arguments(talk, requests):
    conversation = talk("takes_requests_as_arguments", per_case=True)
    asked = requests("open/x", "open/x")
    asked[1].name.touch()
    assert conversation.ask("hello")["version"] == "1.0.0"
    assert [reply.answer.said for reply in conversation.claims(asked)] == [Said.YES, Said.NO]
    assert asked[0].name.read_text(encoding="utf-8") == "claimed by 1\n"


@pytest.mark.parametrize("name", ["with space", "日本語", "quo'te", "a;b&c", "100%", "$HOME", "back\\slash", "#"])
def test_every_path_arrives(talk, requests, tmp_path, name):
    folder = tmp_path / name
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this system does not allow the name")
    request = Request(1, "open/x", folder / "name", folder / "source", folder / "mine", "claimed\n")
    assert list(talk("honest").claims([request])) == [YES]
    assert (folder / "name").read_text(encoding="utf-8") == "claimed\n"


def test_paths_are_spelled_for_the_runtime(fake_argv, tmp_path, requests):
    launch = Launch(fake_argv("honest"), spell=lambda path: str(path.with_name("spelled")))
    with Conversation(launch, tmp_path / "home", PATIENT) as conversation:
        (request,) = requests("open/x")
        assert list(conversation.claims([request])) == [YES]
    assert [path.name for path in request.name.parent.iterdir()] == ["spelled"]


# Probes that fail

FAILURES = [
    ("exits", Answer(Said.CRASHED, "exit 7", message="ended with code 7"), "fatal: out of luck\n"),
    ("ends_quietly", Answer(Said.NO_ANSWER, message="ended"), ""),
    (
        "dies_in_half_a_line",
        Answer(Said.CRASHED, "exit 7", message='ended with code 7 after half an answer: {"id":2,"said":"no"'),
        "",
    ),
    (
        "ends_before_the_end_of_its_line",
        Answer(Said.NO_ANSWER, message='ended after half an answer: {"id":2,"said":"no"}'),
        "",
    ),
    ("floods", Answer(Said.NO_ANSWER, message="more than 1048576 bytes without an answer"), ""),
    ("floods_with_lines", Answer(Said.NO_ANSWER, message="not JSON: Overwrite it? [y/n]"), ""),
    ("closes_its_output", Answer(Said.NO_ANSWER, message="closed its output but went on running"), ""),
]
TALKING_ON = [
    ("talks_garbage", "not JSON: Segmentation fault (core dumped)"),
    ("talks_latin_1", 'not JSON: {"said": "no", "message": "schon da: gr\\xf6\\xdfer"}'),
    ("answers_a_list", 'not an answer: [2, "no"]'),
    ("answers_for_another", "answered request 3 instead of 2"),
    ("says_maybe", "said maybe"),
    ("reports_a_fault", "the probe reports: no such claim"),
]
POSIX_FAILURES = [
    ("aborts", Answer(Said.CRASHED, "signal 9", message="killed by signal 9"), ""),
    ("leaves_a_grandchild", Answer(Said.CRASHED, "exit 7", message="ended with code 7"), ""),
    ("leaves_a_daemon", Answer(Said.CRASHED, "exit 7", message="ended with code 7"), ""),
]


@pytest.mark.parametrize(("fake", "answer", "stderr"), FAILURES)
def test_a_failure_is_charged_to_its_request_and_the_rest_goes_on(talk, requests, fake, answer, stderr):
    replies = all_replies(talk(fake), around(requests))
    assert [replies[0], replies[2]] == [YES, YES]
    assert (replies[1].answer, replies[1].stderr.replace("\r", "")) == (answer, stderr)


@pytest.mark.parametrize(("fake", "message"), TALKING_ON)
def test_an_answer_that_is_none_is_charged_to_its_request(talk, requests, fake, message):
    replies = list(talk(fake).claims(requests("open/x", "wrong")))
    assert replies == [YES, Reply(Answer(Said.NO_ANSWER, message=message))]


@pytest.mark.parametrize("fake", ["exits", "talks_garbage", "answers_late"])
def test_requests_after_a_failure_have_no_reply_since_nobody_knows_whether_they_were_made(talk, requests, fake):
    replies = list(talk(fake).claims(requests("open/x", "wrong", "open/x", "open/x")))
    assert [reply.answer.said.valid for reply in replies] == [True, False]


@posix
@pytest.mark.parametrize(("fake", "answer", "stderr"), POSIX_FAILURES)
def test_a_posix_failure_is_charged_to_its_request_and_the_rest_goes_on(talk, requests, fake, answer, stderr):
    assert all_replies(talk(fake), around(requests)) == [YES, Reply(answer, stderr), YES]


@pytest.mark.parametrize("fake", ["hangs", "ignores_signals"])
def test_silence_past_the_limit_is_charged_to_its_request_and_the_rest_goes_on(talk, requests, fake):
    replies = all_replies(talk(fake, HURRIED), around(requests))
    assert replies == [YES, Reply(Answer(Said.TIMED_OUT, message=replies[1].answer.message)), YES]
    assert "1 s" in replies[1].answer.message


@pytest.mark.parametrize("fake", ["exits", "talks_garbage", "floods", "answers_for_another"])
def test_a_failure_is_the_same_failure_in_a_process_of_its_own(talk, requests, fake):
    asked = requests("open/x", "wrong", "open/x", "wrong")
    together = list(talk(fake).claims([asked[0], asked[1]]))
    alone = list(talk(fake, isolate=True).claims([asked[2], asked[3]]))
    assert [reply.answer.said for reply in together] == [reply.answer.said for reply in alone]


@pytest.mark.parametrize("fake", ["exits", "hangs", "floods"])
def test_every_one_of_many_failures_is_charged_to_its_own_request(talk, requests, fake):
    replies = all_replies(talk(fake, HURRIED), requests("wrong", "open/x", "wrong"))
    assert [reply.answer.said.valid for reply in replies] == [False, True, False]


def test_an_answer_given_twice_is_never_taken_for_the_next_ones(talk, requests):
    asked = around(requests)
    for request in asked[2:]:
        request.name.touch()
    replies = list(talk("answers_twice").claims(asked))
    assert replies[:2] == [YES, YES]
    assert replies[2].answer == Answer(Said.NO_ANSWER, message="answered request 2 instead of 3")


@pytest.mark.parametrize("fake", ["complains", "floods_standard_error"])
def test_standard_error_changes_no_answer(talk, requests, fake):
    asked = around(requests)
    asked[1].name.touch()
    assert [reply.answer.said for reply in talk(fake).claims(asked)] == [Said.YES, Said.NO, Said.YES]


def test_standard_error_is_bounded(talk, requests):
    conversation = talk("floods_standard_error")
    assert list(conversation.claims(requests("wrong"))) == [YES]
    assert len(conversation._process.stderr()) == 1 << 16


def test_a_probe_that_changes_its_directory_is_asked_on(talk, requests):
    assert list(talk("changes_directory").claims(around(requests))) == [YES, YES, YES]


def test_a_message_is_cut_short(talk, requests):
    (request,) = requests("open/x")
    (reply,) = talk("honest").claims([replace(request, name=request.name / ("x" * 200) / ("y" * 200) / ("z" * 200))])
    assert (reply.answer.said, len(reply.answer.message)) == (Said.NO, 500)


# Starting


def test_a_probe_that_does_not_start_is_the_users_trouble_and_says_why(talk):
    with pytest.raises(ClaimgridError, match=r"did not start as a probe: .*a newer system library is needed") as caught:
        talk("refuses_to_start").ask("hello")
    assert caught.value.code is Exit.NOT_RUN


def test_a_claim_for_a_probe_that_does_not_start_is_no_refusal(talk, requests):
    with pytest.raises(ClaimgridError, match="did not start"):
        list(talk("refuses_to_start").claims(requests("open/x")))


def test_a_probe_that_cannot_be_started_again_is_told_after_its_failure_was_charged(talk, requests):
    conversation, asked = talk("starts_only_once"), requests("wrong", "open/x")
    assert [reply.answer.said for reply in conversation.claims(asked)] == [Said.CRASHED]
    with pytest.raises(ClaimgridError, match="started before"):
        list(conversation.claims(asked[1:]))


def test_a_program_that_is_not_there_is_told(tmp_path):
    conversation = Conversation(Launch(("/no/such/program",)), tmp_path / "home", PATIENT)
    with pytest.raises(ClaimgridError, match=r"/no/such/program cannot be started") as caught:
        conversation.ask("hello")
    assert caught.value.code is Exit.NOT_RUN


def test_a_probe_that_never_says_hello_is_cut_off(tmp_path, fake_argv):
    argv = (*fake_argv("honest")[:-2], "-c", "import time; time.sleep(3600)")
    with (
        Conversation(Launch(argv), tmp_path / "home", Limits(start=0.5, case=60)) as conversation,
        pytest.raises(ClaimgridError, match="did not start"),
    ):
        conversation.ask("hello")


# What is left behind


def is_gone(pid):
    deadline = time.monotonic() + 30
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("fake", ["honest", "hangs", "ignores_signals", "floods", "closes_its_output"])
def test_no_probe_outlives_its_conversation(talk, requests, tmp_path, fake):
    conversation = talk(fake, HURRIED)
    list(conversation.claims(requests("open/x")))
    pid = conversation._process.pid
    next(conversation.claims([Request(9, "wrong", tmp_path / "name", tmp_path / "source", tmp_path / "mine", "")]))
    conversation.close()
    assert is_gone(pid)


@posix
@pytest.mark.parametrize("fake", ["leaves_a_grandchild", "leaves_a_daemon"])
def test_no_grandchild_outlives_the_request_that_left_it(talk, requests, tmp_path, fake):
    list(talk(fake).claims(requests("wrong", "open/x")))
    assert is_gone(int((tmp_path / "grandchild").read_text(encoding="utf-8")))


@posix
def test_no_grandchild_outlives_the_conversation_however_well_it_hid(talk, requests, tmp_path):
    with talk("leaves_a_silent_daemon") as conversation:
        list(conversation.claims(requests("wrong")))
    assert is_gone(int((tmp_path / "grandchild").read_text(encoding="utf-8")))


@pytest.mark.parametrize("fake", ["hangs", "reads_nothing"])
def test_a_probe_that_stops_reading_does_not_stop_us(talk, requests, fake):
    (request,) = requests("wrong")
    many = [replace(request, data="x" * 100_000)] * 5
    (reply,) = talk(fake, HURRIED).claims(many)
    assert reply.answer.said is Said.TIMED_OUT


@posix
def test_a_probe_that_was_stopped_ends_all_the_same(talk, requests):
    conversation = talk("honest", HURRIED)
    list(conversation.claims(requests("open/x")))
    pid = conversation._process.pid
    os.kill(pid, signal.SIGSTOP)
    conversation.close()
    assert is_gone(pid)


# Whatever an answer looks like

text = st.text('aé日\n\0"\\{', max_size=5)
plain = st.none() | st.booleans() | st.integers() | st.floats() | text
anything = plain | st.lists(plain, max_size=2) | st.dictionaries(text, plain, max_size=2)
words = st.sampled_from(["yes", "no", "unsupported", "crashed", "timed-out", "YES", ""])
keys = st.sampled_from(["id", "said", "error", "code", "exists", "message", "x"])
answers = st.dictionaries(keys, words | st.just(7) | anything, max_size=7)


@given(answers)
def test_no_answer_however_damaged_is_a_fault_of_ours(received):
    reply = _as_reply(received, 7)
    assert reply.answer.said in (Said.YES, Said.NO, Said.UNSUPPORTED, Said.NO_ANSWER)


@given(answers)
def test_an_answer_without_the_right_number_is_never_an_answer(received):
    if received.get("id") != 7:
        assert _as_reply(received, 7).answer.said is Said.NO_ANSWER


@given(answers)
def test_a_word_that_the_protocol_does_not_have_is_never_an_answer(received):
    if received.get("said") not in ("yes", "no", "unsupported"):
        assert _as_reply(received, 7).answer.said is Said.NO_ANSWER


@given(st.sampled_from(["yes", "no"]), st.data())
def test_a_line_with_bytes_missing_or_changed_never_turns_one_answer_into_the_other(said, data):
    line = json.dumps({"id": 7, "said": said, "error": "EEXIST"}).encode()
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    damaged = line[:start] + data.draw(st.binary(max_size=3)) + line[end:]
    try:
        received = json.loads(damaged)
    except ValueError:
        return
    if isinstance(received, dict):
        assert _as_reply(received, 7).answer.said.value in (said, "no-answer")


@settings(max_examples=25)
@given(
    st.binary(max_size=12),
    st.sampled_from([b"%s", b'{"id":1,"said":%s}', b'{"id":2,"said":"no"%s}', b'{"said":"no",%s']),
)
def test_no_bytes_on_the_wire_are_taken_for_a_no_unless_they_are_one(wired, noise, frame):
    line = frame % noise.replace(b"\n", b"")
    conversation, request = wired
    (reply,) = conversation.claims([replace(request, data=line.hex())])
    assert reply.answer.said in (Said.NO_ANSWER, Said.YES, Said.NO)
    if reply.answer.said is Said.NO:
        assert json.loads(line)["id"] == 1


@pytest.fixture(scope="module")
def wired(tmp_path_factory):
    """A conversation with a fake that answers any bytes, and a request for it."""
    folder = tmp_path_factory.mktemp("wired")
    argv = (*PYTHON, str(FAKES / "says_what_it_is_told.py"))
    with Conversation(Launch(argv), folder / "home", PATIENT) as conversation:
        yield conversation, Request(1, "wrong", folder / "name", folder / "source", folder / "mine", "")


def test_no_answer_is_nested_too_deeply_for_us():
    for depth in range(600, 1000):
        try:
            received = json.loads('{"id":1,"said":' + "[" * depth + "]" * depth + "}")
        except RecursionError:
            break
        assert _as_reply(received, 1).answer.said is Said.NO_ANSWER


@pytest.mark.parametrize("number", [True, "1", None, [1], 1.5])
def test_only_the_number_itself_is_the_number(number):
    assert _as_reply({"id": number, "said": "yes"}, 1).answer.said is Said.NO_ANSWER


def test_an_error_beside_a_yes_is_kept_as_evidence():
    assert _as_reply({"id": 1, "said": "yes", "message": "so to speak"}, 1) == Reply(
        Answer(Said.YES, message="so to speak")
    )


def test_numbers_for_names_of_errors_are_taken_as_text():
    received = {"id": 1, "said": "no", "error": 17, "code": None, "exists": False}
    assert _as_reply(received, 1) == Reply(Answer(Said.NO, "17", "", False))
