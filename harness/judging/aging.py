"""Making marks old: the times that are set on files, and the times that are written in them, are moved back, so nobody has to wait."""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

AGE_SECONDS = 400 * 24 * 3600
"""Older than any limit that a recipe has for whoever is alive."""
_NEAR_SECONDS = 2 * 24 * 3600
_NUMBER = re.compile(rb"(?<![\d.])\d{10}(?:\d{3})?(?![\d])")
_ISO = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[.\dZ+-])")


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
    """The content with every time near `now` moved back: seconds or milliseconds since 1970, and ISO 8601."""

    def number(found: re.Match[bytes]) -> bytes:
        value, unit = int(found[0]), 1000 if len(found[0]) == 13 else 1
        return str(value - AGE_SECONDS * unit).encode() if abs(value / unit - now) < _NEAR_SECONDS else found[0]

    def date(found: re.Match[bytes]) -> bytes:
        try:
            value = datetime.fromisoformat(found[0].decode()).replace(tzinfo=UTC)
        except ValueError:
            return found[0]
        near = abs(value.timestamp() - now) < _NEAR_SECONDS
        return (value - timedelta(seconds=AGE_SECONDS)).strftime("%Y-%m-%dT%H:%M:%S").encode() if near else found[0]

    return _ISO.sub(date, _NUMBER.sub(number, content))
