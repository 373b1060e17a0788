"""Recommending: only what was measured safe in all that was asked for, in a stated order, and gaps told as gaps."""

import json
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from hypothesis import given
from made import HELD, some_builds

from harness import results
from harness.advice import as_markdown, as_text, blocks, to_dict
from harness.claims import MAKES, Claim
from harness.cli import cli
from harness.encounters import Encounter, Meeting, write_meeting
from harness.environment import Environment
from harness.errors import ClaimgridError
from harness.judge import NOT_RACED, Case, Judgement, Raced, Reason
from harness.recommend import Places, Wanted, by_way, recommend, together
from harness.releases import as_listed, release_of
from harness.results import BuildResult, ClaimResult
from harness.runtimes import RUNTIMES
from harness.vocabulary import Kind, Occupant, Outcome, RaceOutcome, Verdict

LINUX = Environment("linux-x64", "ext4", "Debian", False)
WINDOWS = Environment("windows-x64", "ntfs", "Windows 11", False)
WINE = Environment("wine-x64", "ext4", "Debian", False)
WON = Raced(RaceOutcome.ONE_WINNER, "", RaceOutcome.ONE_WINNER, "")
EXCLUSIVE = "openat(O_CREAT|O_EXCL)"
ANYWHERE = Places()


def claim(
    verdict=Verdict.SAFE,
    code="f(name)",
    mechanism=EXCLUSIVE,
    kind=Kind.CREATE,
    raced=None,
    error="EEXIST",
    recognised=True,
    call="a",
    makes="file",
    source=None,
    runtime="node",
):
    listed = Claim(runtime, call, kind, code, makes, source)
    refused = Case(Outcome.REFUSED, error=error, recognised=recognised)
    raced = raced or (NOT_RACED if verdict is Verdict.REFUSES else WON)
    cases = MappingProxyType({Occupant.OWN: refused})
    return ClaimResult(kind, code, listed.digest, Judgement(verdict, Reason("one-winner")), cases, raced, mechanism)


def build(version, claims, environment=LINUX, runtime="node"):
    made = {f"{runtime}:{call}": claim(**{"call": call, "runtime": runtime, **more}) for call, more in claims.items()}
    return BuildResult(environment, runtime, version, "npm", "cafe", HELD, MappingProxyType(made))


def advise(builds, text="node", places=ANYWHERE, kind=Kind.CREATE):
    return recommend(builds, Wanted.parse(text), places, kind)


def ids(candidates):
    return [each.claim_id.partition(":")[2] for each in candidates]


def told(advice, render=as_text):
    return render(blocks(advice, Kind.CREATE))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("node", ["18.20.8", "22.0.0", "24.1.0"]),
        ("node>=22", ["22.0.0", "24.1.0"]),
        ("node>=18,<24", ["18.20.8", "22.0.0"]),
        ("node@22", ["22.0.0"]),
    ],
)
def test_a_wish_names_the_versions_that_are_meant(text, held):
    builds = [build(version, {"a": {}}) for version in ("18.20.8", "22.0.0", "24.1.0")]
    assert [each.version for each in advise(builds, text).builds] == held


@pytest.mark.parametrize("text", ["nood", "", "node>=", "node@", "node=/usr/bin/node", "node 18", "Node"])
def test_a_wish_that_says_nothing_is_refused_in_one_sentence(text):
    with pytest.raises(ClaimgridError):
        Wanted.parse(text)


def test_only_what_is_safe_in_every_build_that_is_meant_is_recommended():
    builds = [
        build("20.0.0", {"a": {}, "racy": {"verdict": Verdict.RACY}, "unraced": {"verdict": Verdict.REFUSES}}),
        build("22.0.0", {"a": {}, "racy": {}, "unraced": {}, "new": {}}),
    ]
    advice = advise(builds)
    assert (ids(advice.safe), ids(advice.open)) == (["a"], ["unraced", "new"])
    assert advice.near == (("node:racy", ("racy up to 20.0.0, safe from 22.0.0 on linux-x64 ext4",)),)
    assert ids(advise(builds, "node>=22").safe) == ["a", "new", "racy", "unraced"]


def test_a_build_of_which_one_claim_was_measured_says_nothing_of_the_others_and_is_heard_of_that_one():
    whole = {"a": {}, "b": {}, "c": {}}
    bisected = {"a": {"verdict": Verdict.UNSAFE}}
    advice = advise([build("20.0.0", whole), build("21.0.0", bisected), build("22.0.0", whole)])
    assert ids(advice.safe) == ["b", "c"]
    assert [each.version for each in advice.builds] == ["20.0.0", "22.0.0"]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"mechanism": EXCLUSIVE, "code": "longer(name)"}, {"mechanism": None}),
        ({"code": "longer(name)"}, {"mechanism": "rename"}),
        ({"code": "longer(name)"}, {"error": "EPERM", "recognised": False}),
        ({"code": "longer(name)"}, {"makes": "fifo"}),
        ({"code": "longer(name)"}, {"source": "file"}),
        ({"code": "f(name)"}, {"code": "longer(name)"}),
        ({"mechanism": EXCLUSIVE, "error": "EPERM", "recognised": False}, {"mechanism": None}),
        ({"source": "file"}, {"error": "EPERM", "recognised": False}),
    ],
)
def test_the_best_comes_first_by_the_rule(better, worse):
    # By its name alone the worse one would be first.
    advice = advise([build("22.0.0", {"a": worse, "b": better})])
    assert ids(advice.safe) == ["b", "a"]


def test_what_is_proved_in_more_builds_comes_before_what_is_shorter():
    builds = [
        build("20.0.0", {"a": {"verdict": Verdict.REFUSES}, "b": {"code": "longer(name)"}}),
        build("22.0.0", {"a": {}, "b": {"code": "longer(name)"}}),
        build("24.0.0", {"a": {"verdict": Verdict.REFUSES}, "b": {"verdict": Verdict.REFUSES}}),
    ]
    assert [(each.claim_id, each.proved) for each in advise(builds).open] == [("node:b", 2), ("node:a", 1)]


def test_an_argument_that_more_claims_have_is_what_people_write():
    builds = [
        build("22.0.0", {"f/ax": {"code": "f(ax)"}, "f/wx": {"code": "f(wx)"}, "g/wx": {"code": "g(longer, wx)"}})
    ]
    assert ids(advise(builds).safe) == ["f/wx", "f/ax", "g/wx"]


def test_a_platform_without_results_is_told_and_what_is_proved_elsewhere_stands_apart():
    advice = advise([build("22.0.0", {"a": {}})], places=Places(("linux-x64", "windows-x64")))
    assert (advice.missing, advice.complete, ids(advice.safe)) == (("windows-x64",), False, ["a"])
    assert "not shown on windows-x64: nothing was measured there" in told(advice)
    assert "Proved on the rest only" in told(advice)
    assert "Safe in all" not in told(advice)


def test_a_filesystem_without_results_is_missing_too():
    advice = advise([build("22.0.0", {"a": {}})], places=Places(("linux-x64",), ("ext4", "btrfs")))
    assert advice.missing == ("linux-x64 on btrfs",)
    assert advise([build("22.0.0", {"a": {}})], places=Places((), ("ext4",))).complete


def test_a_claim_has_to_be_safe_on_every_platform_that_was_asked_for():
    builds = [
        build("22.0.0", {"a": {}, "b": {}}),
        build("22.0.0", {"a": {}, "b": {"verdict": Verdict.UNSAFE}}, WINDOWS),
    ]
    advice = advise(builds, places=Places(("linux-x64", "windows-x64")))
    assert (ids(advice.safe), advice.complete) == (["a"], True)
    assert ids(advise(builds, places=Places(("linux-x64",))).safe) == ["a", "b"]


def test_wine_stands_for_nothing_but_itself():
    builds = [build("22.0.0", {"a": {}}), build("22.0.0", {"a": {"verdict": Verdict.UNSAFE}, "b": {}}, WINE)]
    assert ids(advise(builds).safe) == ["a"]
    assert ids(advise(builds, places=Places(("wine-x64",))).safe) == ["b"]
    assert advise(builds, places=Places(("windows-x64", "linux-x64"))).missing == ("windows-x64",)


def test_of_what_was_not_measured_at_all_nothing_is_said_but_where_it_was():
    builds = [build("22.0.0", {"a": {}}, WINE)]
    for places, missing in ((Places(("windows-x64",)), "windows-x64"), (ANYWHERE, "any platform but Wine")):
        advice = advise(builds, places=places)
        assert (advice.missing, advice.elsewhere, advice.best) == ((missing,), ("wine-x64 ext4",), ())
        lines = [line.strip() for line in told(advice).splitlines()]
        assert lines == [
            "node: make the name",
            f"not shown on {missing}: nothing was measured there",
            "measured only on wine-x64 ext4",
        ]


def test_exceptions_are_no_safety_and_only_told_of_what_held_in_races():
    conditional = {"verdict": Verdict.CONDITIONAL, "kind": Kind.HELD}
    builds = [
        build(
            "22.0.0",
            {
                "raced": conditional,
                "unraced": {**conditional, "raced": NOT_RACED},
                "looks": {**conditional, "mechanism": "check-then-act"},
            },
        )
    ]
    advice = advise(builds, kind=Kind.HELD)
    assert (ids(advice.safe), ids(advice.excepting)) == ([], ["raced"])
    assert "keeps its own kind out in 1 build, with exceptions" in told(advice)


def test_nothing_proved_is_said_plainly():
    advice = advise([build("22.0.0", {"a": {"verdict": Verdict.REFUSES}})])
    assert advice.best == ()
    assert "Nothing that was measured is safe in all of them." in told(advice)


def test_claims_that_are_one_thing_to_the_system_are_one_way():
    builds = [
        build(
            "22.0.0",
            {
                "a": {"mechanism": "openat(O_CREAT|O_EXCL)"},
                "b": {"mechanism": "open(O_APPEND|O_CREAT|O_EXCL|O_TRUNC)"},
                "c": {"mechanism": "mkdirat"},
                "d": {"mechanism": "mkdir"},
                "e": {"mechanism": None},
            },
        )
    ]
    assert [ids(way) for way in by_way(advise(builds).safe)] == [["a", "b"], ["c", "d"], ["e"]]


@pytest.mark.parametrize("makes", MAKES)
@pytest.mark.parametrize("source", [None, "file", "full-dir"])
def test_what_a_claim_makes_is_read_from_its_digest(makes, source):
    listed = Claim("node", "a", Kind.CREATE, "f(name)", makes, source)
    assert as_listed("node:a", claim(makes=makes, source=source)) == listed


def test_of_a_digest_that_fits_nothing_no_release_is_guessed():
    other = claim(call="another")
    assert as_listed("node:a", other) is None


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("makes", ["file", "empty-dir", "full-dir", "link", "fifo"])
def test_every_runtime_has_a_removal_for_everything_that_can_be_made(runtime, makes):
    released = release_of(Claim(runtime, "a", Kind.CREATE, "f(name)", makes))
    assert released is not None
    assert "name" in released


@pytest.mark.parametrize(
    ("runtime", "call", "code", "released"),
    [
        ("node", "fs.writeFileSync/wx", "fs.writeFileSync(name, data, {flag: 'wx'})", "fs.unlinkSync(name)"),
        ("bun", "fs.promises.writeFile/wx", "await fs.promises.writeFile(name)", "await fs.promises.unlink(name)"),
        ("node", "fs.writeFile/wx", "fs.writeFile(name, data, done)", "fs.unlink(name, done)"),
        ("deno", "Deno.writeTextFile/createNew", "await Deno.writeTextFile(name)", "await Deno.remove(name)"),
        ("deno", "Deno.writeTextFileSync/createNew", "Deno.writeTextFileSync(name)", "Deno.removeSync(name)"),
        ("deno", "fs.writeFileSync/wx", "fs.writeFileSync(name)", "fs.unlinkSync(name)"),
    ],
)
def test_the_release_is_in_the_idiom_of_the_claim(runtime, call, code, released):
    assert release_of(Claim(runtime, call, Kind.CREATE, code, "file")) == released


def test_what_is_not_made_is_not_removed():
    assert release_of(Claim("node", "a", Kind.TAKE, "f(name)", "gone")) is None
    assert release_of(Claim("node", "a", Kind.HELD, "f(name)", "file")) is None


def meeting(*encounters, environment=LINUX):
    refused = Case(Outcome.REFUSED)
    made = tuple(
        Encounter(first, second, refused, refused, Raced(RaceOutcome.ONE_WINNER, unexplored=""), verdict)
        for first, second, verdict in encounters
    )
    return Meeting(environment, ("node", "22.0.0"), ("python", "3.13.0"), made)


PAIR = [
    build("22.0.0", {"a": {}, "b": {"code": "longer(name)"}}),
    build("3.13.0", {"c": {}, "d": {"code": "longer(name)"}}, runtime="python"),
]


def test_whether_two_recommended_claims_keep_each_other_out_is_what_was_measured():
    met = meeting(
        ("node:b", "python:d", Verdict.SAFE),
        ("node:a", "python:c", Verdict.UNSAFE),
        ("node:a", "python:d", Verdict.SAFE),
        ("node:other", "python:c", Verdict.SAFE),
    )
    one, other = advise(PAIR), advise(PAIR, "python")
    found = [(each.first, each.second, each.encounter.verdict) for each in together(one, other, [met])]
    assert found == [
        ("node:a", "python:c", Verdict.UNSAFE),
        ("node:a", "python:d", Verdict.SAFE),
        ("node:b", "python:d", Verdict.SAFE),
    ]
    turned = [(each.first, each.second) for each in together(other, one, [met])]
    assert sorted(turned) == sorted((second, first) for first, second, _ in found)


def test_a_meeting_of_other_builds_says_nothing():
    met = meeting(("node:a", "python:c", Verdict.SAFE), environment=WINDOWS)
    assert together(advise(PAIR), advise(PAIR, "python"), [met]) == []


@given(some_builds)
def test_whatever_is_called_safe_is_safe_in_every_build(builds):
    meant = [each for each in builds if each.runtime == "node"]
    if not meant:
        return
    advice = advise(builds)
    for candidate in advice.safe:
        most = max(len(each.claims) for each in meant)
        cells = [each.claims.get(candidate.claim_id) for each in meant if 2 * len(each.claims) >= most]
        assert cells
        assert all(cell is not None and cell.verdict is Verdict.SAFE for cell in cells)
        assert all(cell.verdict is Verdict.SAFE for each in meant if (cell := each.claims.get(candidate.claim_id)))
    groups = [
        ids(advice.safe),
        ids(advice.open),
        ids(advice.excepting),
        [one.partition(":")[2] for one, _ in advice.near],
    ]
    named = [one for group in groups for one in group]
    assert len(named) == len(set(named))


@given(some_builds)
def test_the_order_of_results_does_not_matter(builds):
    if builds:
        assert to_dict(advise(builds)) == to_dict(advise(builds[::-1]))


def test_text_from_results_cannot_control_a_terminal_or_a_page():
    advice = advise([build("22.0.0", {"a": {"code": "f(`\x1b[2J`)\n```"}})])
    assert "\x1b" not in told(advice)
    assert "\n````\n" in told(advice, as_markdown)


@pytest.fixture
def folder(tmp_path):
    for each in PAIR:
        results.write(each, tmp_path)
    write_meeting(meeting(("node:a", "python:c", Verdict.SAFE)), tmp_path)
    return tmp_path


def test_the_command_prints_code_and_proof(folder):
    done = CliRunner().invoke(cli, ["recommend", "-r", "node>=22", "--results", str(folder)])
    assert done.exit_code == 0
    for part in ("f(name)", "fs.unlinkSync(name)", "22.0.0: * safe, raced: one-winner", "None of this protects from"):
        assert part in done.output


def test_the_command_refuses_what_was_never_measured(folder):
    done = CliRunner().invoke(cli, ["recommend", "-r", "deno", "--results", str(folder)])
    assert (done.exit_code, str(done.exception)[:33]) == (1, "Nothing was measured of deno. `cl")


def test_the_command_tells_of_several_runtimes_whether_their_calls_keep_each_other_out(folder):
    arguments = ["recommend", "-r", "node", "-r", "python", "--results", str(folder)]
    for style in ("text", "markdown"):
        done = CliRunner().invoke(cli, [*arguments, "--format", style])
        assert "node:a with python:c" in done.output
    data = json.loads(CliRunner().invoke(cli, [*arguments, "--format", "json"]).output)
    assert [each["complete"] for each in data["recommended"]] == [True, True]
    assert data["together"][0]["pairs"][0]["claims"] == ["node:a", "python:c"]
    assert data["recommended"][0]["safe"][0]["cells"][0]["version"] == "22.0.0"
