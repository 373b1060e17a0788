"""The harness's own look at a directory, from outside the runtime: names, types, bytes, identities, link targets, modes."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from harness import windows
from harness.occupants import BYTES, NAME, remove

_WHOLE = 1 << 16
"""Files up to this size are kept as they are; of longer ones the head and a digest."""
_MAX_ENTRIES = 5000
_MAX_DEPTH = 32
_NEIGHBOUR = "neighbour"

# A descriptor that only pins the inode: it opens nothing, so no runtime, lock or lease can notice it.
_PIN = getattr(os, "O_PATH", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Entry(NamedTuple):
    """One name in the directory, not followed: `identity` is (device, inode or file id). A named tuple, since thousands are made.

    `target` is where a link leads; of a file on Windows it names the streams beside its content.
    """

    type: str
    identity: tuple[int, int]
    mode: int
    content: bytes = b""
    target: str = ""


_TYPES = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link", stat.S_IFIFO: "fifo"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything in a directory by its path relative to it, with `/` between parts; `whole` is False when there was too much to see."""

    entries: Mapping[str, Entry]
    whole: bool = True


def look(folder: Path, certainly: Iterable[str] = ()) -> Snapshot:
    """Take a snapshot of a directory. One that is gone, or is no directory any more, has no entries.

    Where there is too much to see, the relative paths in `certainly` are among what is seen all the same, if they are there.
    """
    entries: dict[str, Entry] = {}
    whole = _walk(str(folder), "", 0, entries)
    if not whole:
        found = {path: _entry(f"{folder}{os.sep}{path}") for path in certainly if path not in entries}
        entries.update((path, entry) for path, entry in found.items() if entry is not None)
    return Snapshot(MappingProxyType(entries), whole)


def pin(folder: Path, snapshot: Snapshot) -> list[int]:
    """Keep every inode of the snapshot alive until `unpin`, so that a deleted and re-made file cannot get its old number back.

    ext4 and tmpfs hand out a freed inode number again at once. Windows file ids carry a sequence number and need no pin.
    """
    if not hasattr(os, "O_PATH"):
        return []
    pins: list[int] = []
    for relative in snapshot.entries:
        with contextlib.suppress(OSError):
            pins.append(os.open(f"{folder}/{relative}", _PIN))
    return pins


def unpin(pins: Iterable[int]) -> None:
    """Let go of what `pin` kept."""
    for descriptor in pins:
        os.close(descriptor)


class Surroundings:
    """What lies around the folders of cases and is not for claims to touch: the folder above them, and a neighbour among them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._neighbour = folder / _NEIGHBOUR
        self._before = Snapshot(MappingProxyType({}))
        self._known: set[str] = set()

    def note(self) -> None:
        """From now on, whatever is not there yet is new. Raises OSError when the neighbour cannot be made."""
        if not self._before.entries:
            self._neighbour.mkdir(exist_ok=True)
            (self._neighbour / NAME).write_bytes(BYTES)
            self._before = look(self._neighbour)
        self._known.update(_names(self._folder))

    def allow(self, name: str) -> None:
        """Something of our own that is made meanwhile."""
        self._known.add(name)

    def disturbed(self) -> bool:
        """Whether something new is there, or the neighbour is not what it was. All is as before afterwards, and noted again."""
        strangers = _names(self._folder) - self._known
        changed = look(self._neighbour) != self._before
        for name in strangers:
            remove(f"{self._folder}{os.sep}{name}")
        if changed:
            self._folder.mkdir(exist_ok=True)
            remove(str(self._neighbour))
            self._before = Snapshot(MappingProxyType({}))
            self.note()
        return changed or bool(strangers)


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()


def _walk(folder: str, prefix: str, depth: int, entries: dict[str, Entry]) -> bool:
    try:
        with os.scandir(folder) as items:
            # One more than will be looked at: a million names would fill our memory.
            listing = list(itertools.islice(items, _MAX_ENTRIES + 1))
    except OSError:
        return True
    for item in listing:
        if len(entries) >= _MAX_ENTRIES:
            return False
        entry = _entry(item.path)
        if entry is None:
            continue
        relative = prefix + item.name
        entries[relative] = entry
        if entry.type == "dir" and (depth >= _MAX_DEPTH or not _walk(item.path, relative + "/", depth + 1, entries)):
            return False
    return True


def _entry(path: str) -> Entry | None:
    """What is at the path itself; None when it went away while we looked."""
    try:
        # os.lstat and not DirEntry.stat: on Windows the latter has no file id.
        status = os.lstat(path)
        kind = _type(status)
        identity = (status.st_dev, status.st_ino)
        mode = stat.S_IMODE(status.st_mode)
        if kind == "file":
            beside = _streams(path) if sys.platform == "win32" else ""
            return Entry(kind, identity, mode, content=_content(path) if status.st_size else b"", target=beside)
        if kind in ("link", "junction"):
            return Entry(kind, identity, mode, target=os.readlink(path))
        return Entry(kind, identity, mode)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Entry("unreadable", (0, 0), 0, target=type(error).__name__)


def _streams(path: str) -> str:
    """The streams beside the content of a file, as text: what is written there leaves the content as it is."""
    return ", ".join(f"{name} {size}" for name, size in windows.streams(path))


def _type(status: os.stat_result) -> str:
    if sys.platform == "win32" and status.st_reparse_tag == stat.IO_REPARSE_TAG_MOUNT_POINT:
        return "junction"
    return _TYPES.get(stat.S_IFMT(status.st_mode), "other")


def _content(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        head = os.read(descriptor, _WHOLE)
        if len(head) < _WHOLE:
            return head
        digest = hashlib.sha256(head)
        while more := os.read(descriptor, 1 << 20):
            digest.update(more)
        return head + digest.digest()
    finally:
        os.close(descriptor)
