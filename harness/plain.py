"""Text from outside made plain: nothing in it can move a cursor, hide, turn other text around or fill the screen."""

from __future__ import annotations

import re


def plain(text: str, room: int = 300) -> str:
    """One line of at most about `room` characters: what cannot be seen stands as its number, `\\x1b`, and the middle of the rest is left out."""
    if len(text) > room:
        text = f"{text[: room * 2 // 3]}…{text[-room // 3 :]}"
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _number(sign) for sign in text)


def plain_lines(text: str) -> str:
    """The same for text whose lines are ours, of any length."""
    return "\n".join(plain(line, len(line) + 1) for line in text.split("\n"))


def code_span(text: str) -> str:
    """A code span of Markdown that nothing in the text can end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


def markdown_text(text: str) -> str:
    """Text in which Markdown finds nothing to do."""
    return "".join(f"\\{sign}" if sign in "\\*_`<>[]|#~" else sign for sign in text)


def _number(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
