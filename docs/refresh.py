"""Makes what is shown in this folder and in the READMEs true again: `python docs/refresh.py`, or `make docs`.

Every block that begins with `$ claimgrid …` gets what that command prints now, every table of recipes what the results say;
`commands.md` is written from the commands themselves.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from click.testing import CliRunner

from harness.cli import cli
from harness.judging import stories
from harness.judging.records import promises_made, read_records
from harness.promises import Standing

DOCS = Path(__file__).resolve().parent
FILES = (*sorted(DOCS.glob("*.md")), DOCS.parent / "README.md", DOCS.parent / "README.ja.md")
_BLOCK = re.compile(r"(?P<open>```console\n\$ claimgrid (?P<words>[^\n]*)\n)(?P<shown>.*?)(?P<close>```)", re.DOTALL)
_RECIPES = re.compile(r"(?P<open><!-- recipes: (?P<ids>[^\n]*) -->\n)(?P<shown>.*?)(?P<close><!-- end -->)", re.DOTALL)
_CUT = "…\n"
"""A last line of a block that stands for whatever follows."""


def refreshed(text: str) -> str:
    """The text with what its commands print; a block that ends with … keeps its number of lines."""

    def block(found: re.Match[str]) -> str:
        printed = CliRunner().invoke(cli, shlex.split(found["words"]), standalone_mode=False).output
        shown = found["shown"]
        if shown.endswith(_CUT):
            printed = "".join(printed.splitlines(keepends=True)[: shown.count("\n") - 1]) + _CUT
        return f"{found['open']}{printed}{found['close']}"

    lang = "ja" if re.search(r"^## [ぁ-ん一-龠ァ-ヶ]", text, re.MULTILINE) else "en"
    text = _RECIPES.sub(lambda found: f"{found['open']}{_recipes(found['ids'].split(), lang)}{found['close']}", text)
    return _BLOCK.sub(block, text)


def _recipes(ids: Sequence[str], lang: str) -> str:
    """A table of these recipes, with the promises that any of them makes."""
    known = {name: record for each in read_records([DOCS.parent / "results"]) for name, record in each.recipes.items()}
    made = promises_made(known[name] for name in ids)
    head = [stories.catalogue(lang)["recipe"], *(stories.promise_word(promise, lang) for promise in made)]
    rows = [[f"`{name}`", *(_standing(known[name].standing(promise), lang) for promise in made)] for name in ids]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))


def _standing(standing: Standing, lang: str) -> str:
    word = stories.standing_word(standing, lang)
    return {Standing.NOT_PROMISED: "·", Standing.BROKEN: f"**{word}**"}.get(standing, word)


def commands() -> str:
    """A section for every command: what it does, its arguments and options."""
    context = click.Context(cli)
    lines = [
        "# Commands",
        "",
        "Written by `make docs` from the commands themselves; `claimgrid COMMAND --help` says the same.",
        "",
    ]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        lines += _section(f"claimgrid {name}", command)
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                lines += _section(f"claimgrid {name} {below}", command.commands[below])
    return "\n".join(lines)


def _section(title: str, command: click.Command) -> Iterator[str]:
    arguments = [
        each.metavar or (each.name or "").upper() for each in command.params if isinstance(each, click.Argument)
    ]
    options = [each for each in command.params if isinstance(each, click.Option) and each.help]
    yield from (f"## {title}", "")
    if arguments:
        yield from (f"`{' '.join([title, *arguments])}`", "")
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        yield from (" ".join(paragraph.split()), "")
    if options:
        yield from ("| option | |", "| --- | --- |")
        for each in options:
            value = "" if each.is_flag else f" {each.metavar or _kind(each)}"
            cells = (f"`{', '.join(each.opts)}{value}`", " ".join((each.help or "").split()))
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
        yield ""


def _kind(option: click.Option) -> str:
    """What an option takes. The names that click has for it differ from one click to the next."""
    choices = getattr(option.type, "choices", None)
    if choices:
        return "|".join(map(str, choices))
    numbers = (click.types.IntParamType, click.types.FloatParamType)
    return "N" if isinstance(option.type, numbers) else "PATH" if isinstance(option.type, click.Path) else "TEXT"


def main() -> None:
    """Write every file that has changed."""
    for path in FILES:
        old = path.read_text(encoding="utf-8")
        new = commands() if path.name == "commands.md" else refreshed(old)
        if new != old:
            path.write_text(new, encoding="utf-8", newline="\n")
            click.echo(f"{path.name} is true again")


if __name__ == "__main__":
    main()
