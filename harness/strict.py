"""Files from outside: JSON that has one meaning, checked against its schema, or the places where it is broken and how."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.plain import plain

MAX_BYTES = 1 << 26
"""More than any file of ours; a bigger one is not read at all."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Fault:
    """Something broken: `at` is its place as a JSON path below the root, `.claims["node:fs.openSync/wx"].verdict`."""

    at: str
    what: str

    def __str__(self) -> str:
        return f"${self.at}: {self.what}"


def load(content: bytes) -> Any:
    """The value of a JSON text. Raises ValueError for whatever two readers could take for different things.

    That is: no UTF-8, a name twice in one object, NaN and infinities, half a surrogate pair; and nesting or numbers beyond all need.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES} bytes")
    if not content.strip():
        raise ValueError("it is empty")
    if content.startswith(b"\xef\xbb\xbf"):
        raise ValueError("it begins with a byte order mark")
    return load_text(content.decode("utf-8"))


def load_text(text: str) -> Any:
    """The same from text."""
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=_short
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    # Only an escape can bring half of a pair, and looking for one is much quicker than looking at every string.
    if _HALF.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except (UnicodeEncodeError, RecursionError):
            raise ValueError("it has half of a surrogate pair") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"{shown(twice)} is there more than once in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _short(text: str) -> int:
    if len(text) > _SHOWN:
        raise ValueError(f"{plain(text, _SHOWN)} is too large")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{plain(text, _SHOWN)} is too large")
    return number


Check = Callable[[Any], Sequence[Fault]]
"""Gives the faults of a value, with places relative to it; none for almost every value, so that is what is quick."""


def checker(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Check:
    """What finds where a value is not as a schema wants it; `root` is the document with the `$defs`.

    It knows the keywords that `harness.schema` uses and no others. The package jsonschema, which knows them all, takes about
    0.6 ms for a claim where this takes a tenth, and a thousand builds have 200,000 claims; so it is the referee in the tests only,
    where both have to refuse the same files.
    """
    if "$ref" in schema:
        return checker(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if "anyOf" in schema:
        return _any_of([checker(each, root) for each in schema["anyOf"]])
    if "const" in schema:
        return _const(schema["const"])
    if "enum" in schema:
        return _enum(schema["enum"])
    if schema["type"] == "string":
        return _string(schema)
    if schema["type"] == "object":
        return _mapping(schema, root)
    if schema["type"] == "array":
        return _array(checker(schema["items"], root))
    return _of_type(schema["type"])


def shown(value: object) -> str:
    """A value of any size and content as a few plain characters."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return json.dumps(plain(value, _SHOWN), ensure_ascii=False)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**_SHOWN:
        return "a huge number"
    return json.dumps(value)


def _const(wanted: object) -> Check:
    def check(value: Any) -> Sequence[Fault]:
        # True equals 1 in Python, and is something else in JSON.
        good = value == wanted and not isinstance(value, bool)
        return () if good else [Fault("", f"{shown(value)} is not {wanted!r}")]

    return check


def _enum(words: Sequence[str]) -> Check:
    known = frozenset(words)

    def check(value: Any) -> Sequence[Fault]:
        good = isinstance(value, str) and value in known
        return () if good else [Fault("", f"{shown(value)} is none of {', '.join(words)}")]

    return check


def _of_type(types: str | Sequence[str]) -> Check:
    names = [types] if isinstance(types, str) else types
    wanted = tuple(_TYPES[name] for name in names)

    def check(value: Any) -> Sequence[Fault]:
        # True is a number in Python, and none in JSON.
        good = isinstance(value, wanted) and (not isinstance(value, bool) or bool in wanted)
        return () if good else [Fault("", f"{shown(value)} is not {' or '.join(names)}")]

    return check


def _any_of(checks: Sequence[Check]) -> Check:
    def check(value: Any) -> Sequence[Fault]:
        found: Sequence[Fault] = ()
        for each in checks:
            found = each(value)
            if not found:
                return ()
        return found

    return check


def _string(schema: Mapping[str, Any]) -> Check:
    longest = schema.get("maxLength")
    pattern = re.compile(schema["pattern"]) if "pattern" in schema else None

    def check(value: Any) -> Sequence[Fault]:
        if not isinstance(value, str):
            return [Fault("", f"{shown(value)} is not text")]
        if longest is not None and len(value) > longest:
            return [Fault("", f"it has {len(value)} characters, and {longest} is the most")]
        if pattern is not None and not pattern.search(value):
            return [Fault("", f"{shown(value)} has a character that may not be there, or is empty")]
        return ()

    return check


def _array(item: Check) -> Check:
    def check(value: Any) -> Sequence[Fault]:
        if not isinstance(value, list):
            return [Fault("", f"{shown(value)} is not a list")]
        return [_below(f"[{number}]", fault) for number, each in enumerate(value) for fault in item(each)]

    return check


def _mapping(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Check:
    required = frozenset(schema.get("required", ()))
    properties = {name: checker(each, root) for name, each in schema.get("properties", {}).items()}
    names = checker(schema["propertyNames"], root) if "propertyNames" in schema else _anything
    others = schema.get("additionalProperties", True)
    rest = _nothing if others is False else _anything if others is True else checker(others, root)

    def check(value: Any) -> Sequence[Fault]:
        if not isinstance(value, dict):
            return [Fault("", f"{shown(value)} is not an object")]
        found = [] if required <= value.keys() else [_missing(name) for name in sorted(required - value.keys())]
        for name, each in value.items():
            known = properties.get(name)
            if known is not None:
                found.extend(_below(f".{name}", fault) for fault in known(each))
            else:
                found.extend(_below(f"[{shown(name)}]", fault) for fault in (*names(name), *rest(each)))
        return found

    return check


def _anything(_: Any) -> Sequence[Fault]:
    return ()


def _nothing(_: Any) -> Sequence[Fault]:
    return [Fault("", "there is no such entry")]


def _missing(name: str) -> Fault:
    return Fault("", f'"{name}" is missing')


def _below(place: str, fault: Fault) -> Fault:
    return Fault(place + fault.at, fault.what)


_TYPES: dict[str, type] = {"boolean": bool, "integer": int, "null": type(None)}
