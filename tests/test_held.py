"""Held claims: kept out while held, free after release and after death, and what an outsider can do."""

import os
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.builds import Build, conversation
from harness.claims import claim_from_listing
from harness.environment import this_platform
from harness.held import observe_held
from harness.judge import Case, Controls, Reason, judge_case, judge_claim
from harness.measure import Workspace
from harness.observation import Answer, Observation, Said
from harness.occupants import HOLDS, Capabilities
from harness.vocabulary import Detail, Kind, Occupant, Outcome, Verdict

CATALOGUE = Path(__file__).resolve().parent.parent / "probes" / "python" / "claims.py"
CLAIMS = {
    entry.id: claim_from_listing("python", {**entry._asdict(), "supported": True})
    for entry in runpy.run_path(str(CATALOGUE))["CLAIMS"]
}
BUILD = Build("python", "1.0.0", this_platform(), "given", Path(sys.executable), tuple(CLAIMS.values()), frozenset())
HOLD = Controls(True, True)
ABLE = Capabilities()

posix = pytest.mark.skipif(os.name == "nt", reason="flock is POSIX's")


@pytest.fixture
def cases(tmp_path):
    """The judged cases of a held claim of the Python that runs this."""

    def judged(call, able=ABLE):
        space = Workspace(tmp_path)
        claim = CLAIMS[call]
        with conversation(BUILD, space.home) as holder, conversation(BUILD, space.home) as other:
            return {seen.occupant: judge_case(claim, seen) for seen in observe_held(holder, other, claim, able, space)}

    return judged


@posix
def test_a_lock_keeps_out_while_it_is_held_and_nobody_afterwards(cases):
    assert cases("fcntl.flock/a") == {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.HELD: Case(Outcome.REFUSED, None, "BlockingIOError", "EAGAIN"),
        Occupant.RELEASED: Case(Outcome.WON),
        Occupant.KILLED: Case(Outcome.WON),
        Occupant.OUTSIDER: Case(Outcome.OVERWROTE, Detail.WRITTEN_INTO),
    }


@posix
def test_whoever_opens_to_write_empties_what_another_holds(cases):
    assert cases("fcntl.flock/w")[Occupant.HELD].outcome in (Outcome.REFUSED, Outcome.DAMAGED)


def test_a_lock_that_goes_by_hard_links_is_not_tried_where_there_are_none(cases, monkeypatch):
    monkeypatch.setitem(CLAIMS, "fcntl.flock/a", replace(CLAIMS["fcntl.flock/a"], via="hard-link"))
    unavailable = Case(Outcome.UNAVAILABLE, reason="no links here")
    able = Capabilities({Occupant.HARD_LINK: "no links here"})
    assert cases("fcntl.flock/a", able) == dict.fromkeys(HOLDS, unavailable)


def held(occupant, answer, **more):
    return judge_case(CLAIMS["fcntl.flock/a"], Observation(occupant, answer, **more))


def test_waiting_for_a_lock_is_being_kept_out():
    assert held(Occupant.HELD, Answer(Said.TIMED_OUT)) == Case(Outcome.REFUSED, Detail.WAITED)


@pytest.mark.parametrize("occupant", [Occupant.FREE, Occupant.RELEASED, Occupant.KILLED])
def test_waiting_for_what_nobody_holds_is_no_answer_in_time(occupant):
    assert held(occupant, Answer(Said.TIMED_OUT)) == Case(Outcome.TIMED_OUT)


CLEAN = {
    Occupant.FREE: Case(Outcome.WON),
    Occupant.HELD: Case(Outcome.REFUSED),
    Occupant.RELEASED: Case(Outcome.WON),
    Occupant.KILLED: Case(Outcome.WON),
    Occupant.OUTSIDER: Case(Outcome.REFUSED),
}


@pytest.mark.parametrize(
    ("occupant", "outcome", "verdict", "code"),
    [
        (Occupant.HELD, Outcome.REFUSED, Verdict.REFUSES, "not-raced"),
        (Occupant.HELD, Outcome.FALSE_WIN, Verdict.UNSAFE, "took-taken"),
        (Occupant.OUTSIDER, Outcome.OVERWROTE, Verdict.CONDITIONAL, "took-other"),
        (Occupant.RELEASED, Outcome.FALSE_REFUSAL, Verdict.CONDITIONAL, "not-freed"),
        (Occupant.KILLED, Outcome.FALSE_REFUSAL, Verdict.CONDITIONAL, "not-freed"),
        (Occupant.HELD, Outcome.UNAVAILABLE, Verdict.INDETERMINATE, "own-not-tried"),
    ],
)
def test_what_each_case_says_about_a_lock(occupant, outcome, verdict, code):
    judgement = judge_claim(Kind.HELD, {**CLEAN, occupant: Case(outcome)}, HOLD)
    assert (judgement.verdict, judgement.reason.code) == (verdict, code)


@pytest.mark.parametrize(("gone", "verdict"), [(Outcome.REFUSED, Verdict.REFUSES), (Outcome.FALSE_WIN, Verdict.UNSAFE)])
def test_whoever_takes_what_is_gone_lets_everybody_win(gone, verdict):
    cases = {Occupant.PRESENT: Case(Outcome.WON), Occupant.GONE: Case(gone)}
    assert judge_claim(Kind.TAKE, cases, HOLD).verdict is verdict


def test_a_thing_that_is_there_has_to_be_taken():
    cases = {Occupant.PRESENT: Case(Outcome.FALSE_REFUSAL), Occupant.GONE: Case(Outcome.REFUSED)}
    reason = Reason("free-not-won", (Occupant.PRESENT,), Outcome.FALSE_REFUSAL)
    assert judge_claim(Kind.TAKE, cases, HOLD).reason == reason
