"""The documentation shows what is true: every example is printed anew from the committed results, every command is there as it is."""

import importlib.util
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("refresh", PROJECT / "docs" / "refresh.py")
refresh = importlib.util.module_from_spec(spec)
spec.loader.exec_module(refresh)


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(PROJECT)


@pytest.mark.parametrize("path", refresh.FILES, ids=lambda path: path.name)
def test_what_is_shown_is_what_is_printed(path):
    shown = path.read_text(encoding="utf-8")
    assert shown == (refresh.commands() if path.name == "commands.md" else refresh.refreshed(shown))


def test_every_verdict_has_an_example_that_has_it():
    text = (PROJECT / "docs" / "how-to-read-a-verdict.md").read_text(encoding="utf-8")
    for verdict in ("safe", "unsafe", "racy", "conditional", "refuses", "indeterminate"):
        section = text.partition(f"\n## {verdict}\n")[2].partition("\n## ")[0]
        assert re.search(rf"^\S {verdict}: ", section, re.MULTILINE)


def test_a_block_that_is_cut_keeps_its_length():
    text = "```console\n$ claimgrid schema results\nold\nold\n…\n```"
    lines = refresh.refreshed(text).splitlines()
    assert lines[2:] == ["{", '  "$schema": "https://json-schema.org/draft/2020-12/schema",', "…", "```"]
