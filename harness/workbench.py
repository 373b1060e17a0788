"""One build at work: its probe, its folder, its controls, and claims measured and judged one after another."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from harness import wine
from harness.builds import Build, conversation, forget
from harness.claims import Claim
from harness.conversation import Conversation
from harness.errors import ClaimgridError, Exit
from harness.held import observe_held
from harness.judge import Case, Controls, judge_case, judge_claim, judge_controls
from harness.measure import Workspace, observe
from harness.observation import Observation
from harness.occupants import Capabilities, occupants_for, probe_capabilities
from harness.results import ClaimResult
from harness.vocabulary import Kind, Occupant, Outcome


@dataclass(frozen=True, slots=True)
class Measured:
    """A judged claim, and what it was judged from (the evidence), case by case."""

    result: ClaimResult
    seen: tuple[Observation, ...]


@dataclass(slots=True)
class Bench:
    """A build ready to be measured; `rival` is a second process that wants what the first one holds, started when it is needed.

    `alone` talks to one process per case when both ways are to be compared.

    `link_obstacle` says why this build can make no symbolic links though the directory can hold them.
    """

    build: Build
    talk: Conversation
    rival: Conversation
    alone: Conversation | None
    space: Workspace
    able: Capabilities
    link_obstacle: str | None = None
    controls: Controls = field(default_factory=Controls)

    def measure(self, claim: Claim) -> Measured:
        """One claim against every occupant that means something here. Raises ClaimgridError when the probe cannot be started."""
        occupants = occupants_for(claim.kind, self.build.platform, self.able.ignores_case)
        if claim.call in self.build.unsupported:
            return Measured(self._result(claim, {each: Case(Outcome.UNSUPPORTED) for each in occupants}), ())
        if claim.makes == "link" and self.link_obstacle:
            unavailable = Case(Outcome.UNAVAILABLE, reason=self.link_obstacle)
            return Measured(self._result(claim, dict.fromkeys(occupants, unavailable)), ())
        if claim.kind is Kind.HELD:
            seen = observe_held(self.talk, self.rival, claim, self.able, self.space)
            return Measured(self._result(claim, {each.occupant: judge_case(claim, each) for each in seen}), tuple(seen))
        seen = observe(self.talk, claim, occupants, self.able, self.space)
        cases = {each.occupant: judge_case(claim, each) for each in seen}
        if self.alone is not None:
            again = observe(self.alone, claim, occupants, self.able, self.space)
            cases = {each.occupant: _agreed(cases[each.occupant], judge_case(claim, each)) for each in again}
        return Measured(self._result(claim, cases), tuple(seen))

    def check_controls(self) -> None:
        """Measure the claim that is known to overwrite, and keep what that says about this batch."""
        known = [claim for claim in self.build.claims if claim.role == "overwrites" and claim.kind is Kind.CREATE]
        self.controls = judge_controls(known, {claim.id: self.measure(claim).result.cases for claim in known[:1]})

    def _result(self, claim: Claim, cases: dict[Occupant, Case]) -> ClaimResult:
        judgement = judge_claim(claim.kind, cases, self.controls)
        return ClaimResult(claim.kind, claim.code, claim.digest, judgement, MappingProxyType(cases))


@contextlib.contextmanager
def bench(build: Build, root: Path, *, isolate: bool) -> Iterator[Bench]:
    """Set a build up below `root` and check its controls. Raises ClaimgridError when it does not start, or is not what it was."""
    root.mkdir(parents=True, exist_ok=True)
    # A folder of its own each time: a job may be set up again after its first bench was closed.
    space = Workspace(Path(tempfile.mkdtemp(dir=root)))
    with contextlib.ExitStack() as stack:
        talk = stack.enter_context(conversation(build, space.home))
        rival = stack.enter_context(conversation(build, space.home))
        alone = stack.enter_context(conversation(build, space.home, isolate=True)) if isolate else None
        version = talk.ask("hello").get("version")
        if version != build.version:
            forget(build)
            raise ClaimgridError(
                f"{build.program} was {build.version} and now says {version!r}.", "Run again.", Exit.NOT_RUN
            )
        obstacle = wine.link_obstacle(space.root) if build.platform == wine.PLATFORM else None
        ready = Bench(build, talk, rival, alone, space, probe_capabilities(space.root), obstacle)
        ready.check_controls()
        yield ready


def _agreed(together: Case, alone: Case) -> Case:
    """The case as both ways of running it saw it."""
    if together == alone:
        return together
    return Case(
        Outcome.DISAGREED, reason=f"in the shared process: {together.outcome}; in one of its own: {alone.outcome}"
    )
