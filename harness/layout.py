"""How files of results are laid out: a line for every entry, so that a changed verdict is a changed line of a diff."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def compact(value: object) -> str:
    """A value as JSON in one line, without spaces, with letters of every language as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def by_line(head: Mapping[str, object], key: str, entries: Mapping[str, object] | Sequence[object]) -> str:
    """An object of `head`, a line for each, and then under `key` all entries, a line for each, in the order they have."""
    if isinstance(entries, Mapping):
        opened, closed = "{", "}"
        lines = [f"{compact(name)}:{compact(entry)}" for name, entry in entries.items()]
    else:
        opened, closed = "[", "]"
        lines = [compact(entry) for entry in entries]
    first = ",\n".join(f"{compact(name)}:{compact(value)}" for name, value in head.items())
    rest = ",\n".join(lines)
    return f"{{{first},\n{compact(key)}:{opened}\n{rest}\n{closed}}}\n"
