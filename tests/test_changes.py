"""Diffs: what became worse, better, appeared and vanished, and nothing else."""

import json
import shutil
import subprocess
from dataclasses import replace
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from hypothesis import given
from made import HERE, ONE_WINNER, TWO_WINNERS, build, claim, measured, some_builds

from harness.changes import Change, Turn, Word, compare
from harness.cli import cli
from harness.errors import ClaimgridError, Exit
from harness.judge import Case, Raced
from harness.matrix import Column
from harness.results import write
from harness.vocabulary import Occupant, Outcome, RaceOutcome, Verdict

SAFE, UNSAFE, REFUSES = Verdict.SAFE, Verdict.UNSAFE, Verdict.REFUSES
INDETERMINATE, CONDITIONAL, RACY = Verdict.INDETERMINATE, Verdict.CONDITIONAL, Verdict.RACY
ON = ("linux-x64", "ext4", "node")


HOW = {
    SAFE: measured(SAFE, ONE_WINNER),
    REFUSES: measured(REFUSES),
    RACY: measured(RACY, TWO_WINNERS),
    CONDITIONAL: measured(CONDITIONAL, Raced(RaceOutcome.ONE_WINNER, "locks-late")),
}
"""Claims whose cases and race fit their verdict, where a race may have to do with it."""


def one(verdict, version="1.0.0"):
    """A build with one claim, which is left out for None."""
    claims = {} if verdict is None else {"node:a": HOW.get(verdict, claim(verdict))}
    return replace(build(version, {}), claims=MappingProxyType(claims))


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (SAFE, UNSAFE, Word.WORSE),
        (SAFE, RACY, Word.WORSE),
        (REFUSES, UNSAFE, Word.WORSE),
        (CONDITIONAL, INDETERMINATE, Word.WORSE),
        (INDETERMINATE, UNSAFE, Word.WORSE),
        (UNSAFE, CONDITIONAL, Word.BETTER),
        (INDETERMINATE, SAFE, Word.BETTER),
        (UNSAFE, INDETERMINATE, Word.VANISHED),
        # Only one of the two was raced: what is worth what is the same as far as one can tell.
        (REFUSES, RACY, Word.APPEARED),
        (REFUSES, SAFE, Word.APPEARED),
        (SAFE, REFUSES, Word.VANISHED),
        (UNSAFE, Verdict.UNSUPPORTED, Word.VANISHED),
        (SAFE, Verdict.NOT_RUN, Word.VANISHED),
        (SAFE, None, Word.VANISHED),
        (Verdict.UNSUPPORTED, SAFE, Word.APPEARED),
        (None, UNSAFE, Word.APPEARED),
    ],
)
def test_what_became_of_a_claim(before, after, word):
    assert compare([one(before)], [one(after)]) == [
        Change(Turn(word, before, after), *ON, "node:a", (Column(("1.0.0",)),))
    ]


@pytest.mark.parametrize(("before", "after"), [(None, Verdict.UNSUPPORTED), (Verdict.NOT_RUN, None), (SAFE, SAFE)])
def test_what_says_nothing_new_is_no_change(before, after):
    assert compare([one(before)], [one(after)]) == []


@given(some_builds)
def test_equal_results_have_no_changes(builds):
    assert compare(builds, builds) == []


@given(some_builds, some_builds)
def test_the_other_way_round_everything_turns_around(old, new):
    back = {
        Word.WORSE: Word.BETTER,
        Word.BETTER: Word.WORSE,
        Word.APPEARED: Word.VANISHED,
        Word.VANISHED: Word.APPEARED,
    }

    # Only what became indeterminate has no way back.
    def key(entry):
        return (*entry[:3], [run.versions for run in entry[3]])

    there = [
        (back[each.turn.word], each.platform, each.claim_id, each.versions)
        for each in compare(old, new)
        if INDETERMINATE not in (each.turn.before, each.turn.after)
    ]
    again = [
        (each.turn.word, each.platform, each.claim_id, each.versions)
        for each in compare(new, old)
        if INDETERMINATE not in (each.turn.before, each.turn.after)
    ]
    assert sorted(there, key=key) == sorted(again, key=key)


def test_versions_that_turned_alike_are_folded_as_far_as_they_are_neighbours():
    versions = ["9.0.0", "10.0.0", "11.0.0", "12.0.0"]
    turned = {"9.0.0", "10.0.0", "12.0.0"}
    (change,) = compare(
        [one(SAFE, version) for version in versions],
        [one(UNSAFE if version in turned else SAFE, version) for version in versions],
    )
    assert change.versions == (Column(("9.0.0", "10.0.0")), Column(("12.0.0",)))


def test_a_build_that_appeared_is_told_once_and_not_claim_by_claim():
    assert compare([one(SAFE)], [one(SAFE), one(UNSAFE, "2.0.0")]) == [
        Change(Turn(Word.APPEARED, None, None), *ON, "", (Column(("2.0.0",)),))
    ]


def with_case(outcome):
    cases = MappingProxyType({Occupant.FIFO: Case(outcome)})
    return replace(build("1.0.0", {}), claims=MappingProxyType({"node:a": replace(claim(CONDITIONAL), cases=cases)}))


def test_a_case_that_turned_counts_though_the_verdict_did_not():
    (change,) = compare([with_case(Outcome.REFUSED)], [with_case(Outcome.DAMAGED)])
    assert change.turn == Turn(
        Word.WORSE, CONDITIONAL, CONDITIONAL, ((Occupant.FIFO, Outcome.REFUSED, Outcome.DAMAGED),)
    )
    (change,) = compare([with_case(Outcome.DAMAGED)], [with_case(Outcome.REFUSED)])
    assert change.turn.word is Word.BETTER


def test_a_case_that_could_not_be_tried_is_no_change():
    assert compare([with_case(Outcome.DAMAGED)], [with_case(Outcome.UNAVAILABLE)]) == []


# The command


def claimgrid(*arguments):
    """Exit code and what was printed."""
    done = CliRunner().invoke(cli, [*map(str, arguments)], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value or 0), done.output


@pytest.fixture
def folders(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    write(build("1.0.0", {"node:fs.a/x": SAFE, "node:fs.a/y": SAFE, "node:fs.b": UNSAFE}), old)
    write(build("1.0.0", {"node:fs.a/x": UNSAFE, "node:fs.a/y": UNSAFE, "node:fs.b": REFUSES}), new)
    write(build("2.0.0", {}), new)
    return old, new


def test_changes_are_told_tersely(folders):
    assert claimgrid("diff", *folders) == (
        0,
        "worse\n  node:fs.a/{x,y}  safe → unsafe in 1.0.0 on linux-x64, ext4\n"
        "\nbetter\n  node:fs.b  unsafe → refuses in 1.0.0 on linux-x64, ext4\n"
        "\nappeared\n  node  2.0.0 on linux-x64, ext4\n",
    )


def test_changes_are_told_in_markdown(folders):
    _, out = claimgrid("diff", *folders, "--format", "markdown")
    assert out.startswith("**worse**\n\n- `node:fs.a/{x,y}` safe → unsafe in 1.0.0 on linux-x64, ext4\n\n**better**\n")


def test_a_claim_cannot_end_the_code_that_it_stands_in(tmp_path):
    write(build("1.0.0", {"node:`<b>": SAFE}), tmp_path / "old")
    write(build("1.0.0", {"node:`<b>": UNSAFE}), tmp_path / "new")
    assert "- `` node:`<b> `` safe" in claimgrid("diff", tmp_path / "old", tmp_path / "new", "--format", "markdown")[1]


def test_changes_are_told_to_programs(folders):
    _, out = claimgrid("diff", *folders, "--format", "json")
    assert json.loads(out)[0] == {
        "change": "worse",
        "platform": "linux-x64",
        "filesystem": "ext4",
        "runtime": "node",
        "versions": ["1.0.0"],
        "claim": "node:fs.a/x",
        "before": "safe",
        "after": "unsafe",
        "cases": {},
    }


def test_the_exit_code_tells_when_it_is_asked_for(folders):
    old, new = folders
    assert claimgrid("diff", old, new, "--exit-code")[0] == 1
    assert claimgrid("diff", old, new)[0] == 0
    assert claimgrid("diff", old, old, "--exit-code") == (0, "nothing changed\n")


def test_a_side_without_results_is_no_clean_comparison(folders, tmp_path):
    (tmp_path / "empty").mkdir()
    for sides in ((folders[0], tmp_path / "empty"), (tmp_path / "empty", folders[0])):
        with pytest.raises(ClaimgridError, match=r"There are no results in .*empty") as caught:
            claimgrid("diff", *sides, "--exit-code")
        assert caught.value.code is Exit.NOT_RUN


def test_a_case_that_turned_is_told_with_the_verdict_that_did_not(tmp_path):
    write(with_case(Outcome.REFUSED), tmp_path / "old")
    write(with_case(Outcome.DAMAGED), tmp_path / "new")
    assert claimgrid("diff", tmp_path / "old", tmp_path / "new") == (
        0,
        "worse\n  node:a  still conditional in 1.0.0 on linux-x64, ext4 (fifo: refused → damaged)\n",
    )


def git(folder, *arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with two commits of results, and the work tree as the second left it."""
    if shutil.which("git") is None:
        pytest.skip("git is not on the PATH")
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q")
    for verdict in (SAFE, UNSAFE):
        write(one(verdict), tmp_path / "results")
        git(tmp_path, "add", "results")
        git(tmp_path, "commit", "-qm", verdict.value)
    return tmp_path


def test_a_revision_is_compared_with_the_folder(repository):
    told = "worse\n  node:a  safe → unsafe in 1.0.0 on linux-x64, ext4\n"
    assert claimgrid("diff", "HEAD~1") == (0, told)
    assert claimgrid("diff", "HEAD~1", "HEAD") == (0, told)
    assert claimgrid("diff", "HEAD~1", "--results", repository / "results") == (0, told)


def test_reading_a_revision_leaves_the_work_tree_alone(repository):
    write(one(REFUSES), repository / "results")
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    assert claimgrid("diff", "HEAD", "HEAD~1")[0] == 0
    assert {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["nothing", "--output=x", "HEAD:results", "HEAD~9", ""])
def test_what_is_neither_folder_nor_revision_is_told(repository, name):
    with pytest.raises(ClaimgridError, match="is neither a folder nor a revision"):
        claimgrid("diff", "--", name)


def test_a_broken_file_in_a_revision_is_named(repository):
    path = write(one(SAFE, "2.0.0"), repository / "results")
    path.write_text("{", encoding="utf-8")
    git(repository, "add", "results")
    git(repository, "commit", "-qm", "broken")
    with pytest.raises(ClaimgridError, match=r"HEAD:results/linux-x64-ext4/node-2\.0\.0\.json is not a results file"):
        claimgrid("diff", "HEAD")
    assert claimgrid("diff", "HEAD", "HEAD~1", "--keep-going")[0] == 0


def test_environments_are_compared_each_with_itself(tmp_path):
    elsewhere = replace(HERE, filesystem="tmpfs")
    changes = compare([one(SAFE)], [replace(one(UNSAFE), environment=elsewhere)])
    assert [(each.turn.word, each.filesystem) for each in changes] == [
        (Word.APPEARED, "tmpfs"),
        (Word.VANISHED, "ext4"),
    ]
