"""Telling: what a comparison with expectations comes to, in few lines however much there is to tell. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from harness.expectations import Expectation
from harness.expectations_compare import Cell, Comparison, Standing, is_measured
from harness.plain import plain
from harness.processes import quoted
from harness.sentences import reason
from harness.versions import asked_as, sort_key
from harness.vocabulary import Verdict

_SHOWN_WORSE = 40
_SHOWN_BETTER = 10
_SHOWN_PLACES = 8


def told(comparison: Comparison, overdue: Sequence[Expectation], name: str) -> list[str]:
    """Everything to say, what is red first and one line that counts last; `name` is what the file is called."""
    lines: list[str] = []
    worse, better = comparison.of(Standing.WORSE), comparison.of(Standing.BETTER)
    if worse:
        lines += ["worse than expected", *_findings(worse, name), ""]
    if better:
        lines += [
            "better than expected: out of date, `claimgrid expect --update` renews them",
            *_outdated(better, name),
            "",
        ]
    if overdue:
        lines += [f"expired: {name}:{each.line} on {each.expires}: {plain(each.reason, 1000)}" for each in overdue]
        lines.append("")
    lines += _not_proved(comparison.of(Standing.UNPROVED))
    lines += _not_there(cell for cell in comparison.cells if not is_measured(cell.claim))
    lines += _unmatched(cell for cell in comparison.of(None) if is_measured(cell.claim))
    if comparison.idle:
        places = _some([f"line {each.line}" for each in comparison.idle])
        lines.append(f"{len(comparison.idle)} entries hold for nothing here: {places}")
    builds = {id(cell.build) for cell in comparison.cells}
    lines.append(
        f"{len(comparison.cells)} cells of {len(builds)} builds: {len(comparison.of(Standing.AS_EXPECTED))} as expected,"
        f" {len(worse)} worse, {len(better)} better"
    )
    return lines


def expired(expectations: Iterable[Expectation], today: date) -> list[Expectation]:
    """Those whose last day is over."""
    return [each for each in expectations if each.expires is not None and each.expires < today]


def _findings(worse: Iterable[Cell], name: str) -> Iterator[str]:
    """Each with the command that shows it; versions of one runtime in which a claim is alike are one."""
    folded = _folded(worse)
    for cells in folded[:_SHOWN_WORSE]:
        newest = cells[-1]
        yield f"  {_what(cells, name)}"
        yield f"    {reason(newest.claim.judgement.reason, newest.claim.kind, 'en')}"
        yield f"    {_again(newest)}"
    if folded[_SHOWN_WORSE:]:
        yield f"  … and {len(folded) - _SHOWN_WORSE} more"


def _outdated(better: Iterable[Cell], name: str) -> Iterator[str]:
    folded = _folded(better)
    yield from (f"  {_what(cells, name)}" for cells in folded[:_SHOWN_BETTER])
    if folded[_SHOWN_BETTER:]:
        yield f"  … and {len(folded) - _SHOWN_BETTER} more"


def _folded(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Cells that differ in their versions only, oldest version first."""
    found: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        line = cell.expectation.line if cell.expectation else 0
        found.setdefault((cell.build.group, cell.claim_id, cell.claim.verdict, line), []).append(cell)
    return [sorted(each, key=lambda cell: sort_key(cell.build.version)) for each in found.values()]


def _what(cells: Sequence[Cell], name: str) -> str:
    newest = cells[-1]
    environment, expected = newest.build.environment, newest.expectation
    versions = newest.build.version if len(cells) == 1 else f"{cells[0].build.version} … {newest.build.version}"
    where = f"{newest.build.runtime}@{versions} on {environment.platform}, {environment.filesystem}"
    wanted = f"{' or '.join(expected.verdicts)} expected by {name}:{expected.line}" if expected else ""
    return f"{newest.claim_id} in {where}: {newest.claim.verdict}, {wanted}"


def _again(cell: Cell) -> str:
    """What shows it once more: one case, or a race or every pause where two have to meet."""
    request = f"{cell.build.runtime}@{asked_as(cell.build.version, cell.build.environment.platform)}"
    why = cell.claim.judgement.reason
    named = ["--occupant", why.occupants[0].value] if why.occupants else []
    verb = "try"
    if cell.claim.verdict is Verdict.RACY:
        # A pause in which two have won is found again for certain; by the clock they may miss each other.
        verb = "explore" if why.text else "race"
    return quoted(["claimgrid", verb, cell.claim_id, "--runtime", request, *named])


def _not_proved(cells: Sequence[Cell]) -> Iterator[str]:
    counts: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        how = "say nothing conclusive" if cell.claim.verdict is Verdict.INDETERMINATE else "are not raced"
        counts[(cell.expectation.verdict if cell.expectation else ""), how] += 1
    yield from (f"{count} cells expected {verdict} {how}" for (verdict, how), count in sorted(counts.items()))


def _not_there(cells: Iterable[Cell]) -> Iterator[str]:
    counts = Counter(cell.claim.verdict for cell in cells)
    if counts:
        yield ", ".join(f"{counts[verdict]} cells are {verdict}" for verdict in Verdict if counts[verdict])


def _unmatched(cells: Iterable[Cell]) -> Iterator[str]:
    builds = Counter(f"{cell.build.runtime}@{cell.build.version}" for cell in cells)
    if builds:
        named = _some([f"{build} ({count})" for build, count in builds.items()])
        yield f"{sum(builds.values())} cells have no entry: {named}"


def _some(words: Sequence[str]) -> str:
    more = [f"and {len(words) - _SHOWN_PLACES} more"] if len(words) > _SHOWN_PLACES else []
    return ", ".join([*words[:_SHOWN_PLACES], *more])
