"""The shapes of results, evidence, pairs and recipes files as JSON Schema, made from the vocabulary, so that no word can be in one and not in the other."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from harness.judging.schedules import PLOTS
from harness.promises import Act, Promise, Standing
from harness.vocabulary import Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_UNSEEN = r"\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
"""Characters that control a terminal or turn text around, as the inside of a character class for Python's and ECMA's expressions alike."""
_END = r"(?![\s\S])"
"""The very end: Python's `$` also matches before a last line break."""


def _words(words: Iterable[StrEnum]) -> dict[str, Any]:
    return {"enum": [word.value for word in words]}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """Exactly these properties: an unknown one is a misspelt one, for new ones come with a new number in `schema`."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _map(names: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "propertyNames": names, "additionalProperties": values}


def _document(title: str, shape: dict[str, Any]) -> dict[str, Any]:
    return {"$schema": DIALECT, "title": title, **shape, "$defs": _DEFINITIONS}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


_TEXT = {"type": "string"}
_DEFINITIONS: dict[str, Any] = {
    "part-of-a-path": {
        "description": "Part of a file's name: no separator, nothing unseen, no leading dot.",
        "type": "string",
        "maxLength": 120,
        "pattern": rf"^[^./\\:{_UNSEEN}][^/\\:{_UNSEEN}]*{_END}",
    },
    "version": {
        "description": "What a program says that its version is; for a shell its name before it and its tools' behind it.",
        "type": "string",
        "maxLength": 120,
        "pattern": rf"^[0-9A-Za-z][0-9A-Za-z.+_~-]*{_END}",
    },
    "claim-id": {
        "description": "<runtime>:<call>/<variant>",
        "type": "string",
        "maxLength": 300,
        "pattern": rf"^[a-z][a-z0-9]*:[^{_UNSEEN}]+{_END}",
    },
    "code": {"type": "string", "maxLength": 60, "pattern": rf"^[a-z][a-z0-9-]*{_END}"},
    "line": {"type": "string", "maxLength": 1000, "pattern": rf"^[^{_UNSEEN}]+{_END}"},
    "occupant": _words(Occupant),
    "race-outcome": _words(RaceOutcome),
    "environment": _object(
        {
            "platform": _ref("part-of-a-path"),
            "filesystem": _ref("part-of-a-path"),
            "os": _TEXT,
            "privileged": {"type": "boolean"},
        }
    ),
    "case": _object(
        {"outcome": _words(Outcome)},
        {
            "detail": _words(Detail),
            "error": _TEXT,
            "code": _TEXT,
            "recognised": {"type": "boolean"},
            "reason": _TEXT,
        },
    ),
    "reason": _object(
        {"code": _ref("code")},
        {
            "occupants": {"type": "array", "items": _ref("occupant")},
            "outcome": _words(Outcome),
            "detail": _words(Detail),
            "text": _TEXT,
        },
    ),
    "race": _object(
        {"outcome": _ref("race-outcome")},
        {"reason": _TEXT, "explored": _ref("race-outcome"), "unexplored": _TEXT, "pause": _TEXT},
    ),
    "claim": _object(
        {
            "kind": _words(Kind),
            "code": _TEXT,
            "digest": _TEXT,
            "verdict": _words(Verdict),
            "reason": _ref("reason"),
            "cases": _map(_ref("occupant"), _ref("case")),
            "race": _ref("race"),
            "mechanism": {"anyOf": [{"type": "null"}, _ref("line")]},
        }
    ),
    "control": {"type": ["boolean", "null"]},
    "build": _object({"name": _ref("part-of-a-path"), "version": _ref("version")}),
    "texts": _object({"en": _TEXT, "ja": _TEXT}),
    "step": _object(
        {"actor": _TEXT, "act": _words(Act)}, {"calls": {"type": "array", "items": _TEXT}, "detail": _TEXT}
    ),
    "judged": _object(
        {"standing": _words(Standing), "explored": {"type": "integer"}},
        {
            "obstacles": {"type": "array", "items": _ref("code")},
            "how": _ref("code"),
            "schedule": _ref("line"),
            "also": {"type": "array", "items": _object({"how": _ref("code"), "schedule": _ref("line")})},
            "steps": {"type": "array", "items": _ref("step")},
        },
    ),
    "recipe": _object(
        {
            "kind": {"enum": list(PLOTS)},
            "title": _ref("texts"),
            "code": _TEXT,
            "digest": _ref("line"),
            "promises": _map(_words(Promise), _ref("judged")),
        },
        {"advice": _ref("texts"), "library": _ref("line"), "obstacle": _ref("line")},
    ),
}

CLAIM: dict[str, Any] = _DEFINITIONS["claim"]
"""One entry of `claims` in a results file."""

RESULTS = _document(
    "claimgrid results: one build on one platform and filesystem",
    _object(
        {
            "schema": {"const": 1},
            "environment": _ref("environment"),
            "runtime": _object({"name": _ref("part-of-a-path"), "version": _ref("version"), "source": _ref("line")}),
            "harness": _object({"version": _ref("line"), "catalogue": _ref("line")}),
            "controls": _object({name: _ref("control") for name in ("free-name-won", "overwrite-seen", "race-caught")}),
            "claims": _map(_ref("claim-id"), _ref("claim")),
        }
    ),
)

EVIDENCE = _document(
    "claimgrid evidence: what was said, for a person to look at",
    _object({"schema": {"const": 1}, "claims": _map(_ref("claim-id"), {"type": "object"})}),
)

PAIRS = _document(
    "claimgrid pairs: claims of two builds on one name",
    _object(
        {
            "schema": {"const": 1},
            "environment": _ref("environment"),
            "first": _ref("build"),
            "second": _ref("build"),
            "pairs": {
                "type": "array",
                "items": _object(
                    {
                        "first": _ref("claim-id"),
                        "second": _ref("claim-id"),
                        "over-first": _ref("case"),
                        "over-second": _ref("case"),
                        "race": _object({"outcome": _ref("race-outcome")}, {"reason": _TEXT}),
                        "verdict": _words(Verdict),
                    }
                ),
            },
        }
    ),
)

RECIPES = _document(
    "claimgrid recipes: which promises recipes and libraries keep with one build",
    _object(
        {
            "schema": {"const": 1},
            "environment": _ref("environment"),
            "runtime": _ref("build"),
            "harness": _object({"version": _ref("line")}),
            "recipes": _map(_ref("claim-id"), _ref("recipe")),
        }
    ),
)

SCHEMAS = {"results": RESULTS, "evidence": EVIDENCE, "pairs": PAIRS, "recipes": RECIPES}
