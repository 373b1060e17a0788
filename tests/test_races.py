"""Races between real processes: what the engine makes of honest contenders, and of those that fail.

How often contenders meet is up to the machine. Where an outcome depends on it, the contenders race on paper.
"""

import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.builds import Build
from harness.claims import claim_from_listing
from harness.environment import this_platform
from harness.measure import Workspace
from harness.observation import Said
from harness.races import Pace, track
from harness.runtimes import python as python_adapter
from harness.vocabulary import RaceOutcome

CATALOGUE = Path(__file__).resolve().parent.parent / "probes" / "python" / "claims.py"
CLAIMS = tuple(
    claim_from_listing("python", {**entry._asdict(), "supported": True})
    for entry in runpy.run_path(str(CATALOGUE))["CLAIMS"]
)
SHORT = Pace(seconds=0.05, patience=1.0, bystander_seconds=0.05)
ENOUGH = Pace(rounds=60)
PATIENT = Pace(seconds=0.2, patience=150.0)


def claim(call):
    return next(claim for claim in CLAIMS if claim.call == call)


def build(program, unsupported=()):
    return Build("python", "1.0.0", this_platform(), "given", program, CLAIMS, frozenset(unsupported))


@pytest.fixture
def space(tmp_path):
    root = tmp_path / "space 日本'"
    root.mkdir()
    return Workspace(root)


@pytest.fixture
def racing(fake_program, space):
    """A race of a claim between two contenders, each the Python probe or a fake by its name."""

    def race(call, first="races", second="races", pace=SHORT):
        builds = [build(fake_program(name)) for name in (first, second)]
        with track(builds, space, 1) as ready:
            return ready.race([claim(call)] * 2, pace)

    return race


def test_a_claim_that_always_succeeds_has_two_winners_however_busy_the_machine_is(racing):
    race = racing("open/w")
    assert race.outcome is RaceOutcome.TWO_WINNERS
    assert race.claimants.counts.several == race.claimants.counts.rounds


@pytest.mark.parametrize(
    "call", ["open/x", "os.mkdir", "os.rename/full-dir", "os.link", "os.unlink", "os.rename/take-file"]
)
def test_a_claim_that_excludes_never_has_two_winners_however_busy_the_machine_is(racing, call):
    race = racing(call)
    assert race.outcome in (RaceOutcome.ONE_WINNER, RaceOutcome.NEVER_MET)
    counts = race.claimants.counts
    assert (counts.one, counts.several, counts.none, counts.contradicted) == (counts.rounds, 0, 0, 0)
    assert counts.rounds >= 8


def test_a_known_check_then_act_claim_is_caught(racing):
    race = racing("os.path.exists/open", pace=PATIENT)
    assert (race.outcome, race.caught) == (RaceOutcome.TWO_WINNERS, True)
    assert race.control.counts.several > 0


def test_a_number_of_rounds_is_raced_whatever_they_show(racing):
    counts = racing("open/w", pace=Pace(seconds=0.01, rounds=50, patience=1)).claimants.counts
    assert 50 <= counts.rounds <= 500


def test_contenders_that_met_earn_one_winner(racing):
    race = racing("os.mkdir", "races_on_paper", "races_on_paper", ENOUGH)
    assert (race.outcome, race.reason, race.caught) == (RaceOutcome.ONE_WINNER, "", True)
    for lap in (race.claimants, race.control, race.bystander):
        assert lap.counts.met == lap.counts.rounds > 0


def test_a_creator_that_is_refused_because_somebody_looked_has_no_winner(racing):
    """Alone with the bystander, the first contender wins nothing."""
    race = racing("os.makedirs", "races_on_paper", "races_on_paper", ENOUGH)
    assert (race.outcome, race.reason) == (RaceOutcome.NO_WINNER, "bystander")
    assert race.claimants.counts.none == 0


def test_the_bystander_can_be_left_out(racing):
    pace = replace(ENOUGH, bystander_seconds=0.0)
    race = racing("os.makedirs", "races_on_paper", "races_on_paper", pace)
    assert (race.outcome, race.bystander) == (RaceOutcome.ONE_WINNER, None)


def test_a_winner_without_the_name_is_a_contradiction(racing):
    race = racing("open/x", "races_on_paper", "races_on_paper", ENOUGH)
    assert (race.outcome, race.reason) == (RaceOutcome.NOT_RUN, "contradicted")


def test_winners_that_the_disk_does_not_name_are_a_contradiction(racing):
    race = racing("open/x", "wins_without_taking", "wins_without_taking")
    assert (race.outcome, race.reason) == (RaceOutcome.NOT_RUN, "contradicted")


@pytest.mark.parametrize(
    ("fake", "said"),
    [
        ("races_half", Said.NO_ANSWER),
        ("races_backwards", Said.NO_ANSWER),
        ("has_no_clock", Said.NO_ANSWER),
        ("dies_in_a_race", Said.CRASHED),
        ("hangs_in_a_race", Said.TIMED_OUT),
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["the first", "the second"])
def test_a_contender_that_fails_is_charged_with_it(racing, monkeypatch, fake, said, first):
    monkeypatch.setattr(python_adapter, "CASE_SECONDS", 1.0)
    race = racing("open/x", fake if first else "races", "races" if first else fake)
    assert (race.outcome, race.reason) == (RaceOutcome.NOT_RUN, said.value)
    assert (race.failure.contender, race.failure.said) == (0 if first else 1, said)


def test_a_lost_contender_is_started_again_for_the_next_race(fake_program, space):
    with track([build(fake_program("dies_in_a_race"))] * 2, space) as ready:
        outcomes = [ready.race([claim("open/x")] * 2, SHORT).reason for _ in range(2)]
    assert outcomes == ["crashed", "crashed"]


def test_clocks_that_start_with_the_process_are_brought_together(racing):
    """Only by pings, and so their common error is larger than that of one clock read twice."""
    race = racing("open/w", "counts_from_its_start", "races")
    assert 0.004 < race.claimants.clock_error < 1000


def test_one_clock_read_by_two_processes_needs_no_pings(racing):
    assert racing("open/w").claimants.clock_error == pytest.approx(0.004)


def test_two_claims_can_contend(fake_program, space):
    """A directory and a file of one name: whoever comes first has it, and the other is refused."""
    with track([build(fake_program("races"))] * 2, space) as ready:
        counts = ready.race(
            [claim("os.mkdir"), claim("open/x")], replace(SHORT, bystander_seconds=0.0)
        ).claimants.counts
    assert (counts.one, counts.several, counts.none) == (counts.rounds, 0, 0)


def test_a_call_that_a_build_lacks_is_not_raced(fake_program, space):
    with track([build(fake_program("races"), {"open/x"})] * 2, space) as ready:
        race = ready.race([claim("open/x")] * 2, SHORT)
    assert (race.outcome, race.reason, race.claimants.batches) == (RaceOutcome.NOT_RUN, "unsupported", 0)


def test_nothing_of_a_race_stays_behind(racing, space):
    racing("os.rename/full-dir")
    assert [path.name for path in space.root.iterdir()] == ["home"]


def test_the_evidence_is_plain(racing):
    evidence = json.loads(json.dumps(racing("open/x", "races_half").evidence()))
    assert (evidence["seed"], evidence["reason"]) == (1, "no-answer")
    assert evidence["control"]["failure"]["contender"] == 0
    assert evidence["claimants"]["counts"]["rounds"] == 0


def test_the_python_that_runs_this_can_race(space):
    with track([build(Path(sys.executable))] * 2, space) as ready:
        assert ready.race([claim("open/x")] * 2, SHORT).failure is None
