"""Version numbers: their order, and whether one answers to what a person asked for ("22", "22.3")."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+")
_RELEASE = re.compile(r"\d+(\.\d+)*")


def sort_key(version: str) -> tuple[tuple[int, ...], int, tuple[int, ...], str]:
    """Orders versions as people read them: by number, a pre-release (`1.0-rc.1`, `3.15.0a1`) before its release."""
    match = _RELEASE.match(version)
    release = match.group() if match else ""
    rest = version[len(release) :]
    preview = re.match(r"-?(a|alpha|b|beta|c|rc|canary|dev|pre|preview|nightly)\b|[abc]\d|rc\d", rest) is not None
    return _numbers(release), 0 if preview else 1, _numbers(rest), version


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in _NUMBER.findall(text))


def is_release(version: str) -> bool:
    """Whether it is a plain release, not a canary or preview."""
    return re.fullmatch(r"\d+(\.\d+)*", version) is not None


def answers(version: str, asked: str) -> bool:
    """Whether a version is the one asked for: itself, or a beginning of it that ends at a dot or dash."""
    return version == asked or (version.startswith(asked) and version[len(asked)] in ".-+")


def asked_as(version: str, platform: str) -> str:
    """What to ask for to get this version on this platform: `22.23.3+wine` is a Windows build under Wine, `wine-8.0` a part of Wine."""
    layered = platform.startswith("wine-") and not version.startswith("wine-")
    return f"{version}+wine" if layered else version


def answers_on(version: str, platform: str, asked: str) -> bool:
    """Whether a version on a platform is the one asked for; nothing asks for all, and without `+wine` the platform does not matter."""
    wanted = asked.removesuffix("+wine")
    return (not wanted or answers(version, wanted)) and (wanted == asked or platform.startswith("wine-"))


def newest(versions: list[str], asked: str = "") -> str | None:
    """The newest version that answers; None when none does."""
    fitting = [version for version in versions if not asked or answers(version, asked)]
    return max(fitting, key=sort_key, default=None)
