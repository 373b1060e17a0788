"""Results files: one per build, platform and filesystem, the same bytes for the same outcome, whole or not there at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness import __version__
from harness.environment import Environment
from harness.errors import ClaimgridError
from harness.files import write_whole
from harness.judge import NOT_RACED, Case, Controls, Judgement, Raced, Reason
from harness.vocabulary import Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """One claim in one build: what ran, what happened, what it is worth."""

    kind: Kind
    code: str
    digest: str
    judgement: Judgement
    cases: Mapping[Occupant, Case]
    raced: Raced = NOT_RACED
    mechanism: str | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict alone."""
        return self.judgement.verdict


@dataclass(frozen=True, slots=True)
class BuildResult:
    """Everything measured of one build on one platform and filesystem; `catalogue` identifies the probe and claims that ran."""

    environment: Environment
    runtime: str
    version: str
    source: str
    catalogue: str
    controls: Controls
    claims: Mapping[str, ClaimResult] = field(default_factory=lambda: MappingProxyType({}))
    harness: str = __version__

    @property
    def path(self) -> Path:
        """Where it is kept, relative to the results folder."""
        return (
            Path(f"{self.environment.platform}-{self.environment.filesystem}") / f"{self.runtime}-{self.version}.json"
        )


def to_dict(result: BuildResult) -> dict[str, Any]:
    """The shape of a results file."""
    return {
        "schema": SCHEMA,
        "environment": {
            "platform": result.environment.platform,
            "filesystem": result.environment.filesystem,
            "os": result.environment.os,
            "privileged": result.environment.privileged,
        },
        "runtime": {"name": result.runtime, "version": result.version, "source": result.source},
        "harness": {"version": result.harness, "catalogue": result.catalogue},
        "controls": {
            "free-name-won": result.controls.free_name_won,
            "overwrite-seen": result.controls.overwrite_seen,
            "race-caught": result.controls.race_caught,
        },
        "claims": {claim_id: claim_to_dict(claim) for claim_id, claim in sorted(result.claims.items())},
    }


def from_dict(data: Any) -> BuildResult:
    """The other way round. Raises ValueError, KeyError or TypeError for anything of another shape."""
    if data["schema"] != SCHEMA:
        raise ValueError(f"schema {data['schema']!r} is not {SCHEMA}")
    environment, runtime, controls = data["environment"], data["runtime"], data["controls"]
    return BuildResult(
        environment=Environment(
            _text(environment["platform"]),
            _text(environment["filesystem"]),
            _text(environment["os"]),
            bool(environment["privileged"]),
        ),
        runtime=_text(runtime["name"]),
        version=_text(runtime["version"]),
        source=_text(runtime["source"]),
        catalogue=_text(data["harness"]["catalogue"]),
        harness=_text(data["harness"]["version"]),
        controls=Controls(controls["free-name-won"], controls["overwrite-seen"], controls["race-caught"]),
        claims=MappingProxyType(
            {_text(claim_id): claim_from_dict(claim) for claim_id, claim in data["claims"].items()}
        ),
    )


def claim_to_dict(claim: ClaimResult) -> dict[str, Any]:
    """One entry of `claims`."""
    return {
        "kind": claim.kind.value,
        "code": claim.code,
        "digest": claim.digest,
        "verdict": claim.verdict.value,
        "reason": _reason_to_dict(claim.judgement.reason),
        "cases": {occupant.value: _case_to_dict(case) for occupant, case in claim.cases.items()},
        "race": _raced_to_dict(claim.raced),
        "mechanism": claim.mechanism,
    }


def claim_from_dict(data: Any) -> ClaimResult:
    """Raises ValueError, KeyError or TypeError for anything of another shape."""
    return ClaimResult(
        kind=Kind(data["kind"]),
        code=_text(data["code"]),
        digest=_text(data["digest"]),
        judgement=Judgement(Verdict(data["verdict"]), _reason_from_dict(data["reason"])),
        cases=MappingProxyType({Occupant(name): _case_from_dict(case) for name, case in data["cases"].items()}),
        raced=_raced_from_dict(data["race"]),
        mechanism=None if data["mechanism"] is None else _text(data["mechanism"]),
    )


def write(result: BuildResult, folder: Path) -> Path:
    """Put the file where it belongs below `folder`; it appears whole. Raises ClaimgridError."""
    path = folder / result.path
    write_whole(path, to_text(result))
    return path


def to_text(result: BuildResult) -> str:
    """The file as text: a line for every claim, so that a changed verdict is a changed line."""
    data = to_dict(result)
    claims = data.pop("claims")
    head = ",\n".join(f"{_json(key)}:{_json(value)}" for key, value in data.items())
    lines = ",\n".join(f"{_json(claim_id)}:{_json(claim)}" for claim_id, claim in claims.items())
    return f'{{{head},\n"claims":{{\n{lines}\n}}}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(path: Path) -> BuildResult:
    """Raises ClaimgridError, naming the file and what is wrong in it."""
    try:
        return from_dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ClaimgridError(f"{path} cannot be read: {error.strerror}.") from error
    except KeyError as error:
        raise ClaimgridError(
            f"{path} is not a results file: {error} is missing.", "Measure it again, or remove it."
        ) from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ClaimgridError(f"{path} is not a results file: {error}.", "Measure it again, or remove it.") from error


def read_folder(folder: Path) -> list[BuildResult]:
    """All results below a folder, in order of their paths. Raises ClaimgridError for a broken file or a folder without any."""
    if not folder.is_dir():
        raise ClaimgridError(
            f"There is no folder {folder}.", "`claimgrid run` makes results; --results names another folder."
        )
    return [read(path) for path in sorted(folder.glob("*/*.json"))]


def overlay(old: BuildResult | None, new: BuildResult, catalogue: Iterable[tuple[str, str]]) -> BuildResult:
    """A new measurement over an older one of the same build: claims that were not measured again stay.

    They stay only while `catalogue`, pairs of id and digest, still has them as they were measured.
    """
    if old is None or old.controls.hold is False:
        return new
    current = set(catalogue)
    kept = {claim_id: claim for claim_id, claim in old.claims.items() if (claim_id, claim.digest) in current}
    return replace(new, claims=MappingProxyType({**kept, **new.claims}))


def _reason_to_dict(reason: Reason) -> dict[str, Any]:
    return {
        "code": reason.code,
        **({"occupants": [occupant.value for occupant in reason.occupants]} if reason.occupants else {}),
        **({"outcome": reason.outcome.value} if reason.outcome else {}),
        **({"detail": reason.detail.value} if reason.detail else {}),
        **({"text": reason.text} if reason.text else {}),
    }


def _reason_from_dict(data: Any) -> Reason:
    return Reason(
        _text(data["code"]),
        tuple(Occupant(name) for name in data.get("occupants", ())),
        Outcome(data["outcome"]) if "outcome" in data else None,
        Detail(data["detail"]) if "detail" in data else None,
        _text(data.get("text", "")),
    )


def _raced_to_dict(raced: Raced) -> dict[str, Any]:
    return {
        "outcome": raced.outcome.value,
        **({"reason": raced.reason} if raced.reason else {}),
        "explored": raced.explored.value,
        **({"unexplored": raced.unexplored} if raced.unexplored else {}),
        **({"pause": raced.pause} if raced.pause else {}),
    }


def _raced_from_dict(data: Any) -> Raced:
    return Raced(
        RaceOutcome(data["outcome"]),
        _text(data.get("reason", "")),
        RaceOutcome(data.get("explored", "not-run")),
        _text(data.get("unexplored", "" if "explored" in data else "not-asked")),
        _text(data.get("pause", "")),
    )


def _case_to_dict(case: Case) -> dict[str, Any]:
    return {
        "outcome": case.outcome.value,
        **({"detail": case.detail.value} if case.detail else {}),
        **({"error": case.error} if case.error else {}),
        **({"code": case.code} if case.code else {}),
        **({"recognised": False} if not case.recognised else {}),
        **({"reason": case.reason} if case.reason else {}),
    }


def _case_from_dict(data: Any) -> Case:
    return Case(
        Outcome(data["outcome"]),
        Detail(data["detail"]) if "detail" in data else None,
        _text(data.get("error", "")),
        _text(data.get("code", "")),
        data.get("recognised", True) is not False,
        _text(data.get("reason", "")),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value
