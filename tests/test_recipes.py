"""Recipes: how they are listed, judged with real builds, kept in files, merged, and recommended."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from harness import recipes
from harness.builds import Request, resolve
from harness.cli import cli
from harness.environment import Environment
from harness.errors import ClaimgridError
from harness.judging import supervise
from harness.judging.keeping import blocks_keeping, keeping, parse_promises
from harness.judging.records import Record, Records, merge_records, read_file, read_records, to_text, write_records
from harness.judging.schedules import parse_schedule
from harness.judging.workshop import judge_recipe, outdated, replay
from harness.promises import Act, Finding, Judged, Promise, Standing, Step, Trial
from harness.recipes import all_recipes, select_recipes
from harness.validate import faults_of

ENTRY = """
[plain]
file = "plain.py"
kind = "lock"
promises = ["recovery", "exclusion"]
title = { en = "A lock", ja = "ロック" }

[driven]
file = "plain.py"
kind = "lock"
promises = ["exclusion"]
title = { en = "A library", ja = "ライブラリ" }
library = { source = "npm", name = "some-lock", version = "1.2.3" }
"""
# Looks first and acts later, and never takes over.
CODE = """import os, sys
if os.path.exists(sys.argv[1]):
    sys.exit(1)
open(sys.argv[1], "w").close()
print("acquired", flush=True)
sys.stdin.read()
os.unlink(sys.argv[1])
"""
HERE = Environment("linux-x64", "ext4", "Debian", False)
BROKEN = Trial(
    "killed:1",
    (Step("A", Act.KILLED, ("open({name})",), "read({name})"),),
    (Finding(Promise.RECOVERY, "nobody-recovers"),),
)


@pytest.fixture
def listed(tmp_path, monkeypatch):
    folder = tmp_path / "probes" / "python" / "recipes"
    folder.mkdir(parents=True)
    (folder / "recipes.toml").write_text(ENTRY, encoding="utf-8")
    (folder / "plain.py").write_text(CODE, encoding="utf-8")
    monkeypatch.setattr(recipes, "probes_folder", lambda: tmp_path / "probes")
    return folder


@pytest.fixture(scope="module")
def this_python():
    return resolve([Request("python", program=Path(sys.executable))], lambda line: None, fetch=False)[0]


def judged(promise=Promise.EXCLUSION, standing=Standing.KEPT, explored=3):
    if standing is Standing.BROKEN:
        return Judged(promise, standing, explored, replace(BROKEN, findings=(Finding(promise, "nobody-recovers"),)))
    return Judged(promise, standing, explored)


def record(*all_judged, code="x", **more):
    return Record("lock", code, "cafe", {"en": "A lock", "ja": "ロック"}, all_judged, **more)


def records(recipe_records, version="1.0", where=HERE):
    return Records(where, "python", version, MappingProxyType(dict(recipe_records)))


# ---- The list


def test_recipes_are_listed_with_their_ids_and_code_and_promises_in_order(listed):
    driven, plain = all_recipes()
    assert (driven.id, plain.id) == ("python:library/driven", "python:recipe/plain")
    assert plain.code == CODE
    assert plain.promises == (Promise.EXCLUSION, Promise.RECOVERY)
    assert plain.arguments == ("{name}",)


def test_the_digest_changes_with_the_code_and_with_the_version_of_the_library(listed):
    before = {recipe.id: recipe.digest for recipe in all_recipes()}
    (listed / "recipes.toml").write_text(ENTRY.replace("1.2.3", "1.2.4"), encoding="utf-8")
    newer = {recipe.id: recipe.digest for recipe in all_recipes()}
    assert newer["python:recipe/plain"] == before["python:recipe/plain"]
    assert newer["python:library/driven"] != before["python:library/driven"]
    (listed / "plain.py").write_text(CODE + "\n", encoding="utf-8")
    assert {recipe.digest for recipe in all_recipes()}.isdisjoint(before.values())


@pytest.mark.parametrize(
    "entry",
    [
        ENTRY.replace("file", "fiel"),
        ENTRY.replace('"recovery"', '"recovry"'),
        ENTRY.replace("plain.py", "other.py"),
        "[",
        ENTRY.replace('"lock"', '"look"'),
    ],
)
def test_a_broken_list_is_named(listed, entry):
    (listed / "recipes.toml").write_text(entry, encoding="utf-8")
    with pytest.raises(ClaimgridError, match=r"recipes\.toml lists no proper recipes"):
        all_recipes()


def test_a_selector_names_recipes_as_it_names_claims(listed):
    known = all_recipes()
    assert [each.name for each in select_recipes(known, ["python:recipe"])] == ["plain"]
    assert len(select_recipes(known, ["python"])) == 2
    with pytest.raises(ClaimgridError, match="Did you mean 'python:recipe/plain'"):
        select_recipes(known, ["python:recipe/plan"])


def test_every_recipe_of_the_house_is_listed_properly():
    known = all_recipes()
    assert known
    for recipe in known:
        assert recipe.title["en"]
        assert recipe.title["ja"]
        assert recipe.promises


# ---- Judged


@pytest.mark.skipif(bool(supervise.obstacle()), reason="system calls cannot be held here")
def test_a_recipe_is_judged_with_a_build_and_each_broken_promise_is_broken_again_by_its_schedule(
    listed, this_python, tmp_path
):
    (recipe,) = select_recipes(all_recipes(), ["python:recipe/plain"])
    found = judge_recipe(recipe, this_python, tmp_path, fetch=False, began=lambda many: None, played=lambda trial: None)
    assert [(each.promise, each.standing) for each in found.judged] == [
        (Promise.EXCLUSION, Standing.BROKEN),
        (Promise.RECOVERY, Standing.BROKEN),
    ]
    for each in found.judged:
        trial = replay(recipe, this_python, tmp_path, parse_schedule(each.broken_by.schedule, recipe.kind), fetch=False)
        assert trial.steps == each.broken_by.steps
        assert trial.breaks(each.promise)


def test_what_does_not_work_alone_is_not_judged_and_says_why(listed, this_python, tmp_path):
    (listed / "plain.py").write_text("raise SystemExit('I need more')", encoding="utf-8")
    (recipe,) = select_recipes(all_recipes(), ["python:recipe/plain"])
    found = judge_recipe(recipe, this_python, tmp_path, fetch=False, began=lambda many: None, played=lambda trial: None)
    assert found.judged == ()
    assert "I need more" in found.obstacle


def test_only_what_changed_is_judged_again(listed):
    known = all_recipes()
    kept = {recipe.id: replace(record(), digest=recipe.digest) for recipe in known}
    assert outdated(known, kept) == []
    (listed / "plain.py").write_text(CODE + "# more\n", encoding="utf-8")
    assert len(outdated(all_recipes(), kept)) == 2


# ---- Files


def test_a_file_is_read_as_it_was_written_and_is_valid(tmp_path):
    many = records(
        {"python:recipe/a": record(judged(), judged(Promise.RECOVERY, Standing.BROKEN), advice={"en": "a", "ja": "b"})}
    )
    path = write_records(many, tmp_path)
    assert path == tmp_path / "linux-x64-ext4" / "recipes" / "python-1.0.json"
    assert to_text(read_file(path)) == to_text(many)
    assert list(faults_of(path)) == []
    assert [each.path for each in read_records([tmp_path])] == [many.path]


def test_a_broken_promise_without_its_schedule_is_a_fault(tmp_path):
    path = write_records(
        records({"python:recipe/a": record(judged(), judged(Promise.RECOVERY, Standing.BROKEN))}), tmp_path
    )
    path.write_text(path.read_text(encoding="utf-8").replace('"schedule":"killed:1",', ""), encoding="utf-8")
    assert ["recovery" in str(fault) for fault in faults_of(path)] == [True]


def test_a_file_that_lies_elsewhere_or_is_damaged_is_named(tmp_path):
    path = write_records(records({"python:recipe/a": record(judged())}), tmp_path)
    other = path.with_name("python-2.0.json")
    path.rename(other)
    with pytest.raises(ClaimgridError, match=r"python-2\.0\.json .*belongs into"):
        read_file(other)
    other.write_text(other.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    with pytest.raises(ClaimgridError, match=r"python-2\.0\.json is not a file of judged recipes"):
        read_file(other)


all_judged = st.lists(
    st.builds(
        judged,
        st.sampled_from(Promise),
        st.sampled_from([Standing.KEPT, Standing.BROKEN, Standing.NOT_EXPLORED]),
        st.integers(0, 5),
    ),
    unique_by=lambda each: each.promise,
).map(lambda many: tuple(sorted(many, key=lambda each: list(Promise).index(each.promise))))
all_records = st.builds(
    records,
    st.dictionaries(
        st.sampled_from(["python:recipe/a", "python:recipe/b"]),
        st.builds(lambda many, code: record(*many, code=code), all_judged, st.sampled_from("xyz")),
    ),
    st.sampled_from(["1.0", "2.0"]),
    st.builds(lambda privileged: replace(HERE, privileged=privileged), st.booleans()),
)


@given(st.lists(all_records, max_size=5).flatmap(lambda many: st.tuples(st.just(many), st.permutations(many))))
def test_merging_is_order_free_grouping_free_and_idempotent(pair):
    many, other = pair
    texts = [to_text(each) for each in merge_records(many)]
    assert [to_text(each) for each in merge_records(other)] == texts
    assert [to_text(each) for each in merge_records([*many, *many])] == texts
    assert [to_text(each) for each in merge_records([*merge_records(many[:2]), *many[2:]])] == texts


@given(st.lists(all_records, min_size=1, max_size=4))
def test_a_merged_promise_is_never_better_than_its_worst_part(many):
    for merged in merge_records(many):
        for name, each in merged.recipes.items():
            parts = [part.recipes[name] for part in many if part.path == merged.path and name in part.recipes]
            for promise in Promise:
                assert each.standing(promise).badness == max(part.standing(promise).badness for part in parts)


# ---- Recommended


def test_what_keeps_all_that_is_asked_comes_first_and_wine_only_by_name():
    both = record(judged(), judged(Promise.RECOVERY))
    half = record(judged(), judged(Promise.RECOVERY, Standing.BROKEN))
    wine = records({"python:recipe/c": both}, where=replace(HERE, platform="wine-x64"))
    many = [records({"python:recipe/a": half, "python:recipe/b": both}), wine]
    asked = parse_promises("recovery,exclusion")
    assert [each.id for each in keeping(many, asked, (), ())] == ["python:recipe/b", "python:recipe/a"]
    assert [each.id for each in keeping(many, asked, (), ("wine-x64",))] == ["python:recipe/c"]
    assert keeping(many, asked, ("node",), ()) == []


def test_where_nothing_keeps_it_what_comes_nearest_says_what_it_lacks():
    found = keeping(
        [records({"python:recipe/a": record(judged(Promise.RECOVERY, Standing.BROKEN))})], [Promise.RECOVERY], (), ()
    )
    lines = [block.text for block in blocks_keeping(found, [Promise.RECOVERY])]
    assert "lacks: recovery" in lines
    assert any("none of those" in line for line in lines)


# ---- The command


def test_a_recipe_is_shown_as_it_runs(listed):
    assert CliRunner().invoke(cli, ["recipe", "show", "python:recipe/plain"]).output == CODE


def test_an_unknown_recipe_or_promise_is_told(listed):
    for words in (["recipe", "show", "python:recipe/none"], ["recommend", "--promise", "luck"]):
        error = CliRunner().invoke(cli, words).exception
        assert isinstance(error, ClaimgridError)
    assert "They are: exclusion" in str(error)


@pytest.mark.skipif(os.name == "nt", reason="the schedules that are left on Windows have no such words")
def test_run_keeps_what_it_judged_and_does_nothing_the_second_time(listed, tmp_path, this_python):
    words = [
        "recipe",
        "run",
        "python:recipe/plain",
        "-r",
        f"python={this_python.program}",
        "--results",
        str(tmp_path / "results"),
        "--at",
        str(tmp_path),
    ]
    first = CliRunner().invoke(cli, words, catch_exceptions=False, standalone_mode=False)
    (path,) = (tmp_path / "results").glob("*/recipes/python-*.json")
    (listed / "recipes.toml").touch()
    before = path.stat().st_mtime_ns
    assert CliRunner().invoke(cli, words, catch_exceptions=False, standalone_mode=False).output == first.output
    assert path.stat().st_mtime_ns == before
    assert "python:recipe/plain" in first.output
