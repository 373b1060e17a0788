"""History: what the versions that were measured say of a claim, one after another. Of those in between nothing is said. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.results import BuildResult
from harness.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Segment:
    """Measured versions next to each other with the same verdict, oldest first."""

    verdict: Verdict
    versions: tuple[str, ...]

    @property
    def label(self) -> str:
        """`1.0.36` or `1.0.36–1.3.14 (4 measured)`."""
        first, last = self.versions[0], self.versions[-1]
        return first if first == last else f"{first}–{last} ({len(self.versions)} measured)"


def segments(builds: Sequence[BuildResult], claim_id: str) -> list[Segment]:
    """The history of a claim in builds of one runtime, oldest first; a build where it was not measured is passed over."""
    found: list[Segment] = []
    for build in builds:
        claim = build.claims.get(claim_id)
        if claim is None or claim.verdict is Verdict.NOT_RUN:
            continue
        if found and found[-1].verdict is claim.verdict:
            found[-1] = Segment(claim.verdict, (*found[-1].versions, build.version))
        else:
            found.append(Segment(claim.verdict, (build.version,)))
    return found


def told(history: Sequence[Segment]) -> str:
    """In one line: `unsafe up to 1.3.14, refuses from 1.4.0`, with only what was measured on either side of a change."""
    if not history:
        return "not measured"
    if len(history) == 1:
        return f"{history[0].verdict} in all that was measured: {history[0].label}"
    first, *between, last = history
    parts = [f"{first.verdict} up to {first.versions[-1]}"]
    parts += [f"{each.verdict} {_span(each.versions)}" for each in between]
    parts.append(f"{last.verdict} from {last.versions[0]}")
    return ", ".join(parts)


def _span(versions: Sequence[str]) -> str:
    return f"in {versions[0]}" if len(versions) == 1 else f"from {versions[0]} to {versions[-1]}"
