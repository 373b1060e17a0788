"""What the witness sees, and that it cannot be deceived by a number that is used again."""

import os
import stat
import sys
from pathlib import Path

import pytest

from harness.witness import Entry, look, pin, unpin

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFOs and no modes; its links need a privilege")


def identity(path):
    status = os.lstat(path)
    return status.st_dev, status.st_ino


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_an_empty_folder_has_no_entries(tmp_path):
    snapshot = look(tmp_path)
    assert (dict(snapshot.entries), snapshot.whole) == ({}, True)


def test_a_folder_that_is_gone_has_no_entries(tmp_path):
    assert dict(look(tmp_path / "gone").entries) == {}


def test_a_file_in_place_of_the_folder_has_no_entries(tmp_path):
    (tmp_path / "file").touch()
    assert dict(look(tmp_path / "file").entries) == {}


def test_files_and_directories_are_seen_at_every_depth(tmp_path):
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").write_bytes(b"bytes\x00\xff")
    assert dict(look(tmp_path).entries) == {
        "outer": Entry("dir", identity(tmp_path / "outer"), mode(tmp_path / "outer")),
        "outer/inner": Entry("dir", identity(inner), mode(inner)),
        "outer/inner/file": Entry("file", identity(inner / "file"), mode(inner / "file"), content=b"bytes\x00\xff"),
    }


@posix
def test_a_link_is_seen_and_not_followed(tmp_path):
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "inside").touch()
    link = tmp_path / "link"
    link.symlink_to("target")
    entries = look(tmp_path).entries
    assert sorted(entries) == ["link", "target", "target/inside"]
    assert entries["link"] == Entry("link", identity(link), mode(link), target="target")


@posix
def test_a_link_that_leads_nowhere_is_seen(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    assert look(tmp_path).entries["link"].target == "nowhere"


@posix
def test_links_in_a_circle_do_not_lead_the_witness_astray(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "up").symlink_to("..")
    assert sorted(look(tmp_path).entries) == ["folder", "folder/up"]


@posix
def test_a_fifo_is_seen_without_being_opened(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    assert look(tmp_path).entries["fifo"].type == "fifo"


@posix
def test_two_names_of_one_file_have_one_identity(tmp_path):
    (tmp_path / "first").write_bytes(b"same")
    (tmp_path / "second").hardlink_to(tmp_path / "first")
    entries = look(tmp_path).entries
    assert entries["first"] == entries["second"]


@pytest.mark.parametrize("name", ["with space", "日本語", "quo'te\"s", "new\nline", "-rf", "*"])
def test_every_name_is_seen(tmp_path, name):
    try:
        (tmp_path / name).touch()
    except OSError:
        pytest.skip("this system does not allow the name")
    assert list(look(tmp_path).entries) == [name]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text, not bytes")
def test_a_name_that_is_not_utf_8_is_seen(tmp_path):
    with open(os.path.join(os.fsencode(tmp_path), b"gr\xf6\xdfer"), "wb"):
        pass
    assert [os.fsencode(name) for name in look(tmp_path).entries] == [b"gr\xf6\xdfer"]


def test_a_change_at_the_end_of_a_large_file_is_seen(tmp_path):
    large = tmp_path / "large"
    large.write_bytes(b"x" * (1 << 17))
    before = look(tmp_path).entries["large"].content
    with large.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"y")
    after = look(tmp_path).entries["large"].content
    assert before != after
    assert before[: 1 << 16] == after[: 1 << 16]


def test_a_folder_with_too_much_in_it_is_not_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.witness._MAX_ENTRIES", 3)
    for number in range(5):
        (tmp_path / str(number)).touch()
    snapshot = look(tmp_path)
    assert (len(snapshot.entries), snapshot.whole) == (3, False)


def test_a_folder_that_is_too_deep_is_not_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.witness._MAX_DEPTH", 2)
    (tmp_path / "a" / "b" / "c" / "d").mkdir(parents=True)
    snapshot = look(tmp_path)
    assert (sorted(snapshot.entries), snapshot.whole) == (["a", "a/b", "a/b/c"], False)


def test_a_file_made_anew_is_never_taken_for_the_old_one_while_it_is_pinned(tmp_path):
    file = tmp_path / "file"
    for _ in range(50):
        file.write_bytes(b"same")
        before = look(tmp_path)
        pins = pin(tmp_path, before)
        file.unlink()
        file.write_bytes(b"same")
        assert look(tmp_path).entries["file"] != before.entries["file"]
        unpin(pins)
        file.unlink()


@posix
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("target")])
def test_directories_pipes_and_links_are_pinned_too(tmp_path, make):
    name = tmp_path / "name"
    remove = Path.rmdir if make is Path.mkdir else Path.unlink
    for _ in range(20):
        make(name)
        before = look(tmp_path)
        pins = pin(tmp_path, before)
        remove(name)
        make(name)
        assert look(tmp_path).entries["name"].identity != before.entries["name"].identity
        unpin(pins)
        remove(name)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted in /proc")
def test_no_descriptor_is_left_when_pins_are_let_go(tmp_path):
    (tmp_path / "file").touch()
    before = len(list(Path("/proc/self/fd").iterdir()))
    unpin(pin(tmp_path, look(tmp_path)))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_name_that_went_away_before_it_was_pinned_is_left_alone(tmp_path):
    (tmp_path / "file").touch()
    snapshot = look(tmp_path)
    (tmp_path / "file").unlink()
    assert pin(tmp_path, snapshot) == []
