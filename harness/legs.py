"""Legs: what is measured on which runner, so that a workflow measures every version that matters in jobs side by side. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.results import BuildResult
from harness.versions import sort_key

RUNNERS = {
    "linux-x64": "ubuntu-latest",
    "linux-arm64": "ubuntu-24.04-arm",
    "windows-x64": "windows-latest",
    "macos-arm64": "macos-latest",
}
"""GitHub's runners by the platform that they are."""
MOST = 256
"""Jobs that GitHub makes of one matrix at most."""

FOUND = {"linux": ("python", "sh"), "macos": ("python", "sh"), "windows": ("python", "sh", "powershell", "cmd")}
"""Runtimes that the runners of a system have, and that nothing is fetched of."""

_OLDEST = {"node": "8"}
"""Below that the probe does not load."""
_BY_MINOR = ("bun", "deno", "powershell")
"""Runtimes whose minor versions change as much as others' major ones."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One job: `build` is what `--runtime` is given."""

    platform: str
    build: str

    @property
    def runner(self) -> str:
        """What it runs on."""
        return RUNNERS[self.platform]


def plan_legs(
    offered: Mapping[tuple[str, str], Sequence[str]], measured: Sequence[BuildResult] | None = None
) -> list[Leg]:
    """A leg for the last version of every series, and one for each runtime that is only ever found on a machine.

    `offered` are the versions by platform and runtime. With `measured` only what has appeared since: versions that are newer than every
    measured one of their series on that platform, or than every measured one at all where nothing of their series was.
    """
    legs = []
    for (platform, runtime), versions in offered.items():
        seen = [
            build.version
            for build in measured or ()
            if (build.environment.platform, build.runtime) == (platform, runtime)
        ]
        for version in last_of_series(runtime, versions):
            if sort_key(version) < sort_key(_OLDEST.get(runtime, "")):
                continue
            rivals = [each for each in seen if series(runtime, each) == series(runtime, version)] or seen
            if all(sort_key(each) < sort_key(version) for each in rivals):
                legs.append(Leg(platform, f"{runtime}@{version}"))
    if measured is None:
        platforms = dict.fromkeys(platform for platform, _ in offered)
        legs += [Leg(platform, name) for platform in platforms for name in FOUND[platform.partition("-")[0]]]
    return legs


def last_of_series(runtime: str, versions: Iterable[str]) -> list[str]:
    """The newest version of each major, or of each minor where these matter, oldest first."""
    newest: dict[tuple[str, ...], str] = {}
    for version in sorted(versions, key=sort_key):
        newest[series(runtime, version)] = version
    return list(newest.values())


def series(runtime: str, version: str) -> tuple[str, ...]:
    """What versions of one series have in common."""
    parts = version.split(".")
    return tuple(parts[: 2 if runtime in _BY_MINOR or parts[0] == "0" else 1])


def to_matrix(legs: Sequence[Leg]) -> dict[str, list[dict[str, str]]]:
    """The legs as GitHub takes them for a matrix."""
    return {"include": [{"platform": leg.platform, "runner": leg.runner, "build": leg.build} for leg in legs]}


def from_matrix(matrix: Mapping[str, Sequence[Mapping[str, str]]]) -> list[Leg]:
    """The other way round. Raises KeyError or TypeError for anything else."""
    return [Leg(each["platform"], each["build"]) for each in matrix["include"]]


def found(legs: Iterable[Leg], came: Iterable[BuildResult]) -> list[tuple[Leg, list[str]]]:
    """What legs without a version, which measure whatever their runner has, left results of: how much that should be nobody knows before."""
    there = list(came)
    versions = {
        leg: sorted(
            (each.version for each in there if (each.environment.platform, each.runtime) == (leg.platform, leg.build)),
            key=sort_key,
        )
        for leg in legs
        if "@" not in leg.build
    }
    return [(leg, each) for leg, each in versions.items() if each]


def lost(legs: Iterable[Leg], came: Iterable[BuildResult]) -> list[Leg]:
    """Those of which no results came."""
    there = {(build.environment.platform, build.runtime, build.version) for build in came}
    runtimes = {(platform, runtime) for platform, runtime, _ in there}

    def has_come(leg: Leg) -> bool:
        runtime, _, version = leg.build.partition("@")
        return (leg.platform, runtime, version) in there if version else (leg.platform, runtime) in runtimes

    return [leg for leg in legs if not has_come(leg)]
