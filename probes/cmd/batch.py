"""Batch files around the code of a claim, and what may be handed to them. Pure functions."""

from collections.abc import Mapping, Sequence

WON = 10
TAKEN = 11
"""Codes that cmd does not use for anything of its own: it ends with 0 or 1 when it did not run the file at all."""

VARIABLES = ("name", "source", "mine", "data")

_ONCE = """@echo off
{code}
exit {won}
:taken
echo ERRORLEVEL %errorlevel%
exit {taken}
"""

# `(call )` is the way to set errorlevel to 0 that every cmd knows.
_ROUNDS = """@echo off
:round
set "round="
set /p "round="
if not defined round exit {won}
set "name=%all_name%%round%"
set "source=%all_source%%round%"
set "mine=%all_mine%%round%"
(call )
echo BEGAN
{code}
echo WON
goto round
:taken
echo TAKEN %errorlevel%
goto round
"""


class Unpassable(Exception):
    """A value that cannot reach a batch file intact; says which and why."""


def once(code: str) -> bytes:
    """A file that makes the claim once and ends with WON or TAKEN."""
    return _file(_ONCE, code)


def rounds(code: str) -> bytes:
    """A file that makes the claim for every number it reads from standard input, and says BEGAN and then WON or TAKEN."""
    return _file(_ROUNDS, code)


def command(cmd: Sequence[str], script: str) -> list[str]:
    """How cmd runs a file in the current folder: without AutoRun, with `!` an ordinary character, with nothing to quote."""
    return [*cmd, "/d", "/v:off", "/s", "/c", ".\\" + script]


def variables(values: Mapping[str, str], prefix: str = "", *, percent_arrives: bool = True) -> dict[str, str]:
    """The values as environment variables. Raises Unpassable for one that would not reach the commands intact.

    The environment is UTF-16 from end to end, so no code page can alter a name; between quotation marks `&`, `^`, `!`, spaces and
    brackets are ordinary characters; and cmd expands a variable only once, so `%` is too, except where `percent_arrives` is False.
    """
    for variable, value in values.items():
        refused = _refused_in_data if variable == "data" else _refused_in_path
        why = refused(value)
        if why is None and "%" in value and not percent_arrives:
            why = "this cmd expands % in the value of a variable once more"
        if why:
            raise Unpassable(f"{variable} cannot be given to a batch file intact: {why}")
    return {prefix + variable: value.rstrip("\n") for variable, value in values.items()}


def _refused_in_path(value: str) -> str | None:
    for sign in value:
        if sign in '"*?<>|' or sign < " ":
            return f"no file of Windows can have {sign!r} in its name"
    parts = value.replace("/", "\\").split("\\")
    if any(part != part.rstrip(" .") and part not in (".", "..") for part in parts):
        return "Windows drops spaces and dots at the end of a name"
    return None


def _refused_in_data(value: str) -> str | None:
    """Data is echoed without quotation marks, which would be written too; its last line end is echo's own."""
    for sign in value.removesuffix("\n"):
        if sign in '"&|<>^%()' or sign < " ":
            return f"{sign!r} means something to echo"
    return None


def _file(frame: str, code: str) -> bytes:
    # ASCII and CRLF: with LF alone cmd misses labels now and then.
    return frame.format(code=code, won=WON, taken=TAKEN).replace("\n", "\r\n").encode("ascii")
