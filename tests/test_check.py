"""`claimgrid check`: one sentence for every claim that is required, and an exit code that a CI job can use."""

import pytest
from click.testing import CliRunner

from harness import builds
from harness.cli import cli
from harness.commands import check
from harness.runtimes.contract import Found


@pytest.fixture
def checked(fake_runtime, monkeypatch, tmp_path):
    """The exit code and the lines of a check of claims of a fake build."""

    def run(fake, *selectors):
        build = builds.identify("fake", Found(fake_runtime(fake).program, "given", builds.this_platform()))
        monkeypatch.setattr(check, "builds_named", lambda *_: [build])
        monkeypatch.setattr(check, "_SECONDS", 30.0)
        required = [part for selector in selectors for part in ("--require", selector)]
        result = CliRunner().invoke(cli, ["check", *required, "--at", str(tmp_path)], standalone_mode=False)
        if result.exception is not None:
            raise result.exception
        return result.return_value, result.output.splitlines()

    return run


def test_an_overwriting_call_is_not_exclusive(checked):
    code, lines = checked("races", "fake:open/w")
    assert code == 1
    assert lines[0].startswith("not exclusive: fake:open/w in fake@")


def test_a_call_that_looks_first_is_not_exclusive(checked):
    code, lines = checked("races", "fake:os.path.exists/open")
    assert (code, lines[0].split(":")[0]) == (1, "not exclusive")


def test_an_exclusive_call_is_either_proved_or_not_but_never_refuted(checked):
    code, lines = checked("races", "fake:open/x")
    assert (code, lines[0].split(":")[0]) in [(0, "exclusive"), (1, "not proved")]


def test_one_claim_that_fails_fails_the_check(checked):
    code, lines = checked("races", "fake:open/x", "fake:open/w")
    assert (code, len(lines)) == (1, 2)


def test_a_call_that_the_build_lacks_is_not_there(checked):
    code, lines = checked("honest", "fake:missing")
    assert (code, lines[0].split(":")[0]) == (1, "not there")
