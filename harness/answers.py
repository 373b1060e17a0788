"""What a line of a probe's says: taken apart strictly, so that nothing damaged is taken for an answer. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from harness.observation import Answer, Said

_MAX_MESSAGE = 500
_MAX_NAME = 100
_EXCERPT_BYTES = 200
_SAID = {word.value: word for word in (Said.YES, Said.NO, Said.UNSUPPORTED, Said.TIMED_OUT)}


def parse(line: bytes) -> Mapping[str, Any] | str:
    """The answer in a line, as it stands; or in words why there is none."""
    try:
        # A mark of the byte order is no damage: Windows PowerShell begins what it prints with one.
        answer = json.loads(line.decode("utf-8-sig"), object_pairs_hook=_without_doubles, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return f"not JSON: {excerpt(line)}"
    if not isinstance(answer, dict):
        return f"not an answer: {excerpt(line)}"
    if "fault" in answer:
        return f"the probe reports: {clip(answer['fault'])}"
    return answer


def answer_to(wanted: int, received: Mapping[str, Any]) -> Answer:
    """The answer to a claim, checked: anything but a well-formed answer to this very request is no answer."""
    number, said, exists = (received.get(key) for key in ("id", "said", "exists"))
    if type(number) is not int or number != wanted:
        return Answer(Said.NO_ANSWER, message=f"answered request {clip(number)} instead of {wanted}")
    if not isinstance(said, str) or said not in _SAID or not (exists is None or isinstance(exists, bool)):
        return Answer(Said.NO_ANSWER, message=f"said {clip(said)}")
    error, code, message = (received.get(key) for key in ("error", "code", "message"))
    if not all(map(_is_text, (error, code, message))):
        return Answer(Said.NO_ANSWER, message=f"said {said} with an error that is none")
    return Answer(
        _SAID[said],
        error=clip(error, _MAX_NAME),
        code=clip(code, _MAX_NAME),
        exists=exists if said == Said.NO else None,
        message=clip(message),
    )


def clip(value: object, length: int = _MAX_MESSAGE) -> str:
    """A value as text that is not too long and that every file can hold."""
    if value in (None, ""):
        return ""
    # What contains others could be nested too deeply to be told.
    text = "{…}" if isinstance(value, dict) else "[…]" if isinstance(value, list) else str(value)[:length]
    # JSON can carry half a surrogate pair, which no UTF-8 file can.
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def excerpt(line: bytes) -> str:
    """The beginning of a line, for a person."""
    return clip(line[:_EXCERPT_BYTES].decode(errors="backslashreplace"), _EXCERPT_BYTES)


def _is_text(value: object) -> bool:
    """Names of errors are text, and some runtimes have numbers for them."""
    return value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))


def _without_doubles(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError for a key that stands twice: two answers that ran into each other, of which neither counts."""
    whole = dict(pairs)
    if len(whole) != len(pairs):
        raise ValueError("a key stands twice")
    return whole


def _no_number(word: str) -> NoReturn:
    """NaN and the infinities are Python's, not JSON's."""
    raise ValueError(word)
