"""Comparing clocks: what pings prove, and when two clocks are one."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.clocks import ROUNDING, Offset, common_error, handshake


class Wire:
    """Two clocks, one `ahead` of the other, and a line between them with these delays, there and back."""

    def __init__(self, ahead, delays):
        self.time = 1000.0
        self.ahead = ahead
        self.delays = itertools.cycle(delays)

    def ours(self):
        return self.time

    def theirs(self):
        there, back = next(self.delays)
        self.time += there
        told = self.time + self.ahead
        self.time += back
        return told


def test_a_ping_bounds_the_offset_by_its_way_there_and_back():
    wire = Wire(500.0, [(0.5, 0.25)])
    known = handshake(wire.theirs, 1, wire.ours)
    assert (known.low, known.high) == (499.75, 500.5)
    assert (known.middle, known.error) == (500.125, 0.375)


def test_several_pings_hold_together():
    wire = Wire(500.0, [(0.5, 0.125), (0.25, 4.0)])
    known = handshake(wire.theirs, 2, wire.ours)
    assert (known.low, known.high) == (499.875, 500.25)


@given(st.floats(-1e6, 1e6), st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=1, max_size=5))
def test_the_true_offset_is_never_excluded(ahead, delays):
    wire = Wire(ahead, delays)
    known = handshake(wire.theirs, len(delays), wire.ours)
    assert known.low - 1e-6 <= ahead <= known.high + 1e-6


def test_a_clock_that_may_be_ours_is_ours():
    known = Offset(-0.03, 0.05)
    assert known.is_system
    assert (known.middle, known.error) == (0.0, ROUNDING)


@pytest.mark.parametrize(
    "other", [Offset(0.01, 0.05), Offset(-500.0, 500.0)], ids=["differs", "is not known well enough"]
)
def test_a_clock_is_not_taken_for_ours_when_it(other):
    assert not other.is_system
    assert other.error == (other.high - other.low) / 2


def test_clocks_that_drifted_are_compared_anew():
    later = Offset(11.0, 12.0)
    assert Offset(9.0, 10.0).narrowed(later) == later


def test_an_offset_that_nothing_is_known_of_takes_what_the_first_ping_says():
    assert Offset(-math.inf, math.inf).narrowed(Offset(1.0, 2.0)) == Offset(1.0, 2.0)


def test_the_two_worst_clocks_make_the_common_error():
    assert common_error([Offset(5.0, 7.0), Offset(100.0, 104.0), Offset(-0.1, 0.1)]) == 3.0


def test_two_readings_of_the_system_clock_differ_by_their_rounding_only():
    assert common_error([Offset(-0.2, 0.1), Offset(-0.1, 0.2)]) == 2 * ROUNDING


def test_a_clock_that_cannot_be_read_ends_the_handshake():
    def dead():
        raise ConnectionError

    with pytest.raises(ConnectionError):
        handshake(dead, 3)
