"""Judging races: rounds as they may have gone, and what is made of them."""

import pytest

from harness.rounds import MIN_MET, Attempt, Counts, Left, Round, count_rounds, have_met, judge_race
from harness.vocabulary import Kind, RaceOutcome

CREATE = (Kind.CREATE, Kind.CREATE)
TAKE = (Kind.TAKE, Kind.TAKE)
HELD = (Kind.HELD, Kind.HELD)
THERE, NOT_THERE = Left(True), Left(False)


def won(began, ended):
    return Attempt(True, began, ended)


def lost(began, ended):
    return Attempt(False, began, ended)


def owned(*owners):
    return Left(True, frozenset(owners))


def raced(*attempts, left=THERE, bystander=None):
    return Round(attempts, left, bystander)


FIRST_WON = raced(won(0.0, 1.0), lost(0.5, 1.5), left=owned(0))
SECOND_WON = raced(lost(0.0, 1.0), won(0.5, 1.5), left=owned(1))
BOTH_WON = raced(won(0.0, 1.0), won(0.5, 1.5), left=owned(1))
NOBODY_WON = raced(lost(0.0, 1.0), lost(0.5, 1.5), left=NOT_THERE)


def test_rounds_are_counted_by_their_winners():
    rounds = [FIRST_WON, SECOND_WON, BOTH_WON, NOBODY_WON]
    assert count_rounds(rounds, CREATE, 0.01) == Counts(rounds=4, met=4, one=2, several=1, none=1)


def test_counts_of_batches_add_up():
    assert Counts(2, 1, 1, 1, 0, 1, 0) + Counts(1, 1, 1, 0, 0, 0, 1) == Counts(3, 2, 2, 1, 0, 1, 1)


@pytest.mark.parametrize(
    ("attempts", "error", "met"),
    [
        ([won(0.0, 1.0), lost(0.5, 1.5)], 0.01, True),
        ([lost(0.5, 1.5), won(0.0, 1.0)], 0.01, True),
        ([won(0.0, 1.0), lost(0.2, 0.4)], 0.01, True),
        ([won(0.0, 1.0), lost(1.0, 2.0)], 0.01, False),
        ([won(0.0, 1.0), lost(0.9, 2.0)], 0.2, False),
        ([won(0.0, 1.0), lost(2.0, 3.0), lost(2.5, 3.5)], 0.01, True),
        ([won(0.0, 5.0), lost(1.0, 2.0), lost(4.0, 6.0)], 0.9, True),
        ([won(0.0, 1.0), lost(2.0, 3.0), lost(4.0, 5.0)], 0.01, False),
    ],
)
def test_contenders_met_when_they_overlap_by_more_than_the_clocks_may_be_wrong(attempts, error, met):
    assert have_met(raced(*attempts), error) is met


def test_a_bystander_is_somebody_to_meet():
    assert have_met(raced(won(0.0, 1.0), bystander=lost(0.5, 0.6)), 0.01)
    assert not have_met(raced(won(0.0, 1.0), bystander=lost(1.5, 1.6)), 0.01)


def test_two_who_won_one_after_the_other_are_told_apart():
    counts = count_rounds([raced(won(0.0, 1.0), won(2.0, 3.0))], CREATE, 0.01)
    assert (counts.several, counts.several_unmet, counts.met) == (1, 1, 0)


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (NOT_THERE, "there is nothing"),
        (owned(1), "the loser is named"),
        (owned(0, 1), "both are named"),
        (THERE, "nobody is named, where this contender is otherwise"),
    ],
)
def test_the_disk_denies_what_the_winner_was_told(left, why):
    denied = raced(won(0.0, 1.0), lost(0.5, 1.5), left=left)
    assert count_rounds([FIRST_WON, denied], CREATE, 0.01).contradicted == 1, why


def test_a_claim_that_never_leaves_a_mark_is_not_asked_for_one():
    unmarked = raced(won(0.0, 1.0), lost(0.5, 1.5))
    assert count_rounds([unmarked] * 3, CREATE, 0.01).contradicted == 0


def test_only_a_single_winner_can_be_contradicted():
    assert count_rounds([BOTH_WON, NOBODY_WON], CREATE, 0.01).contradicted == 0


@pytest.mark.parametrize(
    ("left", "contradicted"),
    [
        (Left(False, frozenset({0})), 0),
        (Left(False, frozenset({0, 1})), 0),
        (Left(False, frozenset({1})), 1),
        (Left(True, frozenset({0})), 1),
        (NOT_THERE, 1),
    ],
    ids=["he has it", "the loser kept a copy", "the loser has it", "it is still there", "nobody has it"],
)
def test_who_took_a_thing_has_it(left, contradicted):
    known = raced(won(0.0, 1.0), lost(0.5, 1.5), left=Left(False, frozenset({0})))
    taken = raced(won(0.0, 1.0), lost(0.5, 1.5), left=left)
    assert count_rounds([known, taken], TAKE, 0.01).contradicted == contradicted


def test_a_thing_that_was_deleted_names_nobody():
    deleted = raced(won(0.0, 1.0), lost(0.5, 1.5), left=NOT_THERE)
    assert count_rounds([deleted] * 2, TAKE, 0.01).contradicted == 0


def test_who_takes_hold_after_the_other_let_go_has_not_won_the_same_round():
    early = [raced(won(k, k + 0.5), lost(k, k + 0.5)) for k in range(3)]
    # The first contender's last claim ends at 2.5; then it lets go of everything.
    late = raced(won(0.0, 0.5), won(3.0, 3.5))
    both = raced(won(0.0, 0.5), won(0.2, 0.6))
    assert count_rounds([*early, late], HELD, 0.01).several == 0
    assert count_rounds([*early, both], HELD, 0.01).several == 1
    assert count_rounds([*early, late], CREATE, 0.01).several == 1


def test_what_was_held_leaves_nothing_to_look_at():
    assert count_rounds([raced(won(0.0, 1.0), lost(0.5, 1.5), left=NOT_THERE)], HELD, 0.01).contradicted == 0


MANY = Counts(rounds=1000, met=800, one=1000)


@pytest.mark.parametrize(
    ("counts", "bystander", "outcome"),
    [
        (MANY, None, (RaceOutcome.ONE_WINNER, "")),
        (MANY, MANY, (RaceOutcome.ONE_WINNER, "")),
        (MANY + Counts(1, 1, several=1), None, (RaceOutcome.TWO_WINNERS, "")),
        (MANY + Counts(1, 0, several=1, several_unmet=1), None, (RaceOutcome.TWO_WINNERS, "unmet")),
        (Counts(1, 0, several=1, several_unmet=1), None, (RaceOutcome.TWO_WINNERS, "unmet")),
        (MANY + Counts(1, 1, none=1), None, (RaceOutcome.NO_WINNER, "contenders")),
        (MANY, MANY + Counts(1, 1, none=1), (RaceOutcome.NO_WINNER, "bystander")),
        (MANY, Counts(rounds=1000, met=3, one=1000), (RaceOutcome.ONE_WINNER, "bystander-unmet")),
        (MANY, Counts(rounds=1000, met=MIN_MET, one=1000), (RaceOutcome.ONE_WINNER, "")),
        (Counts(rounds=1000, met=MIN_MET - 1, one=1000), None, (RaceOutcome.NEVER_MET, "contenders")),
        (Counts(rounds=100 * MIN_MET, met=MIN_MET, one=100 * MIN_MET), None, (RaceOutcome.NEVER_MET, "contenders")),
        (Counts(), None, (RaceOutcome.NEVER_MET, "contenders")),
        (MANY + Counts(1, 1, 1, contradicted=1), None, (RaceOutcome.NOT_RUN, "contradicted")),
        (MANY, MANY + Counts(1, 1, 1, contradicted=1), (RaceOutcome.NOT_RUN, "contradicted")),
        (MANY + Counts(2, 2, 1, 1, contradicted=1), None, (RaceOutcome.TWO_WINNERS, "")),
    ],
)
def test_the_outcome_follows_from_the_counts(counts, bystander, outcome):
    assert judge_race(counts, None, bystander) == outcome


@pytest.mark.parametrize(
    ("several", "outcome"),
    [(50, RaceOutcome.ONE_WINNER), (1, RaceOutcome.NEVER_MET), (0, RaceOutcome.ONE_WINNER)],
    ids=["often", "seldom", "never, which is told apart"],
)
def test_met_rounds_are_worth_what_the_control_makes_of_them(several, outcome):
    """200 rounds in which a control that doubles once in a thousand would have been missed prove nothing."""
    control = Counts(rounds=1000, met=1000, one=1000 - several, several=several)
    assert judge_race(Counts(rounds=200, met=200, one=200), control)[0] is outcome
