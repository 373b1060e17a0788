"""Results as they were in a revision of git, read without touching the work tree."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from harness import processes
from harness.errors import ClaimgridError
from harness.plain import plain
from harness.results import BuildResult, ClaimResult, parse, unless_skipped
from harness.strict import MAX_BYTES

_SECONDS = 120.0
_MOST_BYTES = 1 << 30


def read_revision(
    revision: str,
    folder: Path,
    skip: Callable[[ClaimgridError], None] | None,
    known: dict[str, tuple[str, ClaimResult]],
) -> list[tuple[str, BuildResult]]:
    """All results that `folder` had in a revision, each with its name; `skip` and `known` as for `results.read_sources`.

    Raises ClaimgridError when there is no git, no such revision, or no such folder in it.
    """
    found = []
    for path, content in _files(revision, folder):
        name = PurePosixPath(f"{revision}:{folder.as_posix()}") / path
        try:
            found.append((name.as_posix(), parse(content, name, known)))
        except ClaimgridError as error:
            if skip is None:
                raise unless_skipped(error) from error
            skip(error)
    return found


def _files(revision: str, folder: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Relative path and content of every file that has the place of a results file, in order."""
    where = folder.absolute()
    tree = _git(where.parent, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}:./{where.name}")
    if tree is None:
        raise ClaimgridError(
            f"{plain(revision)} is neither a folder nor a revision of git that has a folder {folder}.",
            "Name a folder of results, or a revision such as HEAD~1.",
        )
    archive = _git(where.parent, "archive", "--format=tar", tree.decode("ascii").strip())
    if archive is None:
        raise ClaimgridError(f"git could not give out {folder} as it was in {plain(revision)}.")
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        # Nothing is unpacked: names in an archive may point anywhere.
        members = {PurePosixPath(member.name): member for member in tar if member.isfile()}
        for path, member in sorted(members.items()):
            if len(path.parts) == 2 and path.suffix == ".json":
                file = tar.extractfile(member)
                assert file is not None
                yield path, file.read(MAX_BYTES + 1)


def _git(cwd: Path, *arguments: str) -> bytes | None:
    """What git prints; None when it fails."""
    program = shutil.which("git")
    if program is None:
        raise ClaimgridError("git is not on the PATH, and only git can read revisions.", "Name a folder of results.")
    if not cwd.is_dir():
        raise ClaimgridError(f"There is no folder {cwd}.", "--results names the folder of results.")
    # Reading must not write: git would refresh its index, or fetch what a partial clone lacks.
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
    done = processes.run([program, *arguments], limit=_SECONDS, max_bytes=_MOST_BYTES, cwd=cwd, env=env)
    return done.stdout if done.ok else None
