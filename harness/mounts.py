"""What is mounted below a folder, on Linux, and how it goes away again."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

from harness.processes import run

_COMMAND_SECONDS = 60.0
_UNMOUNT_SECONDS = 20.0
_MOUNTS = Path("/proc/self/mounts")


def unmount(place: Path) -> None:
    """Whoever was ended a moment ago may keep it busy for another; after that it is detached, and gone when they are."""
    deadline = time.monotonic() + _UNMOUNT_SECONDS
    while not run(["umount", str(place)], limit=_COMMAND_SECONDS).ok:
        if time.monotonic() > deadline:
            run(["umount", "--lazy", str(place)], limit=_COMMAND_SECONDS)
            return
        time.sleep(0.2)


def detach(device: str) -> None:
    """Let go of a loop device."""
    run(["losetup", "--detach", device], limit=_COMMAND_SECONDS)


def dismantle(folder: Path) -> None:
    """Unmount all that a killed maker left mounted below `folder`, the deepest first, and let go of its loop devices."""
    if sys.platform != "linux":
        return
    for device, place in reversed(_mounted_below(folder)):
        unmount(place)
        if device.startswith("/dev/loop"):
            # One that was made by mount itself is gone with it.
            detach(device)


def _mounted_below(folder: Path) -> list[tuple[str, Path]]:
    """Devices and places, in the order in which they were mounted."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    found = [(line.split(" ")[0], Path(_plain(line.split(" ")[1]))) for line in lines]
    return [(device, place) for device, place in found if folder in place.parents]


def _plain(place: str) -> str:
    """The kernel writes spaces, tabs, line breaks and backslashes as octal numbers."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8)]), os.fsencode(place)))
