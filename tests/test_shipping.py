"""What is shipped is whole: installed from the wheel, and far from any checkout, everything works."""

import importlib.util
import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="hatchling is not here")


def hatch(target, folder):
    """Build one archive of the project into the folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", folder]
    subprocess.run(command, cwd=PROJECT, capture_output=True, timeout=300, check=True)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Runs claimgrid as pip installs the wheel, in an empty folder that is not below the checkout; gives exit code and output.

    Its environment is a new one, which lends what claimgrid needs from the one that runs the tests.
    """
    wheel = hatch("wheel", tmp_path_factory.mktemp("wheel"))
    made = tmp_path_factory.mktemp("environment")
    venv.create(made, with_pip=False)
    scripts = made / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    told = subprocess.run([python, "-c", where], capture_output=True, text=True, timeout=300, check=True)
    site = Path(told.stdout.strip())
    lent = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "lent.pth").write_text("\n".join(lent) + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--ignore-installed"]
    subprocess.run([*pip, wheel], capture_output=True, timeout=300, check=True)
    which = subprocess.run(
        [python, "-c", "import harness; print(harness.__file__)"], cwd=made, capture_output=True, text=True, check=True
    )
    assert Path(which.stdout.strip()).is_relative_to(site)
    place = tmp_path_factory.mktemp("elsewhere")

    def command(*words):
        done = subprocess.run(
            [scripts / "claimgrid", *words],
            cwd=place,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    command.site, command.place = site, place
    return command


def test_the_wheel_has_probes_recipes_texts_and_licence(installed):
    there = {path.relative_to(installed.site).as_posix() for path in installed.site.rglob("*") if path.is_file()}
    for path in (PROJECT / "probes").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and not {"bin", "obj"} & set(path.parts):
            assert f"harness/_probes/{path.relative_to(PROJECT / 'probes').as_posix()}" in there
    for path in (PROJECT / "harness" / "templates").iterdir():
        assert f"harness/templates/{path.name}" in there
    assert any(path.endswith("LICENSE") for path in there)


def test_it_measures_shows_and_answers_far_from_any_checkout(installed):
    python = f"python={sys.executable}"
    assert installed("--version")[0] == 0
    run = ("run", "--runtime", python, "--claim", "python:os.mkdir", "--no-race", "-n", "0", "--quiet")
    assert installed(*run)[0] == 0
    assert list(installed.place.glob("results/*/python-*.json"))
    code, matrix = installed("matrix")
    assert (code, "os.mkdir" in matrix) == (0, True)
    assert installed("report")[0] == 0
    assert "os.mkdir" in (installed.place / "results" / "report.html").read_text(encoding="utf-8")
    code, answer = installed("check", "--require", "python:os.mkdir", "--runtime", python)
    assert answer.startswith(("exclusive: python:os.mkdir", "not proved: python:os.mkdir"))
    assert code == (0 if answer.startswith("exclusive") else 4)


def test_its_recipes_and_schemas_are_there(installed):
    assert "node:recipe/pid-file" in installed("recipe", "list")[1]
    assert installed("recipe", "show", "sh:recipe/mkdir")[1] == (PROJECT / "probes/sh/recipes/mkdir.sh").read_text()
    assert installed("schema", "recipes")[0] == 0


def test_the_source_archive_has_all_that_the_tests_and_make_need(tmp_path):
    with tarfile.open(hatch("sdist", tmp_path)) as archive:
        there = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "LICENSE", "CHANGELOG.md", "README.md", "README.ja.md", "expectations.toml"} <= there
    assert {"tests/conftest.py", "probes/node/main.cjs", "harness/bootstrap.py"} <= there
