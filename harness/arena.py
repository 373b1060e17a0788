"""The ground of a race: a fresh folder with all the names of a batch, what each contender needs for them, and what it shows afterwards."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.claims import Claim
from harness.occupants import lay_source, remove_tree
from harness.rounds import Left
from harness.vocabulary import Kind

_MARK = re.compile(rb"contender (\d+)(?!\d)|source number (\d+)|source-of-(\d+)-")
_ENOUGH = 4096
"""Bytes of a product that are read: whatever names a contender stands at its beginning."""
_NOTHING = Left(False)


@dataclass(frozen=True, slots=True)
class Paths:
    """What a contender is given: the beginnings of its paths, to which the number of the round is added, and its data."""

    name: Path
    source: Path
    mine: Path
    data: str


class Arena:
    """A new folder, laid out for one batch. All names are in one directory, each contender's own things in another.

    Whatever a claim may leave on a name tells whose claim it was: the data, the content or the name of its source, or its inode.
    """

    def __init__(self, folder: Path, claims: Sequence[Claim], rounds: int) -> None:
        self._folder = folder
        self._names = folder / "names"
        self._claims = claims
        self._rounds = rounds
        self._inodes: dict[int, int] = {}

    def paths(self, contender: int) -> Paths:
        """What this contender is given."""
        own = self._own(contender)
        return Paths(
            self._names / "name",
            own / f"source-of-{contender}-",
            own / f"mine-of-{contender}-",
            f"contender {contender}\n",
        )

    def _own(self, contender: int) -> Path:
        return self._folder / f"of-{contender}"

    def lay(self) -> None:
        """Make the folder and everything that the claims need in it. Raises OSError where the filesystem cannot hold it."""
        self._names.mkdir(parents=True)
        for contender, claim in enumerate(self._claims):
            self._own(contender).mkdir()
            if claim.kind is not Kind.TAKE and claim.source is not None:
                self._lay_sources(contender, claim.source)
        # What is taken is laid once, whoever takes it.
        thing = next((claim.source for claim in self._claims if claim.kind is Kind.TAKE), None)
        if thing is not None:
            for number in range(self._rounds):
                lay_source(self._names / f"name{number}", thing, number)

    def _lay_sources(self, contender: int, shape: str) -> None:
        base = self.paths(contender).source
        for number in range(self._rounds):
            lay_source(Path(f"{base}{number}"), shape, contender)
            if shape == "empty-dir":
                # Nothing in it could name its owner, but a directory that is moved stays the same one.
                self._inodes[os.lstat(f"{base}{number}").st_ino] = contender

    def look(self) -> list[Left]:
        """What every round left behind."""
        if any(claim.kind is Kind.TAKE for claim in self._claims):
            there = {entry.name for entry in _entries(self._names)}
            loot = [{entry.name for entry in _entries(self._own(each))} for each in range(len(self._claims))]
            return [
                Left(
                    f"name{number}" in there,
                    frozenset(each for each, got in enumerate(loot) if f"mine-of-{each}-{number}" in got),
                )
                for number in range(self._rounds)
            ]
        left = {entry.name: Left(True, frozenset(self._owners(entry))) for entry in _entries(self._names)}
        return [left.get(f"name{number}", _NOTHING) for number in range(self._rounds)]

    def _owners(self, entry: os.DirEntry[str]) -> set[int]:
        try:
            owners = _marks(_content(entry))
            if owners or not self._inodes:
                return owners
            return {self._inodes[os.lstat(entry.path).st_ino]}
        except (OSError, KeyError):
            return set()

    def clear(self) -> None:
        """Remove it all."""
        remove_tree(self._folder)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _content(entry: os.DirEntry[str]) -> bytes:
    """The beginning of a file, the target of a link, or the names in a directory and the content of its files. Raises OSError."""
    if entry.is_symlink():
        return os.fsencode(os.readlink(entry.path))
    if entry.is_dir(follow_symlinks=False):
        return b"".join(
            os.fsencode(inner.name) + b"\n" + (_content(inner) if inner.is_file() else b"")
            for inner in _entries(Path(entry.path))
        )
    if not entry.is_file(follow_symlinks=False):
        return b""
    descriptor = os.open(entry.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(descriptor, _ENOUGH)
    finally:
        os.close(descriptor)


def _marks(content: bytes) -> set[int]:
    # Windows PowerShell writes UTF-16.
    return {int(next(filter(None, found))) for found in _MARK.findall(content.replace(b"\0", b""))}
