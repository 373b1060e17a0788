"""The matrix: claims down, builds across, equal neighbours folded. Pure functions from results to tables of verdicts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.results import BuildResult, by_group
from harness.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Row:
    """Variants of one call that have the same verdict in every column; `call` is the id after the colon, before the slash."""

    call: str
    variants: tuple[str, ...]
    cells: tuple[Verdict, ...]

    @property
    def label(self) -> str:
        """As printed: `fs.openSync/{ax,wx}`."""
        if self.variants == ("",):
            return self.call
        if len(self.variants) == 1:
            return f"{self.call}/{self.variants[0]}"
        return f"{self.call}/{{{','.join(self.variants)}}}"


@dataclass(frozen=True, slots=True)
class Column:
    """Neighbouring versions with the same verdict in every row, oldest first."""

    versions: tuple[str, ...]

    @property
    def label(self) -> str:
        """As printed: `20.11.1` or `18.20.8–26.12.1`."""
        return self.versions[0] if len(self.versions) == 1 else f"{self.versions[0]}–{self.versions[-1]}"


@dataclass(frozen=True, slots=True)
class Table:
    """One runtime on one platform and filesystem."""

    runtime: str
    platform: str
    filesystem: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def build_tables(
    results: Iterable[BuildResult],
    *,
    keep: Callable[[str], bool] = lambda claim_id: True,
    verdicts: Collection[Verdict] = (),
    fold: bool = True,
) -> list[Table]:
    """One table for each runtime, platform and filesystem; the same for any order of the results.

    `keep` chooses claims by id; with `verdicts` only rows that have one of them somewhere are kept. `fold=False` keeps every
    claim and every build apart.
    """
    tables = []
    for (platform, filesystem, runtime), group in groupby(by_group(results), key=lambda each: each.group):
        builds = list(group)
        grid = _grid(builds, keep)
        if verdicts:
            grid = {claim_id: cells for claim_id, cells in grid.items() if any(cell in verdicts for cell in cells)}
        if grid:
            columns, grid = _fold_columns([build.version for build in builds], grid, fold)
            tables.append(Table(runtime, platform, filesystem, columns, _fold_rows(grid, fold)))
    return tables


def _grid(builds: Sequence[BuildResult], keep: Callable[[str], bool]) -> dict[str, tuple[Verdict, ...]]:
    """Every claim's verdict in every build; a claim that a build's results do not have was not run there."""
    ids = sorted({claim_id for build in builds for claim_id in build.claims if keep(claim_id)})
    return {
        claim_id: tuple(
            build.claims[claim_id].verdict if claim_id in build.claims else Verdict.NOT_RUN for build in builds
        )
        for claim_id in ids
    }


def _fold_columns(
    versions: Sequence[str], grid: Mapping[str, tuple[Verdict, ...]], fold: bool
) -> tuple[tuple[Column, ...], dict[str, tuple[Verdict, ...]]]:
    """Fold neighbours that agree in every row. Nothing is said about versions in between that were not measured."""
    firsts: list[int] = []
    groups: list[list[str]] = []
    for place, version in enumerate(versions):
        if fold and firsts and all(cells[place] is cells[firsts[-1]] for cells in grid.values()):
            groups[-1].append(version)
        else:
            firsts.append(place)
            groups.append([version])
    folded = {claim_id: tuple(cells[place] for place in firsts) for claim_id, cells in grid.items()}
    return tuple(Column(tuple(group)) for group in groups), folded


def _fold_rows(grid: Mapping[str, tuple[Verdict, ...]], fold: bool) -> tuple[Row, ...]:
    """Fold the variants of one call that agree in every column."""
    rows: dict[tuple[str, tuple[Verdict, ...], str], list[str]] = {}
    for claim_id, cells in grid.items():
        call, _, variant = claim_id.partition(":")[2].partition("/")
        rows.setdefault((call, cells, "" if fold else variant), []).append(variant)
    return tuple(Row(call, tuple(variants), cells) for (call, cells, _), variants in rows.items())
