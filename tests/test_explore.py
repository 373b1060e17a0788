"""Every schedule with one pause: what points add up to, and real contenders held between their system calls."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from harness import explore, strace
from harness.builds import identify
from harness.claims import Claim
from harness.conversation import Conversation, Limits
from harness.environment import this_platform
from harness.errors import ClaimgridError
from harness.explore import Exploration, Laboratory, Point, laboratory
from harness.measure import Workspace, workspace
from harness.mechanism import CHECK_THEN_ACT
from harness.observation import Said
from harness.runtimes.contract import Found, Launch
from harness.strace import Traceable
from harness.vocabulary import Kind, RaceOutcome

traced = pytest.mark.skipif(bool(strace.obstacle()), reason=strace.obstacle() or "nothing is in the way")


def point(first, second, obstacle=""):
    return Point("access", "openat", first, second, obstacle)


HELD_WON = point(Said.YES, Said.NO)
OTHER_WON = point(Said.NO, Said.YES)
BOTH_WON = point(Said.YES, Said.YES)
NOBODY_WON = point(Said.NO, Said.NO)
UNPROVED = point(None, None, "It was not held there.")


@pytest.mark.parametrize(
    ("points", "outcome", "telling"),
    [
        ([HELD_WON, OTHER_WON], RaceOutcome.ONE_WINNER, HELD_WON),
        ([OTHER_WON, BOTH_WON, HELD_WON], RaceOutcome.TWO_WINNERS, BOTH_WON),
        ([HELD_WON, NOBODY_WON], RaceOutcome.NO_WINNER, NOBODY_WON),
        ([NOBODY_WON, BOTH_WON], RaceOutcome.TWO_WINNERS, BOTH_WON),
        # One pause that was not tried, and it is not explored; what was seen elsewhere was seen nevertheless.
        ([HELD_WON, UNPROVED], RaceOutcome.NOT_RUN, UNPROVED),
        ([UNPROVED, BOTH_WON], RaceOutcome.TWO_WINNERS, BOTH_WON),
        ([], RaceOutcome.NOT_RUN, None),
    ],
)
def test_points_add_up_to_the_worst_of_them(points, outcome, telling):
    exploration = Exploration(tuple(points))
    assert exploration.outcome is outcome
    assert exploration.telling is telling


def test_a_pause_is_named_by_the_calls_around_it():
    assert Point("access", "openat(O_CREAT)").pause == "after access, before openat(O_CREAT)"
    assert Point("close", "").pause == "after close"


def test_the_evidence_of_an_exploration_is_plain():
    assert Exploration((BOTH_WON, UNPROVED)).evidence() == {
        "outcome": "two-winners",
        "points": [
            {"pause": "after access, before openat", "held": "yes", "other": "yes"},
            {"pause": "after access, before openat", "obstacle": "It was not held there."},
        ],
    }
    assert Exploration(obstacle="No.").evidence() == {"outcome": "not-run", "obstacle": "No."}


# ---- Two fakes


def claim(call, kind=Kind.CREATE):
    return Claim("fake", call, kind, f"{call}(name)", "file")


@pytest.fixture(params=["attached", "started"])
def fakes(request, fake_argv, tmp_path):
    """Two contenders that are fakes by their name, the first in both ways of coming under strace."""
    attach = request.param == "attached"
    if attach and not strace.may_attach():
        pytest.skip("running processes may not be traced here")
    logs = tmp_path / "logs"
    logs.mkdir()
    open_ones = []

    def pair(name="honest", other="honest"):
        space = Workspace(tmp_path / "space")
        space.root.mkdir()
        first = Traceable(Launch(fake_argv(name)), space.home, Limits(60, 60), attachable=attach)
        second = Conversation(Launch(fake_argv(other)), space.home, Limits(60, 60))
        open_ones.extend((first, second))
        return Laboratory(first, second, space, logs)

    yield pair
    for conversation in open_ones:
        conversation.close(polite=False)


@traced
def test_a_look_before_an_act_is_caught_at_the_first_pause(fakes):
    examination = fakes().examine(claim("exists/open"))
    assert examination.mechanism == CHECK_THEN_ACT
    telling = examination.exploration.telling
    assert telling is examination.exploration.points[0]
    assert telling.outcome is RaceOutcome.TWO_WINNERS
    assert telling.pause.endswith("before openat(O_CREAT|O_TRUNC)")
    assert {each.outcome for each in examination.exploration.points[1:]} == {RaceOutcome.ONE_WINNER}


@traced
def test_an_exclusive_act_has_one_winner_in_every_schedule(fakes):
    examination = fakes().examine(claim("open/x"))
    assert examination.mechanism == "openat(O_CREAT|O_EXCL)"
    assert examination.exploration.outcome is RaceOutcome.ONE_WINNER
    assert [each.after for each in examination.exploration.points] == ["openat(O_CREAT|O_EXCL)", "write", "close"]
    assert {(each.first, each.second) for each in examination.exploration.points} == {(Said.YES, Said.NO)}


@traced
def test_a_claim_that_wins_a_taken_name_has_a_mechanism_and_nothing_to_explore(fakes):
    examination = fakes().examine(claim("open/w"))
    assert examination.mechanism == "openat(O_CREAT|O_TRUNC)"
    assert examination.exploration == Exploration(obstacle="It wins a name that is taken.")


@traced
def test_without_pauses_the_mechanism_of_a_look_and_an_overwriting_act_shows_too(fakes):
    examination = fakes().examine(claim("exists/open"), pauses=0)
    assert (examination.mechanism, examination.exploration) == (CHECK_THEN_ACT, None)


@traced
def test_a_look_through_the_name_at_what_is_above_it_is_no_stumbling_block(fakes):
    examination = fakes("looks_through", "looks_through").examine(replace(claim("wrong"), makes="empty-dir"))
    assert examination.mechanism == "mkdir"
    first, *_ = examination.exploration.points
    assert (first.after, first.outcome) == ("mkdir", RaceOutcome.ONE_WINNER)
    # Where programs are started for it the look itself cannot be held, and says so.
    assert examination.exploration.outcome in (RaceOutcome.ONE_WINNER, RaceOutcome.NOT_RUN)


@traced
@pytest.mark.parametrize("name", ["says_maybe", "says_yes_and_does_nothing", "exits"])
def test_contenders_that_do_not_do_what_they_say_prove_nothing(fakes, name):
    examination = fakes(name, name).examine(claim("wrong"))
    assert examination.mechanism is None
    assert examination.obstacle
    assert examination.exploration.outcome is RaceOutcome.NOT_RUN


@traced
def test_a_pause_that_was_over_before_the_other_had_claimed_is_not_explored(fakes, monkeypatch):
    ready = fakes()
    claimed = explore._Side.claim

    def slow_to_answer(side):
        reply = claimed(side)
        if side.contender is ready.second:
            time.sleep(0.5)
        return reply

    monkeypatch.setattr(explore._Side, "claim", slow_to_answer)
    monkeypatch.setattr(
        Laboratory, "_ways", lambda _, rehearsed, number: [(strace.Pause(["openat"], 0.2), rehearsed.mentioned)]
    )
    exploration = ready.examine(claim("open/x")).exploration
    assert exploration.points[0].obstacle == "The other's claim did not lie within the pause."
    assert exploration.outcome is RaceOutcome.NOT_RUN


def test_where_nothing_can_be_traced_there_is_no_laboratory(monkeypatch, fake_build, tmp_path):
    monkeypatch.setattr(strace, "obstacle", lambda: "strace is not installed.")
    with (
        pytest.raises(ClaimgridError, match=r"strace is not installed\. .* race"),
        laboratory(fake_build("honest"), Workspace(tmp_path)),
    ):
        pass


def test_a_build_under_wine_is_not_traced(fake_build, tmp_path):
    build = replace(fake_build("honest"), platform="wine-x64")
    with pytest.raises(ClaimgridError, match="no system calls of its own"), laboratory(build, Workspace(tmp_path)):
        pass


# ---- Real runtimes


def examined(name, program, call, tmp_path):
    build = identify(name, Found(program, "given", this_platform()))
    (chosen,) = (claim for claim in build.claims if claim.call == call)
    with workspace(tmp_path) as space, laboratory(build, space) as ready:
        return ready.examine(chosen)


@traced
@pytest.mark.parametrize(
    ("call", "mechanism", "outcome", "pause"),
    [
        ("fs.writeFileSync/wx", "openat(O_CREAT|O_EXCL|O_TRUNC)", RaceOutcome.ONE_WINNER, None),
        # In threads of the pool.
        ("fs.promises.writeFile/wx", "openat(O_CREAT|O_EXCL|O_TRUNC)", RaceOutcome.ONE_WINNER, None),
        ("fs.existsSync/writeFileSync", CHECK_THEN_ACT, RaceOutcome.TWO_WINNERS, 0),
        # A look that does no harm, and one before an act whose refusal is not minded.
        ("fs.existsSync/mkdirSync", "mkdir", RaceOutcome.ONE_WINNER, None),
        ("fs.existsSync/mkdirSync+recursive", CHECK_THEN_ACT, RaceOutcome.TWO_WINNERS, 0),
    ],
)
def test_claims_of_node(real, tmp_path, call, mechanism, outcome, pause):
    examination = examined("node", real("node"), call, tmp_path)
    assert (examination.mechanism, examination.exploration.outcome) == (mechanism, outcome)
    if pause is not None:
        assert examination.exploration.telling is examination.exploration.points[pause]


@traced
@pytest.mark.parametrize(
    ("call", "mechanism", "outcome"),
    [
        ("open/x", "openat(O_CREAT|O_EXCL)", RaceOutcome.ONE_WINNER),
        ("os.path.exists/open", CHECK_THEN_ACT, RaceOutcome.TWO_WINNERS),
        # Taken and held, and not only made.
        ("os.unlink", "unlink", RaceOutcome.ONE_WINNER),
        ("fcntl.flock/a", "flock(LOCK_EX|LOCK_NB)", RaceOutcome.ONE_WINNER),
    ],
)
def test_claims_of_python(tmp_path, call, mechanism, outcome):
    examination = examined("python", Path(sys.executable), call, tmp_path)
    assert (examination.mechanism, examination.exploration.outcome) == (mechanism, outcome)


@traced
@pytest.mark.parametrize(
    ("call", "mechanism", "outcome"),
    [
        ("set -C", "openat(O_CREAT|O_EXCL)", RaceOutcome.ONE_WINNER),
        ("[ -e ]/>", CHECK_THEN_ACT, RaceOutcome.TWO_WINNERS),
        # Made by a program that changes its directory first, and gives a relative name.
        ("[ -d ]/mkdir -p", CHECK_THEN_ACT, RaceOutcome.TWO_WINNERS),
    ],
)
def test_claims_of_a_shell_that_is_started_for_each(real, tmp_path, call, mechanism, outcome):
    examination = examined("sh", real("dash"), call, tmp_path)
    assert (examination.mechanism, examination.exploration.outcome) == (mechanism, outcome)
    assert not any(point.obstacle for point in examination.exploration.points)
