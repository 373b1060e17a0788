"""The run: a plan is measured by pytest and its workers, and every build that is finished is written at once."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from harness import __version__, results
from harness.builds import Build, layers
from harness.claims import Claim
from harness.crossing import Unmet, cross, crossings
from harness.encounters import Meeting, read_meeting, write_meeting
from harness.environment import describe, filesystem
from harness.errors import ClaimgridError, Exit
from harness.evidence import write_evidence
from harness.files import cache_folder, make_folder
from harness.judge import Controls
from harness.measure import workspace
from harness.plan import SUFFIX, Job, Plan, make_plan, write_plan
from harness.plugin import ATTRIBUTE
from harness.probes import probe_digest
from harness.processes import MARK, OWN_MARK
from harness.racing import Unraced, race_builds, worth_racing
from harness.results import BuildResult, ClaimResult
from harness.runtimes import RUNTIMES
from harness.scratch import scratch

_PYTEST = (
    "-p",
    "harness.plugin",
    "-p",
    "no:terminalreporter",
    "-p",
    "no:pytester",
    "--noconftest",
    "--dist",
    "loadgroup",
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run is asked for. `pytest_arguments` are passed on (`-k`, `--lf`, `--junitxml` …); `workers` 0 measures in this process.

    `race_seconds` is for all races together, and 0 is for none. What was measured before is left as it is, unless `everything`
    is to be measured again; `again` races once more where an earlier race told nothing.
    """

    builds: Sequence[Build]
    claims: Sequence[Claim]
    places: Sequence[Path]
    results: Path
    workers: int | None = None
    isolate: bool = False
    pytest_arguments: Sequence[str] = ()
    race_seconds: float = 0.0
    everything: bool = False
    again: bool = False


_FOR_THEIR_OWN = 2 / 3
"""The part of the time for races in which claims meet their own kind, as long as there are others that have not met yet."""


class Watcher:
    """Who wants to know how a run gets on; does nothing by itself."""

    def planned(self, plan: Plan, unchanged: int) -> None:
        """Before the first claim; `unchanged` builds have nothing new to measure."""

    def measured(self, job: Job) -> None:
        """After every claim."""

    def finished(self, job: Job, result: BuildResult) -> None:
        """After a build's results were written."""

    def racing(self, claims: int) -> None:
        """Before the first race, with the number of claims that are worth one."""

    def raced(self, job: Job) -> None:
        """After every claim's races."""

    def settled(self, job: Job, result: BuildResult, left: int) -> None:
        """After a build with races was written; `left` claims are still to be raced."""

    def crossing(self, meetings: int) -> None:
        """Before claims of different runtimes meet, with the number of pairs of builds."""

    def met(self, meeting: Meeting) -> None:
        """After all claims of two builds met and that was written."""

    def failed(self, job: str, why: str) -> None:
        """A build, or some of its claims, could not be measured."""


@dataclass(slots=True)
class Outcome:
    """How a run went: the results of all its builds, also of those with nothing new to measure, and what could not be done."""

    results: list[BuildResult] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    selected: int = 0


def run(wanted: Wanted, watcher: Watcher) -> Outcome:
    """Measure everything that is wanted. Raises ClaimgridError when it cannot even begin.

    Results of finished builds are on the disk even when the run is interrupted; nothing else of it stays behind.
    """
    try:
        make_folder(wanted.results)
    except OSError as error:
        raise ClaimgridError(
            f"{wanted.results} cannot be made: {error.strerror}.", "Give --results another folder."
        ) from error
    with contextlib.ExitStack() as stack:
        whole = make_plan(_places(wanted, stack), wanted.claims, isolate=wanted.isolate)
        if not whole.jobs:
            raise ClaimgridError(
                "None of the chosen claims belongs to one of the chosen builds.", "`claimgrid claims` lists them."
            )
        # Whoever has everything measured again, and raced, wants no older race.
        keep_races = not (wanted.everything and wanted.race_seconds)
        recorder = _Recorder(whole, wanted.results, watcher, keep_races=keep_races, again=wanted.again)
        plan = whole if wanted.everything or wanted.isolate else replace(whole, jobs=recorder.unmeasured())
        watcher.planned(plan, len(whole.jobs) - len(plan.jobs))
        working = [*plan.jobs, *(recorder.unraced() if wanted.race_seconds else ())]
        stack.enter_context(layers(job.build.platform for job in working))
        if plan.jobs:
            _measure(wanted, plan, recorder, stack)
        if wanted.race_seconds and not recorder.outcome.interrupted:
            try:
                recorder.race(wanted.race_seconds)
            except KeyboardInterrupt:
                recorder.outcome.interrupted = True
    recorder.outcome.results = list(recorder.results.values())
    return recorder.outcome


def _measure(wanted: Wanted, plan: Plan, recorder: _Recorder, stack: contextlib.ExitStack) -> None:
    """Have pytest and its workers measure a plan. Raises ClaimgridError when they cannot."""
    folder = stack.enter_context(scratch("plan"))
    plan_file = folder / f"plan{SUFFIX}"
    write_plan(plan, plan_file)
    with _environment_of_workers():
        code = pytest.main(_arguments(wanted, plan, plan_file), plugins=[recorder])
    _conclude(recorder, code)


def _places(wanted: Wanted, stack: contextlib.ExitStack) -> Iterator[tuple[Build, Any, Path]]:
    """Every build in every place, each with a folder of its own in a workspace that is removed at the end."""
    filesystems: dict[str, Path] = {}
    for place in wanted.places:
        environments = [(build, describe(place, build.platform)) for build in wanted.builds]
        kept = filesystems.setdefault(filesystem(place), place)
        if kept != place:
            raise ClaimgridError(
                f"{kept} and {place} are both on {filesystem(place)}, and results are kept by type of filesystem.",
                "Run them one after another, each with its own --results.",
            )
        root = stack.enter_context(workspace(place)).root
        for number, (build, environment) in enumerate(environments):
            yield build, environment, root / f"build{number}"


def _arguments(wanted: Wanted, plan: Plan, plan_file: Path) -> list[str]:
    workers = min(os.cpu_count() or 1, len(plan.jobs)) if wanted.workers is None else wanted.workers
    # One worker would only be this process again, and a start more.
    several = ("-n", str(workers)) if workers > 1 else ("-n", "0")
    settings = plan_file.with_name("pytest.ini")
    settings.write_text("[pytest]\naddopts =\n", encoding="utf-8")
    # xdist would make a folder of its own and leave it.
    temp = ("--basetemp", str(plan_file.parent / "temp"))
    place = ("-c", str(settings), "--rootdir", str(plan_file.parent), "-o", f"cache_dir={cache_folder() / 'pytest'}")
    return [*_PYTEST, *several, *temp, *place, *wanted.pytest_arguments, str(plan_file)]


@contextlib.contextmanager
def _environment_of_workers() -> Iterator[None]:
    """The user's own pytest settings belong to the user's own tests; and a worker, with all that it starts, is known to be ours."""
    replaced = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", MARK)
    theirs = {name: os.environ.pop(name) for name in replaced if name in os.environ}
    os.environ[MARK] = OWN_MARK
    try:
        yield
    finally:
        del os.environ[MARK]
        os.environ.update(theirs)


@dataclass(slots=True)
class _Progress:
    """A job as its reports come in."""

    job: Job
    left: int = 0
    claims: dict[str, ClaimResult] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    controls: Controls = field(default_factory=Controls)


class _Recorder:
    """The plugin of the controlling process: gathers the reports of all workers and writes each build when it is complete."""

    def __init__(self, plan: Plan, folder: Path, watcher: Watcher, *, keep_races: bool, again: bool) -> None:
        self.jobs = {job.id: _Progress(job) for job in plan.jobs}
        self.folder = folder
        self.watcher = watcher
        self.outcome = Outcome()
        self.results: dict[str, BuildResult] = {}
        self.trouble: ClaimgridError | None = None
        self.keeps_races = keep_races
        self.races_again = again
        self.older = {
            job.id: _older(folder / results.path_of(job.environment, job.build.runtime, job.build.version))
            for job in plan.jobs
        }

    def unmeasured(self) -> tuple[Job, ...]:
        """The jobs with what is to be measured in each: claims that are new, or other than they were, or of another harness.

        What was measured before stands for the others.
        """
        jobs = []
        for progress in self.jobs.values():
            job, older = progress.job, self.older[progress.job.id]
            claims = tuple(claim for claim in job.claims if not _is_known(older, job, claim))
            if claims:
                jobs.append(replace(job, claims=claims))
            elif older is not None:
                self.results[job.id] = older
        return tuple(jobs)

    def unraced(self) -> list[Job]:
        """The jobs of those that were measured before whose races are still to be run."""
        jobs = {job_id: self.jobs[job_id].job for job_id in self.results}
        return [job for job_id, job in jobs.items() if self._worth_racing(job, self.results[job_id])]

    def _worth_racing(self, job: Job, result: BuildResult) -> list[Claim]:
        return worth_racing(result, job.claims, again=self.races_again)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count what was selected, when it is this process that runs it."""
        self._count(item.nodeid for item in session.items)

    def pytest_xdist_node_collection_finished(self, node: object, ids: Sequence[str]) -> None:
        """Count what was selected, when workers run it; all of them collect the same."""
        if not self.outcome.selected:
            self._count(ids)

    def _count(self, ids: Iterable[str]) -> None:
        for nodeid in ids:
            job = _job_of(nodeid)
            if job in self.jobs:
                self.jobs[job].left += 1
                self.outcome.selected += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A claim was measured, or could not be."""
        if report.failed:
            job = _job_of(report.nodeid)
            if job not in self.outcome.failures:
                # xdist puts a line in front that names the worker.
                lines = [line for line in report.longreprtext.splitlines() if not line.startswith("[gw")]
                why = "\n".join(lines) or "the worker that measured it died"
                self.outcome.failures[job] = why
                self.watcher.failed(job, why)
        elif measured := getattr(report, ATTRIBUTE, ""):
            self._record(json.loads(measured))

    def _record(self, measured: Any) -> None:
        progress = self.jobs[measured["job"]]
        progress.claims[measured["claim"]] = results.claim_from_dict(measured["result"])
        progress.controls = Controls(*measured["controls"])
        if measured["evidence"]:
            progress.evidence[measured["claim"]] = measured["evidence"]
        progress.left -= 1
        self.watcher.measured(progress.job)
        if progress.left == 0:
            self._finish(progress)

    def _finish(self, progress: _Progress) -> None:
        job = progress.job
        new = BuildResult(
            environment=job.environment,
            runtime=job.build.runtime,
            version=job.build.version,
            source=job.build.source,
            catalogue=probe_digest(RUNTIMES[job.build.runtime].PROBE),
            controls=progress.controls,
            claims=MappingProxyType(progress.claims),
        )
        try:
            whole = results.overlay(
                self.older[job.id],
                new,
                [(claim.id, claim.digest) for claim in job.build.claims],
                keep_races=self.keeps_races,
            )
            results.write(whole, self.folder)
            write_evidence(self.folder, new.path, progress.evidence, whole.claims)
        except ClaimgridError as error:
            self.trouble = self.trouble or error
            raise pytest.exit.Exception(str(error)) from error
        self.results[job.id] = whole
        self.watcher.finished(job, whole)

    def race(self, seconds: float) -> None:
        """Race what was measured, and with the time that is left every runtime against every other. Raises ClaimgridError."""
        ends = time.monotonic() + seconds
        strangers = bool(crossings(self._measured(), self._known))
        self._race_each(seconds * _FOR_THEIR_OWN if strangers else seconds)
        # Which claims stand for a build is only known now.
        pairs = crossings(self._measured(), self._known)
        self.watcher.crossing(len(pairs))
        for meeting in cross(pairs, ends - time.monotonic()):
            if isinstance(meeting, Unmet):
                self.watcher.failed(f"{meeting.one} and {meeting.other}", meeting.why)
                continue
            write_meeting(meeting, self.folder)
            self.watcher.met(meeting)

    def _measured(self) -> list[tuple[Job, BuildResult]]:
        return [(self.jobs[job].job, result) for job, result in self.results.items()]

    def _known(self, meeting: Meeting) -> Meeting | None:
        """What was measured before of a meeting; a file that cannot be read has nothing to keep."""
        with contextlib.suppress(ClaimgridError):
            return read_meeting(self.folder / meeting.path)
        return None

    def _race_each(self, seconds: float) -> None:
        """Race what was measured, and write every build again that there is news of."""
        builds = self._measured()
        self.watcher.racing(sum(len(self._worth_racing(job, result)) for job, result in builds))
        for finished in race_builds(builds, seconds, self.watcher.raced, again=self.races_again):
            if isinstance(finished, Unraced):
                self.outcome.failures[finished.job.id] = finished.why
                self.watcher.failed(finished.job.id, finished.why)
                continue
            job = finished.job
            if finished.result != self.results[job.id]:
                self.results[job.id] = finished.result
                results.write(finished.result, self.folder)
                write_evidence(self.folder, finished.result.path, finished.evidence, finished.result.claims)
            self.watcher.settled(job, finished.result, finished.left)


def _older(path: Path) -> BuildResult | None:
    """The file that is going to be replaced; one that cannot be read has nothing to keep."""
    try:
        return results.read(path)
    except (FileNotFoundError, ClaimgridError):
        return None


def _is_known(older: BuildResult | None, job: Job, claim: Claim) -> bool:
    """Whether the same claim was measured before in the same build and environment, by this version of the harness."""
    if older is None or not older.controls.hold or claim.id not in older.claims:
        return False
    same = (older.environment, older.source, older.harness) == (job.environment, job.build.source, __version__)
    return same and older.claims[claim.id].digest == claim.digest


def _job_of(nodeid: str) -> str:
    """The job's id in `plan.claimgrid.json::<job>::<claim>`."""
    return nodeid.split("::", 2)[1] if nodeid.count("::") >= 2 else nodeid


def _conclude(recorder: _Recorder, code: int | pytest.ExitCode) -> None:
    if recorder.trouble is not None:
        raise recorder.trouble
    outcome = recorder.outcome
    outcome.interrupted = code == pytest.ExitCode.INTERRUPTED
    if code == pytest.ExitCode.USAGE_ERROR:
        raise ClaimgridError("pytest did not accept the options passed on to it.", "Those after -- are pytest's own.")
    if code == pytest.ExitCode.INTERNAL_ERROR:
        raise ClaimgridError("pytest broke off with an internal error.", "See above.", Exit.FAULT)
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise ClaimgridError("No claim is left to run.", "What was given to -k matches none.")
