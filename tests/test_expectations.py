"""Expectations: read strictly, compared cell by cell, and made true of results again without losing what people wrote."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import click.testing
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import build, claim, some_builds

from harness import claims as selectors
from harness import results
from harness.cli import cli
from harness.environment import Environment
from harness.errors import ClaimgridError, Exit
from harness.expectations import Book, Entry, Expectation, holds, parse_book, read_book, render
from harness.expectations_compare import Standing, compare, standing
from harness.expectations_text import expired, told
from harness.expectations_update import updated
from harness.judge import Judgement, Raced, Reason
from harness.vocabulary import Occupant, RaceOutcome, Verdict

V = Verdict
LINK = "https://nodejs.org/api/fs.html"
COMMITTED = Path(__file__).resolve().parent.parent / "expectations.toml"


def expect(claims, *verdicts, reason="It was meant so.", **more):
    return Expectation(tuple(claims.split()), verdicts, reason, LINK, **more)


def raced(verdict, code="one-winner"):
    return replace(
        claim(verdict),
        judgement=Judgement(verdict, Reason(code)),
        raced=Raced(RaceOutcome.ONE_WINNER, "", RaceOutcome.NOT_RUN),
    )


def one(text):
    (entry,) = parse_book(text, "file.toml").entries
    return entry.expectation


ENTRY = f'[[expect]]\nclaims = ["node:fs.open/wx"]\nverdict = "safe"\nreason = "It is O_EXCL."\nlink = "{LINK}"\n'


def test_an_entry_says_what_is_expected_of_which_claims_where_and_why():
    text = ENTRY + (
        'runtime = ["node", "bun"]\nversions = ">=18,<22.3"\nplatform = "linux-*"\nfilesystem = "ext4"\nexpires = 2027-01-31\n'
    )
    assert one(text) == Expectation(
        ("node:fs.open/wx",),
        (V.SAFE,),
        "It is O_EXCL.",
        LINK,
        ("node", "bun"),
        (">=18,<22.3",),
        ("linux-*",),
        ("ext4",),
        date(2027, 1, 31),
    )


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        (ENTRY + "verdicts = 1\n", "file.toml:1: an entry has no key 'verdicts'."),
        (ENTRY.replace('"safe"', '"sound"'), "file.toml:1: 'sound' is no verdict."),
        (ENTRY.replace('"safe"', '"not-run"'), "file.toml:1: 'not-run' is no verdict."),
        ("\n\n" + ENTRY.replace("reason", "#"), "file.toml:3: reason is missing."),
        (ENTRY.replace("It is O_EXCL.", "  "), "file.toml:1: reason is no text."),
        (ENTRY.replace(LINK, "somewhere"), "file.toml:1: link is 'somewhere'."),
        (ENTRY + "runtime = 'perl'\n", "file.toml:1: 'perl' is no runtime."),
        (ENTRY + "versions = '>=18;<20'\n", "file.toml:1: '>=18;<20' is not a range of versions."),
        (ENTRY + "versions = '~18'\n", "file.toml:1: '~18' is no version and no range."),
        (ENTRY + "versions = '18.x'\n", "file.toml:1: '18.x' is no version and no range."),
        (ENTRY + "versions = '18 - 22'\n", "file.toml:1: '18 - 22' is no version and no range."),
        (ENTRY + "versions = '>=22,<18'\n", "file.toml:1: No version lies in '>=22,<18'."),
        (ENTRY + "versions = '>18,<=18'\n", "file.toml:1: No version lies in '>18,<=18'."),
        ("a = " + "[" * 100_000, "file.toml is nested too deeply."),
        ("a = " + "9" * 5_000, "file.toml is not TOML"),
        (ENTRY + "versions = []\n", "file.toml:1: versions is neither text nor a list of texts."),
        (ENTRY + "expires = '2027-01-31'\n", "file.toml:1: expires is no date."),
        (ENTRY + "expires = 2027-01-31T00:00:00\n", "file.toml:1: expires is no date."),
        ("strict = true\n" + ENTRY, "file.toml: 'strict' stands outside of any entry."),
        ("expect = [{}]\n", "file.toml: its entries do not stand apart."),
        (ENTRY + "verdict = 'safe'\n", "file.toml is not TOML"),
    ],
)
def test_a_broken_file_is_told_with_its_place_in_one_sentence(broken, what):
    with pytest.raises(ClaimgridError) as error:
        parse_book(broken, "file.toml")
    assert error.value.message.startswith(what)
    assert error.value.code is Exit.USAGE


def test_a_file_that_is_not_there_or_not_text_is_told(tmp_path):
    with pytest.raises(ClaimgridError, match="There are no expectations"):
        read_book(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    with pytest.raises(ClaimgridError, match="is not UTF-8 at byte 5"):
        read_book(tmp_path / "latin.toml")


words = st.text("ab:*/é日 \n\t\"'\\\x00\x7f", min_size=1, max_size=8).filter(lambda text: text == text.strip() != "")
expectations = st.builds(
    Expectation,
    st.lists(words, min_size=1, max_size=3).map(tuple),
    st.lists(st.sampled_from([verdict for verdict in V if verdict is not V.NOT_RUN]), min_size=1, max_size=2).map(
        tuple
    ),
    words,
    words.map(LINK.__add__),
    st.lists(st.sampled_from(["node", "bun"]), max_size=2).map(tuple),
    st.lists(st.sampled_from([">=18", ">=1.2,<3", "bash", "1.2.3"]), max_size=2).map(tuple),
    st.lists(words, max_size=2).map(tuple),
    st.lists(words, max_size=2).map(tuple),
    st.none() | st.dates(),
)


@given(expectations)
def test_what_is_written_is_read_back(expectation):
    assert one(render(expectation)) == expectation


def test_a_file_keeps_its_comments_and_its_order():
    text = f"# Whose file this is.\n\n# About the first.\n{ENTRY}\n# ---- Part ----\n\n# About the second.\n{ENTRY}\n# The end.\n"
    book = parse_book(text, "file.toml")
    assert (book.head, book.tail) == ("# Whose file this is.", "# The end.")
    assert [entry.text.split("\n")[0] for entry in book.entries] == ["# About the first.", "# ---- Part ----"]
    assert [entry.expectation.line for entry in book.entries] == [4, 13]
    assert book.to_text() == text


@pytest.mark.parametrize(
    ("asked", "version", "held"),
    [
        (">=18,<22.3", "20.11.1", True),
        (">=18,<22.3", "22.3.0", False),
        ("20.11.1", "20.11.1", True),
        ("20", "20.11.1", False),
        ("ksh93", "ksh93-1.0.4+coreutils-9.1", True),
        ("dash", "dash-0.5.12+uutils-0.0.17", True),
        ("dash-0.5.12", "dash-0.5.12+uutils-0.0.17", False),
        (">=1", "bash-5.2.15", False),
    ],
)
def test_versions_are_ranges_whole_versions_or_programs(asked, version, held):
    assert holds(asked, version) is held


IDS = ["node:fs.cp", "node:fs.cp/dir", "node:fs.cpSync/a?b", "bun:fs.cp", "bun:[x]/*"]


def test_a_name_is_that_very_claim_and_not_its_variants():
    assert expect("fs.cp").chosen(IDS) == ["node:fs.cp", "bun:fs.cp"]
    assert expect("node:fs.cp").chosen(IDS) == ["node:fs.cp"]


def test_an_id_with_the_sign_of_a_pattern_in_it_is_that_very_claim():
    assert expect("fs.cpSync/a?b").chosen([*IDS, "node:fs.cpSync/axb"]) == ["node:fs.cpSync/a?b"]


@given(st.sampled_from(["*", "node:*", "fs.cp*", "*/dir", "fs.cp?ync/*", "[x]/*", "*a?b"]))
def test_a_pattern_is_one_of_the_selectors_of_commands(pattern):
    assert expect(pattern).chosen(IDS) == [each for each in IDS if selectors.matches(each, pattern)]


def test_of_several_entries_the_last_one_holds():
    entries = [expect("*", V.UNSAFE), expect("fs.open", V.SAFE), expect("fs.open", V.RACY, versions=(">=20",))]
    compared = compare(entries, [build("18.0.0", {"node:fs.open": V.SAFE}), build("20.0.0", {"node:fs.open": V.SAFE})])
    assert [cell.expectation for cell in compared.cells] == entries[1:]
    assert compared.idle == (entries[0],)


def test_an_entry_speaks_only_of_its_platform_filesystem_and_runtime():
    here = build("18.0.0", {"node:fs.open": V.SAFE})
    elsewhere = build(
        "18.0.0", {"node:fs.open": V.SAFE}, environment=Environment("windows-x64", "ntfs", "Windows", False)
    )
    for more in ({"platforms": ("linux-*",)}, {"filesystems": ("ext4",)}):
        assert [expect("*", V.SAFE, **more).covers(each) for each in (here, elsewhere)] == [True, False]
    assert not expect("*", V.SAFE, runtimes=("bun",)).covers(here)


@pytest.mark.parametrize(
    ("expected", "measured", "stands"),
    [
        (V.SAFE, raced(V.SAFE), Standing.AS_EXPECTED),
        (V.SAFE, claim(V.REFUSES), Standing.UNPROVED),
        (V.RACY, claim(V.REFUSES), Standing.UNPROVED),
        (V.RACY, claim(V.CONDITIONAL), Standing.UNPROVED),
        (V.CONDITIONAL, claim(V.REFUSES), Standing.UNPROVED),
        (V.SAFE, claim(V.CONDITIONAL), Standing.WORSE),
        (V.SAFE, raced(V.RACY), Standing.WORSE),
        (V.REFUSES, raced(V.SAFE), Standing.BETTER),
        (V.RACY, raced(V.CONDITIONAL), Standing.BETTER),
        (V.UNSAFE, claim(V.REFUSES), Standing.BETTER),
        (V.SAFE, raced(V.INDETERMINATE, "never-met"), Standing.UNPROVED),
        (V.SAFE, raced(V.INDETERMINATE, "no-valid-answer"), Standing.WORSE),
        (V.SAFE, raced(V.INDETERMINATE, "control-failed"), Standing.WORSE),
        (V.UNSAFE, raced(V.INDETERMINATE, "no-valid-answer"), Standing.UNPROVED),
        (V.SAFE, claim(V.UNSUPPORTED), Standing.UNMEASURED),
        (V.UNSAFE, claim(V.NOT_RUN), Standing.UNMEASURED),
        (V.UNSUPPORTED, claim(V.UNSAFE), Standing.BETTER),
    ],
)
def test_what_is_not_raced_or_not_there_is_neither_better_nor_worse(expected, measured, stands):
    assert standing((expected,), measured) is stands


@given(st.sampled_from(V), st.sampled_from(V))
def test_only_what_is_worse_than_all_that_is_expected_is_worse(one, other):
    for verdict in V:
        if standing((one, other), raced(verdict)) is Standing.WORSE:
            assert verdict.badness > max(one.badness, other.badness)


def test_where_chance_decides_either_verdict_is_as_expected():
    assert {standing((V.CONDITIONAL, V.SAFE), raced(each)) for each in (V.CONDITIONAL, V.SAFE)} == {
        Standing.AS_EXPECTED
    }


@given(some_builds)
def test_after_an_update_no_cell_contradicts_or_lacks_its_expectation(builds):
    compared = compare(updated(Book(), builds).expectations, builds)
    assert not [cell for cell in compared.cells if cell.standing in (Standing.WORSE, Standing.BETTER)]
    assert {cell.claim.verdict for cell in compared.of(None)} <= {V.UNSUPPORTED, V.NOT_RUN}
    assert compared.idle == ()


written = st.lists(
    st.builds(
        expect,
        st.sampled_from(["*", "fs.open*", "node:fs.mkdir/wx", "fs.cp/*"]),
        st.sampled_from([verdict for verdict in V if verdict is not V.NOT_RUN]),
        versions=st.sampled_from([(), (">=20",), ("<18",)]),
    ),
    max_size=4,
).map(lambda found: Book(tuple(Entry(render(each), each) for each in found)))


@given(written, some_builds)
def test_an_update_of_an_update_changes_nothing_and_reads_back_as_the_same_bytes(book, builds):
    text = updated(book, builds).to_text()
    again = updated(parse_book(text, "file.toml"), reversed(builds)).to_text()
    assert again == text


@given(written, some_builds)
def test_an_update_keeps_what_people_wrote_and_results_bear_out(book, builds):
    new = updated(book, builds)
    kept = [entry for entry in new.entries if entry.expectation.is_written]
    # In their order; of equal ones some may have gone.
    written = iter(book.entries)
    assert all(any(each == entry for entry in written) for each in kept)
    for cell in compare(new.expectations, builds).cells:
        assert cell.standing is None or not cell.standing.contradicts
    gone = [entry.expectation for entry in book.entries if entry not in kept]
    for cell in compare(book.expectations, builds).cells:
        if cell.standing is Standing.AS_EXPECTED:
            assert cell.expectation not in gone


def book_of(*entries):
    return Book(tuple(Entry(render(each), each) for each in entries))


def test_what_people_wrote_goes_when_every_result_says_otherwise_and_gets_an_exception_when_some_do():
    builds = [build("18.0.0", {"node:fs.open": V.UNSAFE}), build("20.0.0", {"node:fs.open": V.SAFE})]
    wrong, partly = expect("*", V.CONDITIONAL), expect("*", V.UNSAFE)
    assert updated(book_of(wrong), builds).entries[0].expectation.is_written is False
    kept, exception = updated(book_of(partly), builds).expectations
    assert kept == partly
    assert (exception.verdict, exception.versions) == (V.SAFE, (">=20.0.0",))


def test_what_nobody_explained_goes_when_it_is_no_longer_needed():
    builds = [build("18.0.0", {"node:fs.open": V.UNSAFE})]
    book = updated(Book(), builds)
    explained = expect("fs.open", V.UNSAFE)
    assert updated(Book((*book_of(explained).entries, *book.entries)), builds).expectations == (explained,)


def test_what_results_say_nothing_about_stays():
    elsewhere = expect("*", V.UNSAFE, platforms=("windows-*",))
    assert elsewhere in updated(book_of(elsewhere), [build("18.0.0", {"node:fs.open": V.SAFE})]).expectations


def history(*verdicts):
    builds = [build(f"{10 + place}.1.0", {"node:fs.open": verdict}) for place, verdict in enumerate(verdicts)]
    return [(each.versions, each.verdict) for each in updated(Book(), builds).expectations]


def test_neighbours_with_one_verdict_are_one_range_and_the_newest_is_open():
    assert history(V.UNSAFE, V.UNSAFE, V.CONDITIONAL, V.CONDITIONAL) == [
        ((">=10.1.0,<=11.1.0",), V.UNSAFE),
        ((">=12.1.0",), V.CONDITIONAL),
    ]


def test_a_verdict_that_comes_back_is_one_entry_with_two_ranges():
    assert history(V.UNSAFE, V.SAFE, V.UNSAFE) == [
        ((">=10.1.0,<=10.1.0", ">=12.1.0"), V.UNSAFE),
        ((">=11.1.0,<=11.1.0",), V.SAFE),
    ]


def test_what_is_not_raced_or_not_there_breaks_no_range():
    assert history(V.UNSUPPORTED, V.SAFE, V.REFUSES, V.UNSUPPORTED, V.SAFE) == [((">=10.1.0",), V.SAFE)]


def test_a_preview_and_its_release_that_differ_are_told_apart():
    builds = [build("22.0.0-nightly", {"node:fs.open": V.UNSAFE}), build("22.0.0", {"node:fs.open": V.SAFE})]
    assert {each.versions: each.verdict for each in updated(Book(), builds).expectations} == {
        ("22.0.0-nightly",): V.UNSAFE,
        ("22.0.0",): V.SAFE,
    }


def test_claims_with_one_history_share_an_entry_and_whole_calls_are_one_pattern():
    verdicts = {
        "node:fs.open": V.SAFE,
        "node:fs.open/a": V.UNSAFE,
        "node:fs.open/b": V.UNSAFE,
        "node:fs.cp/x": V.UNSAFE,
        "node:fs.cp/y": V.SAFE,
    }
    found = updated(Book(), [build("20.0.0", verdicts)]).expectations
    assert [(each.claims, each.verdict) for each in found] == [
        (("node:fs.cp/x", "node:fs.open/*"), V.UNSAFE),
        (("node:fs.cp/y", "node:fs.open"), V.SAFE),
    ]


def test_an_entry_that_nobody_has_explained_says_what_was_measured_and_where():
    (entry,) = updated(Book(), [build("20.0.0", {"node:fs.open": V.REFUSES})]).expectations
    assert entry.reason.startswith("measured: Refuses every occupant one after another.")
    assert entry.link == "linux-x64-ext4/node-20.0.0.json"
    assert not entry.is_written


def test_an_expectation_expires_after_its_last_day():
    entry = expect("*", V.SAFE, expires=date(2027, 1, 31))
    assert expired([entry], date(2027, 1, 31)) == []
    assert expired([entry], date(2027, 2, 1)) == [entry]


def test_a_finding_comes_with_the_command_that_shows_it():
    why = Reason("took-taken", (Occupant.FILE,))
    worse = replace(claim(V.UNSAFE), judgement=Judgement(V.UNSAFE, why))
    builds = [replace(build(version, {}), claims={"node:fs.open": worse}) for version in ("18.0.0", "20.0.0")]
    lines = told(compare([expect("*", V.SAFE, line=7)], builds), [], "e.toml")
    assert lines[1] == "  node:fs.open in node@18.0.0 … 20.0.0 on linux-x64, ext4: unsafe, safe expected by e.toml:7"
    assert lines[3] == "    claimgrid try node:fs.open --runtime node@20.0.0 --occupant file"


@pytest.mark.parametrize(("pause", "verb"), [("after stat, before open", "explore"), ("", "race")])
def test_a_race_that_was_lost_is_shown_by_a_race_or_by_the_pause_that_it_was_lost_in(pause, verb):
    racy = replace(raced(V.RACY), judgement=Judgement(V.RACY, Reason("two-winners", text=pause)))
    lines = told(compare([expect("*", V.SAFE)], [replace(build("20.0.0", {}), claims={"node:fs.open": racy})]), [], "e")
    assert lines[3] == f"    claimgrid {verb} node:fs.open --runtime node@20.0.0"


def test_however_much_is_wrong_little_is_printed():
    many = {f"node:fs.call/{number}": V.UNSAFE for number in range(2000)}
    lines = told(compare([expect("*", V.SAFE)], [build("20.0.0", many)]), [], "e.toml")
    assert len(lines) < 200
    assert "  … and 1960 more" in lines


def run(*arguments):
    outcome = click.testing.CliRunner().invoke(cli, [*map(str, arguments)], standalone_mode=False)
    if outcome.exception is not None:
        raise outcome.exception
    return outcome.return_value or 0, outcome.output


@pytest.fixture
def folder(tmp_path):
    results.write(build("20.0.0", {"node:fs.open": V.UNSAFE, "node:fs.cp": V.REFUSES}), tmp_path / "results")
    return tmp_path


def options(folder):
    return "--results", folder / "results", "--expectations", folder / "e.toml"


def write(folder, *entries):
    (folder / "e.toml").write_text("\n\n".join(map(render, entries)) + "\n", encoding="utf-8")


def test_expect_shows_what_would_change_and_update_makes_it_so(folder):
    code, shown = run("expect", *options(folder))
    assert code == 1
    assert '+verdict = "unsafe"' in shown.splitlines()
    assert run("expect", "--update", *options(folder))[0] == 0
    first = (folder / "e.toml").read_bytes()
    assert run("expect", *options(folder))[0] == 0
    assert run("expect", "--update", *options(folder))[0] == 0
    assert (folder / "e.toml").read_bytes() == first
    assert run("check", "--strict", *options(folder))[0] == 0


def test_check_is_red_where_something_is_worse_than_expected(folder):
    write(folder, expect("fs.open", V.SAFE), expect("fs.cp", V.SAFE))
    code, lines = run("check", *options(folder))
    assert code == 1
    assert lines.startswith("worse than expected\n  node:fs.open in node@20.0.0")
    assert "1 cells expected safe are not raced" in lines.splitlines()


def test_check_is_red_where_something_is_better_only_when_it_is_strict(folder):
    write(folder, expect("fs.open", V.UNSAFE), expect("fs.cp", V.UNSAFE))
    assert run("check", *options(folder))[0] == 0
    assert run("check", "--strict", *options(folder))[0] == 1


def test_cells_without_an_entry_and_entries_without_a_cell_are_told(folder):
    write(folder, expect("fs.open", V.UNSAFE), expect("fs.gone", V.SAFE))
    code, lines = run("check", *options(folder))
    assert code == 0
    assert "1 cells have no entry: node@20.0.0 (1)" in lines.splitlines()
    assert "1 entries hold for nothing here: line 7" in lines.splitlines()
    assert run("check", "--strict", *options(folder))[0] == 1


def test_each_of_both_alone_is_out_of_date_to_a_strict_check(folder):
    write(folder, expect("*", V.UNSAFE), expect("fs.gone", V.SAFE))
    assert run("check", "--strict", *options(folder))[0] == 1
    write(folder, expect("fs.open", V.UNSAFE))
    assert run("check", "--strict", *options(folder))[0] == 1


def test_what_people_wrote_and_no_result_bears_out_is_dropped_with_a_word(folder):
    write(folder, expect("fs.open", V.SAFE), expect("fs.cp", V.REFUSES))
    _, lines = run("expect", "--update", *options(folder))
    told = f"dropped, for no result bears it out: {(folder / 'e.toml').as_posix()}:1: It was meant so."
    assert told in lines.splitlines()


def test_an_expired_entry_is_told_and_red(folder):
    write(folder, expect("*", V.UNSAFE, expires=date(2020, 1, 1)))
    code, lines = run("check", *options(folder))
    assert code == 1
    assert f"expired: {(folder / 'e.toml').as_posix()}:1 on 2020-01-01: It was meant so." in lines.splitlines()


def test_nothing_to_compare_is_no_success(folder):
    write(folder, expect("*", V.SAFE))
    with pytest.raises(ClaimgridError, match="no results to compare"):
        run("check", *options(folder), "--runtime", "bun")


@pytest.mark.parametrize(
    "wrong", [["--at", "."], ["--offline"], ["--require", "x", "--strict"], ["--require", "x", "--results", "r"]]
)
def test_options_of_the_two_uses_do_not_mix(wrong):
    with pytest.raises(click.UsageError, match="goes only with"):
        run("check", *wrong)


def test_a_broken_results_file_stops_the_check_or_is_left_out(folder):
    write(folder, expect("*", V.UNSAFE))
    (folder / "results" / "linux-x64-ext4" / "node-18.0.0.json").write_text("{", encoding="utf-8")
    with pytest.raises(ClaimgridError, match="not a results file"):
        run("check", *options(folder))
    assert run("check", "--keep-going", *options(folder))[0] == 0


def test_the_committed_expectations_are_read_and_explained():
    assert all(each.is_written and each.link.startswith("https://") for each in read_book(COMMITTED).expectations)
