"""The ground of a race: what contenders find there, and whose product is recognised as whose."""

import os

import pytest

from harness.arena import Arena
from harness.claims import Claim
from harness.rounds import Left
from harness.vocabulary import Kind

posix = pytest.mark.skipif(os.name == "nt", reason="wants links")


def claim(kind=Kind.CREATE, source=None, makes="file"):
    return Claim("fake", "call", kind, "call(name)", makes, source)


@pytest.fixture
def arena(tmp_path):
    def make(*claims, rounds=2):
        made = Arena(tmp_path / "race 日本'", claims, rounds)
        made.lay()
        return made

    return make


def numbered(path, number):
    return path.with_name(path.name + str(number))


def test_a_name_that_nobody_took_is_not_there(arena):
    assert arena(claim(), claim()).look() == [Left(False), Left(False)]


def test_data_names_the_contender_that_wrote_it(arena):
    made = arena(claim(), claim())
    for contender in (0, 1):
        paths = made.paths(contender)
        numbered(paths.name, contender).write_text(paths.data, encoding="utf-8")
    assert made.look() == [Left(True, frozenset({0})), Left(True, frozenset({1}))]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_data_is_known_in_the_encodings_of_powershell(arena, encoding):
    made = arena(claim(), claim())
    numbered(made.paths(1).name, 0).write_text(made.paths(1).data.strip(), encoding=encoding)
    assert made.look()[0].owners == {1}


def test_both_are_named_where_both_wrote(arena):
    made = arena(claim(), claim())
    numbered(made.paths(0).name, 0).write_text(made.paths(0).data + made.paths(1).data, encoding="utf-8")
    assert made.look()[0].owners == {0, 1}


@pytest.mark.parametrize("shape", ["file", "empty-dir", "full-dir", pytest.param("link", marks=posix)])
def test_a_source_that_was_moved_is_known_as_its_owners(arena, shape):
    made = arena(claim(source=shape), claim(source=shape))
    os.rename(numbered(made.paths(1).source, 0), numbered(made.paths(1).name, 0))
    os.rename(numbered(made.paths(0).source, 1), numbered(made.paths(0).name, 1))
    assert made.look() == [Left(True, frozenset({1})), Left(True, frozenset({0}))]


@posix
def test_a_link_to_a_source_is_known_as_its_owners(arena):
    made = arena(claim(source="file"), claim(source="file"))
    os.symlink(numbered(made.paths(1).source, 0), numbered(made.paths(1).name, 0))
    os.link(numbered(made.paths(0).source, 1), numbered(made.paths(0).name, 1))
    assert made.look() == [Left(True, frozenset({1})), Left(True, frozenset({0}))]


def test_a_directory_that_was_made_names_nobody(arena):
    made = arena(claim(), claim())
    numbered(made.paths(0).name, 0).mkdir()
    assert made.look()[0] == Left(True)


def test_what_was_moved_into_a_directory_shows(arena):
    made = arena(claim(source="file"), claim(source="file"))
    folder = numbered(made.paths(0).name, 0)
    folder.mkdir()
    source = numbered(made.paths(1).source, 0)
    os.rename(source, folder / source.name)
    assert made.look()[0].owners == {1}


def test_what_is_taken_is_laid_once_and_known_by_who_has_it(arena):
    made = arena(claim(Kind.TAKE, "file", "moved"), claim(Kind.TAKE, "file", "moved"))
    assert [left.there for left in made.look()] == [True, True]
    os.rename(numbered(made.paths(1).name, 0), numbered(made.paths(1).mine, 0))
    assert made.look() == [Left(False, frozenset({1})), Left(True)]


def test_nothing_stays_behind(arena, tmp_path):
    made = arena(claim(source="full-dir"), claim(source="file"))
    made.clear()
    assert list(tmp_path.iterdir()) == []
