"""Versions in the order in which people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.versions import answers, answers_on, asked_as, is_release, newest, sort_key

numbers = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


def test_numbers_are_compared_as_numbers():
    assert sorted(["10.0.0", "9.11.2", "9.2.0", "0.12.18"], key=sort_key) == ["0.12.18", "9.2.0", "9.11.2", "10.0.0"]


def test_a_pre_release_comes_before_its_release():
    assert sorted(["1.0.0", "1.0.0-canary.2", "0.9.9", "1.0.0-alpha"], key=sort_key) == [
        "0.9.9",
        "1.0.0-alpha",
        "1.0.0-canary.2",
        "1.0.0",
    ]


@given(numbers, numbers)
def test_the_order_is_that_of_the_numbers(first, second):
    parts = [tuple(map(int, version.split("."))) for version in (first, second)]
    assert (sort_key(first) < sort_key(second)) == (parts[0] < parts[1])


@pytest.mark.parametrize(
    ("version", "asked"),
    [("22.3.1", "22.3.1"), ("22.3.1", "22.3"), ("22.3.1", "22"), ("22.0.0-nightly", "22.0.0"), ("7.6.9+wine", "7.6.9")],
)
def test_a_version_answers_to_itself_and_to_its_beginnings(version, asked):
    assert answers(version, asked)


@pytest.mark.parametrize(
    ("version", "asked"),
    [("22.3.1", "2"), ("22.3.1", "22.3.10"), ("22.30.1", "22.3"), ("2.2.0", "22"), ("22.3.1", "22.3.1.0")],
)
def test_a_version_does_not_answer_to_what_only_looks_alike(version, asked):
    assert not answers(version, asked)


@given(numbers, numbers)
def test_a_longer_version_answers_to_a_shorter_one(version, more):
    assert answers(f"{version}.{more}", version)
    assert not answers(version, f"{version}.{more}")


def test_the_newest_of_those_that_answer_is_chosen():
    assert newest(["22.9.0", "22.10.1", "23.0.0", "22.2.0"], "22") == "22.10.1"


def test_without_a_wish_the_newest_is_chosen():
    assert newest(["22.9.0", "22.10.1"]) == "22.10.1"


def test_none_is_chosen_when_none_answers():
    assert newest(["22.9.0"], "18") is None
    assert newest([]) is None


@pytest.mark.parametrize(
    ("version", "release"), [("1.2.3", True), ("26", True), ("1.2.3-rc.1", False), ("", False), ("v1.2", False)]
)
def test_only_plain_numbers_are_releases(version, release):
    assert is_release(version) is release


@pytest.mark.parametrize(
    ("version", "platform", "asked"),
    [("22.1.0", "linux-x64", "22.1.0"), ("22.1.0", "wine-x64", "22.1.0+wine"), ("wine-8.0", "wine-x64", "wine-8.0")],
)
def test_what_is_asked_for_a_version_on_a_platform_is_answered_by_it(version, platform, asked):
    assert asked_as(version, platform) == asked
    assert answers_on(version, platform, asked)


@pytest.mark.parametrize(
    ("platform", "asked", "answer"),
    [
        ("wine-x64", "22", True),
        ("wine-x64", "22+wine", True),
        ("wine-x64", "+wine", True),
        ("linux-x64", "22+wine", False),
        ("linux-x64", "", True),
        ("linux-x64", "2", False),
    ],
)
def test_only_who_asks_for_wine_minds_the_platform(platform, asked, answer):
    assert answers_on("22.1.0", platform, asked) is answer
