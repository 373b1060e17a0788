"""Claims as probes list them, and the selectors that people type."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.claims import MAKES, ROLES, SOURCES, Claim, claim_from_listing, matches, select, select_exactly
from harness.errors import ClaimgridError
from harness.vocabulary import Kind

LISTED = {
    "id": "fs.renameSync/full-dir",
    "kind": "create",
    "code": "fs.renameSync(source, name)",
    "makes": "full-dir",
    "source": "full-dir",
    "supported": True,
}
RENAME = Claim("node", "fs.renameSync/full-dir", Kind.CREATE, "fs.renameSync(source, name)", "full-dir", "full-dir")


def claim(id):
    runtime, _, call = id.partition(":")
    return Claim(runtime, call, Kind.CREATE, f"{call}(name)", "file")


CATALOGUE = [
    claim(id)
    for id in (
        "node:fs.cp/force=false",
        "node:fs.cpSync",
        "node:fs.cpSync/force=false",
        "node:fs.cpSync/force=false+errorOnExist",
        "node:fs.promises.cp",
        "bun:fs.cpSync",
        "powershell:[IO.File]::Open/CreateNew",
        "cmd:redirect/>",
    )
]


def chosen(*selectors):
    return [each.id for each in select(CATALOGUE, selectors)]


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("node:fs.cpSync", ["node:fs.cpSync"]),
        ("fs.cpSync", ["node:fs.cpSync", "bun:fs.cpSync"]),
        ("node:fs.cp", ["node:fs.cp/force=false"]),
        ("cmd", ["cmd:redirect/>"]),
    ],
)
def test_a_name_is_that_very_claim_and_only_without_one_a_selector(name, ids):
    assert [each.id for each in select_exactly(CATALOGUE, name)] == ids


def test_a_name_of_nothing_is_an_error():
    with pytest.raises(ClaimgridError, match=r"No claim is called 'fs\.cpSyn'"):
        select_exactly(CATALOGUE, "fs.cpSyn")


def test_a_listing_becomes_a_claim():
    assert claim_from_listing("node", LISTED) == RENAME


def test_an_id_has_the_runtime_before_the_colon():
    assert RENAME.id == "node:fs.renameSync/full-dir"


def test_what_a_listing_leaves_out_is_none():
    listed = claim_from_listing("node", {key: LISTED[key] for key in ("id", "kind", "code", "makes")})
    assert (listed.source, listed.role) == (None, None)


@pytest.mark.parametrize("key", ["id", "kind", "code", "makes"])
@pytest.mark.parametrize("value", [None, "", 7, []])
def test_a_listing_with_a_bad_value_is_refused_by_the_name_of_its_key(key, value):
    with pytest.raises(ValueError, match=f"{key} is"):
        claim_from_listing("node", {**LISTED, key: value})


@pytest.mark.parametrize(("key", "value"), [("kind", "make"), ("makes", "dir"), ("source", "dir"), ("role", "control")])
def test_a_listing_with_an_unknown_word_is_refused(key, value):
    with pytest.raises(ValueError, match=f"{key} is '{value}'"):
        claim_from_listing("node", {**LISTED, key: value})


@given(
    st.text("ab./+=[]:é日", min_size=1),
    st.sampled_from(Kind),
    st.sampled_from(MAKES),
    st.none() | st.sampled_from(SOURCES),
    st.none() | st.sampled_from(ROLES),
)
def test_every_proper_listing_comes_through_unchanged(call, kind, makes, source, role):
    listed = {"id": call, "kind": kind.value, "code": "x", "makes": makes, "source": source, "role": role}
    assert claim_from_listing("node", listed) == Claim("node", call, kind, "x", makes, source, role)


@pytest.mark.parametrize(
    "change",
    [
        {"code": "other"},
        {"makes": "file"},
        {"source": None},
        {"role": "overwrites"},
        {"kind": Kind.HELD},
        {"call": "x"},
    ],
)
def test_the_digest_changes_with_what_is_run_and_expected(change):
    assert replace(RENAME, **change).digest != RENAME.digest


def test_the_digest_of_shared_code_is_the_same_in_every_runtime():
    assert replace(RENAME, runtime="bun").digest == RENAME.digest


def test_without_a_selector_everything_is_chosen():
    assert chosen() == [each.id for each in CATALOGUE]


@pytest.mark.parametrize(
    ("selector", "ids"),
    [
        ("node:fs.cpSync", ["node:fs.cpSync", "node:fs.cpSync/force=false", "node:fs.cpSync/force=false+errorOnExist"]),
        ("node:fs.cpSync/force=false", ["node:fs.cpSync/force=false"]),
        ("bun", ["bun:fs.cpSync"]),
        ("fs.cp", ["node:fs.cp/force=false"]),
        ("*errorOnExist", ["node:fs.cpSync/force=false+errorOnExist"]),
        ("node:fs.promises.*", ["node:fs.promises.cp"]),
        ("bun:fs.cpSyn?", ["bun:fs.cpSync"]),
        ("powershell:[IO.File]::Open", ["powershell:[IO.File]::Open/CreateNew"]),
        ("[IO.File]*", ["powershell:[IO.File]::Open/CreateNew"]),
        ("redirect/>", ["cmd:redirect/>"]),
    ],
)
def test_a_selector_names_an_id_a_beginning_or_a_pattern(selector, ids):
    assert chosen(selector) == ids


def test_a_call_without_a_runtime_is_chosen_in_every_runtime():
    assert chosen("fs.cpSync") == [
        "node:fs.cpSync",
        "node:fs.cpSync/force=false",
        "node:fs.cpSync/force=false+errorOnExist",
        "bun:fs.cpSync",
    ]


def test_several_selectors_choose_each_claim_once_in_the_order_of_the_catalogue():
    assert chosen("cmd", "bun", "*bun*") == ["bun:fs.cpSync", "cmd:redirect/>"]


@pytest.mark.parametrize("selector", ["nod", "node:fs.cpSyn", "node:fs.cpSync/force", "NODE", "", "fs.c"])
def test_a_beginning_that_ends_inside_a_part_names_nothing(selector):
    with pytest.raises(ClaimgridError):
        chosen(selector)


def test_a_selector_that_names_nothing_is_answered_with_what_comes_near():
    with pytest.raises(ClaimgridError) as caught:
        chosen("node:fs.copySync")
    assert caught.value.message == "No claim is called 'node:fs.copySync'."
    assert "'node:fs.cpSync'" in caught.value.hint


@given(st.sampled_from(CATALOGUE))
def test_every_claim_is_chosen_by_its_own_id(one):
    assert matches(one.id, one.id)
    assert one in select(CATALOGUE, [one.id])


ids = st.builds(
    "{}:{}/{}".format, st.text("ab", min_size=1), st.text("ab.[]", min_size=1), st.text("ab+=*?[]", min_size=1)
)


@given(ids, ids)
def test_an_id_without_pattern_signs_selects_no_unrelated_claim(selector, other):
    if not any(sign in selector for sign in "*?") and matches(other, selector):
        assert other == selector or other.startswith((selector + "/", selector + ":"))
