"""The doctor: what is here is told, what is missing is told with what helps, and nothing is fetched."""

import pytest
from click.testing import CliRunner

from harness import strace
from harness.cli import cli
from harness.doctor import Sign, can_measure, examine
from harness.errors import ClaimgridError
from harness.runtimes import RUNTIMES


def test_everything_that_matters_is_told(tmp_path):
    about = [sign.about for sign in examine(tmp_path)]
    assert {"packages", "here", *RUNTIMES, "client npm", "client dotnet", "strace", "held calls", "cache"} <= set(about)


def test_what_is_missing_comes_with_what_helps(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    strace.obstacle.cache_clear()
    try:
        signs = {sign.about: sign for sign in examine(tmp_path)}
    finally:
        strace.obstacle.cache_clear()
    for missing in ("client npm", "client dotnet", "strace"):
        assert not signs[missing].well
        assert signs[missing].help


def test_the_controls_are_tried_where_it_is_asked_for(tmp_path):
    sign = next(sign for sign in examine(tmp_path) if sign.about == "controls")
    assert (sign.well, sign.found) == (True, "a free name is won, an overwrite is seen")
    assert list(tmp_path.iterdir()) == []


def test_controls_that_cannot_be_tried_are_told_with_the_reason(tmp_path, monkeypatch):
    def no_place(at):
        raise ClaimgridError(f"{at} cannot be worked in: Read-only file system.")

    monkeypatch.setattr("harness.doctor.workspace", no_place)
    sign = next(sign for sign in examine(tmp_path) if sign.about == "controls")
    assert not sign.well
    assert "Read-only file system" in sign.found


@pytest.mark.parametrize(("well", "code"), [(True, 0), (False, 4)])
def test_the_exit_code_says_whether_there_is_anything_to_measure(monkeypatch, well, code):
    monkeypatch.setattr(
        "harness.commands.doctor.examine", lambda place: [Sign(True, "cache", "x"), Sign(well, "node", "y", "z")]
    )
    done = CliRunner().invoke(cli, ["doctor"], standalone_mode=False)
    assert done.return_value == code
    assert ("z" in done.output) == (not well)
    assert can_measure([Sign(True, "cache", "x")]) is False
