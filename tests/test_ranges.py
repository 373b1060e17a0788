"""Ranges of versions: what holds in them, and what is no range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import ClaimgridError
from harness.ranges import Range

numbers = st.lists(st.integers(0, 40), min_size=1, max_size=4)
dotted = numbers.map(lambda each: ".".join(map(str, each)))
bounds = st.builds("{}{}".format, st.sampled_from([">=", "<=", "==", "!=", ">", "<"]), dotted)
ranges = st.lists(bounds, max_size=3).map(",".join)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("", ["8.17.0", "bash-5.2.15"], []),
        (">=18", ["18", "18.0.0", "18.20.8", "26.1.0"], ["17.9.9", "8.17.0"]),
        (">=18,<22.3", ["18.20.8", "22.0.0", "22.2.9"], ["22.3.0", "22.3", "24.0.0"]),
        (">=18, < 23", ["22.23.3"], ["23.0.0"]),
        ("<=22", ["22.23.3", "20.1.0"], ["23.0.0"]),
        (">22", ["23.0.0"], ["22.23.3"]),
        ("==1.3", ["1.3", "1.3.14"], ["1.4.0", "1.30.0"]),
        ("!=1.3", ["1.4.0"], ["1.3.14"]),
        ("<22", ["20.1.0"], ["22.0.0-nightly", "22.0.0"]),
        (">=5", [], ["bash-5.2.15", "wine-8.0"]),
    ],
)
def test_a_bound_looks_at_as_many_numbers_as_it_has(text, inside, outside):
    found = Range.parse(text)
    assert [version for version in (*inside, *outside) if found.holds(version)] == inside


@pytest.mark.parametrize("text", ["18", ">=", ">=18;<22", "=18", "~18", "^18", ">=18,", ">=18.x", ">=18 <22", ">=١٨"])
def test_nonsense_is_refused_in_one_sentence(text):
    with pytest.raises(ClaimgridError, match="is not a range of versions"):
        Range.parse(text)


@given(ranges)
def test_a_range_is_read_as_it_is_written(text):
    assert Range.parse(str(Range.parse(text))) == Range.parse(text)


@given(dotted, dotted)
def test_a_version_is_on_one_side_of_a_bound(version, bound):
    assert Range.parse(f">={bound}").holds(version) is not Range.parse(f"<{bound}").holds(version)
    assert Range.parse(f">{bound}").holds(version) is not Range.parse(f"<={bound}").holds(version)
    assert Range.parse(f"=={bound}").holds(version) is not Range.parse(f"!={bound}").holds(version)


@given(ranges, ranges, dotted)
def test_a_range_of_more_bounds_is_what_lies_in_both(one, other, version):
    both = ",".join(part for part in (one, other) if part)
    assert Range.parse(both).holds(version) is (Range.parse(one).holds(version) and Range.parse(other).holds(version))
