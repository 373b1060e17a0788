"""Making marks old: the times that are set on files, and the times that are written in them, are moved back, so nobody has to wait."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

AGE_SECONDS = 400 * 24 * 3600
"""Older than any limit that a recipe has for whoever is alive."""
_NEAR_SECONDS = 2 * 24 * 3600
_NUMBER = re.compile(rb"(?<![\d.])(?:\d{10}|\d{13}|\d{16}|\d{18,19})(?!\d)")
"""Since 1970 in seconds, milliseconds, microseconds or nanoseconds; and .NET's ticks, of 100 ns since the year 1, which have 18 digits."""
_PER_SECOND = {10: 1, 13: 10**3, 16: 10**6, 18: 10**7, 19: 10**9}
_TICKS_DIGITS, _TICKS_AT_1970 = 18, 621_355_968_000_000_000
_DATES = (
    (re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"), ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")),
    (re.compile(rb"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d"), ("%Y/%m/%d %H:%M:%S",)),
    (re.compile(rb"\d{8}T\d{6}"), ("%Y%m%dT%H%M%S",)),
    (re.compile(rb"(?<!\d)\d{14}(?!\d)"), ("%Y%m%d%H%M%S",)),
    (re.compile(rb"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d"), ("%a, %d %b %Y %H:%M:%S",)),
    (
        re.compile(rb"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?\d{4}"),
        ("%a %b %d %H:%M:%S {} %Y",),
    ),
)
"""Dates as ISO 8601 has them and people write them, mails, and `date`: how each looks, and how it is read and written."""


def age(folder: Path) -> None:
    """Make all that is in the folder AGE_SECONDS older."""
    now = time.time()
    for base, folders, files in os.walk(folder):
        for name in files:
            path = Path(base, name)
            if path.is_symlink() or not path.is_file():
                continue
            content = path.read_bytes()
            older = aged(content, now)
            if older != content:
                # In place, and of the same length: whoever has it open has it open still.
                with path.open("r+b") as file:
                    file.write(older)
        for name in (*files, *folders):
            path = Path(base, name)
            about = path.lstat()
            os.utime(
                path,
                (about.st_atime - AGE_SECONDS, about.st_mtime - AGE_SECONDS),
                follow_symlinks=os.utime not in os.supports_follow_symlinks,
            )


def aged(content: bytes, now: float) -> bytes:
    """The content with every time near `now` moved back, whichever of the usual forms it has; of the same length."""

    def number(found: re.Match[bytes]) -> bytes:
        digits = len(found[0])
        value, unit = int(found[0]), _PER_SECOND[digits]
        since = value - _TICKS_AT_1970 if digits == _TICKS_DIGITS else value
        near = abs(since / unit - now) < _NEAR_SECONDS
        return str(value - AGE_SECONDS * unit).encode() if near else found[0]

    for looks, forms in _DATES:
        content = looks.sub(lambda found, forms=forms: _older_date(found[0], forms, now), content)  # type: ignore[misc]
    return _NUMBER.sub(number, content)


def _older_date(text: bytes, forms: Sequence[str], now: float) -> bytes:
    written = text.decode("ascii")
    # `date` has the zone before the year, and the day with a space before it.
    words = written.split(" ")
    zone = next((word for word in words[:-1] if word.isupper() and word.isalpha()), "")
    for form in forms:
        exact = form.replace("{} ", f"{zone} " if zone else "")
        try:
            value = datetime.strptime(" ".join(written.split()), exact).replace(tzinfo=UTC)
        except ValueError:
            continue
        if abs(value.timestamp() - now) >= _NEAR_SECONDS:
            return text
        older = value - timedelta(seconds=AGE_SECONDS)
        shown = older.strftime(
            exact.replace("%d", f"{older.day:2}") if " %d " in exact and exact.startswith("%a %b") else exact
        )
        return shown.encode() if len(shown) == len(written) else text
    return text
