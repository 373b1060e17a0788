"""Across runtimes: which claims of which builds meet, and what a run writes of it."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from made import HELD, HERE

from harness import builds as building
from harness.builds import Build
from harness.claims import Claim
from harness.crossing import cross, crossings, representatives
from harness.encounters import Encounter, Meeting
from harness.judge import Case, Judgement, Raced, Reason
from harness.plan import Job
from harness.results import BuildResult, ClaimResult
from harness.runtimes.contract import Found
from harness.vocabulary import Kind, Outcome, RaceOutcome, Verdict


def party(runtime, version, claims, environment=HERE):
    """A build with claims, given as call: (kind, verdict, mechanism)."""
    made = tuple(Claim(runtime, call, kind, call, "file") for call, (kind, _, _) in claims.items())
    results = {
        f"{runtime}:{call}": ClaimResult(
            kind, call, "", Judgement(verdict, Reason("x")), MappingProxyType({}), mechanism=mechanism
        )
        for call, (kind, verdict, mechanism) in claims.items()
    }
    build = Build(runtime, version, environment.platform, "path", Path("/x"), made, frozenset())
    result = BuildResult(environment, runtime, version, "path", "cafe", HELD, MappingProxyType(results))
    return Job(build, environment, Path("/y"), made), result


CREATE, HELD_KIND, TAKE = Kind.CREATE, Kind.HELD, Kind.TAKE


def test_one_claim_for_every_way_of_taking_a_name_meets_others():
    claims = {
        "first": (CREATE, Verdict.SAFE, "openat(O_CREAT|O_EXCL)"),
        "same way": (CREATE, Verdict.SAFE, "openat(O_CREAT|O_EXCL|O_TRUNC)"),
        "unsafe": (CREATE, Verdict.UNSAFE, "openat(O_CREAT)"),
        "racy": (CREATE, Verdict.RACY, "check-then-act"),
        "directory": (CREATE, Verdict.SAFE, "mkdir"),
        "not traced": (CREATE, Verdict.REFUSES, None),
        "lock": (HELD_KIND, Verdict.CONDITIONAL, "flock(LOCK_EX)"),
        "take": (TAKE, Verdict.SAFE, "rename"),
    }
    chosen = representatives(*party("node", "22", claims))
    assert [claim.call for claim in chosen] == ["first", "directory", "not traced", "lock"]


SAFE = {"open": (CREATE, Verdict.SAFE, "mkdir")}


def pairs_of(builds, known=lambda meeting: None):
    return [tuple(f"{result.runtime}@{result.version}" for _, result in pair) for pair in crossings(builds, known)]


def test_the_newest_builds_of_different_runtimes_meet():
    builds = [party("node", "9.1", SAFE), party("sh", "a", SAFE), party("node", "10.0", SAFE), party("bun", "1", SAFE)]
    assert pairs_of(builds) == [("bun@1", "node@10.0"), ("bun@1", "sh@a"), ("node@10.0", "sh@a")]


def test_only_builds_of_one_platform_and_filesystem_meet():
    elsewhere = replace(HERE, filesystem="tmpfs")
    wine = replace(HERE, platform="wine-x64")
    builds = [party("node", "1", SAFE), party("bun", "1", SAFE, elsewhere), party("sh", "1", SAFE, wine)]
    assert pairs_of(builds) == []


def test_a_build_without_a_claim_that_excludes_meets_nobody():
    assert pairs_of([party("node", "1", SAFE), party("sh", "1", {"w": (CREATE, Verdict.UNSAFE, None)})]) == []


@pytest.mark.parametrize(
    ("ids", "again"), [([("node:open", "sh:open")], False), ([], True), ([("node:x", "sh:y")], True)]
)
def test_builds_that_met_with_the_same_claims_do_not_meet_again(ids, again):
    case = Case(Outcome.REFUSED)
    raced = Raced(RaceOutcome.ONE_WINNER)
    met = tuple(Encounter(first, second, case, case, raced, Verdict.SAFE) for first, second in ids)

    def known(meeting):
        return Meeting(meeting.environment, meeting.first, meeting.second, met)

    assert bool(pairs_of([party("node", "1", SAFE), party("sh", "1", SAFE)], known)) is again


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="wants flock and dash")
def test_a_lock_means_nothing_to_who_creates_the_file(tmp_path):
    program = shutil.which("dash")
    if program is None:
        pytest.skip("dash is not here")
    parties = []
    for runtime, path, calls in (
        ("python", sys.executable, ("open/x", "fcntl.flock/a")),
        ("sh", program, ("set -C", "mkdir")),
    ):
        build = building.identify(runtime, Found(Path(path), "given", HERE.platform))
        chosen = {claim.call: (claim.kind, Verdict.SAFE, claim.call) for claim in build.claims if claim.call in calls}
        _, result = party(runtime, build.version, chosen)
        parties.append((Job(build, HERE, tmp_path / runtime, build.claims), result))
    (meeting,) = cross(crossings(parties, lambda meeting: None), 120.0)
    over = {
        (each.first, each.second): (each.over_first.outcome, each.over_second.outcome) for each in meeting.encounters
    }
    assert over == {
        ("python:open/x", "sh:set -C"): (Outcome.REFUSED, Outcome.REFUSED),
        ("python:open/x", "sh:mkdir"): (Outcome.REFUSED, Outcome.REFUSED),
        ("python:fcntl.flock/a", "sh:set -C"): (Outcome.REFUSED, Outcome.FALSE_WIN),
        ("python:fcntl.flock/a", "sh:mkdir"): (Outcome.REFUSED, Outcome.REFUSED),
    }
    verdicts = {(each.first, each.second): each.verdict for each in meeting.encounters}
    assert verdicts["python:fcntl.flock/a", "sh:set -C"] is Verdict.UNSAFE
