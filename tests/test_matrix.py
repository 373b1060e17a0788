"""The matrix: nothing is lost by folding, and the order of the results does not show."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import HERE, build, some_builds

from harness.matrix import Column, Row, Table, build_tables
from harness.vocabulary import Verdict

SAFE, UNSAFE, NOT_RUN = Verdict.SAFE, Verdict.UNSAFE, Verdict.NOT_RUN


def unfolded(tables):
    """Every single verdict by platform, version and claim."""
    return {
        (
            table.platform,
            table.filesystem,
            version,
            f"{table.runtime}:{row.call}{'/' if variant else ''}{variant}",
        ): cell
        for table in tables
        for row in table.rows
        for variant in row.variants
        for column, cell in zip(table.columns, row.cells, strict=True)
        for version in column.versions
    }


def test_a_table_has_claims_down_and_builds_across():
    results = [
        build("22.1.0", {"node:fs.a": SAFE, "node:fs.b/x": SAFE}),
        build("9.1.0", {"node:fs.a": UNSAFE, "node:fs.b/x": SAFE}),
    ]
    assert build_tables(results) == [
        Table(
            "node",
            "linux-x64",
            "ext4",
            (Column(("9.1.0",)), Column(("22.1.0",))),
            (Row("fs.a", ("",), (UNSAFE, SAFE)), Row("fs.b", ("x",), (SAFE, SAFE))),
        )
    ]


def test_neighbours_that_agree_everywhere_are_folded():
    results = [build(version, {"node:a": SAFE}) for version in ("18.20.8", "20.0.0", "26.12.1")]
    (table,) = build_tables(results)
    assert [column.label for column in table.columns] == ["18.20.8–26.12.1"]


def test_builds_that_agree_but_are_no_neighbours_are_not_folded():
    results = [build("1.0.0", {"node:a": SAFE}), build("2.0.0", {"node:a": UNSAFE}), build("3.0.0", {"node:a": SAFE})]
    (table,) = build_tables(results)
    assert [column.label for column in table.columns] == ["1.0.0", "2.0.0", "3.0.0"]


def test_variants_of_one_call_that_agree_are_folded():
    (table,) = build_tables(
        [build("1.0.0", {"node:fs.open/wx": SAFE, "node:fs.open/ax": SAFE, "node:fs.open/w": UNSAFE})]
    )
    assert [row.label for row in table.rows] == ["fs.open/{ax,wx}", "fs.open/w"]


def test_a_claim_that_a_build_does_not_have_was_not_run_there():
    (table,) = build_tables([build("1.0.0", {"node:a": SAFE}), build("2.0.0", {"node:a": SAFE, "node:b": SAFE})])
    assert {row.label: row.cells for row in table.rows} == {"a": (SAFE, SAFE), "b": (NOT_RUN, SAFE)}


def test_platforms_filesystems_and_runtimes_have_tables_of_their_own():
    elsewhere = replace(HERE, filesystem="tmpfs")
    results = [
        build("1.0.0", {"node:a": SAFE}),
        build("1.0.0", {"node:a": SAFE}, environment=elsewhere),
        build("1.0.0", {"bun:a": SAFE}, runtime="bun"),
    ]
    assert [(table.runtime, table.filesystem) for table in build_tables(results)] == [
        ("bun", "ext4"),
        ("node", "ext4"),
        ("node", "tmpfs"),
    ]


def test_claims_are_chosen_by_id():
    (table,) = build_tables(
        [build("1.0.0", {"node:a": SAFE, "node:b": SAFE})], keep=lambda claim_id: claim_id == "node:b"
    )
    assert [row.label for row in table.rows] == ["b"]


def test_rows_are_chosen_by_a_verdict_that_they_have_somewhere():
    results = [build("1.0.0", {"node:a": UNSAFE, "node:b": SAFE}), build("2.0.0", {"node:a": SAFE, "node:b": SAFE})]
    (table,) = build_tables(results, verdicts=[UNSAFE])
    assert table.rows == (Row("a", ("",), (UNSAFE, SAFE)),)


def test_a_table_without_rows_is_left_out():
    assert build_tables([build("1.0.0", {"node:a": SAFE})], verdicts=[UNSAFE]) == []
    assert build_tables([]) == []


@given(some_builds)
def test_folding_loses_and_invents_no_verdict(results):
    assert unfolded(build_tables(results)) == unfolded(build_tables(results, fold=False))


@given(some_builds)
def test_every_verdict_of_every_result_is_in_the_matrix(results):
    shown = unfolded(build_tables(results))
    for result in results:
        for claim_id, one in result.claims.items():
            assert (
                shown[result.environment.platform, result.environment.filesystem, result.version, claim_id]
                is one.verdict
            )


@given(some_builds)
def test_what_did_not_run_is_never_drawn_as_anything(results):
    ran = {(result.environment.platform, result.version, claim_id) for result in results for claim_id in result.claims}
    for (platform, _, version, claim_id), cell in unfolded(build_tables(results)).items():
        assert cell is NOT_RUN or (platform, version, claim_id) in ran


@given(some_builds.flatmap(lambda results: st.tuples(st.just(results), st.permutations(results))))
def test_the_order_of_the_results_does_not_show(orders):
    assert build_tables(orders[0]) == build_tables(orders[1])


@given(some_builds)
def test_no_two_folded_neighbours_agree_everywhere(results):
    for table in build_tables(results):
        columns = list(zip(*(row.cells for row in table.rows), strict=True))
        assert all(first != second for first, second in pairwise(columns))


@pytest.mark.parametrize(
    ("variants", "label"),
    [(("",), "fs.cp"), (("wx",), "fs.cp/wx"), (("", "wx"), "fs.cp/{,wx}"), (("a+b", "c"), "fs.cp/{a+b,c}")],
)
def test_a_row_is_labelled_as_a_shell_would_write_it(variants, label):
    assert Row("fs.cp", variants, ()).label == label
