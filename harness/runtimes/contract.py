"""What an adapter tells about its runtime: where it is found, where it can be fetched, how its probe is started.

An adapter is a module with the names of `Runtime`. It computes; it never starts a process, and never judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """A program found on this machine; `source` says how ("path", "system"), `platform` is e.g. "linux-x64"."""

    program: Path
    source: str
    platform: str


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a probe: the whole argument list, what to add to the clean environment, how it spells a path."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    spell: Callable[[Path], str] = str


class Source(Protocol):
    """Somewhere builds come from: a registry that its own client talks to."""

    NAME: ClassVar[str]
    """As results tell it: "npm"."""

    def versions(self, platform: str) -> list[str]:
        """Every version offered for the platform, oldest first. Raises ClaimgridError when out of reach."""

    def fetch(self, version: str, platform: str, folder: Path) -> None:
        """Put the build into the empty `folder`. Raises ClaimgridError when it cannot."""

    def program(self, folder: Path, platform: str) -> Path:
        """Where in a fetched folder the program is."""


class Runtime(Protocol):
    """The names every adapter module has."""

    NAME: str
    """As printed and as in claim ids: "node"."""
    PROBE: tuple[str, ...]
    """Files below `probes/` that make up the probe; their bytes identify it in results."""
    PER_CASE: bool
    """Whether every request needs a process of its own (see probes/PROTOCOL.md)."""
    START_SECONDS: float
    """How long the first answer of a process may take."""
    CASE_SECONDS: float
    """How long one claim may take before it counts as timed out."""
    DEFAULTS: tuple[str, ...]
    """Version selectors that a plain run fetches when a source is in reach, e.g. ("12", "22", "26")."""
    SOURCE: Source | None
    """Where missing builds come from; None when they are only ever found."""

    def find(self) -> Iterator[Found]:
        """Programs already on this machine, best first; without starting any."""

    def launch(self, program: Path, platform: str, probes: Path) -> Launch:
        """How to start the probe with this program; `probes` is the folder of all probes."""

    def script(self, program: Path, platform: str, file: Path) -> Launch:
        """How to run a file of source code, as a person would; its arguments follow. Raises ClaimgridError when it cannot."""
