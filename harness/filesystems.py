"""Small filesystems that are made to be measured on, and gone afterwards; for root on Linux."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ClaimgridError, Exit
from harness.mounts import detach, unmount
from harness.processes import run

_COMMAND_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Making:
    """How a filesystem is made in an image of so many megabytes, and mounted.

    In the commands {image}, {device} and {place} stand for paths; a loop device is made only where {device} is used. `package` is
    Debian's, with the programs.
    """

    name: str
    mount: tuple[str, ...]
    make: tuple[str, ...] = ()
    megabytes: int = 0
    package: str = ""
    folders: tuple[str, ...] = ()


_LOOP = ("mount", "-o", "loop", "{image}", "{place}")
MAKINGS = (
    Making("tmpfs", ("mount", "-t", "tmpfs", "-o", "size=1g,mode=700", "tmpfs", "{place}")),
    Making(
        "overlay",
        (
            "mount",
            "-t",
            "overlay",
            "-o",
            "lowerdir={image}/lower,upperdir={image}/upper,workdir={image}/work",
            "overlay",
            "{place}",
        ),
        folders=("lower", "upper", "work"),
    ),
    Making("ext4", _LOOP, ("mkfs.ext4", "-q", "{image}"), 512, "e2fsprogs"),
    Making("xfs", _LOOP, ("mkfs.xfs", "-q", "{image}"), 512, "xfsprogs"),
    Making("btrfs", _LOOP, ("mkfs.btrfs", "-q", "{image}"), 512, "btrfs-progs"),
    Making(
        "exfat", ("mount.exfat-fuse", "{device}", "{place}"), ("mkfs.exfat", "{image}"), 256, "exfat-fuse exfatprogs"
    ),
    Making("ntfs", ("mount.ntfs-3g", "{device}", "{place}"), ("mkfs.ntfs", "-F", "-q", "{image}"), 256, "ntfs-3g"),
)
"""The filesystems, each by what it is called here; results name them as the system does."""


@contextlib.contextmanager
def mounted(making: Making, folder: Path) -> Iterator[Path]:
    """A new filesystem below `folder`; nothing of it is left afterwards. Raises ClaimgridError when it cannot be made here."""
    words = {"image": str(folder / "image"), "place": str(folder / "place")}
    (folder / "place").mkdir(parents=True)
    with contextlib.ExitStack() as stack:
        for name in making.folders:
            (folder / "image" / name).mkdir(parents=True)
        if making.make:
            with (folder / "image").open("wb") as image:
                image.truncate(making.megabytes << 20)
            _do(making, making.make, words)
        if "{device}" in making.mount:
            words["device"] = _do(making, ("losetup", "--find", "--show", "{image}"), words).strip()
            stack.callback(detach, words["device"])
        _do(making, making.mount, words)
        stack.callback(unmount, Path(words["place"]))
        yield Path(words["place"])


def _do(making: Making, command: Sequence[str], words: dict[str, str]) -> str:
    argv = [part.format_map(words) for part in command]
    if shutil.which(argv[0]) is None:
        raise ClaimgridError(
            f"{making.name}: there is no {argv[0]} here.",
            f"Debian's packages: {making.package or 'mount'}.",
            Exit.NOT_RUN,
        )
    done = run(argv, limit=_COMMAND_SECONDS)
    if not done.ok:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        why = "timed out" if done.timed_out else said[-1] if said else f"exit code {done.code}"
        raise ClaimgridError(f"{making.name}: {argv[0]} failed: {why}.", "", Exit.NOT_RUN)
    return done.stdout.decode(errors="replace")
