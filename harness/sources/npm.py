"""Builds from the npm registry, through the npm client and so with the user's own registry, proxy and credentials."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from harness.errors import ClaimgridError, Exit
from harness.processes import run
from harness.scratch import scratch
from harness.versions import is_release, sort_key

_VIEW_SECONDS = 60.0
_PACK_SECONDS = 600.0
_MAX_OUTPUT = 32 << 20


@dataclass(frozen=True, slots=True)
class NpmSource:
    """A package per platform that carries one program; `program` is its path inside the package."""

    NAME: ClassVar[str] = "npm"

    packages: Mapping[str, str]
    program_paths: Mapping[str, str]

    def __init__(self, packages: Mapping[str, str], program: Mapping[str, str]) -> None:
        object.__setattr__(self, "packages", packages)
        object.__setattr__(self, "program_paths", program)

    def versions(self, platform: str) -> list[str]:
        """Every release offered for the platform, oldest first. Raises ClaimgridError when npm or its registry is out of reach."""
        answer = npm("view", self._package(platform), "versions", "--json", limit=_VIEW_SECONDS)
        offered = [answer] if isinstance(answer, str) else answer
        if not isinstance(offered, list) or not all(isinstance(version, str) for version in offered):
            raise _nonsense(f"the versions of {self._package(platform)}")
        return sorted((version for version in offered if is_release(version)), key=sort_key)

    def fetch(self, version: str, platform: str, folder: Path) -> None:
        """Download one version, check it against the registry's digest, and put its program into `folder`."""
        wanted = f"{self._package(platform)}@{version}"
        with scratch("npm") as temp:
            packed = npm("pack", wanted, "--json", "--pack-destination", str(temp), limit=_PACK_SECONDS)
            archives = list(temp.glob("*.tgz"))
            if len(archives) != 1:
                raise ClaimgridError(
                    f"npm downloaded no archive for {wanted}.", "Try again, or look at `npm pack` by hand."
                )
            _check_digest(archives[0], _integrity(packed, wanted), wanted)
            target = self.program(folder, platform)
            _extract(archives[0], f"package/{self.program_paths[platform]}", target)
            target.chmod(0o755)

    def program(self, folder: Path, platform: str) -> Path:
        """The program alone is kept, so it lies directly in the folder."""
        return folder / PurePosixPath(self.program_paths[platform]).name

    def _package(self, platform: str) -> str:
        try:
            return self.packages[platform]
        except KeyError:
            raise ClaimgridError(
                f"npm offers no build for {platform}.", "Name a program with NAME=PATH instead.", Exit.NOT_RUN
            ) from None


def npm(*arguments: str, limit: float) -> Any:
    """What npm tells, a JSON value. Raises ClaimgridError."""
    program = shutil.which("npm")
    if program is None:
        raise ClaimgridError("npm is not on the PATH.", "Install it, or name programs with NAME=PATH.", Exit.NOT_RUN)
    # Retries are cut short: a registry that cannot be reached is an ordinary situation here, not one to wait for.
    quiet = ("--loglevel=error", "--no-update-notifier", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
    done = run([program, *arguments, *quiet], limit=limit, max_bytes=_MAX_OUTPUT)
    if not done.ok:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        reason = (
            "timed out" if done.timed_out else next((line for line in said if "code" not in line), "no reason given")
        )
        raise ClaimgridError(
            f"npm {arguments[0]} {arguments[1]} failed: {reason[:200]}.",
            "Is the registry in reach (`npm ping`)?",
            Exit.NOT_RUN,
        )
    try:
        return json.loads(done.stdout)
    except (ValueError, RecursionError):
        raise _nonsense(arguments[1]) from None


def _nonsense(about: str) -> ClaimgridError:
    return ClaimgridError(f"npm tells nothing sensible about {about}.", "Is the right registry set up?", Exit.NOT_RUN)


def _integrity(packed: Any, wanted: str) -> str:
    """The registry's digest of what was downloaded. Raises ClaimgridError."""
    try:
        return str(packed[0]["integrity"])
    except (LookupError, TypeError):
        raise _nonsense(wanted) from None


def _check_digest(archive: Path, integrity: str, wanted: str) -> None:
    """npm checks what it downloads; checking again guards against an archive that was changed on the way to us."""
    algorithm, _, expected = integrity.partition("-")
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    if algorithm != "sha512" or base64.b64encode(digest).decode() != expected:
        raise ClaimgridError(
            f"{wanted} does not match the registry's digest.", "Nothing was kept; try again.", Exit.NOT_RUN
        )


def _extract(archive: Path, member: str, target: Path) -> None:
    """Copy one regular file out of the archive. Nothing else is unpacked, so no path or link in it can matter."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            packed = tar.extractfile(member)
            if packed is None:
                raise KeyError(member)
            with packed, target.open("wb") as out:
                shutil.copyfileobj(packed, out)
    except (KeyError, tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ClaimgridError(f"{archive.name} does not contain {member}: {error}.", "", Exit.NOT_RUN) from error
