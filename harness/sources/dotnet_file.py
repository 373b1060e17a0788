"""C# programs of one file, compiled by the SDK and run by its own runtime."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.files import cache_folder, make_folder, move_new, not_kept
from harness.scratch import scratch
from harness.sources.dotnet_sdk import dotnet, sdk_version, temporary

_BUILD_SECONDS = 600.0
_ASK_SECONDS = 60.0


def compiled(file: Path) -> Path:
    """The program that `dotnet` runs, from the cache when this very source was compiled before. Raises ClaimgridError.

    A file by itself is a program since the SDK 10.
    """
    source = file.read_bytes().replace(b"\r\n", b"\n")
    key = hashlib.sha256(source + sdk_version().encode()).hexdigest()[:16]
    target = cache_folder() / "recipes" / "dotnet" / key
    if not target.is_dir():
        try:
            _compile(file.name, source, target)
        except OSError as error:
            raise not_kept(target, error) from error
    return target / f"{file.stem}.dll"


def _compile(name: str, source: bytes, target: Path) -> None:
    """Raises ClaimgridError; OSError."""
    make_folder(target.parent)
    with scratch("dotnet", target.parent) as work:
        (work / name).write_bytes(source)
        servers = ("-p:UseSharedCompilation=false", "-p:PublishAot=false")
        dotnet(
            *("build", name, "--configuration", "Release", "--output", "out", *servers),
            limit=_BUILD_SECONDS,
            cwd=work,
            env=temporary(work),
        )
        with contextlib.suppress(FileExistsError):
            move_new(work / "out", target)


def own_runtime() -> tuple[Path, str]:
    """The `dotnet` on the PATH, and the version of the runtime that programs compiled by its SDK run on. Raises ClaimgridError."""
    major = sdk_version().partition(".")[0]
    listed = dotnet("--list-runtimes", limit=_ASK_SECONDS).decode(errors="replace")
    versions = re.findall(rf"^Microsoft\.NETCore\.App ({major}\.\d+\.\d+) ", listed, re.MULTILINE)
    program = shutil.which("dotnet")
    if not versions or program is None:
        raise ClaimgridError(f"The SDK {major} has no runtime of its own.", "Install the .NET SDK.", Exit.NOT_RUN)
    return Path(program), max(versions, key=lambda version: tuple(map(int, version.split("."))))
