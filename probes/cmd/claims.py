"""The claims of cmd: the lines of a batch file that a person might write to take a name.

The variables are the protocol's, `%name%`, `%source%`, `%mine%` and `%data%`. A line that finds the name taken goes to the
label `taken`; one that falls through has won. Most commands are there twice: judged by errorlevel on the next line,
and judged by `||` on the same line, since cmd does not always agree with itself.
"""

from typing import NamedTuple


class Claim(NamedTuple):
    """One claim as the protocol lists it.

    `needs` names what a cmd must be able to do for it (see abilities.py). With `tried`, the claim is made once on a name of
    the probe's own, and the build lacks it where that makes nothing: links need a privilege on Windows.
    """

    id: str
    kind: str
    code: str
    makes: str
    source: str | None = None
    role: str | None = None
    needs: tuple[str, ...] = ()
    tried: bool = False


CLAIMS: list[Claim] = []


def claim(id: str, makes: str, code: str, source: str | None = None, **more: object) -> None:
    """One claim, told by its own text how it went."""
    CLAIMS.append(Claim(id, **{"kind": "create", "code": code, "makes": makes, "source": source, **more}))


def by_errorlevel(
    id: str, makes: str, command: str, source: str | None = None, *, least: int = 1, **more: object
) -> None:
    """A command judged by the errorlevel that it leaves, from `least` on a failure."""
    claim(id, makes, f"{command}\nif errorlevel {least} goto taken", source, **more)


def by_both(id: str, makes: str, command: str, source: str | None = None, **more: object) -> None:
    """A command judged by errorlevel, and the same one judged by `||`; a role is the first one's."""
    by_errorlevel(id, makes, command, source, **more)
    second = {key: value for key, value in more.items() if key != "role"}
    claim(f"{id}{'+' if '/' in id else '/'}||", makes, f"{command} || goto taken", source, needs=("||",), **second)


by_both("mkdir", "empty-dir", 'mkdir "%name%"')
by_errorlevel("md", "empty-dir", 'md "%name%"')

# `ren` wants a bare new name, so the loop takes the last part of the path.
by_both("ren", "file", 'for %%f in ("%name%") do ren "%source%" "%%~nxf"', "file")
by_errorlevel("ren/empty-dir", "empty-dir", 'for %%f in ("%name%") do ren "%source%" "%%~nxf"', "empty-dir")
by_errorlevel("ren/full-dir", "full-dir", 'for %%f in ("%name%") do ren "%source%" "%%~nxf"', "full-dir")

for variant, option in (("", ""), ("/Y", " /Y"), ("/-Y", " /-Y")):
    by_both(f"move{variant}", "file", f'move{option} "%source%" "%name%"', "file")
by_errorlevel("move/full-dir", "full-dir", 'move "%source%" "%name%"', "full-dir")
by_errorlevel("move/Y+full-dir", "full-dir", 'move /Y "%source%" "%name%"', "full-dir")

for variant, option in (("", ""), ("/Y", " /Y"), ("/-Y", " /-Y")):
    by_both(f"copy{variant}", "file", f'copy{option} "%source%" "%name%"', "file")

# In front of the command, because `echo by 7> file` would redirect handle 7.
by_both("redirect/>", "file", '> "%name%" echo %data%', role="overwrites")
by_both("redirect/>>", "file", '>> "%name%" echo %data%')

by_both("mklink", "link", 'mklink "%name%" "%source%"', "file", tried=True)
by_both("mklink/D", "link", 'mklink /D "%name%" "%source%"', "empty-dir", tried=True)
by_both("mklink/J", "link", 'mklink /J "%name%" "%source%"', "empty-dir", tried=True)
by_both("mklink/H", "file", 'mklink /H "%name%" "%source%"', "file", tried=True)

claim("if not exist/>", "file", 'if not exist "%name%" (> "%name%" echo %data%) else goto taken', role="check-then-act")
claim("if not exist/mkdir", "empty-dir", 'if not exist "%name%" (mkdir "%name%") else goto taken')

# The answer to "file or directory?", which xcopy asks whenever the name is free.
by_errorlevel("xcopy/F", "file", 'echo F| xcopy "%source%" "%name%"', "file")
by_errorlevel("xcopy/F+Y", "file", 'echo F| xcopy /Y "%source%" "%name%"', "file")
by_errorlevel("xcopy/E+I", "full-dir", 'xcopy /E /I "%source%" "%name%"', "full-dir")
by_errorlevel("xcopy/E+I+Y", "full-dir", 'xcopy /E /I /Y "%source%" "%name%"', "full-dir")

# Without /R:0 robocopy tries again a million times. Below 8 its errorlevel tells what was done, not that something failed.
by_errorlevel("robocopy/E", "full-dir", 'robocopy "%source%" "%name%" /E /R:0', "full-dir", least=8, tried=True)
by_errorlevel(
    "robocopy/E+XC+XN+XO",
    "full-dir",
    'robocopy "%source%" "%name%" /E /XC /XN /XO /R:0',
    "full-dir",
    least=8,
    tried=True,
)

# The handle stays open as long as the block runs.
claim(
    "redirect/9>",
    "file",
    '9> "%name%" (\n  echo held\n  set /p "wait="\n) || goto taken',
    kind="held",
    needs=("||", "9>"),
)
claim(
    "redirect/9>>",
    "file",
    '9>> "%name%" (\n  echo held\n  set /p "wait="\n) || goto taken',
    kind="held",
    needs=("||", "9>"),
)

for thing in ("file", "full-dir"):
    by_errorlevel(f"ren/take-{thing}", "moved", 'for %%f in ("%mine%") do ren "%name%" "%%~nxf"', thing, kind="take")
    by_errorlevel(f"move/take-{thing}", "moved", 'move "%name%" "%mine%"', thing, kind="take")
claim(
    "ren/take-file+||",
    "moved",
    'for %%f in ("%mine%") do ren "%name%" "%%~nxf" || goto taken',
    "file",
    kind="take",
    needs=("||",),
)
claim("move/take-file+||", "moved", 'move "%name%" "%mine%" || goto taken', "file", kind="take", needs=("||",))
by_both("del", "gone", 'del "%name%"', "file", kind="take")
by_both("rmdir", "gone", 'rmdir "%name%"', "empty-dir", kind="take")
by_both("rmdir/S+Q", "gone", 'rmdir /S /Q "%name%"', "full-dir", kind="take")
claim("if exist/del", "gone", 'if exist "%name%" (del "%name%") else goto taken', "file", kind="take")

by_errorlevel("type", "nothing", 'type "%name%"', kind="look")
