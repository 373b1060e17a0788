"""Two claims on one name: over each other's product, and raced."""

import os
import runpy
import sys
from pathlib import Path

import pytest

from harness.builds import Build
from harness.claims import claim_from_listing
from harness.environment import this_platform
from harness.judge import Case
from harness.measure import Workspace
from harness.pairs import facing, judge_pair
from harness.races import Pace, Race
from harness.vocabulary import Detail, Outcome, RaceOutcome, Verdict

CATALOGUE = Path(__file__).resolve().parent.parent / "probes" / "python" / "claims.py"
CLAIMS = tuple(
    claim_from_listing("python", {**entry._asdict(), "supported": True})
    for entry in runpy.run_path(str(CATALOGUE))["CLAIMS"]
)
BUILD = Build("python", "1.0.0", this_platform(), "given", Path(sys.executable), CLAIMS, frozenset())
SHORT = Pace(seconds=0.05, patience=1.0)

posix = pytest.mark.skipif(os.name == "nt", reason="wants POSIX's calls")
SETTLED = (RaceOutcome.ONE_WINNER, RaceOutcome.NEVER_MET)


@pytest.fixture
def pair(tmp_path):
    """What there is to know about two claims of the Python that runs this."""

    space = Workspace(tmp_path)

    def contended(first, second):
        claims = [next(claim for claim in CLAIMS if claim.call == call) for call in (first, second)]
        with facing(BUILD, BUILD, space) as between:
            return between.contest(*claims, SHORT)

    return contended


def test_claims_that_exclude_each_other(pair):
    seen = pair("open/x", "os.mkdir")
    assert seen.over_first == Case(Outcome.REFUSED, None, "FileExistsError", "EEXIST")
    assert seen.over_second == Case(Outcome.REFUSED, None, "FileExistsError", "EEXIST")
    assert seen.race.outcome in SETTLED


def test_a_claim_that_minds_nobody_shows_on_its_side_only(pair):
    seen = pair("open/x", "open/w")
    assert seen.over_first == Case(Outcome.OVERWROTE, Detail.TRUNCATED)
    assert seen.over_second.outcome is Outcome.REFUSED


def test_two_who_always_win_both_win_the_race(pair):
    assert pair("open/w", "open/a").race.outcome is RaceOutcome.TWO_WINNERS


@posix
def test_an_advisory_lock_is_honoured_by_its_own_kind_alone(pair):
    kin = pair("fcntl.flock/a", "fcntl.flock/w")
    assert (kin.over_first.outcome, kin.over_second.outcome) == (Outcome.REFUSED, Outcome.REFUSED)
    strangers = pair("fcntl.flock/a", "open/a")
    assert strangers.over_first == Case(Outcome.OVERWROTE, Detail.WRITTEN_INTO)
    assert strangers.over_second.outcome is Outcome.FALSE_WIN


@posix
def test_a_source_that_is_wanted_is_laid_for_each(pair):
    seen = pair("os.rename/full-dir", "os.link")
    assert (seen.over_first.outcome, seen.over_second.outcome) == (Outcome.REFUSED, Outcome.REFUSED)
    assert seen.race.claimants.counts.several == 0


def test_a_claim_that_wins_nothing_has_no_product(pair):
    seen = pair("open/r+", "open/x")
    assert seen.over_first == Case(Outcome.UNAVAILABLE, reason="python:open/r+ did not win the free name")
    assert seen.over_second.outcome is Outcome.OVERWROTE


def test_nothing_stays_behind(pair, tmp_path):
    pair("open/x", "os.mkdir")
    left = [path.name for path in tmp_path.iterdir() if path.name != "home" and any(path.iterdir())]
    assert left == []


REFUSED, TAKEN = Case(Outcome.REFUSED), Case(Outcome.OVERWROTE, Detail.TRUNCATED)


@pytest.mark.parametrize(
    ("over_first", "over_second", "race", "verdict"),
    [
        (REFUSED, REFUSED, Race(RaceOutcome.ONE_WINNER, caught=True), Verdict.SAFE),
        (REFUSED, REFUSED, Race(RaceOutcome.ONE_WINNER, caught=False), Verdict.INDETERMINATE),
        (REFUSED, REFUSED, Race(RaceOutcome.TWO_WINNERS), Verdict.RACY),
        (REFUSED, REFUSED, Race(RaceOutcome.NO_WINNER), Verdict.CONDITIONAL),
        (REFUSED, REFUSED, Race(RaceOutcome.NEVER_MET), Verdict.INDETERMINATE),
        (REFUSED, REFUSED, Race(RaceOutcome.NOT_RUN, "unavailable"), Verdict.REFUSES),
        (REFUSED, REFUSED, Race(RaceOutcome.NOT_RUN, "timed-out"), Verdict.INDETERMINATE),
        (REFUSED, TAKEN, Race(RaceOutcome.ONE_WINNER, caught=True), Verdict.UNSAFE),
        (TAKEN, REFUSED, Race(RaceOutcome.TWO_WINNERS), Verdict.UNSAFE),
        (REFUSED, Case(Outcome.CRASHED), Race(RaceOutcome.ONE_WINNER, caught=True), Verdict.INDETERMINATE),
        (REFUSED, Case(Outcome.UNSUPPORTED), Race(RaceOutcome.NOT_RUN), Verdict.UNSUPPORTED),
    ],
)
def test_two_claims_are_worth_what_both_cases_and_their_race_come_to(over_first, over_second, race, verdict):
    assert judge_pair(over_first, over_second, race) is verdict
