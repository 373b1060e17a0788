"""One build at work: every fake gets the verdict that it deserves."""

import os

import pytest

from harness.claims import select
from harness.errors import ClaimgridError, Exit
from harness.judge import Case, Controls, Reason
from harness.vocabulary import Detail, Occupant, Outcome, Verdict
from harness.workbench import bench

posix = pytest.mark.skipif(os.name == "nt", reason="signals and sessions are POSIX's")


@pytest.fixture
def measured(fake_build, tmp_path):
    """A fake's claim, measured against everything."""

    def measure(fake, call="wrong", isolate=False, **changes):
        build = fake_build(fake, **changes)
        with bench(build, tmp_path / "root", isolate=isolate) as ready:
            (claim,) = select(build.claims, [f"fake:{call}"])
            return ready.measure(claim).result

    return measure


def outcomes(result):
    return {case.outcome for occupant, case in result.cases.items() if case.outcome is not Outcome.UNAVAILABLE}


def test_an_honest_claim_refuses(measured):
    result = measured("honest")
    assert (result.verdict, outcomes(result)) == (Verdict.REFUSES, {Outcome.WON, Outcome.REFUSED})


def test_a_claim_that_looks_first_refuses_one_after_another_except_where_looking_deceives(measured):
    result = measured("honest", "exists/open")
    assert result.verdict is Verdict.CONDITIONAL if os.name == "posix" else Verdict.REFUSES
    assert {occupant for occupant, case in result.cases.items() if case.outcome.harmful} <= {Occupant.DANGLING_LINK}


@pytest.mark.parametrize(
    ("fake", "verdict", "reason"),
    [
        ("always_refuses", Verdict.INDETERMINATE, Reason("free-not-won", (Occupant.FREE,), Outcome.FALSE_REFUSAL)),
        ("exits", Verdict.INDETERMINATE, "no-valid-answer"),
        ("talks_garbage", Verdict.INDETERMINATE, "no-valid-answer"),
        ("always_overwrites", Verdict.UNSAFE, "took-taken"),
        ("says_yes_and_does_nothing", Verdict.UNSAFE, "took-taken"),
        ("says_no_and_truncates", Verdict.UNSAFE, "took-taken"),
        ("renames", Verdict.UNSAFE, "took-taken"),
        ("complains", Verdict.REFUSES, Reason("not-raced")),
        ("changes_directory", Verdict.REFUSES, Reason("not-raced")),
        ("floods_standard_error", Verdict.REFUSES, Reason("not-raced")),
    ],
)
def test_every_fake_gets_the_verdict_that_it_deserves(measured, fake, verdict, reason):
    judgement = measured(fake).judgement
    assert judgement.verdict is verdict
    assert reason in (judgement.reason, judgement.reason.code)


@pytest.mark.parametrize(
    ("fake", "own", "file"),
    [
        ("always_overwrites", Case(Outcome.OVERWROTE, Detail.TRUNCATED), Case(Outcome.OVERWROTE, Detail.TRUNCATED)),
        ("renames", Case(Outcome.OVERWROTE, Detail.REPLACED), Case(Outcome.OVERWROTE, Detail.REPLACED)),
        (
            "says_yes_and_does_nothing",
            Case(Outcome.UNAVAILABLE, reason="the claim did not win the free name"),
            Case(Outcome.FALSE_WIN),
        ),
        (
            "says_no_and_truncates",
            Case(Outcome.DAMAGED, Detail.TRUNCATED, "FileExistsError"),
            Case(Outcome.DAMAGED, Detail.TRUNCATED, "FileExistsError"),
        ),
    ],
)
def test_a_fake_that_lies_is_seen_through(measured, fake, own, file):
    cases = measured(fake).cases
    assert (cases[Occupant.OWN], cases[Occupant.FILE]) == (own, file)


def test_a_claim_that_the_build_lacks_is_unsupported_and_not_made(measured):
    result = measured("honest", "missing")
    assert (result.verdict, set(result.cases.values())) == (Verdict.UNSUPPORTED, {Case(Outcome.UNSUPPORTED)})


def test_a_crash_in_one_claim_leaves_the_others_as_they_are(fake_build, tmp_path):
    build = fake_build("exits")
    with bench(build, tmp_path, isolate=False) as ready:
        verdicts = {claim.call: ready.measure(claim).result.verdict for claim in build.claims}
    assert verdicts == {
        "open/x": Verdict.REFUSES,
        "open/w": Verdict.UNSAFE,
        "exists/open": Verdict.CONDITIONAL if os.name == "posix" else Verdict.REFUSES,
        "missing": Verdict.UNSUPPORTED,
        "wrong": Verdict.INDETERMINATE,
    }


# Controls


def test_the_controls_of_an_honest_build_hold(fake_build, tmp_path):
    with bench(fake_build("honest"), tmp_path, isolate=False) as ready:
        assert ready.controls == Controls(free_name_won=True, overwrite_seen=True, race_caught=None)


@pytest.mark.parametrize("fake", ["overwrites_nothing", "lists_no_control"])
def test_when_the_controls_fail_nothing_is_concluded_from_the_whole_batch(measured, fake):
    judgement = measured(fake, "open/x").judgement
    assert (judgement.verdict, judgement.reason) == (Verdict.INDETERMINATE, Reason("control-failed"))


# Both ways of running


def test_where_the_two_ways_disagree_the_case_is_indeterminate(measured):
    result = measured("refuses_only_when_fresh", isolate=True)
    disagreed = Case(Outcome.DISAGREED, reason="in the shared process: overwrote; in one of its own: refused")
    assert (result.cases[Occupant.FREE], result.cases[Occupant.FILE]) == (Case(Outcome.WON), disagreed)
    assert result.verdict is Verdict.INDETERMINATE


# Setting up


def test_a_build_that_is_another_version_now_is_not_measured_under_the_old_one(fake_build, tmp_path):
    build = fake_build("is_another_version_next_time")
    with (
        pytest.raises(ClaimgridError, match=r"was 1\.0\.0 and now says '1\.0\.1'") as caught,
        bench(build, tmp_path, isolate=False),
    ):
        pass
    assert caught.value.code is Exit.NOT_RUN


def test_a_build_that_was_updated_is_measured_under_its_new_version_when_asked_again(fake_build, tmp_path):
    first = fake_build("is_another_version_next_time")
    with pytest.raises(ClaimgridError), bench(first, tmp_path, isolate=False):
        pass
    again = fake_build("is_another_version_next_time")
    with bench(again, tmp_path, isolate=False) as ready:
        assert (first.version, ready.build.version) == ("1.0.0", "1.0.1")


def test_what_was_measured_can_be_looked_at_again(fake_build, tmp_path):
    build = fake_build("always_overwrites")
    with bench(build, tmp_path, isolate=False) as ready:
        (claim,) = select(build.claims, ["fake:wrong"])
        seen = {each.occupant: each for each in ready.measure(claim).seen}
    assert seen[Occupant.FILE].before.entries["name"].content.startswith(b"This was here before")
    assert seen[Occupant.FILE].after.entries["name"].content.startswith(b"claimed by")
