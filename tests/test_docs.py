"""The documentation shows what is true: every example is printed anew from the committed results, every command is there as it is."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from harness.cli import cli

PROJECT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("refresh", PROJECT / "docs" / "refresh.py")
refresh = importlib.util.module_from_spec(spec)
spec.loader.exec_module(refresh)


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(PROJECT)


def has_committed_results():
    """Whether the results are as they were committed; a run on this machine adds to them, and changes what there is to show."""
    git = shutil.which("git")
    if git is None:
        return False
    command = [git, "status", "--porcelain", "--", "results"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, timeout=60, check=False)
    return done.returncode == 0 and done.stdout == b""


@pytest.mark.parametrize("path", refresh.FILES, ids=lambda path: path.name)
def test_what_is_shown_is_what_is_printed(path):
    if path.name != "commands.md" and not has_committed_results():
        pytest.skip("the results here are not the committed ones: `make docs` shows what they say")
    shown = path.read_text(encoding="utf-8")
    assert shown == (refresh.commands() if path.name == "commands.md" else refresh.refreshed(shown))


def test_every_option_says_what_it_is_for():
    def options(command, path):
        for each in command.params:
            if isinstance(each, click.Option):
                yield path, each
        for name in command.list_commands(click.Context(command)) if isinstance(command, click.Group) else ():
            yield from options(command.get_command(click.Context(command), name), f"{path} {name}")

    assert [f"{path} {each.opts[0]}" for path, each in options(cli, "claimgrid") if not each.help] == []


def test_every_verdict_has_an_example_that_has_it():
    text = (PROJECT / "docs" / "how-to-read-a-verdict.md").read_text(encoding="utf-8")
    for verdict in ("safe", "unsafe", "racy", "conditional", "refuses", "indeterminate"):
        section = text.partition(f"\n## {verdict}\n")[2].partition("\n## ")[0]
        assert re.search(rf"^\S {verdict}: ", section, re.MULTILINE)


def test_a_block_that_is_cut_keeps_its_length():
    text = "```console\n$ claimgrid schema results\nold\nold\n…\n```"
    lines = refresh.refreshed(text).splitlines()
    assert lines[2:] == ["{", '  "$schema": "https://json-schema.org/draft/2020-12/schema",', "…", "```"]
