"""The Japanese README says as much as the English one: the same headings, the same code, the same commands and options."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent.parent
ENGLISH, JAPANESE = ((HERE / name).read_text(encoding="utf-8") for name in ("README.md", "README.ja.md"))


def blocks(text):
    return re.findall(r"^```(.*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_comments(block):
    """Comments in a shell are for people, and so in their language."""
    language, code = block
    if language == "sh":
        code = re.sub(r"\s+# .*$", "", code, flags=re.MULTILINE)
    return language, code


def prose(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def test_the_headings_have_the_same_levels_in_the_same_order():
    levels = [re.findall(r"^(#+) ", prose(text), re.MULTILINE) for text in (ENGLISH, JAPANESE)]
    assert levels[0] == levels[1]


def test_the_blocks_of_code_are_the_same_but_for_comments():
    assert [*map(without_comments, blocks(JAPANESE))] == [*map(without_comments, blocks(ENGLISH))]


def test_the_tables_have_the_same_rows():
    rows = [re.findall(r"^\|", prose(text), re.MULTILINE) for text in (ENGLISH, JAPANESE)]
    assert len(rows[0]) == len(rows[1])


@pytest.mark.parametrize("pattern", [r"`(claimgrid [a-z]+)", r"(?<![\w-])(--[a-z-]+)", r"\]\(([^)]+)\)"])
def test_commands_options_and_links_are_the_same(pattern):
    other = {"README.md", "README.ja.md"}
    found = [set(re.findall(pattern, prose(text))) - other for text in (ENGLISH, JAPANESE)]
    assert found[0] == found[1]


def test_the_two_lead_to_one_another():
    assert "(README.ja.md)" in ENGLISH
    assert "(README.md)" in JAPANESE
