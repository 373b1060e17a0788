"""Version numbers: their order, and whether one answers to what a person asked for ("22", "22.3")."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+")


def sort_key(version: str) -> tuple[tuple[int, ...], int, str]:
    """Orders versions as people read them: by number, a pre-release before its release."""
    release, _, rest = version.partition("-")
    return tuple(int(part) for part in _NUMBER.findall(release)), 0 if rest else 1, rest


def is_release(version: str) -> bool:
    """Whether it is a plain release, not a canary or preview."""
    return re.fullmatch(r"\d+(\.\d+)*", version) is not None


def answers(version: str, asked: str) -> bool:
    """Whether a version is the one asked for: itself, or a beginning of it that ends at a dot or dash."""
    return version == asked or (version.startswith(asked) and version[len(asked)] in ".-+")


def newest(versions: list[str], asked: str = "") -> str | None:
    """The newest version that answers; None when none does."""
    fitting = [version for version in versions if not asked or answers(version, asked)]
    return max(fitting, key=sort_key, default=None)
