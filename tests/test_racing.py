"""Races in a run: what is worth racing, in which order, and what races and traces come to in results."""

import os
import sys
from dataclasses import replace
from types import MappingProxyType

import pytest
from made import HELD, HERE

from harness.claims import Claim
from harness.explore import Examination, Exploration, Point
from harness.judge import NOT_RACED, Case, Judgement, Raced, Reason, judge_claim
from harness.observation import Said
from harness.races import Race
from harness.racing import as_raced, worth_racing
from harness.results import BuildResult, ClaimResult, read
from harness.run import Wanted, Watcher, run
from harness.vocabulary import Kind, Occupant, Outcome, RaceOutcome, Verdict

CLEAN = {Occupant.FREE: Case(Outcome.WON), Occupant.OWN: Case(Outcome.REFUSED)}
OPEN = Claim("node", "fs.openSync/wx", Kind.CREATE, "fs.openSync(name, 'wx')", "file")


def judged(raced, mechanism=None, kind=Kind.CREATE, cases=CLEAN):
    judgement = judge_claim(kind, cases, HELD, raced, mechanism)
    return judgement.verdict, judgement.reason.code


WON = Raced(RaceOutcome.ONE_WINNER, explored=RaceOutcome.ONE_WINNER, unexplored="")


@pytest.mark.parametrize(
    ("raced", "mechanism", "verdict", "code"),
    [
        (NOT_RACED, None, Verdict.REFUSES, "not-raced"),
        (WON, "openat(O_CREAT|O_EXCL)", Verdict.SAFE, "one-winner"),
        (WON, None, Verdict.SAFE, "one-winner"),
        (replace(WON, explored=RaceOutcome.NOT_RUN, unexplored="no-trace"), None, Verdict.SAFE, "one-winner"),
        (replace(WON, explored=RaceOutcome.NOT_RUN, unexplored="not-asked"), "mkdir", Verdict.SAFE, "one-winner"),
        (replace(WON, explored=RaceOutcome.NOT_RUN, unexplored="not-asked"), None, Verdict.INDETERMINATE, "unexplored"),
        (
            replace(WON, explored=RaceOutcome.NOT_RUN, unexplored="unproved"),
            "rename",
            Verdict.INDETERMINATE,
            "unexplored",
        ),
        (WON, "check-then-act", Verdict.INDETERMINATE, "one-winner-by-luck"),
        (WON, "openat(O_CREAT|O_TRUNC)", Verdict.INDETERMINATE, "one-winner-by-luck"),
        (replace(WON, reason="control-missed"), "mkdir", Verdict.INDETERMINATE, "control-missed"),
        (replace(WON, explored=RaceOutcome.TWO_WINNERS), "check-then-act", Verdict.RACY, "two-winners"),
        (Raced(RaceOutcome.TWO_WINNERS), "check-then-act", Verdict.RACY, "two-winners"),
        (Raced(RaceOutcome.TWO_WINNERS), "mkdir", Verdict.RACY, "two-winners-exclusive"),
        (replace(WON, outcome=RaceOutcome.NEVER_MET), "mkdir", Verdict.INDETERMINATE, "never-met"),
        (Raced(RaceOutcome.NO_WINNER, "bystander"), "mkdir", Verdict.CONDITIONAL, "no-winner"),
        (replace(WON, explored=RaceOutcome.NO_WINNER), "mkdir", Verdict.CONDITIONAL, "no-winner"),
        (Raced(RaceOutcome.NOT_RUN, "contradicted"), "mkdir", Verdict.INDETERMINATE, "race-failed"),
        (Raced(RaceOutcome.NOT_RUN, "crashed"), "mkdir", Verdict.INDETERMINATE, "race-failed"),
        (Raced(RaceOutcome.NOT_RUN, "unavailable"), "mkdir", Verdict.REFUSES, "not-raced"),
    ],
)
def test_what_a_race_and_a_mechanism_earn_a_clean_claim(raced, mechanism, verdict, code):
    assert judged(raced, mechanism) == (verdict, code)


def test_a_race_does_not_excuse_what_was_overwritten():
    assert judged(WON, "mkdir", cases={**CLEAN, Occupant.FILE: Case(Outcome.OVERWROTE)})[0] is Verdict.UNSAFE


PAUSED = Point("access", "openat(O_CREAT)", Said.YES, Said.YES)
QUIET = Point("mkdir", "", Said.YES, Said.NO)


@pytest.mark.parametrize(
    ("examination", "traced", "expected"),
    [
        (None, False, Raced(RaceOutcome.ONE_WINNER, unexplored="no-trace")),
        (Examination("mkdir"), True, Raced(RaceOutcome.ONE_WINNER, unexplored="not-asked")),
        (Examination(None, Exploration(obstacle="none")), True, Raced(RaceOutcome.ONE_WINNER, unexplored="unproved")),
        (Examination("mkdir", Exploration((QUIET,))), True, WON),
        (
            Examination("check-then-act", Exploration((PAUSED, QUIET))),
            True,
            Raced(
                RaceOutcome.ONE_WINNER,
                explored=RaceOutcome.TWO_WINNERS,
                unexplored="",
                pause="after access, before openat(O_CREAT)",
            ),
        ),
    ],
)
def test_a_race_and_an_exploration_become_one_account(examination, traced, expected):
    assert as_raced(Race(RaceOutcome.ONE_WINNER, caught=True), examination, traced=traced) == expected


@pytest.mark.parametrize(
    "seen", [Race(RaceOutcome.ONE_WINNER, caught=True), Race(RaceOutcome.NO_WINNER, "bystander", caught=True)]
)
def test_a_creator_that_locks_late_is_conditional_whether_a_bystander_happened_to_be_in_its_way_or_not(seen):
    examination = Examination("openat(O_CREAT|O_EXCL)", Exploration((QUIET,)), locks_late=True)
    raced = as_raced(seen, examination, traced=True)
    assert judged(raced, examination.mechanism) == (Verdict.CONDITIONAL, "locks-late")


def test_a_race_whose_control_was_missed_says_so():
    raced = as_raced(Race(RaceOutcome.ONE_WINNER, caught=False), None, traced=False)
    assert raced.reason == "control-missed"


def test_two_winners_need_no_control():
    assert as_raced(Race(RaceOutcome.TWO_WINNERS, caught=False), None, traced=False).reason == ""


def test_only_what_is_clean_and_was_not_raced_is_worth_a_race():
    def result(verdict, raced=NOT_RACED):
        return ClaimResult(Kind.CREATE, "", "", Judgement(verdict, Reason("x")), MappingProxyType({}), raced)

    calls = {
        "clean": result(Verdict.REFUSES),
        "conditional": result(Verdict.CONDITIONAL),
        "late": result(Verdict.REFUSES, Raced(RaceOutcome.NOT_RUN, "budget")),
        "unsafe": result(Verdict.UNSAFE),
        "raced": result(Verdict.SAFE, WON),
        "failed": result(Verdict.INDETERMINATE, Raced(RaceOutcome.NOT_RUN, "crashed")),
        "never met": result(Verdict.INDETERMINATE, Raced(RaceOutcome.NEVER_MET, "contenders")),
        "control missed": result(Verdict.INDETERMINATE, Raced(RaceOutcome.ONE_WINNER, "control-missed")),
        "racy by a pause": result(Verdict.RACY, Raced(RaceOutcome.NEVER_MET, "contenders", RaceOutcome.TWO_WINNERS)),
        "broken": result(Verdict.INDETERMINATE),
    }
    claims = [replace(OPEN, call=call) for call in (*calls, "never measured")]
    build = BuildResult(
        HERE, "node", "22.1.0", "npm", "cafe", HELD, MappingProxyType({f"node:{each}": calls[each] for each in calls})
    )
    never = ["clean", "conditional", "late"]
    assert [claim.call for claim in worth_racing(build, claims)] == never
    told_nothing = ["failed", "never met", "control missed"]
    assert [claim.call for claim in worth_racing(build, claims, again=True)] == [*never, *told_nothing]


class Notes(Watcher):
    """Which builds were raced, in order."""

    def __init__(self):
        self.settled_builds = []

    def settled(self, job, result, left):
        self.settled_builds.append((job.build.version, left))


@pytest.fixture
def ran(tmp_path):
    """A run of builds with races, in this process; gives its results by version, and what was settled."""

    def measure(*builds, seconds=60.0, calls=("open/x",), everything=False, again=False):
        notes = Notes()
        claims = [claim for claim in builds[0].claims if claim.call in calls]
        wanted = Wanted(
            builds,
            claims,
            (tmp_path,),
            tmp_path / "results",
            0,
            race_seconds=seconds,
            everything=everything,
            again=again,
        )
        outcome = run(wanted, notes)
        return {result.version: result for result in outcome.results}, notes.settled_builds

    return measure


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="strace is Linux's")
def test_a_run_gives_each_clean_claim_the_verdict_that_its_race_earns(ran, fake_build, tmp_path):
    results, settled = ran(fake_build("races"), calls=("open/x", "os.path.exists/open"))
    (result,) = results.values()
    exclusive = result.claims["fake:open/x"]
    # On a busy machine contenders may not meet, and then nothing is concluded.
    assert exclusive.verdict is Verdict.SAFE or exclusive.raced.outcome is RaceOutcome.NEVER_MET
    assert exclusive.raced.explored is RaceOutcome.ONE_WINNER
    assert result.claims["fake:open/x"].mechanism == "openat(O_CREAT|O_EXCL)"
    assert result.claims["fake:os.path.exists/open"].verdict is Verdict.RACY
    assert result.claims["fake:os.path.exists/open"].mechanism == "check-then-act"
    assert result.controls.race_caught is True
    assert settled == [(result.version, 0)]
    assert read(tmp_path / "results" / result.path) == result


def test_what_there_was_no_time_for_refuses_and_the_next_run_goes_on_there(ran, fake_build):
    results, settled = ran(fake_build("races"), seconds=1e-9)
    (result,) = results.values()
    claim = result.claims["fake:open/x"]
    assert (claim.verdict, claim.judgement.reason) == (Verdict.REFUSES, Reason("not-raced", text="budget"))
    assert settled == [(result.version, 1)]
    results, settled = ran(fake_build("races"))
    (result,) = results.values()
    assert result.claims["fake:open/x"].raced != NOT_RACED
    assert settled == [(result.version, 0)]


def test_a_race_of_an_earlier_run_stays_when_the_claim_is_only_measured_again(ran, fake_build):
    (raced,) = ran(fake_build("races"))[0].values()
    (again,) = ran(fake_build("races"), seconds=0.0)[0].values()
    assert again.claims["fake:open/x"] == raced.claims["fake:open/x"]
    assert again.controls == raced.controls


def test_whoever_wants_everything_measured_again_wants_no_older_race(ran, fake_build):
    ran(fake_build("races"))
    (again,) = ran(fake_build("races"), seconds=1e-9, everything=True)[0].values()
    assert again.claims["fake:open/x"].verdict is Verdict.REFUSES


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_contenders_that_die_make_the_claim_indeterminate_and_nothing_else(ran, fake_build):
    results, _ = ran(fake_build("dies_in_a_race"))
    (result,) = results.values()
    claim = result.claims["fake:open/x"]
    assert (claim.verdict, claim.judgement.reason.code) == (Verdict.INDETERMINATE, "race-failed")


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_a_race_that_told_nothing_stays_until_it_is_to_be_run_again(ran, fake_build):
    (died,) = ran(fake_build("dies_in_a_race"))[0].values()
    (same,) = ran(fake_build("races"))[0].values()
    assert same == died
    (again,) = ran(fake_build("races"), again=True)[0].values()
    assert again.claims["fake:open/x"].raced.outcome in (RaceOutcome.ONE_WINNER, RaceOutcome.NEVER_MET)


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_a_race_that_there_is_no_time_to_run_again_stays_what_it_was(ran, fake_build):
    (died,) = ran(fake_build("dies_in_a_race"))[0].values()
    (again,) = ran(fake_build("races"), again=True, seconds=1e-9)[0].values()
    assert again.claims == died.claims
