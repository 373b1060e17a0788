"""Where a measurement happens: platform, operating system, filesystem and privilege, all found out and none assumed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from harness import windows
from harness.errors import ClaimgridError


@dataclass(frozen=True, slots=True)
class Environment:
    """`privileged` says that the run could ignore file modes, which changes what a read-only file means."""

    platform: str
    filesystem: str
    os: str
    privileged: bool


def this_platform() -> str:
    """This machine as `<os>-<architecture>`, e.g. "linux-x64"."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    return f"{system}-{ {'x86_64': 'x64', 'amd64': 'x64', 'aarch64': 'arm64'}.get(machine, machine) }"


def describe(folder: Path, build_platform: str) -> Environment:
    """The environment of a build of `build_platform` that works in `folder`. Raises ClaimgridError when there is no such folder."""
    if not folder.is_dir():
        raise ClaimgridError(f"{folder} is not a directory.", "Give --at a directory that exists.")
    return Environment(build_platform, filesystem(folder), operating_system(), is_privileged())


def filesystem(folder: Path) -> str:
    """The type of the filesystem that holds a directory, in lower case, as the system names it: "ext4", "tmpfs", "ntfs"."""
    if sys.platform == "win32":
        return _plain_name(windows.volume_filesystem(folder.resolve()))
    place = os.path.normcase(folder.resolve())
    best_length, best = -1, None
    # Later mounts hide earlier ones at the same place, so the last of the longest wins.
    for partition in psutil.disk_partitions(all=True):
        mount = os.path.normcase(partition.mountpoint)
        inside = place == mount or place.startswith(mount if mount.endswith(os.sep) else mount + os.sep)
        if inside and len(mount) >= best_length:
            best_length, best = len(mount), partition
    if best is None:
        return "unknown"
    return _plain_name((_driver_of(best.device) if best.fstype == "fuseblk" else "") or best.fstype)


def _plain_name(told: str) -> str:
    return re.sub(r"[^a-z0-9.-]+", "_", told.lower()) or "unknown"


def _driver_of(device: str) -> str:
    """Which driver has mounted a block device through FUSE, from what is on the device: the system itself does not say."""
    with contextlib.suppress(OSError), open(device, "rb") as file:
        return {b"NTFS    ": "ntfs-3g", b"EXFAT   ": "exfat-fuse"}.get(file.read(11)[3:], "")
    return ""


def operating_system() -> str:
    """Name and version of the operating system, e.g. "Debian GNU/Linux 12"."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            release = platform.freedesktop_os_release()
            return " ".join(part for part in (release["NAME"], release.get("VERSION_ID")) if part)
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return f"{platform.system()} {platform.version()}"


def is_privileged() -> bool:
    """Whether this process is root or an elevated administrator."""
    if sys.platform == "win32":
        return bool(ctypes.windll.shell32.IsUserAnAdmin())
    return os.geteuid() == 0
