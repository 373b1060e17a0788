"""The report says what the results say, in every form, and whatever the results contain it stays one harmless file."""

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from made import HELD, HERE, ONE_WINNER, TAKEN, TWO_WINNERS, build, claim, measured, some_builds

from harness.cli import cli
from harness.encounters import Encounter, Meeting, write_meeting
from harness.environment import Environment
from harness.judge import Case, Judgement, Raced, Reason
from harness.judging import stories
from harness.mechanism import CHECK_THEN_ACT
from harness.report.badge import badge
from harness.report.insight import (
    Sureness,
    all_series,
    asks_for_new,
    changes,
    clean_somewhere,
    counts,
    in_order,
    racy_somewhere,
    sureness,
    traps,
    traps_of,
    ways,
)
from harness.report.markdown import render_readme, render_summary
from harness.report.page import PAGES, render_page
from harness.results import BuildResult, write
from harness.sentences import catalogue, verdict_word
from harness.vocabulary import Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict

WINE = Environment("wine-x64", "ext4", "Debian GNU/Linux 12", False)
CLAIM = "node:fs.writeFileSync/wx"
MORE = {
    "node:fs.writeFileSync/wx": Verdict.SAFE,
    "node:fs.mkdirSync": Verdict.REFUSES,
    "node:fs.openSync/w": Verdict.UNSAFE,
    "node:fs.cpSync": Verdict.CONDITIONAL,
}
CASES = MappingProxyType(
    {
        Occupant.FREE: Case(Outcome.WON),
        Occupant.OWN: Case(Outcome.REFUSED, error="EEXIST"),
        Occupant.FILE: Case(Outcome.OVERWROTE, Detail.TRUNCATED),
    }
)


class Page(HTMLParser):
    """What a browser would see: the elements with their attributes, and what scripts and styles contain."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.inside, self._open = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._open = tag if tag in ("script", "style") else self._open
        if self._open == tag:
            self.inside.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        self._open = None if tag == self._open else self._open

    def handle_data(self, data):
        if self._open:
            self.inside[-1][2].append(data)

    def texts(self, tag):
        return ["".join(parts) for name, _, parts in self.inside if name == tag]

    @property
    def data(self):
        return json.loads(next(text for text in self.texts("script") if text.startswith("{")))


def with_claim(result, claim_id, **changed):
    return replace(
        result,
        claims=MappingProxyType({**result.claims, claim_id: replace(claim(Verdict.UNSAFE), cases=CASES, **changed)}),
    )


def unpacked(data):
    """The verdict of every claim in every build, from the page's data."""
    for table in data["tables"]:
        for (claim_id, _, _), cells in zip(table["claims"], table["cells"], strict=True):
            for number, cell in zip(table["builds"], cells, strict=True):
                one = data["builds"][number]
                if cell >= 0:
                    verdict = data["verdicts"][data["cells"][cell][0]]
                    yield one["platform"], one["filesystem"], one["runtime"], one["version"], claim_id, verdict


def verdicts_of(results):
    for one in results:
        for claim_id, each in one.claims.items():
            place = one.environment
            yield place.platform, place.filesystem, one.runtime, one.version, claim_id, each.verdict.value


# ---- All forms say the same


@settings(max_examples=25, deadline=None)
@given(some_builds)
def test_the_page_holds_every_verdict_of_the_results_and_no_other(results):
    assert sorted(unpacked(Page(render_page(results, [])).data)) == sorted(verdicts_of(results))


@settings(max_examples=25, deadline=None)
@given(some_builds, st.randoms())
def test_the_order_of_the_results_changes_no_byte(results, random):
    shuffled = list(results)
    random.shuffle(shuffled)
    assert render_page(shuffled, []) == render_page(results, [])
    assert render_readme(shuffled, []) == render_readme(results, [])
    assert render_summary(shuffled) == render_summary(results)


@settings(max_examples=25, deadline=None)
@given(some_builds)
def test_page_readme_and_summary_count_the_same(results):
    expected = [[counts(one).get(verdict, 0) for verdict in Verdict] for one in in_order(results)]
    page = Page(render_page(results, [])).data
    assert [[one["counts"].get(verdict, 0) for verdict in Verdict] for one in page["builds"]] == expected
    for text in (render_readme(results, []), render_summary(results)):
        table = text.partition("| build | where |")[2].partition("\n\n")[0].splitlines()[2:]
        assert [[int(cell) for cell in row.split(" | ")[2:-1]] for row in table] == expected


def test_what_was_not_measured_is_shown_as_a_gap_everywhere():
    results = [build("20.1.0", {CLAIM: Verdict.SAFE}), build("22.1.0", {"node:fs.mkdirSync": Verdict.SAFE})]
    page = Page(render_page(results, []))
    assert [row for table in page.data["tables"] for row in table["cells"]] == [[-1, 0], [0, -1]]
    assert "| `fs.writeFileSync/wx` | `*` safe | `.` not measured |" in render_readme(results, [])


@pytest.mark.parametrize("render", [lambda each: render_readme(each, []), render_summary])
def test_wine_is_never_called_windows_in_markdown(render):
    text = render([build("22.1.0", MORE, environment=WINE)])
    lines = [line for line in text.splitlines() if "wine" in line]
    assert lines
    assert all("not Windows" in line for line in lines)


def test_the_matrix_without_scripts_has_every_verdict_with_sign_and_word():
    text = render_page([build("22.1.0", MORE)], []).partition("<noscript>")[2].partition("</noscript>")[0]
    for claim_id, verdict in MORE.items():
        cell = f"<td class=v-{verdict}>{verdict.sign} {verdict_word(verdict, 'en')}"
        assert f'<th scope="row">{claim_id.partition(":")[2]}{cell}' in text


def test_wine_is_never_called_windows_without_scripts_either():
    text = (
        render_page([build("22.1.0", MORE, environment=WINE)], [])
        .partition("<noscript>")[2]
        .partition("</noscript>")[0]
    )
    assert "<caption>node · wine-x64 (Wine, not Windows) · ext4</caption>" in text


# ---- One harmless file


def test_the_policy_lets_in_this_style_and_this_script_and_nothing_else():
    page = Page(render_page([build("22.1.0", MORE)], []))
    (policy,) = [attrs["content"] for _, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy"]
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (page.texts("style")[0], page.texts("script")[-1])
    ]
    assert policy == (
        f"default-src 'none'; style-src '{hashes[0]}'; script-src '{hashes[1]}'; base-uri 'none'; form-action 'none'"
    )


def test_nothing_is_loaded_from_elsewhere_and_nothing_is_styled_or_handled_inline():
    page = Page(render_page([build("22.1.0", MORE)], []))
    for _, attrs in page.elements:
        assert not {"src", "style", "action"} & set(attrs)
        assert not [name for name in attrs if name.startswith("on")]
        assert attrs.get("href", "#").startswith("#")
    assert "url(" not in page.texts("style")[0]
    assert "@import" not in page.texts("style")[0]


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "<!--",
    "\"'><svg onload=alert(1)>",
    "\u202egnp.exe",
    "\u2066\u200b\ufeff",
    "\x1b[2J",
    "|`*_[x](javascript:alert(1))",
    "{{ 7*7 }}{% x %}",
    "x" * 1_000_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:20]))
def test_hostile_text_in_results_stays_text(text):
    plain = with_claim(build("22.1.0", MORE), CLAIM)
    harmless = len(Page(render_page([plain], [])).elements)
    hostile = replace(
        with_claim(
            build("22.1.0", {name: verdict for name, verdict in MORE.items() if name != CLAIM}),
            f"node:{text}",
            code=text,
            mechanism=text,
            raced=Raced(RaceOutcome.TWO_WINNERS, text, RaceOutcome.TWO_WINNERS, text, text),
            judgement=Judgement(Verdict.RACY, Reason(text, text=text)),
        ),
        environment=Environment(HERE.platform, HERE.filesystem, text, False),
        source=text,
    )
    rendered = render_page([hostile], [])
    page = Page(rendered)
    assert len(page.elements) == harmless
    assert len(page.texts("script")) == 2
    assert page.data["tables"]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x1b]", rendered)
    assert len(rendered) < 400_000
    for markdown in (render_readme([hostile], []), render_summary([hostile])):
        assert not re.search(r"(?<!\\)<(?:script|img|svg|!--)", re.sub(r"(`+).*?\1", "", markdown))
        assert len(markdown) < 40_000


def test_a_hundred_builds_of_five_hundred_claims_stay_below_three_megabytes():
    verdicts = [Verdict.UNSAFE, Verdict.SAFE, Verdict.CONDITIONAL, Verdict.RACY]
    cases = [
        MappingProxyType({occupant: Case(outcome) for occupant in list(Occupant)[:12]})
        for outcome in (Outcome.OVERWROTE, Outcome.REFUSED, Outcome.FALSE_WIN, Outcome.DAMAGED)
    ]
    made = [replace(claim(verdict), cases=each) for verdict, each in zip(verdicts, cases, strict=True)]
    coded = [[replace(each, code=f"fs.call{row}(name, data, {{flag: 'wx'}})") for each in made] for row in range(500)]
    results = [
        BuildResult(
            HERE,
            "node",
            f"{version}.1.0",
            "npm",
            "cafe",
            HELD,
            # Nearly no neighbours are equal: nothing can be folded.
            MappingProxyType(
                {f"node:fs.call{row}/wx": coded[row][(row * 7 + version * version) % 4] for row in range(500)}
            ),
        )
        for version in range(100)
    ]
    assert len(render_page(results, []).encode()) < 3_000_000
    assert len(render_summary(results).encode()) < 200_000


# ---- What the report finds


@pytest.mark.parametrize(
    ("claim_id", "asks"),
    [
        ("node:fs.writeFileSync/wx", True),
        ("node:fs.openSync/O_WRONLY+O_CREAT+O_EXCL", True),
        ("node:fs.copyFileSync/COPYFILE_EXCL", True),
        ("node:fs.cpSync/force=false+errorOnExist", True),
        ("dotnet:FileStream/CreateNew", True),
        ("powershell:Out-File/NoClobber+$?", True),
        ("sh:mv/-n", True),
        ("sh:cp/-n+-T+same", True),
        ("sh:set -C/>", True),
        ("python:open/x", True),
        ("node:fs.writeFileSync/w", False),
        ("node:fs.openSync/O_WRONLY+O_CREAT", False),
        ("dotnet:File.Move/overwrite=true", False),
        ("sh:ln/-s+-n", False),
        ("sh:mv/-T", False),
        ("bun:Bun.write", False),
    ],
)
def test_arguments_that_ask_for_a_new_name_are_known(claim_id, asks):
    assert asks_for_new(claim_id) is asks


def test_traps_are_ranked_by_what_they_promise_and_name_a_clean_build():
    results = [
        build(
            "20.1.0", {CLAIM: Verdict.UNSAFE, "node:fs.openSync/w": Verdict.UNSAFE, "node:fs.mkdirSync": Verdict.SAFE}
        ),
        build("22.1.0", {CLAIM: Verdict.SAFE, "node:fs.existsSync/writeFileSync": Verdict.RACY}),
    ]
    found = [(trap.claim_id, trap.points, trap.clean and trap.clean.version) for trap in traps(results)]
    assert found == [
        (CLAIM, 6, "22.1.0"),
        ("node:fs.existsSync/writeFileSync", 3, None),
        ("node:fs.openSync/w", 0, None),
    ]


def test_only_a_race_shows_that_a_racy_call_is_clean_elsewhere():
    racy, refuses = {CLAIM: Verdict.RACY}, {CLAIM: Verdict.REFUSES}
    (trap,) = traps([build("20.1.0", racy), build("22.1.0", refuses)])
    assert (trap.clean, trap.points) == (None, 7)
    (trap,) = traps([build("20.1.0", {CLAIM: Verdict.UNSAFE}), build("22.1.0", refuses)])
    assert (trap.clean.version, trap.points) == ("22.1.0", 6)


def test_a_trap_is_shown_in_the_newest_build_that_shows_it_worst():
    worst = [build(version, {CLAIM: Verdict.UNSAFE}) for version in ("9.1.0", "10.1.0")]
    (trap,) = traps([*worst, build("22.1.0", {CLAIM: Verdict.RACY})])
    assert (trap.shown.version, trap.racy) == ("10.1.0", False)


def test_of_every_sort_of_trap_the_plainest_code_comes_first():
    codes = {
        "node:fs.cp/errorOnExist": ("fs.cp(source, name, {errorOnExist: true}, done)", RACY),
        "node:fs.stat/writeFile": ("fs.stat(name, () => fs.writeFile(name, data, done))", RACY),
        "node:fs.existsSync/writeFileSync": (
            "if (fs.existsSync(name)) return false; fs.writeFileSync(name, data)",
            RACY,
        ),
        "node:fs.writeFileSync": ("fs.writeFileSync(name, data)", UNSAFE),
        "node:fs.truncateSync": ("fs.truncateSync(name)", UNSAFE),
        "node:fs.rmSync": ("fs.rmSync(name)", replace(RACY, kind=Kind.TAKE)),
    }
    one = build_of({claim_id: replace(each, code=code) for claim_id, (code, each) in codes.items()})
    found = traps_of(one, Kind.CREATE, clean_somewhere([one]), 3)
    assert found == ["node:fs.cp/errorOnExist", "node:fs.existsSync/writeFileSync", "node:fs.truncateSync"]
    assert traps_of(one, Kind.TAKE, clean_somewhere([one]), 3) == ["node:fs.rmSync"]


def test_of_one_call_only_one_variant_is_a_trap_and_of_one_runtime_only_three():
    same = {f"node:fs.open{end}/w{n}": Verdict.UNSAFE for n in range(4) for end in ("", "Sync")}
    assert len(traps([build("22.1.0", same)])) == 1
    several = {f"node:fs.call{n}/wx": Verdict.UNSAFE for n in range(8)}
    assert len(traps([build("22.1.0", several)])) == 3


UNSAFE = measured(Verdict.UNSAFE, over=TAKEN)
REFUSES = measured(Verdict.REFUSES)
NEVER_MET = measured(Verdict.INDETERMINATE, Raced(RaceOutcome.NEVER_MET, "contenders"))
SAFE, RACY = measured(Verdict.SAFE, ONE_WINNER), measured(Verdict.RACY, TWO_WINNERS)


def steps(*found):
    """What changed between versions 1, 2, 3 …, each with its claim or None."""
    results = [
        replace(build(f"{n}.0.0", {}), claims=MappingProxyType({CLAIM: each} if each else {}))
        for n, each in enumerate(found, 1)
    ]
    (series,) = all_series(results)
    return [(change.older[0], change.newer[0], change.was.value, change.became.value) for change in changes(series)]


def test_a_change_is_between_measured_versions_and_passes_over_those_that_were_not():
    assert steps(UNSAFE, claim(Verdict.NOT_RUN), SAFE, SAFE) == [("1", "3", "unsafe", "safe")]
    assert steps(UNSAFE, None, SAFE) == [("1", "3", "unsafe", "safe")]


@pytest.mark.parametrize("other", [SAFE, RACY, NEVER_MET])
def test_that_one_version_was_raced_and_the_next_was_not_is_no_change(other):
    assert steps(REFUSES, other) == steps(other, REFUSES) == []


def test_a_version_that_was_not_raced_hides_no_change_between_those_that_were():
    assert steps(SAFE, REFUSES, RACY) == [("1", "3", "safe", "racy")]
    assert steps(SAFE, UNSAFE, REFUSES, RACY) == [("2", "3", "unsafe", "refuses"), ("1", "2", "safe", "unsafe")]


def test_shells_are_not_versions_of_one_another():
    results = [
        build(version, {"sh:mkdir": Verdict.SAFE}, runtime="sh") for version in ("dash-0.5+coreutils-9", "bash-5")
    ]
    assert len(all_series(results)) == 2


def build_of(claims):
    return replace(build("22.1.0", {}), claims=MappingProxyType(claims))


def safe(code, mechanism=None):
    return replace(claim(Verdict.SAFE), code=code, mechanism=mechanism)


def test_of_every_mechanism_the_shortest_code_is_a_way_and_none_that_looks_first():
    one = build_of(
        {
            "node:fs.writeFileSync/wx": safe("fs.writeFileSync(name, data, {flag: 'wx'})", "openat(O_CREAT|O_EXCL)"),
            "node:fs.writeFileSync/ax": safe("fs.writeFileSync(name, data, {flag: 'ax'})", "openat(O_CREAT|O_EXCL)"),
            "node:fs.writeFileSync/wx+mode": safe("a longer one" * 9, "openat(O_CREAT|O_EXCL)"),
            "node:fs.mkdirSync": safe("fs.mkdirSync(name)", "mkdir"),
            "node:fs.existsSync/mkdirSync": safe("x", CHECK_THEN_ACT),
        }
    )
    assert ways(one, Kind.CREATE, Verdict.SAFE) == ["node:fs.writeFileSync/wx", "node:fs.mkdirSync"]
    assert ways(one, Kind.CREATE, Verdict.SAFE, 1) == ["node:fs.writeFileSync/wx"]
    assert ways(one, Kind.HELD, Verdict.SAFE) == []


def test_code_that_does_harm_with_another_source_is_no_way():
    move = "Directory.Move(source, name)"
    one = build_of(
        {
            "node:move/full-dir": safe(move, "rename"),
            "node:move/file": replace(RACY, code=move),
            "node:fs.mkdirSync": safe("fs.mkdirSync(name)", "mkdir"),
        }
    )
    assert ways(one, Kind.CREATE, Verdict.SAFE) == ["node:fs.mkdirSync"]


def test_the_plainest_way_needs_nothing_beside_the_name_and_writes_the_callers_data():
    one = build_of(
        {
            "node:touch": safe("touch(name)", "openat(O_CREAT|O_EXCL)"),
            "node:open/x": safe("open(name, 'x').write(data)", "open(O_CREAT|O_EXCL|O_APPEND)"),
            "node:link": safe("link(source, name)", "linkat"),
            "node:write+link": safe("write(mine, data); link(mine, name); unlink(mine)", "link"),
            "node:write+linkat": safe("write(mine, data); linkat(mine, name); unlink(mine)", "link"),
            "node:mkdir": safe("mkdir(name)", "mkdir"),
        }
    )
    assert ways(one, Kind.CREATE, Verdict.SAFE) == ["node:open/x", "node:mkdir", "node:write+link"]


def test_what_was_racy_elsewhere_is_no_advice_where_nobody_raced_it():
    elsewhere = build("20.1.0", {CLAIM: Verdict.RACY})
    here = build_of({CLAIM: REFUSES, "node:fs.mkdirSync": replace(REFUSES, code="fs.mkdirSync(name)")})
    assert ways(here, Kind.CREATE, Verdict.REFUSES, None, racy_somewhere([elsewhere, here])) == ["node:fs.mkdirSync"]


def test_without_mechanisms_every_call_is_a_way():
    one = build_of({"node:fs.mkdir": safe("longer"), "node:fs.mkdirSync": safe("short"), "node:fs.link": safe("link")})
    assert ways(one, Kind.CREATE, Verdict.SAFE) == ["node:fs.link", "node:fs.mkdirSync"]


@pytest.mark.parametrize(
    ("verdict", "raced", "how"),
    [
        (Verdict.REFUSES, Raced(), Sureness.SEQUENTIAL),
        (Verdict.SAFE, Raced(RaceOutcome.ONE_WINNER), Sureness.RACED),
        (Verdict.SAFE, Raced(RaceOutcome.ONE_WINNER, explored=RaceOutcome.ONE_WINNER), Sureness.EXPLORED),
        (Verdict.UNSUPPORTED, Raced(), Sureness.NONE),
    ],
)
def test_how_sure_a_verdict_is_depends_on_what_was_done(verdict, raced, how):
    assert sureness(replace(claim(verdict), raced=raced)) is how


def test_claims_of_two_runtimes_appear_in_page_and_readme():
    pair = Encounter(
        CLAIM,
        "powershell:New-Item/File",
        Case(Outcome.OVERWROTE, Detail.REPLACED),
        Case(Outcome.REFUSED, error="EEXIST"),
        Raced(RaceOutcome.TWO_WINNERS, unexplored=""),
        Verdict.UNSAFE,
    )
    meeting = Meeting(HERE, ("node", "22.1.0"), ("powershell", "7.6.9"), (pair,))
    data = Page(render_page([build("22.1.0", MORE)], [meeting])).data
    ((first, second, verdict, over_first, over_second, race),) = data["meetings"][0]["pairs"]
    assert (first, second, data["verdicts"][verdict]) == (pair.first, pair.second, "unsafe")
    assert data["cases"][over_first][0] == {"outcome": "overwrote", "detail": "replaced"}
    assert data["cases"][over_second][0] == {"outcome": "refused", "error": "EEXIST"}
    assert data["races"][race][0]["outcome"] == "two-winners"
    assert f"| `{pair.first}` | `{pair.second}` | X unsafe |" in render_readme([build("22.1.0", MORE)], [meeting])


def test_windows_builds_under_wine_are_asked_for_as_such():
    results = [build("22.1.0", MORE, environment=WINE), build("wine-8.0", {"cmd:mkdir": Verdict.SAFE}, "cmd", WINE)]
    requests = [one["request"] for one in Page(render_page(results, [])).data["builds"]]
    assert requests == ["cmd@wine-8.0", "node@22.1.0+wine"]


# ---- Texts


def test_every_text_that_the_page_asks_for_is_there():
    page = render_page([build("22.1.0", MORE)], [])
    keys = set(re.findall(r'\bt\("([a-z.-]+)"', page)) | set(re.findall(r'data-t="([^"]+)"', page))
    assert keys
    assert {key for key in keys if not key.endswith(".")} <= {*catalogue("en"), *stories.catalogue("en")}
    assert {f"ui.page.{page}" for page in PAGES} <= set(catalogue("ja"))


# ---- Badge


def test_a_badge_shows_the_worst_verdict_and_the_versions_that_were_measured():
    results = [build("22.1.0", {CLAIM: Verdict.SAFE}), build("9.1.0", {CLAIM: Verdict.UNSAFE})]
    root = ElementTree.fromstring(badge(CLAIM, results))
    assert root.findtext("{http://www.w3.org/2000/svg}title") == (
        f"{CLAIM}: X unsafe · 9.1.0–22.1.0 (2 measured) on linux-x64, ext4"
    )


def test_a_badge_can_be_of_one_place_only(tmp_path):
    folder = tmp_path / "results"
    write(build("22.1.0", {CLAIM: Verdict.SAFE}), folder)
    write(build("22.1.0", {CLAIM: Verdict.REFUSES}, environment=replace(HERE, filesystem="xfs")), folder)
    assert "+ refuses · 22.1.0 on linux-x64, 2 filesystems" in run("badge", CLAIM, "--results", folder).output
    one = run("badge", CLAIM, "--results", folder, "--platform", "linux-x64", "--filesystem", "ext4")
    assert "* safe · 22.1.0 on linux-x64, ext4" in one.output


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:20]))
def test_a_badge_of_a_hostile_name_is_well_formed_and_has_no_script(text):
    root = ElementTree.fromstring(badge(f"node:{text}", [build("22.1.0", {f"node:{text}": Verdict.SAFE})]))
    assert {each.tag.rpartition("}")[2] for each in root.iter()} == {"svg", "title", "rect", "g", "text"}


# ---- Commands


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)


@pytest.fixture
def folder(tmp_path):
    for version in ("20.1.0", "22.1.0"):
        write(build(version, MORE), tmp_path / "results")
    return tmp_path / "results"


def test_report_writes_two_files_the_same_every_time(folder):
    first = run("report", "--results", folder)
    assert first.output.split() == [str(folder / "report.html"), str(folder / "README.md")]
    before = [(folder / name).read_bytes() for name in ("report.html", "README.md")]
    run("report", "--results", folder)
    assert [(folder / name).read_bytes() for name in ("report.html", "README.md")] == before


def test_report_takes_results_of_several_machines_and_writes_elsewhere(folder, tmp_path):
    write(build("24.1.0", MORE, environment=WINE), tmp_path / "other")
    run("report", "--results", folder, "--results", tmp_path / "other", "--out", tmp_path / "out")
    data = Page((tmp_path / "out" / "report.html").read_text(encoding="utf-8")).data
    assert [(one["version"], one["platform"]) for one in data["builds"]] == [
        ("20.1.0", "linux-x64"),
        ("22.1.0", "linux-x64"),
        ("24.1.0", "wine-x64"),
    ]
    assert not (folder / "report.html").exists()


def test_report_shows_the_pairs_beside_the_results(folder):
    pair = Encounter(
        CLAIM, "bun:x", Case(Outcome.REFUSED), Case(Outcome.REFUSED), Raced(unexplored=""), Verdict.REFUSES
    )
    write_meeting(Meeting(HERE, ("node", "22.1.0"), ("bun", "1.4.5"), (pair,)), folder)
    run("report", "--results", folder)
    assert len(Page((folder / "report.html").read_text(encoding="utf-8")).data["meetings"]) == 1


def test_a_summary_is_printed_and_nothing_is_written(folder):
    done = run("report", "--results", folder, "--summary")
    assert done.output.startswith("## claimgrid")
    assert sorted(path.name for path in folder.iterdir()) == ["linux-x64-ext4"]


def test_a_report_of_nothing_is_an_error_of_one_sentence(tmp_path):
    (tmp_path / "empty").mkdir()
    error = run("report", "--results", tmp_path / "empty").exception
    assert str(error) == f"There are no results in {tmp_path / 'empty'}. `claimgrid run` makes some."
    assert list((tmp_path / "empty").iterdir()) == []


def test_badge_prints_a_picture_or_writes_it(folder, tmp_path):
    printed = run("badge", CLAIM, "--results", folder, "--runtime", "node@22")
    assert "22.1.0 on linux-x64" in printed.output
    run("badge", CLAIM, "--results", folder, "--runtime", "node@22", "--out", tmp_path / "badge.svg")
    assert (tmp_path / "badge.svg").read_text(encoding="utf-8") == printed.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("node:nobody",), "No claim called 'node:nobody' was measured."),
        ((CLAIM, "--runtime", "node@12"), f"{CLAIM} was not measured in node@12."),
    ],
)
def test_a_badge_of_what_was_not_measured_is_an_error_of_one_sentence(folder, words, sentence):
    error = run("badge", *words, "--results", folder).exception
    assert str(error).startswith(sentence)


def test_a_badge_tells_builds_under_wine_apart(folder):
    write(build("22.1.0", {CLAIM: Verdict.UNSAFE}, environment=WINE), folder)
    assert "X unsafe · 22.1.0 on wine-x64" in run("badge", CLAIM, "--results", folder, "-r", "node@22+wine").output
    assert "22.1.0 on linux-x64, 22.1.0 on wine-x64" in run("badge", CLAIM, "--results", folder, "-r", "node@22").output
