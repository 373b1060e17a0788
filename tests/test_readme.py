"""The README tells of every command and option."""

import re
from pathlib import Path

import click
import pytest

from harness.cli import cli

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


def options(command, path=()):
    """Every option of a command and of those below it, but for the one that every program has."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield from (
                (" ".join(path), option)
                for option in parameter.opts
                if option.startswith("--") and option != "--version"
            )
    if isinstance(command, click.Group):
        for name in command.list_commands(None):
            yield from options(command.get_command(None, name), (*path, name))


@pytest.mark.parametrize("name", cli.list_commands(None))
def test_every_command_is_in_the_readme(name):
    assert f"claimgrid {name}" in README


@pytest.mark.parametrize(("command", "option"), sorted(set(options(cli))))
def test_every_option_is_in_the_readme(command, option):
    assert re.search(rf"(?<![\w-]){option}(?![\w-])", README)
