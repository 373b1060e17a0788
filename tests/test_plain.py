"""Text from outside, made plain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.plain import plain, plain_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fs.openSync(name, 'wx') // é日", "fs.openSync(name, 'wx') // é日"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\nb\r\tc\x00", "a\\nb\\r\\tc\\x00"),
        ("safe\u202eelbats\u2066", "safe\\u202eelbats\\u2066"),
        ("\x9b31m\ud800\ufeff", "\\x9b31m\\ud800\\ufeff"),
    ],
)
def test_what_cannot_be_seen_stands_as_its_number(text, shown):
    assert plain(text) == shown


def test_a_megabyte_keeps_its_beginning_and_its_end():
    shown = plain("begin" + "x" * 1_000_000 + "end", 30)
    assert (shown[:5], shown[-3:], len(shown) < 40) == ("begin", "end", True)


@given(st.text(st.characters()))
def test_a_line_is_printable_whatever_it_was(text):
    assert plain(text).isprintable()


def test_our_own_lines_stay_lines():
    assert plain_lines("one\x1b\n\ntwo") == "one\\x1b\n\ntwo"
