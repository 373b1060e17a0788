"""Bisection: a change is found between neighbours that were measured, with few measurements."""

import math

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from made import build

from harness.bisection import Change, first_change, worth
from harness.cli import cli
from harness.commands import bisect
from harness.errors import ClaimgridError
from harness.results import write
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


def test_a_version_of_which_nothing_can_be_concluded_is_passed_over():
    cells = {"1": Verdict.SAFE, "2": Verdict.INDETERMINATE, "3": Verdict.NOT_RUN, "4": Verdict.UNSAFE}
    change = first_change(list(cells), Verdict.SAFE, Verdict.UNSAFE, cells.get)
    assert change == Change("1", "4", Verdict.SAFE, Verdict.UNSAFE, ("2", "3"))


def test_a_crash_that_is_looked_for_is_found():
    cells = {"1": Verdict.SAFE, "2": Verdict.SAFE, "3": Verdict.INDETERMINATE, "4": Verdict.INDETERMINATE}
    change = first_change(list(cells), Verdict.SAFE, Verdict.INDETERMINATE, cells.get)
    assert (change.older, change.newer) == ("2", "3")


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.data())
def test_skipped_versions_cost_no_more_than_one_measurement_each(had, data):
    """Versions that cannot be had are only passed over."""
    changed = data.draw(st.integers(1, len(had) + 1))
    versions = [str(place) for place in range(len(had) + 2)]
    cells = {
        each: None
        if 0 < place <= len(had) and not had[place - 1]
        else Verdict.UNSAFE
        if place < changed
        else Verdict.SAFE
        for place, each in enumerate(versions)
    }
    asked = []
    first_change(versions, Verdict.UNSAFE, Verdict.SAFE, verdicts_of(cells, asked))
    assert len(asked) <= math.ceil(math.log2(len(versions))) + had.count(False)


def test_a_clean_claim_that_was_not_raced_is_no_change():
    with pytest.raises(ValueError, match="nothing changed"):
        first_change(["1", "2"], Verdict.REFUSES, Verdict.SAFE, lambda version: None)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--from", "1.3.14"), "--from and --to go together"),
        (("--to", "1.4.0"), "--from and --to go together"),
        (("--from", "1.4.0", "--to", "1.3.14"), "1.4.0 is not older than 1.3.14"),
        (("--runtime", "bun", "--runtime", "node"), "Only one runtime"),
        (("--runtime", "node"), "bun:fs.mkdirSync is no claim of node"),
        (("--runtime", "bun@1.2"), "--runtime takes no version or program here"),
        (("--runtime", "bun=/bin/false"), "--runtime takes no version or program here"),
    ],
)
def test_ends_that_make_no_range_are_refused(arguments, why):
    result = CliRunner().invoke(cli, ["bisect", "bun:fs.mkdirSync", *arguments], standalone_mode=False)
    assert isinstance(result.exception, ClaimgridError)
    assert why in str(result.exception)


def test_a_claim_that_nobody_measured_is_not_called_the_same_everywhere(tmp_path):
    write(build("1.0.0", {"bun:fs.mkdirSync": Verdict.SAFE}, runtime="bun"), tmp_path)
    arguments = ["bisect", "bun:fs.nothing", "--results", str(tmp_path)]
    result = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert "bun:fs.nothing was not measured on" in str(result.exception)


def test_offline_nothing_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setattr(bisect, "fetch_build", lambda *_: pytest.fail("it was to fetch nothing"))
    monkeypatch.setenv("CLAIMGRID_CACHE", str(tmp_path))
    arguments = [
        "bisect",
        "bun:fs.mkdirSync",
        "--from",
        "1.3.14",
        "--to",
        "1.4.0",
        "--offline",
        "--results",
        str(tmp_path),
    ]
    result = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert "bun@1.3.14 could not be measured" in str(result.exception)
