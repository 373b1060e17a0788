"""The pytest plugin: what it collects, and how its items fail."""

import json
import os

import pytest

from harness.environment import describe
from harness.plan import Job, Plan, write_plan

pytest_plugins = ["pytester"]


@pytest.fixture
def planned(pytester, fake_build, tmp_path):
    """A session of pytest in this process over a plan with these builds."""

    def session(*builds, arguments=()):
        environment = describe(tmp_path, builds[0].platform)
        jobs = [
            Job(build, environment, tmp_path / f"build{number}", build.claims) for number, build in enumerate(builds)
        ]
        write_plan(Plan(tuple(jobs)), pytester.path / "plan.claimgrid.json")
        return pytester.inline_run("-p", "harness.plugin", "-p", "no:cacheprovider", *arguments, "plan.claimgrid.json")

    return session


def test_there_is_an_item_for_every_build_and_claim(planned, fake_build):
    session = planned(fake_build("honest"), fake_build("hangs"), arguments=["--collect-only"])
    (finished,) = session.getcalls("pytest_collection_finish")
    names = [item.name.partition("::")[2] for item in finished.session.items]
    assert names == ["fake:open/x", "fake:open/w", "fake:exists/open", "fake:missing", "fake:wrong"] * 2
    assert [item.name.partition(" ")[0] for item in finished.session.items] == ["fake@1.0.0"] * 5 + ["fake@2.0.0"] * 5


def test_one_worker_has_all_claims_of_a_build(planned, fake_build):
    session = planned(fake_build("honest"), fake_build("hangs"), arguments=["--collect-only"])
    (finished,) = session.getcalls("pytest_collection_finish")
    groups = [item.get_closest_marker("xdist_group").args[0] for item in finished.session.items]
    assert groups == [item.job.id for item in finished.session.items]


def test_other_files_are_left_to_others(pytester):
    (pytester.path / "package.json").write_text("{}", encoding="utf-8")
    session = pytester.inline_run("-p", "harness.plugin", "-p", "no:cacheprovider", "package.json")
    assert session.getcalls("pytest_itemcollected") == []


def test_an_unsafe_claim_passes_and_carries_its_result(planned, fake_build):
    session = planned(fake_build("always_overwrites"), arguments=["-k", "wrong"])
    passed, skipped, failed = session.listoutcomes()
    assert (len(passed), skipped, failed) == (1, [], [])
    carried = json.loads(passed[0].claimgrid)
    assert (carried["claim"], carried["result"]["verdict"], carried["controls"]) == (
        "fake:wrong",
        "unsafe",
        [True, True],
    )
    assert passed[0].user_properties == [("verdict", "unsafe")]


def test_a_build_that_cannot_be_set_up_fails_every_claim_with_one_sentence(planned, fake_build):
    session = planned(fake_build("is_another_version_next_time"))
    passed, _, failed = session.listoutcomes()
    assert (passed, len(failed)) == ([], 5)
    assert {report.longreprtext for report in failed} == {failed[0].longreprtext}
    assert "now says '1.0.1'. Run again." in failed[0].longreprtext
    assert "Traceback" not in failed[0].longreprtext


def test_a_fault_of_ours_is_shown_with_where_it_is(planned, fake_build, monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError("on purpose")

    build = fake_build("honest")
    monkeypatch.setattr("harness.workbench.Bench.check_controls", broken)
    _, _, failed = planned(build, arguments=["-k", "open/x"]).listoutcomes()
    assert "workbench.py" in failed[0].longreprtext
    assert "ZeroDivisionError: on purpose" in failed[0].longreprtext


@pytest.mark.skipif(os.name == "nt", reason="processes are counted in /proc")
def test_no_probe_outlives_the_session(planned, fake_build, tmp_path):
    import psutil

    planned(fake_build("honest"), arguments=["-k", "open/x"])
    assert [
        process for process in psutil.Process().children(recursive=True) if str(tmp_path) in " ".join(process.cmdline())
    ] == []
