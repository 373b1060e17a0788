"""`claimgrid check`: are results what is expected of them; or, measured on the spot, is this call exclusive here, on this disk?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import click
from click.core import ParameterSource

from harness import sentences
from harness.annotations import Finding, annotate
from harness.builds import Build
from harness.claims import Claim, select_exactly
from harness.commands.options import (
    annotate_option,
    builds_named,
    expectations_option,
    folders_option,
    keep_going_option,
    named_by,
    offline_option,
    place_option,
    read_merged,
    runtime_option,
    tell,
    tell_disagreements,
)
from harness.errors import ClaimgridError, Exit
from harness.expectations import read_book
from harness.expectations_compare import Standing, compare, is_measured
from harness.expectations_text import expired, told
from harness.judge import told_nothing
from harness.plain import plain_lines
from harness.results import BuildResult
from harness.run import Wanted, Watcher, run
from harness.scratch import scratch
from harness.vocabulary import Verdict

_SECONDS = 60.0
"""For the race of one claim; nearly all of them need less than one."""


@click.command("check")
@click.option(
    "--require",
    "selectors",
    multiple=True,
    metavar="CLAIM",
    help="Measure on the spot: a claim that has to be safe here. Repeatable.",
)
@runtime_option
@place_option
@offline_option
@folders_option
@expectations_option
@keep_going_option
@click.option(
    "--strict",
    is_flag=True,
    help="Fail also where expectations are out of date: results are better, or have no entry, or an entry has no results.",
)
@annotate_option
@click.pass_context
def command(
    context: click.Context,
    selectors: tuple[str, ...],
    runtimes: tuple[str, ...],
    place: Path,
    offline: bool,
    folders: tuple[Path, ...],
    expectations: Path,
    keep_going: bool,
    strict: bool,
    annotated: bool,
) -> int:
    """Set results against what is expected of them; or with --require measure and race claims on the spot.

    Without --require the exit code is 1 when a result is worse than the file of expectations says, or an expectation has expired. What
    is not raced or not there is told, and fails nothing. With --require it is 0 only when every claim is proved safe here, in the
    newest build of each runtime that the claims name, or in those given by --runtime; 1 when one is not, and 4 when that could not be
    found out.
    """
    foreign = _COMPARING if selectors else _MEASURING
    if given := [option for name, option in foreign.items() if _is_given(context, name)]:
        raise click.UsageError(f"{given[0]} goes only {'without' if selectors else 'with'} --require.", context)
    if selectors:
        return _require(selectors, runtimes, place, offline, annotated)
    return _compare(runtimes, folders, expectations, keep_going, strict)


_MEASURING = {"place": "--at", "offline": "--offline", "annotated": "--annotate"}
_COMPARING = {
    "folders": "--results",
    "expectations": "--expectations",
    "keep_going": "--keep-going",
    "strict": "--strict",
}
"""Options that only one of the two uses knows."""


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is not ParameterSource.DEFAULT


def _compare(
    runtimes: Sequence[str], folders: Sequence[Path], expectations: Path, keep_going: bool, strict: bool
) -> int:
    """Compare and tell. Raises ClaimgridError for broken files, and where there is nothing to compare."""
    expected = read_book(expectations).expectations
    is_named = named_by(runtimes)
    merged = [one for one in read_merged(folders, keep_going) if is_named(one.result)]
    if not any(one.result.claims for one in merged):
        raise ClaimgridError("There are no results to compare.", "`claimgrid run` makes some.", Exit.NOT_RUN)
    comparison = compare(expected, [one.result for one in merged])
    overdue = expired(expected, date.today())
    click.echo(plain_lines("\n".join(told(comparison, overdue, expectations.as_posix()))))
    tell_disagreements(merged)
    unmatched = any(is_measured(cell.claim) for cell in comparison.of(None))
    out_of_date = comparison.of(Standing.BETTER) or comparison.idle or unmatched
    red = comparison.of(Standing.WORSE) or overdue or (strict and out_of_date)
    return Exit.FINDINGS if red else Exit.DONE


def _require(selectors: Sequence[str], runtimes: Sequence[str], place: Path, offline: bool, annotated: bool) -> int:
    """Measure and race. Raises ClaimgridError where something asked for could not be run."""
    builds = builds_named(selectors, runtimes, offline)
    known = [claim for build in builds for claim in build.claims]
    claims = [claim for selector in selectors for claim in select_exactly(known, selector)]
    if unasked := [build.id for build in builds if not any(claim.runtime == build.runtime for claim in claims)]:
        raise ClaimgridError(f"None of the required claims is one of {', '.join(unasked)}.", "", Exit.NOT_RUN)
    verdicts: list[Verdict] = []
    failures: dict[str, str] = {}
    # One after another: builds that are measured together would also meet each other, which nobody asked for here.
    for build in builds:
        result, failed = _measured(build, claims, place.absolute())
        failures |= failed
        if result is not None:
            answers = _answers(result)
            click.echo("\n".join(answer.sentence for answer in answers))
            if annotated:
                annotate("claimgrid check", answers)
            verdicts += [claim.verdict for claim in result.claims.values()]
    if failures:
        raise ClaimgridError("; ".join(f"{job}: {why}" for job, why in failures.items()), "", Exit.NOT_RUN)
    if any(verdict not in (Verdict.SAFE, Verdict.INDETERMINATE, Verdict.NOT_RUN) for verdict in verdicts):
        return Exit.FINDINGS
    if all(verdict is Verdict.SAFE for verdict in verdicts):
        return Exit.DONE
    # Nothing was found against it, and nothing proved: that is another thing than a call that lets two win.
    tell(
        "Nothing was proved, and nothing found against it. Contenders may not meet on a machine that is busy: run it again."
    )
    return Exit.NOT_RUN


def _measured(build: Build, claims: list[Claim], place: Path) -> tuple[BuildResult | None, dict[str, str]]:
    """What a build's own claims among these are worth there, and why some could not be measured."""
    with scratch("check") as folder:
        budget = _SECONDS * len(claims)
        wanted = Wanted([build], claims, [place], folder / "results", 0, race_seconds=budget)
        ends = time.monotonic() + budget
        outcome = run(wanted, Watcher())
        # On a busy machine contenders may not meet at first.
        while (
            not outcome.interrupted and not outcome.failures and _is_open(outcome.results) and time.monotonic() < ends
        ):
            left = max(1.0, ends - time.monotonic())
            outcome = run(replace(wanted, race_seconds=left, again=True), Watcher())
    if outcome.interrupted:
        raise KeyboardInterrupt
    return next(iter(outcome.results), None), outcome.failures


def _is_open(results: Sequence[BuildResult]) -> bool:
    """Whether a race told nothing that the verdict had to do with."""
    return any(
        told_nothing(claim.raced) and claim.verdict is Verdict.INDETERMINATE
        for result in results
        for claim in result.claims.values()
    )


def _answers(result: BuildResult) -> list[Finding]:
    environment = result.environment
    where = f"{result.runtime}@{result.version} on {environment.platform}, {environment.filesystem}"
    return [
        Finding(
            claim.verdict is Verdict.SAFE,
            f"{_ANSWERS.get(claim.verdict, 'not proved')}: {claim_id} in {where}: "
            f"{sentences.reason(claim.judgement.reason, claim.kind, 'en')}",
        )
        for claim_id, claim in result.claims.items()
    ]


_ANSWERS = {
    Verdict.SAFE: "exclusive",
    Verdict.UNSAFE: "not exclusive",
    Verdict.RACY: "not exclusive",
    Verdict.CONDITIONAL: "exclusive with exceptions",
    Verdict.UNSUPPORTED: "not there",
}
