"""Filesystems that are made to be measured on: what they are, and that nothing of them is left."""

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import psutil
import pytest
from click.testing import CliRunner

from harness import environment
from harness.cli import cli
from harness.environment import filesystem
from harness.errors import ClaimgridError, Exit
from harness.filesystems import MAKINGS, Making, mounted
from harness.scratch import clear_abandoned

KNOWN = {making.name: making for making in MAKINGS}
root = pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root mounts")


class Interrupted(Exception):
    """What ends a measurement early."""


def mounts():
    return {partition.mountpoint for partition in psutil.disk_partitions(all=True)}


@root
@pytest.mark.parametrize("name", ["tmpfs", "overlay", "ext4"])
def test_a_filesystem_is_what_it_is_called_and_is_gone_afterwards_whatever_happens(name, tmp_path):
    before = mounts()
    with contextlib.suppress(Interrupted):
        try:
            with mounted(KNOWN[name], tmp_path / "new") as place:
                assert filesystem(place) == name
                (place / "file").write_bytes(b"x")
                raise Interrupted
        except ClaimgridError as error:
            pytest.skip(str(error))
    assert mounts() == before


@root
def test_what_a_killed_maker_left_mounted_is_unmounted_by_the_next_one(tmp_path):
    before = mounts()
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from harness.filesystems import MAKINGS, mounted\n"
        "from harness.scratch import scratch\n"
        "with scratch('filesystems', Path(sys.argv[1])) as folder:\n"
        "    with mounted(next(each for each in MAKINGS if each.name == 'tmpfs'), folder / 'a b') as place:\n"
        "        (place / 'file').write_bytes(b'x')\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(mounts() - before) == 1
    clear_abandoned(tmp_path)
    assert mounts() == before
    assert list(tmp_path.iterdir()) == []


@root
def test_what_cannot_be_made_is_told_in_one_sentence_and_leaves_nothing(tmp_path):
    before = mounts()
    missing = Making("zfs", ("mount", "{image}", "{place}"), ("no-such-mkfs", "{image}"), 1, "zfsutils")
    with (
        pytest.raises(ClaimgridError, match=r"there is no no-such-mkfs here.*zfsutils"),
        mounted(missing, tmp_path / "a"),
    ):
        pass
    with (
        pytest.raises(ClaimgridError, match=r"ext4: mount failed: ."),
        mounted(replace(KNOWN["ext4"], make=("true",)), tmp_path / "b"),
    ):
        pass
    assert mounts() == before


def test_an_unknown_filesystem_is_told_and_only_root_makes_any(monkeypatch):
    if sys.platform == "linux":
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        error = CliRunner().invoke(cli, ["filesystems", "fat16"]).exception
        assert "No filesystem is called 'fat16'" in str(error)
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
    error = CliRunner().invoke(cli, ["filesystems"]).exception
    assert isinstance(error, ClaimgridError)
    assert error.code is Exit.NOT_RUN


@pytest.mark.parametrize(
    ("content", "name"),
    [(b"\xeb\x52\x90NTFS    ", "ntfs-3g"), (b"\xeb\x76\x90EXFAT   ", "exfat-fuse"), (b"", "fuseblk")],
)
def test_a_block_device_under_fuse_is_told_by_what_is_on_it(tmp_path, monkeypatch, content, name):
    device = tmp_path / "device"
    device.write_bytes(content)
    partition = SimpleNamespace(mountpoint=os.sep, fstype="fuseblk", device=str(device))
    monkeypatch.setattr(environment.psutil, "disk_partitions", lambda all: [partition])
    assert filesystem(tmp_path) == name
