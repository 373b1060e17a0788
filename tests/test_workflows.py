"""Workflows and the action: pinned, with no more permissions than they need, and every command in them is one of ours as it is."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from made import build

from harness.annotations import Finding, annotate
from harness.cli import cli
from harness.commands import legs as legs_command
from harness.errors import ClaimgridError
from harness.legs import Leg, from_matrix, lost, plan_legs, series, to_matrix
from harness.results import write
from harness.vocabulary import Verdict

PROJECT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
FILES = [*WORKFLOWS, PROJECT / "action.yml"]
bash = pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="bash is not here")


def commands():
    """Every command of claimgrid in a step, as words; what stands in variables is a word of its own."""
    for path in FILES:
        for line in path.read_text(encoding="utf-8").splitlines():
            for found in re.findall(r"\bclaimgrid ([a-z][^&|)>]*)", line.partition("run: ")[2]):
                words = shlex.split(
                    found.replace("measured/*/", ".")
                    .replace("$PLATFORMS", "--platform linux-x64")
                    .replace("$SINCE", "--new-since=results")
                )
                yield pytest.param(words, id=" ".join(words))


@pytest.mark.parametrize("words", list(commands()))
def test_every_command_in_a_workflow_is_one_with_these_options(words):
    command = cli.get_command(None, words[0])
    assert command is not None
    # Parses the words, and does nothing.
    command.make_context(words[0], words[1:])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_commit_with_the_version_beside_it(path):
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    for each in used:
        assert re.fullmatch(r"\./\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_unless_a_job_says_more(path):
    assert "\npermissions:\n  contents: read\n" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_from_outside_is_put_into_a_line_for_the_shell(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        assert "${{" not in line.partition("run: ")[2]


# ---- The action


@pytest.fixture
def action(tmp_path):
    """Runs a step of the action with a claimgrid that only tells its words, where the step that installs puts it."""
    fake = tmp_path / "claimgrid" / "bin" / "claimgrid"
    fake.parent.mkdir(parents=True)
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    fake.chmod(0o755)

    def step(verb, **environment):
        done = subprocess.run(
            ["bash", PROJECT / ".github" / "action.sh", verb],
            env={**os.environ, "RUNNER_TEMP": str(tmp_path), "AT": "/some where", **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout.splitlines()

    return step


@bash
def test_the_action_requires_every_claim_on_a_line(action):
    words = action("check", REQUIRE="node:fs.writeFileSync/wx\n\nsh:set -C\n", RUNTIME="")
    assert words == [
        *("check", "--annotate", "--at", "/some where"),
        *("--require", "node:fs.writeFileSync/wx"),
        *("--require", "sh:set -C"),
    ]
    assert action("check", REQUIRE="a", RUNTIME="node@22")[-2:] == ["--runtime", "node@22"]


@bash
def test_the_action_installs_itself_into_an_environment_of_its_own(action, tmp_path):
    seen = tmp_path / "seen"
    fake = tmp_path / "path" / "python"
    fake.parent.mkdir()
    # `python -m venv DIR` makes a python in DIR that tells its words.
    fake.write_text(
        f'#!/bin/sh\nmkdir -p "$3/bin"\nprintf \'#!/bin/sh\\nprintf "%%s\\\\n" "$@" > {seen}\\n\' > "$3/bin/python"\nchmod +x "$3/bin/python"\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    action("install", ACTION="/the action", PATH=f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    assert seen.read_text(encoding="utf-8").splitlines() == ["-m", "pip", "install", "--quiet", "/the action"]


@bash
def test_a_step_whose_legs_cannot_be_planned_fails(tmp_path):
    step = next(
        line
        for line in (PROJECT / ".github/workflows/grid.yml").read_text(encoding="utf-8").splitlines()
        if "GITHUB_OUTPUT" in line
    )
    fake = tmp_path / "claimgrid"
    fake.write_text("#!/bin/sh\nexit 4\n", encoding="utf-8")
    fake.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(tmp_path / "out"),
    }
    done = subprocess.run(["bash", "-e", "-c", step.partition("run: ")[2]], env=environment, timeout=60)
    assert done.returncode == 4


@bash
def test_the_action_passes_a_script_on_as_one_word(action):
    words = action("judge", JUDGE="./job.sh {name} $(rm x)", PROMISE="exclusion")
    assert words[-4:] == ["--run", "./job.sh {name} $(rm x)", "--promise", "exclusion"]


def test_findings_are_annotations_and_a_list_on_the_page_of_the_job(tmp_path, monkeypatch, capsys):
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    annotate("a, b: c", [Finding(True, "exclusive"), Finding(False, "100% not <b>exclusive</b>\n::error::x")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "::notice title=a%2C b%3A c::exclusive"
    assert lines[1].startswith("::error title=a%2C b%3A c::100%25 not <b>")
    assert len(lines) == 2
    assert "- ❌ 100% not \\<b\\>" in summary.read_text(encoding="utf-8")


# ---- Legs

OFFERED = {
    ("linux-x64", "node"): ["4.9.1", "20.1.0", "20.2.0", "22.0.0"],
    ("linux-x64", "bun"): ["0.8.1", "1.3.9", "1.3.10", "1.4.0"],
    ("windows-x64", "node"): ["22.0.0"],
}


def builds_of(legs):
    return [(leg.platform, leg.build) for leg in legs]


def test_a_leg_is_the_last_version_of_a_series_and_what_a_runner_has():
    assert builds_of(plan_legs(OFFERED)) == [
        ("linux-x64", "node@20.2.0"),
        ("linux-x64", "node@22.0.0"),
        ("linux-x64", "bun@0.8.1"),
        ("linux-x64", "bun@1.3.10"),
        ("linux-x64", "bun@1.4.0"),
        ("windows-x64", "node@22.0.0"),
        ("linux-x64", "python"),
        ("linux-x64", "sh"),
        *(("windows-x64", name) for name in ("python", "sh", "powershell", "cmd")),
    ]


def test_new_is_what_is_newer_than_its_series_on_that_platform():
    measured = [build("20.1.0", {}), build("22.0.0", {}), build("1.3.10", {}, "bun"), build("0.7.0", {}, "bun")]
    assert builds_of(plan_legs(OFFERED, measured)) == [
        ("linux-x64", "node@20.2.0"),
        ("linux-x64", "bun@1.4.0"),
        ("windows-x64", "node@22.0.0"),
    ]


def test_a_series_is_a_minor_where_minors_matter():
    assert (series("node", "22.1.0"), series("bun", "1.4.0"), series("node", "0.12.1")) == (
        ("22",),
        ("1", "4"),
        ("0", "12"),
    )


def test_legs_are_read_as_they_were_printed_and_what_did_not_come_is_named():
    legs = [
        Leg("linux-x64", "node@22.0.0"),
        Leg("windows-x64", "node@22.0.0"),
        Leg("linux-x64", "sh"),
        Leg("linux-x64", "python"),
    ]
    assert from_matrix(json.loads(json.dumps(to_matrix(legs)))) == legs
    came = [build("22.0.0", {}), build("dash-1", {}, "sh")]
    assert lost(legs, came) == [legs[1], legs[3]]


def test_what_came_back_is_told_and_what_did_not(tmp_path):
    write(build("22.0.0", {"node:a": Verdict.SAFE}), tmp_path / "measured-0")
    legs = [Leg("linux-x64", "node@22.0.0"), Leg("windows-x64", "bun@1.4.0")]
    words = ["legs", "--came", str(tmp_path), "--of", json.dumps(to_matrix(legs))]
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    assert (done.return_value, done.output.splitlines()[0]) == (1, "### Measured: 1 of 2 legs")
    assert "`bun@1.4.0` on windows-x64 left no results" in done.output
    write(build("dash-1", {"sh:a": Verdict.SAFE}, "sh"), tmp_path / "measured-1")
    write(build("bash-5", {"sh:a": Verdict.SAFE}, "sh"), tmp_path / "measured-1")
    words[-1] = json.dumps(to_matrix([Leg("linux-x64", "sh")]))
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    assert "- `sh` on linux-x64: dash-1, bash-5" in done.output
    broken = CliRunner().invoke(cli, [*words[:-1], "{}"], standalone_mode=False)
    assert isinstance(broken.exception, ClaimgridError)


def test_without_any_registry_there_are_no_legs(monkeypatch):
    class Nowhere:
        def versions(self, platform):
            raise ClaimgridError("out of reach")

    runtime = type("Runtime", (), {"SOURCE": Nowhere()})
    monkeypatch.setattr(legs_command, "RUNTIMES", {"node": runtime})
    assert "No registry" in str(CliRunner().invoke(cli, ["legs"], standalone_mode=False).exception)
