"""History: ranges of measured versions, and nothing about those in between."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import build

from harness.history import Segment, segments, told
from harness.vocabulary import Verdict

ID = "node:a"
CHANGED = [("1.0", Verdict.UNSAFE), ("1.1", Verdict.UNSAFE), ("2.0", Verdict.SAFE)]


def history(*cells):
    return segments([build(version, {} if verdict is None else {ID: verdict}) for version, verdict in cells], ID)


def test_neighbours_that_agree_are_one_segment():
    assert history(*CHANGED) == [Segment(Verdict.UNSAFE, ("1.0", "1.1")), Segment(Verdict.SAFE, ("2.0",))]


def test_a_version_that_was_not_measured_is_passed_over():
    assert history(("1.0", Verdict.SAFE), ("1.1", None), ("1.2", Verdict.NOT_RUN), ("1.3", Verdict.SAFE)) == [
        Segment(Verdict.SAFE, ("1.0", "1.3"))
    ]


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ([], "not measured"),
        ([("1.0", Verdict.SAFE)], "safe in all that was measured: 1.0"),
        (CHANGED, "unsafe up to 1.1, safe from 2.0"),
        ([*CHANGED, ("3.0", Verdict.RACY)], "unsafe up to 1.1, safe in 2.0, racy from 3.0"),
        (
            [*CHANGED, ("2.1", Verdict.SAFE), ("3.0", Verdict.RACY)],
            "unsafe up to 1.1, safe from 2.0 to 2.1, racy from 3.0",
        ),
    ],
)
def test_a_history_is_told_by_what_was_measured_on_either_side(cells, sentence):
    assert told(history(*cells), "en") == sentence


@given(st.lists(st.sampled_from(Verdict)))
def test_every_measured_version_is_in_exactly_one_segment_with_its_verdict(verdicts):
    cells = [(f"1.{place}", verdict) for place, verdict in enumerate(verdicts)]
    found = history(*cells)
    flat = [(version, segment.verdict) for segment in found for version in segment.versions]
    assert flat == [cell for cell in cells if cell[1] is not Verdict.NOT_RUN]
    assert all(one.verdict is not other.verdict for one, other in itertools.pairwise(found))
