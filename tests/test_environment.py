"""Where a measurement happens, found out and not assumed."""

import os
import re
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from harness import environment
from harness.environment import describe, filesystem, is_privileged, operating_system, this_platform
from harness.errors import ClaimgridError

linux = pytest.mark.skipif(sys.platform != "linux", reason="these places are Linux's")
Partition = namedtuple("Partition", "mountpoint fstype")


def test_this_platform_has_a_system_and_an_architecture():
    assert re.fullmatch(r"(linux|windows|macos)-(x64|arm64|\w+)", this_platform())


@linux
@pytest.mark.parametrize(("folder", "type"), [("/proc", "proc"), ("/sys", "sysfs"), ("/proc/self", "proc")])
def test_a_known_place_has_its_known_filesystem(folder, type):
    assert filesystem(Path(folder)) == type


def mounted(monkeypatch, *mounts):
    monkeypatch.setattr(environment.psutil, "disk_partitions", lambda all: [Partition(*mount) for mount in mounts])


@pytest.mark.skipif(os.name == "nt", reason="mount points as POSIX writes them")
@pytest.mark.parametrize(
    ("folder", "type"),
    [
        ("/", "ext4"),
        ("/mnt", "ext4"),
        ("/mnt/a", "tmpfs"),
        ("/mnt/a/b", "tmpfs"),
        ("/mnt/ab", "ext4"),
        ("/mnt/a/deep/er", "xfs"),
    ],
)
def test_the_longest_mount_point_that_holds_a_folder_decides(monkeypatch, folder, type):
    mounted(monkeypatch, ("/", "ext4"), ("/mnt/a", "tmpfs"), ("/mnt/a/deep", "xfs"))
    assert filesystem(Path(folder)) == type


@pytest.mark.skipif(os.name == "nt", reason="mount points as POSIX writes them")
def test_a_later_mount_hides_an_earlier_one(monkeypatch):
    mounted(monkeypatch, ("/mnt", "ext4"), ("/mnt", "overlay"))
    assert filesystem(Path("/mnt")) == "overlay"


@pytest.mark.skipif(os.name == "nt", reason="mount points as POSIX writes them")
def test_a_filesystem_is_found_through_a_link(monkeypatch, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    mounted(monkeypatch, ("/", "ext4"), (str(tmp_path / "real"), "btrfs"))
    assert filesystem(tmp_path / "link") == "btrfs"


@pytest.mark.parametrize(
    ("type", "name"), [("NTFS", "ntfs"), ("fuse.sshfs", "fuse.sshfs"), ("a b/c", "a_b_c"), ("", "unknown")]
)
def test_the_name_of_a_filesystem_can_be_the_name_of_a_folder(monkeypatch, tmp_path, type, name):
    mounted(monkeypatch, (tmp_path.anchor, type))
    assert filesystem(tmp_path) == name


def test_a_filesystem_that_nobody_knows_is_unknown(monkeypatch, tmp_path):
    mounted(monkeypatch)
    assert filesystem(tmp_path) == "unknown"


def test_an_environment_is_that_of_the_folder_and_of_the_build(tmp_path):
    found = describe(tmp_path, "wine-x64")
    assert (found.platform, found.filesystem, found.os, found.privileged) == (
        "wine-x64",
        filesystem(tmp_path),
        operating_system(),
        is_privileged(),
    )


@pytest.mark.parametrize("name", ["nothing", "file"])
def test_a_place_that_is_no_folder_is_the_users_trouble(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(ClaimgridError, match="is not a directory"):
        describe(tmp_path / name, "linux-x64")


def test_the_operating_system_has_a_name():
    assert operating_system().strip()


@linux
def test_root_is_privileged():
    assert is_privileged() is (os.geteuid() == 0)
