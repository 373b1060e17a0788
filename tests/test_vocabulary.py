"""The order of verdicts and what is said about them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.vocabulary import Outcome, Verdict, worst

verdicts = st.lists(st.sampled_from(Verdict), max_size=6)


def test_verdicts_are_combined_in_the_order_of_the_design():
    assert sorted(Verdict, key=lambda verdict: -verdict.badness) == [
        Verdict.UNSAFE,
        Verdict.RACY,
        Verdict.INDETERMINATE,
        Verdict.CONDITIONAL,
        Verdict.REFUSES,
        Verdict.SAFE,
        Verdict.UNSUPPORTED,
        Verdict.NOT_RUN,
    ]


def test_nothing_combines_to_not_run():
    assert worst([]) is Verdict.NOT_RUN


@given(verdicts)
def test_combining_does_not_depend_on_the_order(some):
    assert worst(some) is worst(some[::-1]) is worst(sorted(some))


@given(verdicts, verdicts, verdicts)
def test_combining_does_not_depend_on_the_grouping(first, second, third):
    left = worst([worst([*first, *second]), *third])
    right = worst([*first, worst([*second, *third])])
    assert left is right is worst([*first, *second, *third])


@given(verdicts)
def test_combining_twice_changes_nothing(some):
    assert worst([*some, worst(some)]) is worst([*some, *some]) is worst(some)


@given(verdicts, st.sampled_from(Verdict))
def test_the_combination_is_never_better_than_any_part(some, another):
    assert worst([*some, another]).badness >= max(each.badness for each in [*some, another])


def test_every_verdict_has_a_sign_of_its_own_that_every_console_can_show():
    signs = [verdict.sign for verdict in Verdict]
    assert len(set(signs)) == len(signs)
    assert all(len(sign) == 1 and sign.isascii() for sign in signs)


def test_every_verdict_has_a_meaning_of_its_own():
    assert len({verdict.meaning for verdict in Verdict}) == len(Verdict)


@pytest.mark.parametrize("outcome", Outcome)
def test_no_outcome_is_both_harmful_and_broken(outcome):
    assert not (outcome.harmful and outcome.broken)


def test_only_taking_pretending_and_damaging_are_harmful():
    assert {outcome for outcome in Outcome if outcome.harmful} == {
        Outcome.OVERWROTE,
        Outcome.FALSE_WIN,
        Outcome.DAMAGED,
    }


def test_a_crash_a_time_out_and_silence_are_broken_and_never_a_refusal():
    assert {outcome for outcome in Outcome if outcome.broken} == {
        Outcome.CRASHED,
        Outcome.TIMED_OUT,
        Outcome.NO_ANSWER,
        Outcome.DISAGREED,
    }
