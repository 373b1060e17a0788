"""The plan of a run: which build is measured where, with which claims, as one file that every worker reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.builds import Build
from harness.claims import Claim
from harness.environment import Environment
from harness.vocabulary import Kind

SUFFIX = ".claimgrid.json"
"""What a plan's file name ends with; pytest knows it by that."""


@dataclass(frozen=True, slots=True)
class Job:
    """One build in one place: `root` is the workspace made there for the run, `claims` what is to be measured."""

    build: Build
    environment: Environment
    root: Path
    claims: tuple[Claim, ...]

    @property
    def id(self) -> str:
        """Names the job in output and tells jobs apart."""
        return f"{self.build.id} {self.environment.filesystem}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a run is going to do."""

    jobs: tuple[Job, ...]
    isolate: bool = False


def make_plan(places: Iterable[tuple[Build, Environment, Path]], chosen: Sequence[Claim], *, isolate: bool) -> Plan:
    """A job for every place; each measures those of its build's claims that were chosen, if any were."""
    ids = {claim.id for claim in chosen}
    jobs = []
    for build, environment, root in places:
        claims = tuple(claim for claim in build.claims if claim.kind is not Kind.LOOK and (not ids or claim.id in ids))
        if claims:
            jobs.append(Job(build, environment, root, claims))
    return Plan(tuple(jobs), isolate)


def write_plan(plan: Plan, path: Path) -> None:
    """Write the plan for the workers."""
    path.write_text(json.dumps(asdict(plan), default=_plain), encoding="utf-8")


def read_plan(path: Path) -> Plan:
    """The plan as it was written."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Plan(tuple(_job(job) for job in data["jobs"]), data["isolate"])


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else str(value)


def _job(data: Any) -> Job:
    build = data["build"]
    return Job(
        Build(
            **{
                **build,
                "program": Path(build["program"]),
                "claims": _claims(build["claims"]),
                "unsupported": frozenset(build["unsupported"]),
            }
        ),
        Environment(**data["environment"]),
        Path(data["root"]),
        _claims(data["claims"]),
    )


def _claims(data: Any) -> tuple[Claim, ...]:
    return tuple(Claim(**{**claim, "kind": Kind(claim["kind"])}) for claim in data)
