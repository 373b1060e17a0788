"""What can sit on a name, and what a directory cannot hold."""

import contextlib
import os
import stat

import pytest

from harness.occupants import (
    POSIX,
    WINDOWS,
    Capabilities,
    lay_source,
    occupants_for,
    occupy,
    probe_capabilities,
    remove,
    remove_tree,
)
from harness.vocabulary import Kind, Occupant
from harness.witness import look

posix = pytest.mark.skipif(os.name == "nt", reason="these occupants are made on POSIX systems only")
EVERYWHERE = [
    Occupant.FILE,
    Occupant.EMPTY_FILE,
    Occupant.READONLY_FILE,
    Occupant.EMPTY_DIR,
    Occupant.FULL_DIR,
    Occupant.HARD_LINK,
]


def seen(folder, occupant):
    """The types of everything in the folder while the occupant is there."""
    with contextlib.ExitStack() as stack:
        occupy(folder, occupant, stack)
        return {path: entry.type for path, entry in look(folder).entries.items()}


@pytest.mark.parametrize("occupant", [Occupant.FREE, Occupant.OWN])
def test_nothing_is_put_on_a_free_name(tmp_path, occupant):
    assert seen(tmp_path, occupant) == {}


@pytest.mark.parametrize(
    ("occupant", "types"),
    [
        (Occupant.FILE, {"name": "file"}),
        (Occupant.EMPTY_FILE, {"name": "file"}),
        (Occupant.READONLY_FILE, {"name": "file"}),
        (Occupant.EMPTY_DIR, {"name": "dir"}),
        (Occupant.FULL_DIR, {"name": "dir", "name/inside": "file"}),
        (Occupant.HARD_LINK, {"name": "file", "target": "file"}),
        (Occupant.OTHER_CASE, {"NAME": "file"}),
    ],
)
def test_an_occupant_is_what_it_is_called(tmp_path, occupant, types):
    assert seen(tmp_path, occupant) == types


@posix
@pytest.mark.parametrize(
    ("occupant", "types"),
    [
        (Occupant.LINK_TO_FILE, {"name": "link", "target": "file"}),
        (Occupant.LINK_TO_DIR, {"name": "link", "target": "dir", "target/inside": "file"}),
        (Occupant.DANGLING_LINK, {"name": "link"}),
        (Occupant.FIFO, {"name": "fifo"}),
    ],
)
def test_a_posix_occupant_is_what_it_is_called(tmp_path, occupant, types):
    assert seen(tmp_path, occupant) == types


def test_only_the_empty_file_is_empty(tmp_path):
    sizes = {}
    for occupant in (Occupant.FILE, Occupant.EMPTY_FILE, Occupant.READONLY_FILE, Occupant.HARD_LINK):
        folder = tmp_path / occupant
        folder.mkdir()
        with contextlib.ExitStack() as stack:
            occupy(folder, occupant, stack)
            sizes[occupant] = (folder / "name").stat().st_size > 0
    assert sizes == {
        Occupant.FILE: True,
        Occupant.EMPTY_FILE: False,
        Occupant.READONLY_FILE: True,
        Occupant.HARD_LINK: True,
    }


def test_a_read_only_file_has_no_write_bit(tmp_path):
    with contextlib.ExitStack() as stack:
        occupy(tmp_path, Occupant.READONLY_FILE, stack)
        assert not (tmp_path / "name").stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)


@posix
def test_a_fifo_tells_what_was_written_to_it(tmp_path):
    with contextlib.ExitStack() as stack:
        written = occupy(tmp_path, Occupant.FIFO, stack)
        assert written() == b""
        (tmp_path / "name").write_bytes(b"claimed\n")
        assert written() == b"claimed\n"


@posix
def test_a_fifo_is_held_open_so_that_opening_it_does_not_wait_and_let_go_afterwards(tmp_path):
    with contextlib.ExitStack() as stack:
        occupy(tmp_path, Occupant.FIFO, stack)
        os.close(os.open(tmp_path / "name", os.O_WRONLY | os.O_NONBLOCK))
    with pytest.raises(OSError, match="No such device"):
        os.open(tmp_path / "name", os.O_WRONLY | os.O_NONBLOCK)


@posix
@pytest.mark.parametrize("occupant", [Occupant.JUNCTION, Occupant.OPEN_FILE, Occupant.DEVICE_NAME])
def test_what_only_windows_has_is_refused_with_a_reason(tmp_path, occupant):
    with contextlib.ExitStack() as stack, pytest.raises(NotImplementedError, match=r"Windows"):
        occupy(tmp_path, occupant, stack)


def test_windows_and_wine_have_occupants_of_their_own():
    assert (occupants_for(Kind.CREATE, "windows-x64"), occupants_for(Kind.CREATE, "wine-x64")) == (WINDOWS, WINDOWS)
    assert set(WINDOWS) - set(POSIX) == {
        Occupant.JUNCTION,
        Occupant.OPEN_FILE,
        Occupant.OTHER_CASE,
        Occupant.DEVICE_NAME,
    }


@pytest.mark.parametrize("platform", ["linux-x64", "macos-arm64"])
def test_elsewhere_there_is_the_fifo(platform):
    assert set(occupants_for(Kind.CREATE, platform)) - set(WINDOWS) == {Occupant.FIFO}


@pytest.mark.parametrize("platform", ["linux-x64", "windows-x64"])
def test_the_controls_come_first(platform):
    assert occupants_for(Kind.CREATE, platform)[:2] == (Occupant.FREE, Occupant.OWN)


@posix
def test_a_posix_directory_can_hold_every_posix_occupant(tmp_path):
    able = probe_capabilities(tmp_path)
    assert able == Capabilities(
        {
            Occupant.JUNCTION: "only Windows makes junctions",
            Occupant.OPEN_FILE: "an open file keeps nobody out except on Windows",
            Occupant.DEVICE_NAME: "only Windows has device names",
        },
        able.ignores_case,
    )


def test_trying_leaves_nothing_behind(tmp_path):
    probe_capabilities(tmp_path)
    assert list(tmp_path.iterdir()) == []


@posix
def test_an_occupant_that_the_system_refuses_is_missing_with_its_reason(tmp_path, monkeypatch):
    def refuse(*arguments, **more):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "symlink", refuse)
    missing = probe_capabilities(tmp_path).missing
    assert {occupant for occupant, why in missing.items() if why == "Operation not permitted"} == {
        Occupant.LINK_TO_FILE,
        Occupant.LINK_TO_DIR,
        Occupant.DANGLING_LINK,
    }


# Sources


@pytest.mark.parametrize(("shape", "types"), [("file", {"source": "file"}), ("empty-dir", {"source": "dir"})])
def test_a_source_is_what_it_is_called(tmp_path, shape, types):
    lay_source(tmp_path / "source", shape, 1)
    assert {path: entry.type for path, entry in look(tmp_path).entries.items()} == types


def test_a_full_source_has_a_file_inside(tmp_path):
    lay_source(tmp_path / "source", "full-dir", 1)
    assert sorted(look(tmp_path).entries) == ["source", "source/inside"]


@posix
def test_a_source_that_is_a_link_leads_to_a_file_beside_it(tmp_path):
    lay_source(tmp_path / "source", "link", 1)
    assert (tmp_path / "source").readlink().name == "source-target"
    assert (tmp_path / "source").is_file()


@pytest.mark.parametrize("shape", ["file", "full-dir"])
def test_two_sources_never_have_the_same_bytes(tmp_path, shape):
    contents = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        lay_source(folder / "source", shape, number)
        contents.append({entry.content for entry in look(folder).entries.values() if entry.type == "file"})
    assert contents[0] != contents[1]


# Removing


@pytest.mark.parametrize("occupant", EVERYWHERE)
def test_every_occupant_can_be_removed(tmp_path, occupant):
    with contextlib.ExitStack() as stack:
        occupy(tmp_path, occupant, stack)
    assert remove(str(tmp_path / "name"))
    assert not os.path.lexists(tmp_path / "name")


@posix
@pytest.mark.parametrize("occupant", [Occupant.LINK_TO_DIR, Occupant.DANGLING_LINK, Occupant.FIFO])
def test_every_posix_occupant_can_be_removed_without_what_it_leads_to(tmp_path, occupant):
    with contextlib.ExitStack() as stack:
        occupy(tmp_path, occupant, stack)
    others = [path for path in look(tmp_path).entries if path != "name"]
    assert remove(str(tmp_path / "name"))
    assert list(look(tmp_path).entries) == others


def test_removing_nothing_is_done_already(tmp_path):
    assert remove(str(tmp_path / "nothing"))


def test_a_tree_without_any_permission_is_removed(tmp_path):
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    (inner / "file").chmod(0)
    inner.chmod(0)
    inner.parent.chmod(0)
    assert remove_tree(tmp_path / "outer")
    assert list(tmp_path.iterdir()) == []


def test_a_source_is_newer_than_what_sits_on_the_name_and_than_sources_before_it(tmp_path):
    with contextlib.ExitStack() as stack:
        occupy(tmp_path, Occupant.FILE, stack)
        lay_source(tmp_path / "source", "file", 1)
        lay_source(tmp_path / "source-2", "file", 2)
        times = [os.stat(tmp_path / name).st_mtime for name in ("name", "source", "source-2")]
    assert times == sorted(set(times))


def test_where_a_filesystem_ignores_case_a_name_in_other_case_is_an_occupant():
    assert occupants_for(Kind.CREATE, "linux-x64", ignores_case=True) == (*POSIX, Occupant.OTHER_CASE)
    assert occupants_for(Kind.CREATE, "windows-x64", ignores_case=True) == WINDOWS
    assert occupants_for(Kind.TAKE, "linux-x64", ignores_case=True) == occupants_for(Kind.TAKE, "linux-x64")
