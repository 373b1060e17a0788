"""The run: a plan measured by pytest in this process, builds written one by one, and whatever goes wrong told."""

import json
import os

import pytest

from harness.errors import ClaimgridError, Exit
from harness.results import read, read_folder
from harness.run import Wanted, Watcher, run
from harness.vocabulary import Occupant, Outcome, Verdict

HARMED_BY_LOOKING = Verdict.CONDITIONAL if os.name == "posix" else Verdict.REFUSES
EXPECTED = {
    "fake:open/x": Verdict.REFUSES,
    "fake:open/w": Verdict.UNSAFE,
    "fake:exists/open": HARMED_BY_LOOKING,
    "fake:missing": Verdict.UNSUPPORTED,
    "fake:wrong": Verdict.REFUSES,
}


class Notes(Watcher):
    """Everything that a run told, in order."""

    def __init__(self):
        self.told = []

    def planned(self, plan, unchanged):
        self.told.append(("planned", [job.id.split()[0] for job in plan.jobs]))

    def measured(self, job):
        self.told.append(("measured", job.build.id))

    def finished(self, job, result):
        self.told.append(("finished", job.build.id))

    def failed(self, job, why):
        self.told.append(("failed", job.split()[0], why))


@pytest.fixture
def ran(tmp_path):
    """A run without workers; gives its outcome and what it told."""
    place = tmp_path / "at"
    place.mkdir()

    def measure(*builds, claims=(), places=(place,), results=tmp_path / "results", **more):
        notes = Notes()
        wanted = Wanted(builds, claims, places, results, 0, **more)
        return run(wanted, notes), notes.told

    return measure


def verdicts(result):
    return {claim_id: claim.verdict for claim_id, claim in result.claims.items()}


def test_every_claim_of_a_build_is_measured_and_written(ran, fake_build, tmp_path):
    outcome, _ = ran(fake_build("honest"))
    (result,) = read_folder(tmp_path / "results")
    assert verdicts(result) == EXPECTED
    assert (outcome.results, outcome.failures, outcome.interrupted, outcome.selected) == ([result], {}, False, 5)
    assert (result.runtime, result.version, result.source) == ("fake", "1.0.0", "given")


def test_nothing_but_results_is_left(ran, fake_build, tmp_path):
    ran(fake_build("honest"))
    files = [path.relative_to(tmp_path / "results") for path in (tmp_path / "results").rglob("*") if path.is_file()]
    assert sorted((len(path.parts), path.name) for path in files) == [(2, "fake-1.0.0.json"), (3, "fake-1.0.0.json")]
    assert list((tmp_path / "at").iterdir()) == []


def test_running_again_gives_the_same_bytes(ran, fake_build, tmp_path):
    build = fake_build("honest")
    ran(build, results=tmp_path / "first")
    ran(build, results=tmp_path / "second")
    ran(build, results=tmp_path / "second")
    files = [next((tmp_path / name).glob("*/*.json")).read_bytes() for name in ("first", "second")]
    assert files[0] == files[1]


def test_a_watcher_is_told_of_every_step(ran, fake_build):
    _, told = ran(fake_build("honest"), fake_build("hangs"), pytest_arguments=["-k", "open/x"])
    assert told == [
        ("planned", ["fake@1.0.0", "fake@2.0.0"]),
        ("measured", "fake@1.0.0"),
        ("finished", "fake@1.0.0"),
        ("measured", "fake@2.0.0"),
        ("finished", "fake@2.0.0"),
    ]


def test_chosen_claims_alone_are_measured_and_the_others_stay(ran, fake_build, tmp_path):
    build = fake_build("honest")
    ran(build)
    path = next((tmp_path / "results").glob("*/*.json"))
    whole = path.read_bytes()
    outcome, _ = ran(build, claims=[claim for claim in build.claims if claim.call == "wrong"], everything=True)
    assert outcome.selected == 1
    assert path.read_bytes() == whole


def test_what_was_measured_before_is_left_as_it_is(ran, fake_build, tmp_path):
    build = fake_build("honest")
    ran(build)
    path = next((tmp_path / "results").glob("*/*.json"))
    before = path.stat()
    outcome, told = ran(build)
    assert (outcome.selected, told) == (0, [("planned", [])])
    assert [result.path.name for result in outcome.results] == [path.name]
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_only_a_claim_that_is_new_or_changed_is_measured(ran, fake_build, tmp_path):
    build = fake_build("honest")
    ran(build)
    path = next((tmp_path / "results").glob("*/*.json"))
    whole = path.read_bytes()
    stored = json.loads(whole)
    stored["claims"]["fake:open/w"]["digest"] = "before"
    del stored["claims"]["fake:wrong"]
    path.write_text(json.dumps(stored), encoding="utf-8")
    outcome, _ = ran(build)
    assert outcome.selected == 2
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [("environment", "privileged", None), ("runtime", "source", "x"), ("harness", "version", "0")],
)
def test_what_another_harness_or_environment_measured_is_measured_again(ran, fake_build, tmp_path, part, key, value):
    build = fake_build("honest")
    ran(build)
    path = next((tmp_path / "results").glob("*/*.json"))
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored[part][key] = not stored[part][key] if value is None else value
    path.write_text(json.dumps(stored), encoding="utf-8")
    assert ran(build)[0].selected == len(build.claims)


def test_a_claim_that_changed_since_is_not_kept(ran, fake_build, tmp_path):
    build = fake_build("honest")
    ran(build)
    path = next((tmp_path / "results").glob("*/*.json"))
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["claims"]["fake:open/w"]["digest"] = "before"
    path.write_text(json.dumps(stored), encoding="utf-8")
    ran(build, claims=[claim for claim in build.claims if claim.call == "wrong"], everything=True)
    assert "fake:open/w" not in read(path).claims


def test_a_damaged_older_file_is_replaced(ran, fake_build, tmp_path):
    build = fake_build("honest")
    ran(build)
    path = next((tmp_path / "results").glob("*/*.json"))
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    ran(build)
    assert path.read_bytes() == whole


def test_a_crash_is_in_its_own_cells_and_the_run_is_done(ran, fake_build, tmp_path):
    outcome, _ = ran(fake_build("exits"))
    (result,) = read_folder(tmp_path / "results")
    assert verdicts(result) == {**EXPECTED, "fake:wrong": Verdict.INDETERMINATE}
    assert result.claims["fake:wrong"].cases[Occupant.FILE].outcome is Outcome.CRASHED
    assert outcome.failures == {}


def test_what_a_probe_said_is_kept_as_evidence_beside_the_results(ran, fake_build, tmp_path):
    ran(fake_build("exits"), pytest_arguments=["-k", "wrong"])
    (path,) = (tmp_path / "results" / "evidence").glob("*/*.json")
    evidence = json.loads(path.read_text(encoding="utf-8"))["claims"]["fake:wrong"]["file"]
    assert (evidence["message"], evidence["stderr"].splitlines()) == ("ended with code 7", ["fatal: out of luck"])


def test_a_build_that_does_not_start_any_more_is_told_and_the_others_are_measured(ran, fake_build, tmp_path):
    broken = fake_build("is_another_version_next_time")
    outcome, told = ran(broken, fake_build("hangs"), pytest_arguments=["-k", "open/x"])
    assert [each.version for each in outcome.results] == ["2.0.0"]
    assert [(event, job) for event, job, *_ in told[1:]] == [
        ("failed", "fake@1.0.0"),
        ("measured", "fake@2.0.0"),
        ("finished", "fake@2.0.0"),
    ]
    (why,) = outcome.failures.values()
    assert why.startswith("fake@1.0.0" if why.startswith("fake@") else str(broken.program))
    assert "now says '1.0.1'" in why


def test_a_build_of_which_a_part_failed_is_not_written_as_if_it_were_whole(ran, fake_build, tmp_path):
    outcome, _ = ran(fake_build("starts_only_once"))
    assert outcome.results == []
    assert "started before" in next(iter(outcome.failures.values()))
    assert list((tmp_path / "results").glob("*/*.json")) == []


def test_an_answer_that_no_file_can_hold_is_no_harm(ran, fake_build, tmp_path):
    ran(fake_build("says_half_a_character"))
    (result,) = read_folder(tmp_path / "results")
    assert result.claims["fake:wrong"].cases[Occupant.FILE].outcome is Outcome.REFUSED


def test_pytest_chooses_by_its_own_expressions(ran, fake_build):
    outcome, _ = ran(fake_build("honest"), pytest_arguments=["-k", "open and not exists"])
    assert sorted(outcome.results[0].claims) == ["fake:open/w", "fake:open/x"]


def test_an_expression_that_matches_nothing_is_the_users_trouble(ran, fake_build):
    with pytest.raises(ClaimgridError, match="No claim is left to run"):
        ran(fake_build("honest"), pytest_arguments=["-k", "nothing"])


def test_an_option_that_pytest_does_not_know_is_the_users_trouble(ran, fake_build, capsys):
    with pytest.raises(ClaimgridError, match="pytest did not accept") as caught:
        ran(fake_build("honest"), pytest_arguments=["--no-such-option"])
    assert caught.value.code is Exit.USAGE


def test_pytest_writes_its_own_report_of_every_claim(ran, fake_build, tmp_path):
    ran(fake_build("honest"), pytest_arguments=[f"--junitxml={tmp_path / 'junit.xml'}"])
    report = (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert report.count("<testcase") == 5
    assert 'name="verdict" value="unsafe"' in report
    assert "<failure" not in report


def test_settings_of_the_users_own_tests_do_not_matter(ran, fake_build, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n", encoding="utf-8")
    (tmp_path / "conftest.py").write_text("raise RuntimeError", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    outcome, _ = ran(fake_build("honest"), pytest_arguments=["-k", "open/x"])
    assert outcome.selected == 1
    assert os.environ["PYTEST_ADDOPTS"] == "--no-such-option"


def test_claims_of_other_builds_alone_are_the_users_trouble(ran, fake_build, tmp_path):
    with pytest.raises(ClaimgridError, match="None of the chosen claims belongs to one of the chosen builds"):
        ran(claims=fake_build("honest").claims)


@pytest.mark.parametrize("name", ["with space", "日本語", "quo'te\"s", "a[b]", "100%"])
def test_any_folder_can_be_worked_in_and_written_to(ran, fake_build, tmp_path, name):
    place = tmp_path / name
    try:
        place.mkdir()
    except OSError:
        pytest.skip("this system does not allow the name")
    outcome, _ = ran(fake_build("honest"), places=[place], results=place / "results", pytest_arguments=["-k", "open/x"])
    assert outcome.failures == {}
    assert [path.name for path in place.iterdir()] == ["results"]


def test_two_places_on_one_kind_of_filesystem_are_not_mixed(ran, fake_build, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with pytest.raises(ClaimgridError, match="are both on"):
        ran(fake_build("honest"), places=[tmp_path / "one", tmp_path / "two"])
    assert list((tmp_path / "one").iterdir()) == []


def test_a_place_that_is_not_there_is_the_users_trouble(ran, fake_build, tmp_path):
    with pytest.raises(ClaimgridError, match="is not a directory"):
        ran(fake_build("honest"), places=[tmp_path / "nothing"])


def test_results_that_cannot_be_kept_are_the_users_trouble(ran, fake_build, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ClaimgridError, match="cannot be made"):
        ran(fake_build("honest"), results=tmp_path / "file" / "results")


def test_results_that_cannot_be_written_any_more_end_the_run_with_the_reason(ran, fake_build, tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    build = fake_build("honest")
    ran(build)
    folder = next(path for path in results.iterdir() if path.name != "evidence")
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.touch()
    with pytest.raises(ClaimgridError, match=r"fake-1\.0\.0\.json cannot be written"):
        ran(build)
    assert list((tmp_path / "at").iterdir()) == []
