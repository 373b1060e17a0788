"""Aiming contenders at each other by who won."""

import random

import pytest

from harness.aim import Aim
from harness.rounds import Attempt, Left, Round
from harness.vocabulary import Kind

GAP = 10.0


def batch(winners, *, starts=(0.0, 0.0), late=0.0, durations=(1.0, 1.0)):
    """Rounds won by these contenders, "0", "1", "=" for both and "-" for none."""
    return [
        Round(
            tuple(
                Attempt(
                    winner in (str(who), "="),
                    starts[who] + number * GAP + late,
                    starts[who] + number * GAP + late + durations[who],
                )
                for who in (0, 1)
            ),
            Left(True),
        )
        for number, winner in enumerate(winners)
    ]


def after(aim, winners, kind=Kind.CREATE, **more):
    starts = more.get("starts", (0.0, 0.0))
    return aim.after(batch(winners, **more), starts, GAP, kind)


def test_at_first_everybody_starts_together():
    assert Aim().starts(100.0, 3, 1.0) == [100.0, 100.0, 100.0]


@pytest.mark.parametrize(
    ("lag", "starts"), [(2.0, [100.0, 102.0]), (-2.0, [102.0, 100.0])], ids=["the second later", "the first later"]
)
def test_nobody_starts_before_the_start(lag, starts):
    assert Aim(lag).starts(100.0, 2, 0.0) == starts


def test_starts_stray_around_the_aim():
    assert Aim(2.0, duration=0.5).starts(100.0, 2, -1.0) == [100.0, 101.95]


def test_every_third_batch_strays_farther_and_teaches_nothing():
    wide = Aim(2.0, 0.5, duration=0.5, batches=2)
    assert wide.starts(100.0, 2, -1.0) == [100.0, 101.5]
    assert after(wide, "0000") == Aim(2.0, 0.5, duration=1.0, batches=3)


def test_who_never_comes_first_starts_earlier():
    assert after(Aim(), "00000000").lag == -0.5
    assert after(Aim(), "11111111").lag == 0.5


@pytest.mark.parametrize("winners", ["0011", "====", "----", "0=-1"])
def test_who_comes_first_as_often_stays(winners):
    assert after(Aim(2.0, 0.5), winners).lag == 2.0


def test_a_correction_that_went_too_far_is_halved():
    assert after(Aim(-0.5, -0.5), "1111").lag == -0.25


def test_a_correction_that_did_not_go_far_enough_is_followed_by_a_larger_one():
    assert after(Aim(-0.5, -0.2), "0000").lag == pytest.approx(-0.8)


def test_nobody_starts_later_than_the_other_has_ended():
    assert after(Aim(-1.0, -1.0), "0000").lag == -1.0


def test_a_round_in_which_somebody_was_late_tells_nothing():
    assert after(Aim(2.0, 0.5), "0000", late=0.2).lag == 2.0


@pytest.mark.parametrize(
    ("kind", "found", "lag"),
    [(Kind.CREATE, True, -0.5), (Kind.CREATE, False, 0.25), (Kind.TAKE, True, 0.25), (Kind.TAKE, False, -0.5)],
    ids=["found what was made", "found nothing yet", "found what nobody had taken yet", "found it taken"],
)
def test_a_bystander_is_aimed_by_what_it_found(kind, found, lag):
    rounds = [
        Round(
            (Attempt(True, number * GAP, number * GAP + 1.0),),
            Left(True),
            Attempt(found, number * GAP, number * GAP + 1.0),
        )
        for number in range(4)
    ]
    assert Aim().after(rounds, (0.0, 0.0), GAP, kind).lag == lag


def test_three_contenders_are_not_aimed():
    three = [Round((Attempt(True, 0.0, 1.0), Attempt(False, 0.0, 1.0), Attempt(False, 0.0, 1.0)), Left(True))]
    assert Aim().after(three, (0.0, 0.0, 0.0), GAP, Kind.CREATE) == Aim()


@pytest.mark.parametrize(("first", "second"), [(0.03, 5.0), (5.0, 0.03), (0.03, 0.03), (1.0, 2.0)])
def test_contenders_of_any_two_speeds_come_to_the_point_together(first, second):
    """Each claim acts at nine tenths of its time, give or take a little: the aim settles where both do so at once."""
    chance = random.Random(1)
    aim = Aim()
    for _ in range(60):
        starts = aim.starts(0.0, 2, 0.0)
        acts = [
            (starts[0] + 0.9 * first + chance.gauss(0, 0.002), starts[1] + 0.9 * second + chance.gauss(0, 0.002))
            for _ in range(20)
        ]
        winners = "".join("0" if one < other else "1" for one, other in acts)
        aim = aim.after(batch(winners, starts=starts, durations=(first, second)), starts, GAP, Kind.CREATE)
    assert aim.lag == pytest.approx(0.9 * (first - second), abs=0.1 * min(first, second) + 0.002)
