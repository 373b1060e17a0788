"""Windows builds on this machine: how their launches change, one prefix for all, and cmd as it answers there."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from harness import wine
from harness.conversation import Conversation, Limits, Request
from harness.errors import ClaimgridError
from harness.observation import Said
from harness.probes import probes_folder
from harness.processes import clean_environment, run
from harness.runtimes import cmd
from harness.runtimes.contract import Launch

posix = pytest.mark.skipif(os.name == "nt", reason="Wine is for systems that are not Windows")
needs_wine = pytest.mark.skipif(wine.find_wine() is None, reason=wine.HOW_TO_GET)


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """A Wine that is there but never started, and the cache that its prefix would be in."""
    loader = tmp_path / "wine64"
    monkeypatch.setattr(wine, "find_wine", lambda: loader)
    monkeypatch.setenv("CLAIMGRID_CACHE", str(tmp_path / "cache"))
    return loader


@pytest.fixture
def among_workers(pytestconfig):
    """Whether other workers of xdist run tests at the same time."""
    return hasattr(pytestconfig, "workerinput")


@pytest.fixture
def shared_prefix(monkeypatch, tmp_path_factory, among_workers):
    """One prefix for all tests of a run, in all its workers: making one takes seconds and 700 MB."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if among_workers else base
    monkeypatch.setenv("CLAIMGRID_CACHE", str(shared / "wine-cache"))


@posix
def test_a_path_is_spelled_with_the_drive_that_is_the_root():
    assert wine.spell(Path("/tmp/a b/日本")) == r"Z:\tmp\a b\日本"


@posix
def test_a_windows_program_is_started_through_wine_with_paths_in_its_own_notation(installed):
    launch = wine.under_wine(Launch(("/c/node.exe", "--flag", "/d", "/probes/main.cjs"), {"MORE": "1"}))
    assert launch.argv == (str(installed), "/c/node.exe", "--flag", "/d", r"Z:\probes\main.cjs")
    assert launch.spell is wine.spell
    assert launch.env == {**wine.environment(wine.prefix_folder()), "MORE": "1"}


@posix
def test_a_program_of_this_machine_is_left_as_it_is_and_told_of_the_prefix(installed):
    launch = wine.under_wine(Launch(("/usr/bin/python3", "/probes/main.py", str(installed), "cmd")))
    assert launch.argv == ("/usr/bin/python3", "/probes/main.py", str(installed), "cmd")
    assert launch.env["WINEPREFIX"] == str(wine.prefix_folder())


@posix
def test_without_wine_one_line_tells_how_to_get_it(monkeypatch):
    monkeypatch.setattr(wine, "find_wine", lambda: None)
    with pytest.raises(ClaimgridError, match="apt-get install wine64"):
        wine.under_wine(Launch(("/c/node.exe",)))
    with pytest.raises(ClaimgridError, match="apt-get install wine64"), wine.session():
        pass
    assert list(cmd.find()) == []


@needs_wine
def test_what_runs_under_wine_is_never_called_windows():
    assert [found.platform for found in cmd.find()] == ["wine-x64"]


def servers():
    """The Wine servers that work for this test's cache."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            named = process.name().startswith("wineserver") and process.status() != psutil.STATUS_ZOMBIE
            if named and process.environ().get("WINEPREFIX") == str(wine.prefix_folder()):
                yield process


@needs_wine
def test_the_last_of_several_sessions_ends_the_server(tmp_path, shared_prefix, among_workers):
    # As another run would be: it ends while this session goes on.
    code = "import sys\nfrom harness import wine\nwith wine.session():\n    print('open', flush=True)\n    sys.stdin.read()\n"
    with wine.session() as prefix:
        other = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=probes_folder().parent
        )
        assert other.stdout.readline() == b"open\n"
        other.communicate()
        assert other.returncode == 0
        environment = {**clean_environment(tmp_path), **wine.environment(prefix)}
        said = run([str(wine.find_wine()), "cmd", "/d", "/c", "ver"], limit=60, env=environment)
        assert said.ok
        assert said.stderr == b""
        assert len(list(servers())) == 1
    if not among_workers:  # other workers may have sessions of their own
        assert list(servers()) == []


@needs_wine
def test_links_that_are_not_made_are_noticed(tmp_path, shared_prefix):
    with wine.session():
        obstacle = wine.link_obstacle(tmp_path)
    assert obstacle is None or "links" in obstacle
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def talk(shared_prefix, tmp_path):
    """A conversation with the cmd of this machine."""
    found = next(iter(cmd.find()), None)
    if found is None:
        pytest.skip(wine.HOW_TO_GET)
    launch = cmd.launch(found.program, found.platform, probes_folder())
    with contextlib.ExitStack() as stack:
        if found.platform == wine.PLATFORM:
            stack.enter_context(wine.session())
            launch = wine.under_wine(launch)
        limits = Limits(cmd.START_SECONDS, 60.0)
        yield stack.enter_context(Conversation(launch, tmp_path / "home", limits))


def asking(call, name, number=1):
    return Request(number, call, name, name.with_name("source"), name.with_name("mine"), f"claimed by {number}\n")


@pytest.mark.parametrize("folder", ["a b & c ^ d ! e (f) = g; h, it's", "日本語 ソ表能"])
def test_names_reach_cmd_intact(talk, tmp_path, folder):
    place = tmp_path / folder
    place.mkdir()
    [made, written, taken] = talk.claims(
        [
            asking("mkdir", place / f"dir {folder}"),
            asking("redirect/>", place / f"file {folder}", 2),
            asking("mkdir", place / f"dir {folder}", 3),
        ]
    )
    assert [made.answer.said, written.answer.said, taken.answer.said] == [Said.YES, Said.YES, Said.NO]
    assert taken.answer.error == "errorlevel 1"
    assert sorted(path.name for path in place.iterdir()) == [f"dir {folder}", f"file {folder}"]
    assert (place / f"file {folder}").read_bytes() == b"claimed by 2\r\n"


def test_a_percent_sign_reaches_cmd_intact_or_is_refused(talk, tmp_path):
    name = tmp_path / "100% %PATH%"
    [reply] = talk.claims([asking("mkdir", name)])
    if reply.answer.said is Said.UNSUPPORTED:
        assert "expands %" in reply.answer.message
        assert list(tmp_path.glob("*%*")) == []
    else:
        assert reply.answer.said is Said.YES
        assert name.is_dir()


def test_cmd_lists_its_claims_and_what_it_cannot_do(talk):
    listed = {entry["id"]: entry["supported"] for entry in talk.ask("list")["claims"]}
    assert listed["mkdir"]
    assert listed["redirect/>"]
    # Whatever this cmd makes of `||`, it makes the same of it everywhere.
    assert len({listed[id] for id in ("mkdir/||", "ren/||", "redirect/>+||", "del/||")}) == 1
