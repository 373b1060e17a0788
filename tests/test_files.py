"""Files that are there whole or not at all."""

import os
import stat
import threading

import pytest

from harness.errors import ClaimgridError, Exit
from harness.files import cache_folder, write_whole

posix = pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")


def test_a_file_is_written_in_utf_8_with_plain_line_ends(tmp_path):
    write_whole(tmp_path / "file", "größer 日本語\nzwei\n")
    assert (tmp_path / "file").read_bytes() == "größer 日本語\nzwei\n".encode()


def test_folders_on_the_way_are_made(tmp_path):
    write_whole(tmp_path / "a" / "b" / "file", "x")
    assert (tmp_path / "a" / "b" / "file").read_text(encoding="utf-8") == "x"


def test_an_older_file_is_replaced(tmp_path):
    (tmp_path / "file").write_text("old and longer", encoding="utf-8")
    write_whole(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "new"


def test_nothing_else_is_left(tmp_path):
    write_whole(tmp_path / "file", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@posix
def test_others_may_read_it(tmp_path):
    write_whole(tmp_path / "file", "x")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


def test_a_file_that_cannot_be_written_is_told_and_the_old_one_stays(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("old", encoding="utf-8")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ClaimgridError) as caught:
        write_whole(tmp_path / "file", "new")
    assert caught.value.message == f"{tmp_path / 'file'} cannot be written: No space left on device."
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"file": "old"}


def test_a_place_that_is_no_folder_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ClaimgridError, match="cannot be written"):
        write_whole(tmp_path / "file" / "below", "x")


def test_a_reader_sees_the_old_file_or_the_new_one_and_nothing_between(tmp_path):
    path = tmp_path / "file"
    contents = {letter * 100_000 for letter in "ab"}
    write_whole(path, "a" * 100_000)
    done = threading.Event()
    seen = set()

    def reader():
        while not done.is_set():
            seen.add(path.read_text(encoding="utf-8"))

    thread = threading.Thread(target=reader)
    thread.start()
    for _ in range(20):
        for content in sorted(contents):
            write_whole(path, content)
    done.set()
    thread.join()
    assert seen <= contents


def test_the_cache_is_where_the_user_says(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAIMGRID_CACHE", str(tmp_path / "my cache"))
    assert cache_folder() == tmp_path / "my cache"
    assert (tmp_path / "my cache").is_dir()


@posix
def test_the_cache_is_for_its_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAIMGRID_CACHE", str(tmp_path / "cache"))
    assert stat.S_IMODE(cache_folder().stat().st_mode) == 0o700


def test_without_a_wish_the_cache_is_the_systems_place_for_caches(tmp_path, monkeypatch):
    monkeypatch.delenv("CLAIMGRID_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name, appauthor: str(tmp_path / name))
    assert cache_folder() == tmp_path / "claimgrid"


def test_a_cache_that_cannot_be_made_is_the_users_trouble(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("CLAIMGRID_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ClaimgridError) as caught:
        cache_folder()
    assert (caught.value.code, caught.value.hint) == (Exit.USAGE, "Set CLAIMGRID_CACHE to another folder.")
