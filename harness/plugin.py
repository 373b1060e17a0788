"""The pytest plugin: one item for every build and claim of a plan file; a worker keeps one build's bench at a time."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.claims import Claim
from harness.errors import ClaimgridError, out_of_space
from harness.evidence import evidence_of
from harness.plan import SUFFIX, Job, read_plan
from harness.results import claim_to_dict
from harness.workbench import Bench, bench

ATTRIBUTE = "claimgrid"
"""On a test report: the measured claim as JSON text, which every version of xdist can carry."""


class PlanFile(pytest.File):
    """A plan as pytest collects it."""

    def collect(self) -> Iterator[pytest.Item]:
        """The items, the claims of a job next to each other."""
        plan = read_plan(self.path)
        for job in plan.jobs:
            for claim in job.claims:
                item: ClaimItem = ClaimItem.from_parent(
                    self, name=f"{job.id}::{claim.id}", job=job, claim=claim, isolate=plan.isolate
                )
                item.add_marker(pytest.mark.xdist_group(job.id))
                yield item


class ClaimItem(pytest.Item):
    """One claim in one build. It fails when the claim could not be measured, never because the claim is unsafe."""

    def __init__(self, *, job: Job, claim: Claim, isolate: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self.claim = claim
        self.isolate = isolate
        self.measured = ""

    def runtest(self) -> None:
        """Measure, and leave the result for the report."""
        ready = _benches(self.config).open(self.job, self.isolate)
        measured = ready.measure(self.claim)
        self.user_properties.append(("verdict", measured.result.verdict.value))
        self.measured = json.dumps(
            {
                "job": self.job.id,
                "claim": self.claim.id,
                "result": claim_to_dict(measured.result),
                "controls": [ready.controls.free_name_won, ready.controls.overwrite_seen],
                "evidence": evidence_of(measured.seen),
            }
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The user's own trouble in one sentence; a traceback only for a fault of claimgrid."""
        error = out_of_space(excinfo.value) or excinfo.value
        if isinstance(error, ClaimgridError):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands, for reports."""
        return self.path, None, self.name


class Benches:
    """The bench of the job that this worker is at. A bench that could not be set up is not tried again for every claim."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._job = ""
        self._open: Bench | ClaimgridError = ClaimgridError("No build was set up.")

    def open(self, job: Job, isolate: bool) -> Bench:
        """The bench of this job, set up if another was there before. Raises ClaimgridError."""
        if job.id != self._job:
            self.close()
            self._job = job.id
            try:
                self._open = self._stack.enter_context(bench(job.build, job.root, isolate=isolate))
            except ClaimgridError as error:
                self._open = error
        if isinstance(self._open, ClaimgridError):
            raise self._open
        return self._open

    def close(self) -> None:
        """End what is open."""
        self._stack.close()
        self._job = ""


_BENCHES = pytest.StashKey[Benches]()


def _benches(config: pytest.Config) -> Benches:
    return config.stash[_BENCHES]


def pytest_configure(config: pytest.Config) -> None:
    """Nothing is open at first. A worker that is told to end closes what it opened before it goes."""
    if hasattr(config, "workerinput"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    config.stash[_BENCHES] = Benches()


def pytest_unconfigure(config: pytest.Config) -> None:
    """No probe outlives the session."""
    _benches(config).close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Plan files are ours."""
    if file_path.name.endswith(SUFFIX):
        plan: PlanFile = PlanFile.from_parent(parent, path=file_path)
        return plan
    return None


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End a build's probe with its last claim."""
    if isinstance(item, ClaimItem) and not (isinstance(nextitem, ClaimItem) and nextitem.job.id == item.job.id):
        _benches(item.config).close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Send the result along with the report."""
    outcome = yield
    if call.when == "call" and isinstance(item, ClaimItem):
        setattr(outcome.get_result(), ATTRIBUTE, item.measured)
