"""What all tests share: a clean environment, fake runtimes, and real ones where they are there."""

import contextlib
import os
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import psutil
import pytest

from harness import builds, contenders, run
from harness.environment import this_platform
from harness.processes import MARK, OWN_MARK
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Found, Launch
from harness.scratch import OWNER, PREFIX

# No deadline, for a busy machine is no fault; no database, so that nothing is written into the checkout.
hypothesis.settings.register_profile("claimgrid", deadline=None, database=None, max_examples=40)
hypothesis.settings.load_profile("claimgrid")

FAKES = Path(__file__).parent / "fakes"
# Without site: a fake starts twice as fast. Not isolated: a fake imports `speaking` from beside it.
PYTHON = (sys.executable, "-E", "-s", "-S", "-B")

_COLOURS = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PY_COLORS", "TERM")
_OURS = (
    "CLAIMGRID_CACHE",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTEST_XDIST_WORKER",
    "PYTEST_XDIST_WORKER_COUNT",
    "COLUMNS",
    "LINES",
)


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left(tmp_path_factory):
    """The whole session leaves no process, temporary folder or mount of its own; each worker of xdist looks after what it started.

    Every claimgrid that a test starts, in whatever way, inherits our mark, and so have its own processes and folders marks below ours.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, OWN_MARK)
        yield
    deadline = time.monotonic() + 20
    while left := [*left_processes(), *left_folders(tmp_path_factory.getbasetemp()), *left_mounts()]:
        assert time.monotonic() < deadline, f"the tests left behind: {left}"
        time.sleep(0.1)


def left_processes():
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK, "").startswith(OWN_MARK):
                yield process.cmdline()
        except (psutil.Error, OSError):
            continue


def left_folders(base):
    for place in (Path(tempfile.gettempdir()), base):
        for owner in (place.glob if place != base else place.rglob)(f"{PREFIX}*/{OWNER}"):
            with contextlib.suppress(OSError):
                if owner.read_text(encoding="utf-8").startswith(OWN_MARK):
                    yield owner.parent


def left_mounts():
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        yield from (line for line in lines if f"claimgrid-{OWN_MARK}" in line)


@pytest.fixture(autouse=True)
def clean_surroundings(monkeypatch, tmp_path_factory):
    """No test sees the user's cache or settings."""
    for name in (*_COLOURS, *_OURS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLAIMGRID_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def fake_argv(tmp_path):
    """The argument list of a fake by its name; its one argument is a folder where it may keep what it wants to know next time."""

    def argv(name):
        script = FAKES / f"{name}.py"
        assert script.exists()
        return (*PYTHON, str(script), str(tmp_path))

    return argv


@pytest.fixture
def fake_program(fake_argv, tmp_path):
    """A fake by its name, as a program that can be given as `node=PATH`."""

    def program(name):
        if os.name == "nt":
            path = tmp_path / f"{name}.cmd"
            path.write_text("@" + " ".join(f'"{part}"' for part in fake_argv(name)) + "\n", encoding="utf-8")
        else:
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\nexec {shlex.join(fake_argv(name))}\n", encoding="utf-8")
            path.chmod(0o755)
        return path

    return program


@pytest.fixture
def fake_runtime(fake_argv, monkeypatch):
    """Registers the runtime `fake`, whose programs are the scripts of fakes; gives a function that finds one by its name."""
    adapter = SimpleNamespace(
        NAME="fake",
        PROBE=("PROTOCOL.md",),
        PER_CASE=False,
        START_SECONDS=60.0,
        CASE_SECONDS=60.0,
        DEFAULTS=(),
        SOURCE=None,
        find=lambda: iter(()),
        launch=lambda program, platform, probes: Launch(fake_argv(program.stem)),
    )
    for module in (builds, contenders, run):
        monkeypatch.setattr(module, "RUNTIMES", {**RUNTIMES, "fake": adapter})

    def found(name, **changes):
        vars(adapter).update(changes)
        return Found(FAKES / f"{name}.py", "given", this_platform())

    return found


@pytest.fixture
def fake_build(fake_runtime):
    """A build of the runtime `fake` by the name of the fake; keyword arguments change the adapter."""
    return lambda name, **changes: builds.identify("fake", fake_runtime(name, **changes))


@pytest.fixture
def real():
    """The path of a real runtime by its name. One that is missing is skipped at home and fails where CI=true says that it belongs there."""

    def find(name):
        found = shutil.which(name)
        if found is None and os.environ.get("CI") == "true":
            pytest.fail(f"{name} is not on the PATH, and in CI it has to be")
        if found is None:
            pytest.skip(f"{name} is not on the PATH")
        return Path(found)

    return find
