"""Results files: the same bytes for the same outcome, whole, and the same again when they are read."""

import json
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import HELD, HERE, build, builds, claim, claims

from harness.errors import ClaimgridError
from harness.judge import Case, Controls, Judgement, Reason
from harness.results import (
    BuildResult,
    ClaimResult,
    claim_from_dict,
    claim_to_dict,
    from_dict,
    overlay,
    parse,
    read,
    read_folder,
    to_dict,
    to_text,
    write,
)
from harness.vocabulary import Detail, Kind, Occupant, Outcome, Verdict

APPEND = ClaimResult(
    Kind.CREATE,
    "fs.appendFileSync(name, data, {flag: 'ax'})",
    "0123456789ab",
    Judgement(Verdict.UNSAFE, Reason("took-taken", (Occupant.OWN, Occupant.FILE), Outcome.OVERWROTE, Detail.APPENDED)),
    MappingProxyType(
        {
            Occupant.FREE: Case(Outcome.WON),
            Occupant.OWN: Case(Outcome.OVERWROTE, Detail.APPENDED),
            Occupant.LINK_TO_DIR: Case(Outcome.REFUSED, error="EISDIR", recognised=False),
            Occupant.FIFO: Case(Outcome.UNAVAILABLE, reason="no FIFOs here"),
        }
    ),
)
BUN = BuildResult(
    HERE, "bun", "1.3.14", "npm", "cafe", HELD, MappingProxyType({"bun:fs.appendFileSync/ax": APPEND}), harness="0.1.0"
)
AS_DICT = {
    "schema": 1,
    "environment": {"platform": "linux-x64", "filesystem": "ext4", "os": "Debian GNU/Linux 12", "privileged": False},
    "runtime": {"name": "bun", "version": "1.3.14", "source": "npm"},
    "harness": {"version": "0.1.0", "catalogue": "cafe"},
    "controls": {"free-name-won": True, "overwrite-seen": True, "race-caught": None},
    "claims": {
        "bun:fs.appendFileSync/ax": {
            "kind": "create",
            "code": "fs.appendFileSync(name, data, {flag: 'ax'})",
            "digest": "0123456789ab",
            "verdict": "unsafe",
            "reason": {
                "code": "took-taken",
                "occupants": ["own", "file"],
                "outcome": "overwrote",
                "detail": "appended",
            },
            "cases": {
                "free": {"outcome": "won"},
                "own": {"outcome": "overwrote", "detail": "appended"},
                "link-to-dir": {"outcome": "refused", "error": "EISDIR", "recognised": False},
                "fifo": {"outcome": "unavailable", "reason": "no FIFOs here"},
            },
            "race": {"outcome": "not-run", "explored": "not-run", "unexplored": "not-asked"},
            "mechanism": None,
        }
    },
}


def test_a_result_has_the_shape_of_the_design():
    assert to_dict(BUN) == AS_DICT


def test_a_result_is_read_back_from_its_shape():
    assert from_dict(AS_DICT) == BUN


@given(builds)
def test_every_result_comes_back_from_its_text(result):
    assert from_dict(json.loads(to_text(result))) == result


@given(claims)
def test_every_claim_comes_back_from_its_entry(one):
    assert claim_from_dict(json.loads(json.dumps(claim_to_dict(one)))) == one


@given(builds)
def test_the_order_in_which_claims_were_measured_does_not_show(result):
    backwards = replace(result, claims=MappingProxyType(dict(reversed(result.claims.items()))))
    assert to_text(backwards) == to_text(result)


def test_every_claim_has_a_line_of_its_own():
    result = build("20.11.1", {"node:a": Verdict.SAFE, "node:b": Verdict.UNSAFE})
    assert [line.partition(":{")[0] for line in to_text(result).splitlines() if line.startswith('"node:')] == [
        '"node:a"',
        '"node:b"',
    ]


def test_a_file_is_called_by_platform_filesystem_runtime_and_version(tmp_path):
    assert write(BUN, tmp_path).relative_to(tmp_path).as_posix() == "linux-x64-ext4/bun-1.3.14.json"


def test_writing_twice_gives_the_same_bytes(tmp_path):
    first = write(BUN, tmp_path / "first").read_bytes()
    assert write(from_dict(AS_DICT), tmp_path / "second").read_bytes() == first


def test_a_file_that_was_written_is_read(tmp_path):
    assert read(write(BUN, tmp_path)) == BUN


def test_files_are_utf_8_wherever_they_are_written(tmp_path):
    result = replace(BUN, environment=replace(HERE, os="größer 日本"))
    assert "größer 日本".encode() in write(result, tmp_path).read_bytes()


def test_a_folder_is_read_in_order_and_evidence_is_no_result(tmp_path):
    results = [build("20.11.1", {}), build("9.0.0", {}), build("1.2.3", {}, runtime="bun")]
    for each in results:
        write(each, tmp_path)
    evidence = tmp_path / "evidence" / "linux-x64-ext4"
    evidence.mkdir(parents=True)
    (evidence / "node-20.11.1.json").write_text("{}", encoding="utf-8")
    assert [(each.runtime, each.version) for each in read_folder(tmp_path)] == [
        ("bun", "1.2.3"),
        ("node", "20.11.1"),
        ("node", "9.0.0"),
    ]


def test_a_folder_that_is_not_there_is_the_users_trouble(tmp_path):
    with pytest.raises(ClaimgridError, match="There is no folder"):
        read_folder(tmp_path / "nothing")


def changed(**changes):
    """The text of a file with something else in it."""
    return json.dumps({**AS_DICT, **changes})


ENTRY = AS_DICT["claims"]["bun:fs.appendFileSync/ax"]
DAMAGED = {
    "empty": ("", "it is empty"),
    "begun": ("{", "Expecting property name"),
    "null": ("null", r"\$: null is not an object"),
    "list": ("[]", r"\$: a list is not an object"),
    "nothing": ("{}", r'\$: "claims" is missing, and 5 faults more'),
    "future": (changed(schema=2), r"\$\.schema: 2 is not 1"),
    "true": (changed(schema=True), r"\$\.schema: true is not 1"),
    "no-source": (changed(runtime={"name": "bun", "version": "1.3.14"}), r'\$\.runtime: "source" is missing'),
    "number": (changed(runtime={**AS_DICT["runtime"], "version": 1.3}), r"\$\.runtime\.version: 1\.3 is not text"),
    "up": (
        changed(runtime={**AS_DICT["runtime"], "version": "../1"}),
        r'\$\.runtime\.version: "\.\./1" has a character',
    ),
    "list-of-claims": (changed(claims=[]), r"\$\.claims: a list is not an object"),
    "verdict": (
        changed(claims={"bun:x": {**ENTRY, "verdict": "fine"}}),
        r'\$\.claims\["bun:x"\]\.verdict: "fine" is none of unsafe, racy',
    ),
    "other-runtime": (changed(claims={"node:x": ENTRY}), r'\$\.claims: "node:x" is no claim of bun'),
    "unknown": (changed(colour="red"), r'\$\["colour"\]: there is no such entry'),
    "escape": (changed(claims={"bun:\x1b[2J": ENTRY}), r'\$\.claims\["bun:\\\\x1b\[2J"\]: "bun:.*" has a character'),
    "twice": ('{"schema": 1, "schema": 1}', r'"schema" is there more than once'),
    "nan": ('{"schema": NaN}', "NaN is no JSON"),
    "infinite": ('{"schema": 1e999}', "1e999 is too large"),
    "huge": ('{"schema": ' + "9" * 5000 + "}", "is too large"),
    "half": (json.dumps({"schema": "\ud800"}), "half of a surrogate pair"),
    "deep": ("[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_refused_with_its_name_the_place_and_what_is_wrong(tmp_path, damage):
    content, why = DAMAGED[damage]
    path = tmp_path / "node-1.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ClaimgridError, match=rf"node-1\.json is not a results file: .*{why}"):
        read(path)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "node-1.json"
    path.write_bytes(b'{"schema": "\xff"}')
    with pytest.raises(ClaimgridError, match=r"node-1\.json is not a results file"):
        read(path)


@pytest.mark.parametrize("end", [1, 100, -3])
def test_half_a_file_is_refused(tmp_path, end):
    path = write(BUN, tmp_path)
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(ClaimgridError):
        read(path)


# A new measurement over an old one

OLD = build("20.11.1", {"node:a": Verdict.UNSAFE, "node:b": Verdict.SAFE})


def verdicts(result):
    return {claim_id: each.verdict for claim_id, each in result.claims.items()}


def test_without_an_old_file_the_new_one_stands_alone():
    assert overlay(None, OLD, []) is OLD


def test_what_was_not_measured_again_stays_while_its_code_is_the_same():
    new = build("20.11.1", {"node:a": Verdict.REFUSES})
    whole = overlay(OLD, new, [("node:a", claim(Verdict.SAFE).digest), ("node:b", claim(Verdict.SAFE).digest)])
    assert verdicts(whole) == {"node:a": Verdict.REFUSES, "node:b": Verdict.SAFE}


@pytest.mark.parametrize("catalogue", [[], [("node:b", "another")]])
def test_what_is_gone_or_has_changed_does_not_stay(catalogue):
    new = build("20.11.1", {"node:a": Verdict.REFUSES})
    assert verdicts(overlay(OLD, new, catalogue)) == {"node:a": Verdict.REFUSES}


def test_a_file_whose_controls_failed_has_nothing_to_keep():
    failed = replace(OLD, controls=Controls(True, False))
    new = build("20.11.1", {"node:a": Verdict.REFUSES})
    assert overlay(failed, new, [("node:b", claim(Verdict.SAFE).digest)]) is new


# Files from elsewhere


def test_a_file_in_a_place_that_it_does_not_belong_to_is_refused(tmp_path):
    lies = tmp_path / "windows-x64-ntfs" / "bun-1.3.14.json"
    lies.parent.mkdir()
    lies.write_text(json.dumps(AS_DICT), encoding="utf-8")
    with pytest.raises(
        ClaimgridError,
        match=r"windows-x64-ntfs[/\\]bun-1\.3\.14\.json .* belongs into linux-x64-ext4/bun-1\.3\.14\.json",
    ):
        read(lies)


@pytest.mark.parametrize("layout", [{}, {"indent": 2}, {"separators": (",", ":")}])
def test_a_file_means_the_same_however_it_is_laid_out(tmp_path, layout):
    path = write(BUN, tmp_path)
    path.write_text(json.dumps(AS_DICT, **layout), encoding="utf-8")
    assert read(path) == BUN


@given(builds)
def test_lines_read_one_by_one_mean_what_the_whole_means(result):
    named = replace(
        result,
        environment=replace(result.environment, platform="linux-x64", filesystem="ext4"),
        runtime="node",
        version="1.0",
        source="npm",
        catalogue="cafe",
        harness="0.1.0",
        claims=MappingProxyType(
            {
                f"node:{number}": replace(
                    each,
                    mechanism=None,
                    judgement=replace(each.judgement, reason=replace(each.judgement.reason, code="not-run")),
                )
                for number, each in enumerate(result.claims.values())
            }
        ),
    )
    text = to_text(named).encode("utf-8")
    read_by_line, whole = (
        parse(text, named.path, {}),
        parse(json.dumps(json.loads(text)).encode("utf-8"), named.path, {}),
    )
    assert read_by_line == whole
    # Nothing is better than it says, and nothing but harm that it shows makes it worse.
    for claim_id, written in named.claims.items():
        believed = read_by_line.claims[claim_id]
        assert believed == written or (
            believed.verdict in (Verdict.UNSAFE, Verdict.RACY) and written.verdict not in (Verdict.UNSAFE, Verdict.RACY)
        )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (',\n"node:b"', '\n"node:b"'),
        ('"node:b"', '"node:a"'),
        ("\n}}\n", ",\n}}\n"),
        ('{\n"node:a"', '{\n,\n"node:a"'),
        ('"node:a":', '"node:a":1,"node:c":'),
        ("\n}}\n", "\n}}\n}"),
        ('{"schema":1,', '{"schema":1,"claims":{},'),
        ('"schema":1,', ""),
    ],
)
def test_what_is_broken_as_a_whole_is_refused_though_its_lines_are_not(old, new):
    result = build("1.0.0", {"node:a": Verdict.SAFE, "node:b": Verdict.SAFE})
    text = to_text(result)
    assert old in text
    with pytest.raises(ClaimgridError):
        parse(text.replace(old, new, 1).encode("utf-8"), result.path, {})


def test_a_broken_file_ends_the_reading_of_a_folder_unless_it_may_be_skipped(tmp_path):
    whole, broken = build("1.0.0", {}), build("2.0.0", {})
    write(whole, tmp_path)
    write(broken, tmp_path).write_text("{", encoding="utf-8")
    with pytest.raises(ClaimgridError, match=r"node-2\.0\.0\.json .* --keep-going"):
        read_folder(tmp_path)
    skipped = []
    assert read_folder(tmp_path, skipped.append) == [whole]
    assert ["node-2.0.0.json" in str(each) for each in skipped] == [True]


def test_a_folder_with_the_name_of_a_file_is_no_file(tmp_path):
    (tmp_path / "linux-x64-ext4" / "node-1.json").mkdir(parents=True)
    with pytest.raises(ClaimgridError, match=r"node-1\.json is not a file"):
        read_folder(tmp_path)


@given(st.binary(max_size=200) | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_nothing_but_a_results_file_is_one(content):
    with pytest.raises(ClaimgridError):
        parse(content, BUN.path)


@given(st.data())
def test_a_file_with_any_bytes_changed_is_read_or_refused_in_one_plain_line(data):
    content = bytearray(to_text(BUN).encode("utf-8"))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=5))
    told = ""
    try:
        assert parse(bytes(content), BUN.path).path == BUN.path
    except ClaimgridError as error:
        told = str(error)
    assert told.isprintable()
