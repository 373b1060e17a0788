"""Evidence: what a verdict was judged from, kept beside the results for a person to look at; nothing is judged from it again."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from harness.files import write_whole
from harness.observation import Observation
from harness.witness import Entry, Snapshot

_MAX_STDERR = 2000
_SHOWN_BYTES = 60


def evidence_of(seen: Iterable[Observation]) -> dict[str, Any]:
    """What was said, per occupant, where anything was; only what the verdict does not already carry."""
    kept = {}
    for each in seen:
        said = {
            **({"message": each.answer.message} if each.answer and each.answer.message else {}),
            **({"stderr": each.stderr[:_MAX_STDERR]} if each.stderr else {}),
        }
        if said:
            kept[each.occupant.value] = said
    return kept


def write_evidence(folder: Path, relative: Path, evidence: Mapping[str, Any], claims: Container[str]) -> Path:
    """Write one build's evidence to `evidence/` below the results folder, beside what is there of these claims and was not seen anew."""
    path = folder / "evidence" / relative
    kept = {claim_id: dict(seen) for claim_id, seen in _read(path).items() if claim_id in claims}
    for claim_id, seen in evidence.items():
        kept[claim_id] = {**kept.get(claim_id, {}), **seen}
    write_whole(path, json.dumps({"schema": 1, "claims": kept}, ensure_ascii=False, sort_keys=True) + "\n")
    return path


def _read(path: Path) -> Mapping[str, Any]:
    """The evidence of before; what cannot be read is not needed by anybody."""
    try:
        claims = json.loads(path.read_bytes())["claims"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return (
        {claim_id: seen for claim_id, seen in claims.items() if isinstance(seen, dict)}
        if isinstance(claims, dict)
        else {}
    )


def describe_snapshot(snapshot: Snapshot) -> list[str]:
    """One line for each name in a directory."""
    lines = [f"{path}: {_describe(entry)}" for path, entry in sorted(snapshot.entries.items())]
    return (lines or ["nothing"]) + ([] if snapshot.whole else ["… and more than could be looked at"])


def _describe(entry: Entry) -> str:
    head = f"{entry.type}, inode {entry.identity[1]}, mode {entry.mode:04o}"
    if entry.type == "file":
        shown = entry.content[:_SHOWN_BYTES]
        return f"{head}, {len(entry.content)} bytes {shown!r}{'…' if len(entry.content) > _SHOWN_BYTES else ''}"
    return f"{head}, to {entry.target!r}" if entry.target else head
