"""Libraries: fetched once through npm, whole or not at all; and the version of what is used."""

import sys
from pathlib import Path

import pytest

from harness import libraries
from harness.errors import ClaimgridError, Exit
from harness.libraries import library_folder, version_of
from harness.recipes import Library

LOCK = Library("npm", "some-lock", "1.2.3")


@pytest.fixture
def npm(monkeypatch, tmp_path):
    """An npm that installs something, or fails; and a cache of its own. Gives what was asked of it."""
    monkeypatch.setenv("CLAIMGRID_CACHE", str(tmp_path / "cache"))
    asked = []

    def install(*arguments, limit):
        asked.append(arguments)
        folder = Path(arguments[arguments.index("--prefix") + 1])
        (folder / "node_modules" / "some-lock").mkdir(parents=True)
        if fails:
            raise ClaimgridError("npm install failed", "", Exit.NOT_RUN)

    fails = []
    install.fails, install.asked = fails, asked
    monkeypatch.setattr(libraries, "npm", install)
    return install


def test_a_library_is_fetched_once_without_running_its_scripts(npm):
    folder = library_folder(LOCK, fetch=True)
    assert (folder / "node_modules" / "some-lock").is_dir()
    assert library_folder(LOCK, fetch=False) == folder
    (arguments,) = npm.asked
    assert arguments[:2] == ("install", "some-lock@1.2.3")
    assert "--ignore-scripts" in arguments


def test_what_could_not_be_fetched_whole_is_not_there(npm):
    npm.fails.append(True)
    with pytest.raises(ClaimgridError):
        library_folder(LOCK, fetch=True)
    npm.fails.clear()
    with pytest.raises(ClaimgridError, match="not in the cache") as error:
        library_folder(LOCK, fetch=False)
    assert error.value.code is Exit.NOT_RUN


def test_the_version_is_the_one_that_is_used():
    assert version_of(LOCK, Path("x")) == "1.2.3"
    assert version_of(Library("debian", "pytest"), Path(sys.executable)) == pytest.__version__
    assert version_of(Library("debian", "no-such-package"), Path(sys.executable)) == ""
    assert version_of(Library("path", "no-such-program"), Path("x")) == ""
