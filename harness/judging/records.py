"""What was judged of recipes, as it is kept: a file for every build beside its results, `recipes/<runtime>-<version>.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness import __version__
from harness.environment import Environment
from harness.errors import ClaimgridError
from harness.files import json_files, write_whole
from harness.layout import by_line, compact
from harness.promises import Act, Finding, Judged, Promise, Standing, Step, Trial
from harness.results import SCHEMA, environment_from_dict, environment_to_dict, leads_nowhere, read_content
from harness.schema import RECIPES
from harness.strict import checker, load


@dataclass(frozen=True, slots=True)
class Record:
    """One recipe as it was judged; `judged` has those promises that it makes. `library` is name and version of what it drives.

    With an `obstacle`, a sentence, it could not be judged at all.
    """

    kind: str
    code: str
    digest: str
    title: Mapping[str, str]
    judged: tuple[Judged, ...] = ()
    advice: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    library: str = ""
    obstacle: str = ""

    def standing(self, promise: Promise) -> Standing:
        """How a promise stands."""
        return next((each.standing for each in self.judged if each.promise is promise), Standing.NOT_PROMISED)


@dataclass(frozen=True, slots=True)
class Records:
    """All recipes that were judged with one build on one platform and filesystem, by id."""

    environment: Environment
    runtime: str
    version: str
    recipes: Mapping[str, Record]
    harness: str = __version__

    @property
    def path(self) -> Path:
        """Where it is kept, relative to the results folder."""
        place = f"{self.environment.platform}-{self.environment.filesystem}"
        return Path(place) / "recipes" / f"{self.runtime}-{self.version}.json"


def promises_made(records: Iterable[Record]) -> list[Promise]:
    """The promises that any of these makes, in the order of the list."""
    made = {each.promise for record in records for each in record.judged if each.standing is not Standing.NOT_PROMISED}
    return [promise for promise in Promise if promise in made]


def merge_records(all_records: Iterable[Records]) -> list[Records]:
    """Every build once, in order of their paths: recipe by recipe and promise by promise the worse; the same for any order."""
    merged: dict[Path, Records] = {}
    for each in all_records:
        known = merged.get(each.path)
        merged[each.path] = each if known is None else _worse(known, each)
    return [merged[path] for path in sorted(merged)]


def _worse(one: Records, other: Records) -> Records:
    recipes = {**one.recipes, **other.recipes}
    for name in one.recipes.keys() & other.recipes.keys():
        recipes[name] = _worse_record(one.recipes[name], other.recipes[name])
    newer = max(one, other, key=lambda each: (each.harness, each.environment.os))
    privileged = one.environment.privileged and other.environment.privileged
    return replace(
        newer,
        environment=replace(newer.environment, privileged=privileged),
        recipes=MappingProxyType(dict(sorted(recipes.items()))),
    )


def _worse_record(one: Record, other: Record) -> Record:
    """What a recipe could not be judged for counts only where nobody could judge it."""
    if bool(one.judged) != bool(other.judged):
        return one if one.judged else other
    chosen = max(one, other, key=_record_key)
    promises = {each.promise: each for each in one.judged}
    for each in other.judged:
        promises[each.promise] = max(promises.get(each.promise, each), each, key=_judged_key)
    return replace(chosen, judged=tuple(promises[promise] for promise in Promise if promise in promises))


def _record_key(record: Record) -> tuple[str, ...]:
    return (
        record.digest,
        record.code,
        record.kind,
        record.library,
        record.obstacle,
        *_flat(record.title, record.advice),
    )


def _flat(*texts: Mapping[str, str]) -> list[str]:
    return [f"{lang} {text}" for each in texts for lang, text in sorted(each.items())]


def _judged_key(judged: Judged) -> tuple[int, int, str]:
    """The worse standing; of the same the shorter proof."""
    trial = judged.broken_by
    return judged.standing.badness, -(len(trial.steps) if trial else 0), compact(_judged_to_dict(judged))


# ---- Files


def write_records(records: Records, folder: Path) -> Path:
    """Put the file where it belongs below the results folder; it appears whole. Raises ClaimgridError."""
    path = folder / records.path
    write_whole(path, to_text(records))
    return path


def to_text(records: Records) -> str:
    """The file as text, with a line for every recipe."""
    head = {
        "schema": SCHEMA,
        "environment": environment_to_dict(records.environment),
        "runtime": {"name": records.runtime, "version": records.version},
        "harness": {"version": records.harness},
    }
    return by_line(head, "recipes", {name: _to_dict(each) for name, each in sorted(records.recipes.items())})


def read_records(folders: Iterable[Path]) -> list[Records]:
    """All below these results folders, every build once. Raises ClaimgridError, naming a file that is broken."""
    return merge_records(_found(path) for folder in folders for path in json_files(folder, "recipes"))


def _found(path: Path) -> Records:
    try:
        return read_file(path)
    except FileNotFoundError as error:
        raise leads_nowhere(path) from error


def read_file(path: Path) -> Records:
    """One file, which has to lie where its content says. Raises ClaimgridError; FileNotFoundError."""
    try:
        data = load(read_content(path))
        if faults := _CHECK(data):
            raise ValueError(str(faults[0]))
        records = records_from_dict(data)
        if path.parts[-3:] != records.path.parts:
            raise ValueError(f"its content belongs into {records.path.as_posix()}")
    except ValueError as error:
        raise ClaimgridError(
            f"{path} is not a file of judged recipes: {error}.", "Judge them again, or remove it."
        ) from error
    return records


_CHECK = checker(RECIPES, RECIPES)


def records_from_dict(data: Any) -> Records:
    """What a file says that keeps to the schema."""
    return Records(
        environment_from_dict(data["environment"]),
        data["runtime"]["name"],
        data["runtime"]["version"],
        MappingProxyType({name: _from_dict(each) for name, each in data["recipes"].items()}),
        data["harness"]["version"],
    )


def _to_dict(record: Record) -> dict[str, Any]:
    return {
        "kind": record.kind,
        "title": dict(record.title),
        **({"advice": dict(record.advice)} if record.advice else {}),
        "code": record.code,
        "digest": record.digest,
        **({"library": record.library} if record.library else {}),
        **({"obstacle": record.obstacle} if record.obstacle else {}),
        "promises": {each.promise.value: _judged_to_dict(each) for each in record.judged},
    }


def _from_dict(data: Any) -> Record:
    return Record(
        data["kind"],
        data["code"],
        data["digest"],
        data["title"],
        tuple(_judged_from_dict(Promise(name), each) for name, each in data["promises"].items()),
        data.get("advice", {}),
        data.get("library", ""),
        data.get("obstacle", ""),
    )


def _judged_to_dict(judged: Judged) -> dict[str, Any]:
    trial = judged.broken_by
    finding = trial.breaks(judged.promise) if trial else None
    return {
        "standing": judged.standing.value,
        "explored": judged.explored,
        **({"obstacles": list(judged.obstacles)} if judged.obstacles else {}),
        **({"how": finding.how, "schedule": trial.schedule} if trial and finding else {}),
        **({"also": [{"how": how, "schedule": schedule} for how, schedule in judged.also]} if judged.also else {}),
        **({"steps": [_step_to_dict(step) for step in trial.steps]} if trial else {}),
    }


def _judged_from_dict(promise: Promise, data: Any) -> Judged:
    trial = None
    if "schedule" in data:
        steps = tuple(
            Step(step["actor"], Act(step["act"]), tuple(step.get("calls", ())), step.get("detail", ""))
            for step in data.get("steps", ())
        )
        trial = Trial(data["schedule"], steps, (Finding(promise, data.get("how", "")),))
    also = tuple((way["how"], way["schedule"]) for way in data.get("also", ()))
    return Judged(promise, Standing(data["standing"]), data["explored"], trial, tuple(data.get("obstacles", ())), also)


def _step_to_dict(step: Step) -> dict[str, Any]:
    return {
        "actor": step.actor,
        "act": step.act.value,
        **({"calls": list(step.calls)} if step.calls else {}),
        **({"detail": step.detail} if step.detail else {}),
    }
