"""Wine, where it is there: Windows builds run in a private prefix, and what comes out is measured as `wine-x64`, never as Windows.

Wine starts one server and half a dozen helper processes for a prefix, with the first program that runs in it. They would
inherit that program's standard error, and be taken for something that it left behind; so a session starts them by
themselves, and ends them when nobody uses the prefix any more.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.files import cache_folder
from harness.processes import clean_environment, run
from harness.runtimes.contract import Launch

PLATFORM = "wine-x64"
HOW_TO_GET = "Wine 64 is not here: Debian and Ubuntu have it as `apt-get install wine64 wine`."

# Debian keeps the 64-bit loader and server out of the PATH; elsewhere `wine64` or, since Wine 9, `wine` is on it.
_LOADERS = ("/usr/lib/wine/wine64", "wine64", "wine")
_SERVERS = ("wineserver64", "wineserver")
_MAKE_SECONDS = 180.0
_WAKE_SECONDS = 60.0
_TRIES, _PAUSE_SECONDS = 3, 1.0
_IDLE_SECONDS = 300
"""The server of a run that was killed leaves by itself after this long."""

# The helpers keep the standard error that they were started with for as long as they live, and nothing else.
_DETACHED = ("/bin/sh", "-c", 'exec "$@" 2>/dev/null', "sh")


def find_wine() -> Path | None:
    """The program that runs 64-bit Windows programs here, if there is one."""
    if sys.platform == "win32":
        return None
    found = (shutil.which(name) for name in _LOADERS)
    return next((Path(program) for program in found if program), None)


def prefix_folder() -> Path:
    """Where the private prefix is, or will be once a session was opened."""
    return cache_folder() / "wine" / "prefix"


def environment(prefix: Path) -> Mapping[str, str]:
    """What programs in this prefix have to find in their environment."""
    return {
        "WINEPREFIX": str(prefix),
        "WINEARCH": "win64",
        "WINEDEBUG": "-all",
        # Without a UTF-8 locale names outside ASCII do not come through.
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        # Debian's Wine meets its server below this folder: with another one a second server would work on the same prefix.
        "TMPDIR": str(prefix.parent),
        # .NET dies here when its garbage collector finalizes dynamic methods, and PowerShell makes them by the hundred. This puts
        # the first collection off; without the larger segments it would still come after a quarter of that size.
        "DOTNET_GCgen0size": "0x40000000",
        "DOTNET_GCSegmentSize": "0x100000000",
        # No windows, and no entries in this user's menus.
        "DISPLAY": "",
        "WINEDLLOVERRIDES": "winemenubuilder.exe=d",
    }


def spell(path: Path) -> str:
    """A path of this machine as Windows programs write it: `/tmp/x` is `Z:\\tmp\\x`."""
    return "Z:" + str(path.absolute()).replace("/", "\\")


def under_wine(launch: Launch) -> Launch:
    """The same launch for this machine; a session must be open while it runs. Raises ClaimgridError when Wine is missing.

    A Windows program is started through Wine, with the absolute paths among its arguments in its own notation. A program of
    this machine that starts Windows programs itself, as cmd's probe does, only gets the environment and the notation.
    """
    argv = launch.argv
    if argv[0].lower().endswith(".exe"):
        argv = (str(_wine()), argv[0], *(_spelled(argument) for argument in argv[1:]))
    return replace(launch, argv=argv, env={**environment(prefix_folder()), **launch.env}, spell=spell)


@contextlib.contextmanager
def session() -> Iterator[Path]:
    """The private prefix with its server and helpers running, made first if need be; gives its folder.

    Several sessions, of this process or others, may be open at once: the last one ends the server.
    Raises ClaimgridError when Wine is missing or does not work.
    """
    wine, prefix = _wine(), prefix_folder()
    prefix.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(prefix.parent / "making", exclusive=True):
        if not prefix.is_dir():
            _make_prefix(wine, prefix)
    in_use = prefix.parent / "in-use"
    try:
        with _locked(in_use, exclusive=False):
            _wake(wine, prefix)
            yield prefix
    finally:
        with contextlib.suppress(BlockingIOError), _locked(in_use, exclusive=True, wait=False):
            _end_server(wine, prefix)


def link_obstacle(folder: Path) -> str | None:
    """Why programs under this Wine make no symbolic links in `folder`, or None where they do; a session must be open.

    Found out by making one: Wine's own answer is that all went well, whether or not anything was made.
    """
    with tempfile.TemporaryDirectory(prefix="claimgrid-link-", dir=folder) as trial:
        run(
            [str(_wine()), "cmd", "/d", "/c", "mklink", "link", "target"],
            limit=_WAKE_SECONDS,
            cwd=Path(trial),
            env=_whole_environment(prefix_folder()),
        )
        return None if os.path.lexists(Path(trial) / "link") else "Wine makes no symbolic links, though it says so"


def _wine() -> Path:
    wine = find_wine()
    if wine is None:
        raise ClaimgridError("Windows builds cannot run here without Wine.", HOW_TO_GET, Exit.NOT_RUN)
    return wine


def _spelled(argument: str) -> str:
    """`/d` is an option of a Windows program, `/tmp/d` is a path of ours."""
    return spell(Path(argument)) if argument.startswith("/") and "/" in argument[1:] else argument


def _make_prefix(wine: Path, prefix: Path) -> None:
    """Make the prefix aside, so that one that is only half made is never used."""
    for stale in prefix.parent.glob("new-*"):
        shutil.rmtree(stale, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix="new-", dir=prefix.parent))
    try:
        # Left to itself the server goes as soon as a program ends, sometimes before it has saved the registry.
        _start_server(wine, new)
        _detached(wine, new, "wineboot", "--init", limit=_MAKE_SECONDS)
        # Programs ask which Windows this is, and .NET and Node want a recent one.
        version = ("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f")
        _detached(wine, new, *version, limit=_WAKE_SECONDS)
        _end_server(wine, new)
        new.rename(prefix)
    finally:
        if new.is_dir():
            _end_server(wine, new)
            shutil.rmtree(new, ignore_errors=True)


def _wake(wine: Path, prefix: Path) -> None:
    """Start the server, if none runs, and the helpers. Two sessions that do so at the same moment are sometimes in each other's way."""
    for left in reversed(range(_TRIES)):
        _start_server(wine, prefix)
        try:
            return _detached(wine, prefix, "wineboot", limit=_WAKE_SECONDS)
        except ClaimgridError:
            if not left:
                raise
            time.sleep(_PAUSE_SECONDS)


def _start_server(wine: Path, prefix: Path) -> None:
    server = _server(wine)
    if server is not None:
        run([*_DETACHED, str(server), f"-p{_IDLE_SECONDS}"], limit=_WAKE_SECONDS, env=_whole_environment(prefix))


def _end_server(wine: Path, prefix: Path) -> None:
    """End the server of the prefix and with it every Windows process in it."""
    server = _server(wine)
    if server is not None:
        # Saving the registry is what takes the time.
        run([str(server), "-k"], limit=_WAKE_SECONDS, env=_whole_environment(prefix))
        run([str(server), "-w"], limit=_WAKE_SECONDS, env=_whole_environment(prefix))


def _server(wine: Path) -> Path | None:
    beside = (wine.resolve().parent / name for name in _SERVERS)
    on_path = (shutil.which(name) for name in _SERVERS)
    return next((Path(found) for found in (*(path for path in beside if path.is_file()), *on_path) if found), None)


def _detached(wine: Path, prefix: Path, *arguments: str, limit: float) -> None:
    done = run([*_DETACHED, str(wine), *arguments], limit=limit, env=_whole_environment(prefix))
    if not done.ok:
        how = f"did not end within {limit:g} s" if done.timed_out else f"ended with code {done.code}"
        raise ClaimgridError(
            f"{wine} does not work: `{arguments[0]}` in {prefix} {how}.",
            f"Try `WINEPREFIX={prefix} {wine} {' '.join(arguments)}` by hand, or remove that folder.",
            Exit.NOT_RUN,
        )


def _whole_environment(prefix: Path) -> dict[str, str]:
    home = prefix.parent / "home"
    home.mkdir(exist_ok=True)
    return {**clean_environment(home), **environment(prefix)}


@contextlib.contextmanager
def _locked(path: Path, *, exclusive: bool, wait: bool = True) -> Iterator[None]:
    """Hold an advisory lock, which the system lets go when this process ends in whatever way. Raises BlockingIOError without `wait`."""
    assert sys.platform != "win32"
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(handle)
