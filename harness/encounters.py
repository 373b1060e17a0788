"""Encounters: what was measured of claims of two builds on one name, and the files of pairs beside the results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.environment import Environment
from harness.errors import ClaimgridError
from harness.files import json_files, write_whole
from harness.judge import Case, Raced
from harness.layout import by_line
from harness.results import (
    SCHEMA,
    case_from_dict,
    case_to_dict,
    environment_from_dict,
    environment_to_dict,
    read_content,
)
from harness.schema import PAIRS
from harness.strict import checker, load
from harness.vocabulary import RaceOutcome, Verdict


@dataclass(frozen=True, slots=True)
class Encounter:
    """One claim of each side: what each made of the other's product, and their race."""

    first: str
    second: str
    over_first: Case
    over_second: Case
    raced: Raced
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Meeting:
    """All encounters of two builds on one platform and filesystem; `first` and `second` are runtime and version."""

    environment: Environment
    first: tuple[str, str]
    second: tuple[str, str]
    encounters: tuple[Encounter, ...]

    @property
    def path(self) -> Path:
        """Where it is kept, relative to the results folder."""
        name = "--".join(f"{runtime}-{version}" for runtime, version in (self.first, self.second))
        return Path(f"{self.environment.platform}-{self.environment.filesystem}") / "pairs" / f"{name}.json"


def write_meeting(meeting: Meeting, folder: Path) -> Path:
    """Put the file where it belongs below the results folder; it appears whole. Raises ClaimgridError."""
    path = folder / meeting.path
    write_whole(path, to_text(meeting))
    return path


def to_text(meeting: Meeting) -> str:
    """The file as text, with a line for every pair."""
    head = {
        "schema": SCHEMA,
        "environment": environment_to_dict(meeting.environment),
        "first": dict(zip(("name", "version"), meeting.first, strict=True)),
        "second": dict(zip(("name", "version"), meeting.second, strict=True)),
    }
    encounters = sorted(meeting.encounters, key=lambda each: (each.first, each.second))
    return by_line(head, "pairs", [_encounter_to_dict(each) for each in encounters])


def read_meetings(folders: Iterable[Path]) -> list[Meeting]:
    """All of them below these folders, in order of their paths. Raises ClaimgridError, naming a file that is broken."""
    return [read_meeting(path) for folder in folders for path in json_files(folder, "pairs")]


def read_meeting(path: Path) -> Meeting:
    """One file of pairs, which has to lie where its content says. Raises ClaimgridError."""
    try:
        meeting = _checked(load(read_content(path)))
        if path.parts[-3:] != meeting.path.parts:
            raise ValueError(f"its content belongs into {meeting.path.as_posix()}")
    except FileNotFoundError as error:
        raise ClaimgridError(f"There is no file {path}.") from error
    except ValueError as error:
        raise ClaimgridError(f"{path} is not a file of pairs: {error}.", "Measure it again, or remove it.") from error
    return meeting


_CHECK = checker(PAIRS, PAIRS)


def _checked(data: Any) -> Meeting:
    """Raises ValueError."""
    if faults := _CHECK(data):
        raise ValueError(str(faults[0]))
    return meeting_from_dict(data)


def meeting_from_dict(data: Any) -> Meeting:
    """What a file of pairs says that keeps to the schema."""
    first, second = data["first"], data["second"]
    return Meeting(
        environment_from_dict(data["environment"]),
        (str(first["name"]), str(first["version"])),
        (str(second["name"]), str(second["version"])),
        tuple(_encounter_from_dict(each) for each in data["pairs"]),
    )


def _encounter_to_dict(encounter: Encounter) -> dict[str, Any]:
    raced = encounter.raced
    return {
        "first": encounter.first,
        "second": encounter.second,
        "over-first": case_to_dict(encounter.over_first),
        "over-second": case_to_dict(encounter.over_second),
        "race": {"outcome": raced.outcome.value, **({"reason": raced.reason} if raced.reason else {})},
        "verdict": encounter.verdict.value,
    }


def _encounter_from_dict(data: Any) -> Encounter:
    race = data["race"]
    return Encounter(
        str(data["first"]),
        str(data["second"]),
        case_from_dict(data["over-first"]),
        case_from_dict(data["over-second"]),
        Raced(RaceOutcome(race["outcome"]), str(race.get("reason", "")), unexplored=""),
        Verdict(data["verdict"]),
    )
