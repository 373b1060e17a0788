"""Bisection: a change is found between neighbours that were measured, with few measurements."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.bisection import Change, first_change, worth
from harness.vocabulary import Verdict


def verdicts_of(cells, asked):
    """A measuring of these verdicts by version, which writes down what it is asked."""

    def measure(version):
        asked.append(version)
        return cells[version]

    return measure


@given(st.integers(2, 200).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size - 1))))
def test_the_first_changed_version_is_found_with_few_measurements(case):
    size, changed = case
    versions = [f"1.{place}" for place in range(size)]
    cells = {each: Verdict.UNSAFE if place < changed else Verdict.SAFE for place, each in enumerate(versions)}
    asked = []
    change = first_change(versions, Verdict.UNSAFE, Verdict.SAFE, verdicts_of(cells, asked))
    assert change == Change(versions[changed - 1], versions[changed], Verdict.UNSAFE, Verdict.SAFE)
    assert len(asked) <= math.ceil(math.log2(size))


@given(st.lists(st.sampled_from([Verdict.UNSAFE, Verdict.SAFE, Verdict.RACY, None]), max_size=40))
def test_what_is_found_are_measured_neighbours_that_differ_with_nothing_measured_between(middle):
    cells = dict(zip(map(str, range(len(middle) + 2)), [Verdict.UNSAFE, *middle, Verdict.SAFE], strict=True))
    asked = []
    change = first_change(list(cells), Verdict.UNSAFE, Verdict.SAFE, verdicts_of(cells, asked))
    assert (cells[change.older], cells[change.newer]) == (change.before, change.after)
    assert worth(change.before) is not worth(change.after)
    assert all(cells[version] is None for version in change.skipped)
    assert int(change.newer) - int(change.older) == len(change.skipped) + 1
    assert len(asked) == len(set(asked))


def test_a_clean_claim_that_was_not_raced_is_no_change():
    with pytest.raises(ValueError, match="nothing changed"):
        first_change(["1", "2"], Verdict.REFUSES, Verdict.SAFE, lambda version: None)
