"""Tables as text: readable at 100 columns, and in every format that tabulate has."""

import pytest
import tabulate
from hypothesis import given
from hypothesis import strategies as st
from made import build, some_builds

from harness.matrix import build_tables
from harness.tables import FORMATS, legend, render_tables, simple, word
from harness.vocabulary import Verdict

SAFE, UNSAFE = Verdict.SAFE, Verdict.UNSAFE
RESULTS = [
    build("18.20.8", {"node:fs.open/wx": SAFE, "node:fs.open/w": UNSAFE}),
    build("22.1.0", {"node:fs.open/wx": SAFE}),
]


def test_a_table_has_a_heading_and_a_legend_of_the_verdicts_that_occur():
    lines = render_tables(build_tables(RESULTS)).splitlines()
    assert [line.rstrip() for line in lines] == [
        "node · linux-x64 · ext4",
        "            18.20.8    22.1.0",
        "----------  ---------  ---------",
        "fs.open/w   X unsafe   . not-run",
        "fs.open/wx  * safe     * safe",
        "",
        "X unsafe   takes, changes or pretends to take a name that was taken",
        "* safe     refuses every occupant, and exactly one contender won wherever they met",
        ". not-run  not measured",
    ]


def test_the_legend_has_the_worst_first():
    assert [line.split()[1] for line in legend([SAFE, Verdict.RACY, UNSAFE]).splitlines()] == ["unsafe", "racy", "safe"]


cells = st.text("ab .–é", max_size=6)


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.tuples(
            st.lists(st.tuples(cells.map("x{}".format), *[cells] * (width - 1)), min_size=1, max_size=5),
            st.lists(cells | st.just("1.0–\n2.0"), min_size=width, max_size=width),
        )
    )
)
def test_a_table_for_a_terminal_is_the_simple_one_of_tabulate(table):
    rows, head = table
    assert simple(rows, head).splitlines() == [
        line.rstrip() for line in tabulate.tabulate(rows, head, tablefmt="simple", disable_numparse=True).splitlines()
    ]


def test_a_word_is_a_sign_and_a_verdict():
    assert [word(verdict) for verdict in (UNSAFE, Verdict.REFUSES)] == ["X unsafe", "+ refuses"]


@pytest.mark.parametrize("style", FORMATS)
def test_every_format_of_tabulate_shows_every_claim(style):
    shown = render_tables(build_tables(RESULTS, fold=False), style=style)
    assert "unsafe" in shown
    assert "22.1.0" in shown


def test_tab_separated_values_are_just_the_table():
    assert [
        line.split("\t")[0].rstrip() for line in render_tables(build_tables(RESULTS), style="tsv").splitlines()
    ] == [
        "node · linux-x64 · ext4",
        "fs.open/w",
        "fs.open/wx",
    ]


def test_more_builds_than_fit_go_into_further_tables():
    results = [build(f"{major}.0.0", {"node:a": UNSAFE if major % 2 else SAFE}) for major in range(1, 20)]
    shown = render_tables(build_tables(results))
    assert max(len(line) for line in shown.splitlines()) <= 100
    assert all(f"{major}.0.0" in shown for major in range(1, 20))


@given(some_builds, st.integers(70, 140))
def test_no_line_is_wider_than_the_terminal(results, width):
    shown = render_tables(build_tables(results, fold=False), width=width)
    table, _, _ = shown.rpartition("\n\n")
    assert all(len(line) <= width for line in table.splitlines())


def test_variants_that_do_not_fit_are_counted_and_not_dropped():
    results = [build("1.0.0", {f"node:fs.cpSync/{'option' * 3}{number}": SAFE for number in range(30)})]
    shown = render_tables(build_tables(results))
    listed = shown.count("optionoptionoption")
    assert f"… {30 - listed} more" in shown


def test_a_version_range_that_is_wider_than_a_cell_takes_two_lines():
    results = [build("12.22.12", {"node:a": SAFE}), build("26.12.10", {"node:a": SAFE})]
    assert "12.22.12–" in [line.strip() for line in render_tables(build_tables(results)).splitlines()]
