"""Rules of the house that a reader of one file cannot see."""

import ast
import re
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
MODULES = sorted((PROJECT / "harness").rglob("*.py"))
# It makes the environment in which the package can be imported, and so cannot import the package.
BEFORE_EVERYTHING = {"harness/bootstrap.py"}


def imported(path):
    """The names of all modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_no_module_has_the_name_of_one_of_the_standard_library():
    """Some are started as programs, and then the folder of all of them comes first in the search for modules."""
    names = {path.stem for path in MODULES if path.parent.name == "harness"}
    assert names & sys.stdlib_module_names == set()


def test_only_one_module_starts_processes():
    starting = {
        path.relative_to(PROJECT).as_posix()
        for path in MODULES
        if {"subprocess", "multiprocessing", "pty"} & set(imported(path))
    }
    assert starting - BEFORE_EVERYTHING == {"harness/processes.py"}


def test_no_module_goes_around_it():
    """But for the one that is started as a program, and then becomes the command that it was started for."""
    text = {path.name: path.read_text(encoding="utf-8") for path in MODULES if path.name != "supervised.py"}
    assert [
        name for name, code in text.items() if re.search(r"os\.(system|popen|spawn|exec|fork|posix_spawn)", code)
    ] == []


def test_nothing_is_read_or_written_in_the_encoding_of_the_machine():
    careless = [
        f"{path.name}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("read_text", "write_text")
        if "encoding" not in {keyword.arg for keyword in node.keywords}
    ]
    assert careless == []


def test_every_module_says_what_it_is_for():
    assert [path.name for path in MODULES if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))] == []
