"""Tables as text, through tabulate: short enough for a terminal, or in any of tabulate's own formats."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

import tabulate

from harness.matrix import Column, Row, Table
from harness.plain import markdown_text
from harness.vocabulary import Verdict

_RAW = ("unsafehtml", "latex_raw", "jira", "mediawiki", "moinmoin", "textile", "youtrack", "asciidoc")
"""Formats in which tabulate leaves markup in a text as it is."""
_MARKDOWN = ("github", "pipe")
FORMATS = tuple(each for each in tabulate.tabulate_formats if each not in _RAW)
TERMINAL = "simple"
_CELL = 16
"""The widest cell, with the space between columns."""
_LABEL = 44
_LABEL_LINES = 3
"""Folded variants beyond that many lines are only counted."""


def render_tables(tables: Iterable[Table], *, style: str = TERMINAL, width: int = 100) -> str:
    """All tables under their headings, and a legend of the verdicts that occur. For a terminal, no line is wider than `width`."""
    shown = list(tables)
    if style != TERMINAL:
        return "\n\n".join(_one(table, style) for table in shown)
    blocks = [f"{table.runtime} · {table.platform} · {table.filesystem}\n{_fitted(table, width)}" for table in shown]
    used = {cell for table in shown for row in table.rows for cell in row.cells}
    return "\n\n".join([*blocks, legend(used)])


def legend(verdicts: Iterable[Verdict]) -> str:
    """A line for each verdict, worst first."""
    rows = [(word(verdict), verdict.meaning) for verdict in sorted(verdicts, key=lambda each: -each.badness)]
    return tabulate.tabulate(rows, tablefmt="plain")


def word(verdict: Verdict) -> str:
    """A cell: sign and word."""
    return f"{verdict.sign} {verdict}"


def _one(table: Table, style: str) -> str:
    shown = markdown_text if style in _MARKDOWN else str
    head = [f"{table.runtime} · {table.platform} · {table.filesystem}", *(column.label for column in table.columns)]
    rows = [[shown(row.label), *map(shown, map(word, row.cells))] for row in table.rows]
    return _tabulate(rows, [*map(shown, head)], style)


def _fitted(table: Table, width: int) -> str:
    """As many columns side by side as fit; the rest in further tables below, each with only the rows that it needs."""
    per_block = max(1, (width - _LABEL) // _CELL)
    blocks = []
    for start in range(0, len(table.columns), per_block):
        columns = table.columns[start : start + per_block]
        room = max(_LABEL, width - _CELL * len(columns))
        blocks.append(_block(columns, [(row, row.cells[start : start + per_block]) for row in table.rows], room))
    return "\n\n".join(blocks)


def _block(columns: Sequence[Column], rows: Sequence[tuple[Row, Sequence[Verdict]]], room: int) -> str:
    lines: list[list[str]] = []
    for row, cells in rows:
        first, *more = _wrap(row, room)
        lines.append([first, *map(word, cells)])
        lines.extend([rest, *[""] * len(cells)] for rest in more)
    return simple(lines, ["", *map(_head, columns)])


def _wrap(row: Row, room: int) -> list[str]:
    """A label over several lines, broken between variants; what does not fit into the last line is counted."""
    label = row.label
    if len(label) <= room and label.isprintable() and label == label.strip():
        return [label]
    shown = len(row.variants)
    while True:
        left = len(row.variants) - shown
        label = replace(row, variants=(*row.variants[:shown], f"… {left} more")).label if left else row.label
        spaced = label.replace(",", ", ") if len(label) > room else label
        lines = textwrap.wrap(spaced, room, subsequent_indent="  ", break_on_hyphens=False)
        if len(lines) <= _LABEL_LINES or shown <= 1:
            return lines
        shown -= 1


def _head(column: Column) -> str:
    """A version range in two lines when it is wider than a cell."""
    return column.label if len(column.label) < _CELL else column.label.replace("–", "–\n")


def simple(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """Rows as tabulate's `simple` has them. By ourselves: tabulate wonders of each of a hundred thousand cells whether it is a number."""
    heads = [each.split("\n") for each in head]
    cells = [[cell.strip() for cell in row] for row in rows]
    widths = [
        max(max(map(len, lines)) + tabulate.MIN_PADDING, max(map(len, column)))
        for lines, column in zip(heads, zip(*cells, strict=True), strict=True)
    ]
    ruled = [*zip_longest(*heads, fillvalue=""), ["-" * width for width in widths], *cells]
    # One call a line pads all its cells.
    line = "  ".join(f"{{:{width}}}" for width in widths).format
    return "\n".join(line(*row).rstrip() for row in ruled)


def _tabulate(rows: Sequence[Sequence[str]], head: Sequence[str], style: str) -> str:
    return tabulate.tabulate(rows, head, tablefmt=style, disable_numparse=True)
