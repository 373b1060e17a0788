"""Results files: one per build, platform and filesystem, the same bytes for the same outcome, whole or not there at all."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from harness import __version__
from harness.environment import Environment
from harness.errors import ClaimgridError
from harness.files import json_files, write_whole
from harness.judge import NOT_RACED, Case, Controls, Judgement, Raced, Reason, judge_claim
from harness.layout import by_line
from harness.schema import RESULTS
from harness.strict import MAX_BYTES, checker, load, load_text, shown
from harness.versions import sort_key
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
        return path_of(self.environment, self.runtime, self.version)

    @property
    def group(self) -> tuple[str, str, str]:
        """Platform, filesystem and runtime: results of one group differ in their versions."""
        return self.environment.platform, self.environment.filesystem, self.runtime


def path_of(environment: Environment, runtime: str, version: str) -> Path:
    """Where the results of a build are kept, relative to the results folder."""
    return Path(f"{environment.platform}-{environment.filesystem}") / f"{runtime}-{version}.json"


def by_group(results: Iterable[BuildResult]) -> list[BuildResult]:
    """The results group by group, in each the oldest version first; the same for any order."""
    return sorted(results, key=lambda each: (*each.group, sort_key(each.version)))


def to_dict(result: BuildResult) -> dict[str, Any]:
    """The shape of a results file."""
    return {
        "schema": SCHEMA,
        "environment": environment_to_dict(result.environment),
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
    runtime, controls = data["runtime"], data["controls"]
    return BuildResult(
        environment=environment_from_dict(data["environment"]),
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


def environment_to_dict(environment: Environment) -> dict[str, Any]:
    """The shape of an environment."""
    return {
        "platform": environment.platform,
        "filesystem": environment.filesystem,
        "os": environment.os,
        "privileged": environment.privileged,
    }


def environment_from_dict(data: Any) -> Environment:
    """Raises ValueError, KeyError or TypeError for anything of another shape."""
    return Environment(_text(data["platform"]), _text(data["filesystem"]), _text(data["os"]), bool(data["privileged"]))


def claim_to_dict(claim: ClaimResult) -> dict[str, Any]:
    """One entry of `claims`."""
    return {
        "kind": claim.kind.value,
        "code": claim.code,
        "digest": claim.digest,
        "verdict": claim.verdict.value,
        "reason": reason_to_dict(claim.judgement.reason),
        "cases": {occupant.value: case_to_dict(case) for occupant, case in claim.cases.items()},
        "race": raced_to_dict(claim.raced),
        "mechanism": claim.mechanism,
    }


def claim_from_dict(data: Any) -> ClaimResult:
    """Raises ValueError, KeyError or TypeError for anything of another shape."""
    return ClaimResult(
        kind=Kind(data["kind"]),
        code=_text(data["code"]),
        digest=_text(data["digest"]),
        judgement=Judgement(Verdict(data["verdict"]), reason_from_dict(data["reason"])),
        cases=MappingProxyType({Occupant(name): case_from_dict(case) for name, case in data["cases"].items()}),
        raced=raced_from_dict(data["race"]),
        mechanism=None if data["mechanism"] is None else _text(data["mechanism"]),
    )


def write(result: BuildResult, folder: Path) -> Path:
    """Put the file where it belongs below `folder`; it appears whole. Raises ClaimgridError."""
    path = folder / result.path
    write_whole(path, to_text(result))
    return path


def to_text(result: BuildResult) -> str:
    """The file as text, with a line for every claim."""
    data = to_dict(result)
    claims = data.pop("claims")
    return by_line(data, "claims", claims)


def read(path: Path, known: dict[str, tuple[str, ClaimResult]] | None = None) -> BuildResult:
    """A file that may come from anywhere. Raises ClaimgridError with its name, the place in it and what is wrong; FileNotFoundError.

    `known` keeps what lines mean from one file to the next: neighbouring versions have most of them in common.
    """
    return parse(read_content(path), path, known)


def read_content(path: Path) -> bytes:
    """The bytes of a file, a few more than may be if there are too many. Raises ClaimgridError; FileNotFoundError."""
    try:
        # A pipe would keep us waiting, and a file of any size would fill our memory.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ClaimgridError(f"{path} is not a file.", "Remove it.")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ClaimgridError(f"{path} cannot be read: {error.strerror}.") from error


def parse(content: bytes, path: PurePath, known: dict[str, tuple[str, ClaimResult]] | None = None) -> BuildResult:
    """What a file says that lies at `path`; its folder and name have to say the same. Raises ClaimgridError."""
    try:
        result = _parsed(content, {} if known is None else known)
        if path.parts[-2:] != result.path.parts:
            raise ValueError(f"its content belongs into {result.path.as_posix()}")
    except ValueError as error:
        raise ClaimgridError(f"{path} is not a results file: {error}.", "Measure it again, or remove it.") from error
    return result


def _parsed(content: bytes, known: dict[str, tuple[str, ClaimResult]]) -> BuildResult:
    """Raises ValueError."""
    result = _by_line(content, known)
    if result is None:
        data = load(content)
        found = _CHECK(data)
        if found:
            raise ValueError(f"{found[0]}{f', and {len(found) - 1} faults more' if found[1:] else ''}")
        result = from_dict(data)
        result = replace(
            result, claims=MappingProxyType({claim_id: _believed(claim) for claim_id, claim in result.claims.items()})
        )
    for claim_id in result.claims:
        if not claim_id.startswith(f"{result.runtime}:"):
            raise ValueError(f"$.claims: {shown(claim_id)} is no claim of {result.runtime}")
    return result


def _by_line(content: bytes, known: dict[str, tuple[str, ClaimResult]]) -> BuildResult | None:
    """A file with the lines that `to_text` gives it; None for one that is laid out otherwise, or broken.

    JSON has no line break inside a string. So where every piece is an entry by itself, the whole is the object of all entries.
    """
    head, opened, rest = content.partition(_OPENING)
    body = rest.removesuffix(_CLOSING)
    if not opened or body == rest or len(content) > MAX_BYTES:
        return None
    claims: dict[str, ClaimResult] = {}
    try:
        data = load(head + _OPENING + _CLOSING)
        for line in body.decode("utf-8").split(",\n"):
            entry = known.get(line)
            if entry is None:
                ((claim_id, claim),) = load_text(f"{{{line}}}").items()
                if _CHECK_CLAIMS({claim_id: claim}):
                    return None
                entry = known[line] = (claim_id, _believed(claim_from_dict(claim)))
            claims[entry[0]] = entry[1]
    except ValueError:
        return None
    if _CHECK(data) or len(claims) <= body.count(b",\n"):
        return None
    return replace(from_dict(data), claims=MappingProxyType(claims))


def _believed(claim: ClaimResult) -> ClaimResult:
    """The claim, no better than what its own cases and race show: whoever wrote the file may be mistaken, or lie."""
    harmed = any(case.outcome.harmful for case in claim.cases.values())
    doubled = RaceOutcome.TWO_WINNERS in (claim.raced.outcome, claim.raced.explored)
    if claim.verdict in (Verdict.UNSAFE, Verdict.RACY) or not (harmed or doubled):
        return claim
    shown = judge_claim(claim.kind, claim.cases, Controls(True, True), claim.raced, claim.mechanism)
    worse = shown.verdict in (Verdict.UNSAFE, Verdict.RACY)
    return replace(claim, judgement=shown) if worse else claim


_OPENING, _CLOSING = b'\n"claims":{\n', b"\n}}\n"
_CHECK = checker(RESULTS, RESULTS)
_CHECK_CLAIMS = checker(RESULTS["properties"]["claims"], RESULTS)


def read_folder(folder: Path, skip: Callable[[ClaimgridError], None] | None = None) -> list[BuildResult]:
    """All results below a folder, in order of their paths. Raises ClaimgridError for a folder that is not there or a broken file.

    With `skip` broken files are told to it and left out.
    """
    return [result for _, result in read_sources(folder, skip, {})]


def read_sources(
    folder: Path, skip: Callable[[ClaimgridError], None] | None, known: dict[str, tuple[str, ClaimResult]]
) -> list[tuple[str, BuildResult]]:
    """The same, with the path of each; `known` as for `read`."""
    if not folder.is_dir():
        raise ClaimgridError(
            f"There is no folder {folder}.", "`claimgrid run` makes results; --results names another folder."
        )
    found = []
    for path in json_files(folder, skip=skip):
        try:
            found.append((path.as_posix(), read(path, known)))
        except (ClaimgridError, FileNotFoundError) as error:
            told = error if isinstance(error, ClaimgridError) else leads_nowhere(path)
            if skip is None:
                raise unless_skipped(told) from error
            skip(told)
    return found


def leads_nowhere(path: Path) -> ClaimgridError:
    """What is said of a file that was listed and is not there: a link to nowhere, as a rule."""
    return ClaimgridError(f"{path} leads nowhere.", "Remove it.")


def unless_skipped(error: ClaimgridError) -> ClaimgridError:
    """The error with the option that would have gone on without the file."""
    return ClaimgridError(error.message, f"{error.hint} --keep-going leaves broken files out.".strip(), error.code)


def overlay(
    old: BuildResult | None, new: BuildResult, catalogue: Iterable[tuple[str, str]], *, keep_races: bool = True
) -> BuildResult:
    """A new measurement over an older one of the same build: claims that were not measured again stay.

    They stay, and so do the races of those that were, only while `catalogue`, pairs of id and digest, still has them as they were measured.
    """
    if old is None or old.controls.hold is False:
        return new
    current = set(catalogue)
    kept = {claim_id: claim for claim_id, claim in old.claims.items() if (claim_id, claim.digest) in current}
    fresh = {
        claim_id: _with_race_of(kept.get(claim_id), claim, new.controls) if keep_races else claim
        for claim_id, claim in new.claims.items()
    }
    controls = new.controls
    if controls.race_caught is None:
        controls = replace(controls, race_caught=old.controls.race_caught)
    return replace(new, claims=MappingProxyType({**kept, **fresh}), controls=controls)


def _with_race_of(old: ClaimResult | None, new: ClaimResult, controls: Controls) -> ClaimResult:
    """A claim measured again without being raced again: what its older race showed still holds."""
    if old is None or old.digest != new.digest or new.raced != NOT_RACED or old.raced == NOT_RACED:
        return new
    judgement = judge_claim(new.kind, new.cases, controls, old.raced, old.mechanism)
    return replace(new, judgement=judgement, raced=old.raced, mechanism=old.mechanism)


def reason_to_dict(reason: Reason) -> dict[str, Any]:
    """The shape of a reason."""
    return {
        "code": reason.code,
        **({"occupants": [occupant.value for occupant in reason.occupants]} if reason.occupants else {}),
        **({"outcome": reason.outcome.value} if reason.outcome else {}),
        **({"detail": reason.detail.value} if reason.detail else {}),
        **({"text": reason.text} if reason.text else {}),
    }


def reason_from_dict(data: Any) -> Reason:
    """Raises ValueError, KeyError or TypeError for anything of another shape."""
    return Reason(
        _text(data["code"]),
        tuple(Occupant(name) for name in data.get("occupants", ())),
        Outcome(data["outcome"]) if "outcome" in data else None,
        Detail(data["detail"]) if "detail" in data else None,
        _text(data.get("text", "")),
    )


def raced_to_dict(raced: Raced) -> dict[str, Any]:
    """The shape of a race."""
    return {
        "outcome": raced.outcome.value,
        **({"reason": raced.reason} if raced.reason else {}),
        "explored": raced.explored.value,
        **({"unexplored": raced.unexplored} if raced.unexplored else {}),
        **({"pause": raced.pause} if raced.pause else {}),
    }


def raced_from_dict(data: Any) -> Raced:
    """Raises ValueError, KeyError or TypeError for anything of another shape."""
    return Raced(
        RaceOutcome(data["outcome"]),
        _text(data.get("reason", "")),
        RaceOutcome(data.get("explored", "not-run")),
        _text(data.get("unexplored", "" if "explored" in data else "not-asked")),
        _text(data.get("pause", "")),
    )


def case_to_dict(case: Case) -> dict[str, Any]:
    """One entry of `cases`."""
    return {
        "outcome": case.outcome.value,
        **({"detail": case.detail.value} if case.detail else {}),
        **({"error": case.error} if case.error else {}),
        **({"code": case.code} if case.code else {}),
        **({"recognised": False} if not case.recognised else {}),
        **({"reason": case.reason} if case.reason else {}),
    }


def case_from_dict(data: Any) -> Case:
    """Raises ValueError, KeyError or TypeError for anything of another shape."""
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
