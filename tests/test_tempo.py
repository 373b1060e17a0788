"""The tempo of races: what a batch teaches for the next one."""

import itertools

import pytest

from harness.rounds import Attempt, Left, Round
from harness.tempo import Tempo

BEFORE = Tempo(rounds=20, gap=1.0, lead=8.0, length=20.0)


def batch(duration, lateness=lambda who, number: 0.0, *, tempo=BEFORE, bystander=None):
    """A batch that began at 0, with two contenders."""
    return [
        Round(
            tuple(
                Attempt(
                    who == 0,
                    number * tempo.gap + lateness(who, number),
                    number * tempo.gap + lateness(who, number) + duration,
                )
                for who in (0, 1)
            ),
            Left(True),
            bystander and Attempt(True, number * tempo.gap + bystander, number * tempo.gap + bystander),
        )
        for number in range(tempo.rounds)
    ]


def test_contenders_in_step_get_longer_batches():
    assert BEFORE.after(batch(0.1), [0.0, 0.0]).length == 40.0


def test_contenders_out_of_step_get_shorter_batches():
    assert BEFORE.after(batch(0.1, lambda who, number: 3.0 * (number > 5)), [0.0, 0.0]).length == 10.0


def test_batches_stay_as_they_are_while_some_are_out_of_step():
    assert BEFORE.after(batch(0.1, lambda who, number: 3.0 * (number > 12)), [0.0, 0.0]).length == 20.0


def test_a_bystander_can_be_late_too():
    in_step = BEFORE.after(batch(0.1, bystander=0.01), [0.0, 0.0, 0.0])
    late = BEFORE.after(batch(0.1, bystander=0.5), [0.0, 0.0, 0.0])
    assert (in_step.length, late.length) == (40.0, 20.0)


def test_who_was_to_start_later_is_not_late():
    lagging = batch(0.1, lambda who, number: 0.3 * who)
    assert BEFORE.after(lagging, [0.0, 0.3]).length == 40.0
    assert BEFORE.after(lagging, [0.0, 0.0]).length == 20.0


def test_contenders_that_are_late_for_every_first_round_are_asked_earlier():
    """By what the least delay of three batches tells, for the others may be the scheduler's."""
    leads = [tempo.lead for tempo in itertools.islice(late_at_first(BEFORE, itertools.cycle([5.0, 1.0, 2.0])), 4)]
    assert leads == [8.0, 8.0, 9.5, 11.0]


def test_contenders_that_are_late_now_and_then_are_not_asked_earlier():
    leads = [tempo.lead for tempo in itertools.islice(late_at_first(BEFORE, itertools.cycle([5.0, 5.0, 0.0])), 4)]
    assert leads == [8.0, 8.0, 6.4, 6.4]


def late_at_first(tempo, delays):
    """The tempos of batch after batch with these delays."""
    for delay in delays:
        tempo = tempo.after(batch(0.1, lambda who, number, delay=delay: delay * (number == 0), tempo=tempo), [0.0, 0.0])
        yield tempo


@pytest.mark.parametrize(
    ("duration", "gap"),
    [(0.001, 0.15), (0.1, 0.3), (1.0, 3.0), (20.0, 23.0)],
    ids=["not too fast for the loop", "room for two more", "the same", "not more room than anybody needs"],
)
def test_gaps_follow_what_a_claim_takes(duration, gap):
    tempo = Tempo(rounds=20, gap=30.0)
    assert tempo.after(batch(duration, tempo=tempo), [0.0, 0.0]).gap == pytest.approx(gap)


def test_what_the_first_rounds_take_is_no_guide():
    rounds = batch(0.1)
    rounds[0] = batch(90.0)[0]
    assert BEFORE.after(rounds, [0.0, 0.0]).gap == pytest.approx(0.3)


def test_gaps_leave_time_for_what_a_contender_does_between_its_claims():
    """Both claims take 0.1 ms, but who is late begins one only every 2 ms."""
    hurrying = batch(0.1, lambda who, number: number * 1.0)
    assert BEFORE.after(hurrying, [0.0, 0.0]).gap == pytest.approx(2.6)


@pytest.mark.parametrize(("gap", "rounds"), [(0.15, 267), (30.0, 3)])
def test_a_batch_has_as_many_rounds_as_its_length_allows_but_a_few_at_least(gap, rounds):
    tempo = Tempo(rounds=20, gap=gap, length=20.0)
    duration = 0.05 if gap < 1 else 27.0
    assert tempo.after(batch(duration, tempo=tempo), [0.0, 0.0]).rounds == rounds
