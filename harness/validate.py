"""Validation: every place in which a file of results, evidence, pairs or recipes is broken, not just the first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from harness import __version__
from harness.encounters import meeting_from_dict
from harness.errors import ClaimgridError
from harness.judge import judge_claim
from harness.judging.records import Records, records_from_dict
from harness.promises import Standing
from harness.results import BuildResult, from_dict, leads_nowhere, read_content
from harness.schema import SCHEMAS
from harness.strict import Fault, checker, load, shown

_CHECKS = {name: checker(schema, schema) for name, schema in SCHEMAS.items()}


def files_below(path: Path) -> list[Path]:
    """The file itself, or every JSON file in a folder, in order. Raises ClaimgridError where there is neither."""
    if not path.exists():
        raise ClaimgridError(f"There is no {path}.", "Name files or folders of results.")
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for folder, folders, names in os.walk(path, onerror=_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        # A directory of such a name is no file, and is told to be none.
        found += [
            Path(folder, name) for name in (*names, *folders) if name.endswith(".json") and not name.startswith(".")
        ]
    found.sort()
    if not found:
        raise ClaimgridError(f"There are no JSON files in {path}.", "`claimgrid run` makes results.")
    return found


def _unreadable(error: OSError) -> None:
    raise ClaimgridError(
        f"{error.filename} cannot be read: {error.strerror}.", "Give yourself leave to read it, or name another folder."
    )


def faults_of(path: Path) -> Sequence[Fault | str]:
    """What is wrong with a file, in order; nothing for a good one."""
    try:
        return faults_in(read_content(path), path.absolute())
    except ClaimgridError as error:
        return [str(error)]
    except FileNotFoundError:
        return [str(leads_nowhere(path))]


def faults_in(content: bytes, path: PurePath) -> Sequence[Fault | str]:
    """The same for the content of a file that lies at `path`."""
    try:
        data = load(content)
    except ValueError as error:
        return [str(error)]
    kind = kind_of(data, path)
    return _CHECKS[kind](data) or list(_contradictions(kind, data, path))


def kind_of(data: Any, path: PurePath) -> str:
    """Which of the schemas a file has to fit: by where it lies, or else by what it has."""
    if path.parts[-3:-2] == ("evidence",):
        return "evidence"
    if path.parent.name == "recipes" or (isinstance(data, dict) and "recipes" in data):
        return "recipes"
    if path.parent.name == "pairs" or (isinstance(data, dict) and "pairs" in data):
        return "pairs"
    return "results"


def _contradictions(kind: str, data: Any, path: PurePath) -> Iterator[Fault | str]:
    """What each part of a file may say, but not both, or not there."""
    if kind == "evidence":
        return
    if kind == "pairs":
        meeting = meeting_from_dict(data)
        belongs = meeting.path.parts
        for number, pair in enumerate(meeting.encounters):
            yield from _strangers(f".pairs[{number}].first", [pair.first], meeting.first[0])
            yield from _strangers(f".pairs[{number}].second", [pair.second], meeting.second[0])
    elif kind == "recipes":
        records = records_from_dict(data)
        belongs = records.path.parts
        yield from _strangers(".recipes", records.recipes, records.runtime)
        yield from _unproved(records)
    else:
        result = from_dict(data)
        belongs = result.path.parts
        yield from _praised(result)
        yield from _strangers(".claims", data["claims"], data["runtime"]["name"])
    if path.parts[-len(belongs) :] != belongs:
        yield f"its content belongs into {'/'.join(belongs)}"


def _praised(result: BuildResult) -> Iterator[Fault]:
    """Claims with a better verdict than their own cases allow; other versions of the harness may have judged otherwise."""
    if result.harness != __version__:
        return
    for claim_id, claim in result.claims.items():
        earned = judge_claim(claim.kind, claim.cases, result.controls, claim.raced, claim.mechanism).verdict
        if earned.badness > claim.verdict.badness:
            yield Fault(f".claims[{shown(claim_id)}].verdict", f"{claim.verdict}, but its cases come to {earned}")


def _unproved(records: Records) -> Iterator[Fault]:
    """Promises that are said to be broken without a schedule that breaks them, or the other way round."""
    for recipe_id, record in records.recipes.items():
        for each in record.judged:
            if (each.standing is Standing.BROKEN) != (each.broken_by is not None):
                yield Fault(
                    f".recipes[{shown(recipe_id)}].promises.{each.promise}", f"{each.standing}, and its schedule"
                )


def _strangers(at: str, claim_ids: Iterable[str], runtime: str) -> Iterator[Fault]:
    for claim_id in claim_ids:
        if not claim_id.startswith(f"{runtime}:"):
            yield Fault(at, f"{shown(claim_id)} is no claim of {runtime}")
