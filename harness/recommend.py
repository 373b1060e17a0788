"""Recommending: which claims the evidence shows safe in everything that was asked for, best first. Pure functions.

The order: proved in more builds first; then carried everywhere by a system call with which only one can succeed; then refused in a
way that a test for "it exists" recognises; then without anything to prepare; then the shortest code, and what more claims write.
Named pipes come behind files and directories, because whoever looks into one waits.
Nothing is guessed: a platform without results is missing, and a claim that was not raced somewhere is not proved there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, product

from harness.claims import Claim
from harness.encounters import Encounter, Meeting
from harness.errors import ClaimgridError
from harness.history import segments, told
from harness.mechanism import CHECK_THEN_ACT, is_exclusive, way_of
from harness.ranges import Range
from harness.releases import as_listed, release_of
from harness.report.insight import all_series, call_of, in_order
from harness.results import BuildResult, ClaimResult
from harness.runtimes import RUNTIMES
from harness.sentences import verdict_word
from harness.versions import answers_on
from harness.vocabulary import EVERYDAY, Kind, Occupant, Outcome, RaceOutcome, Verdict

_OPEN = (Verdict.SAFE, Verdict.REFUSES, Verdict.NOT_RUN)
"""Verdicts of a claim that nothing speaks against, though it may not be proved."""
_RUNTIME = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A runtime and the versions of it that are meant; `text` is how it was written: `node>=18,<23`, `bun@1.3`, `deno`."""

    text: str
    runtime: str
    version: str = ""
    range: Range = field(default_factory=Range)

    @classmethod
    def parse(cls, text: str) -> Wanted:
        """Raises ClaimgridError for a runtime that does not exist, or for nonsense behind it."""
        match = _RUNTIME.match(text)
        name = match[0] if match else text
        if name not in RUNTIMES:
            raise ClaimgridError(f"There is no runtime called {name!r}.", f"Choose from {', '.join(RUNTIMES)}.")
        rest = text[len(name) :]
        if rest.startswith("@") and rest != "@":
            return cls(text, name, version=rest[1:])
        return cls(text, name, range=Range.parse(rest))

    def holds(self, build: BuildResult) -> bool:
        """Whether a build is meant, on whatever platform."""
        return (
            build.runtime == self.runtime
            and answers_on(build.version, build.environment.platform, self.version)
            and self.range.holds(build.version)
        )


@dataclass(frozen=True, slots=True)
class Places:
    """Where it has to hold. Without platforms everywhere that was measured but Wine, which stands for nothing else; without filesystems on all."""

    platforms: tuple[str, ...] = ()
    filesystems: tuple[str, ...] = ()

    def hold(self, build: BuildResult) -> bool:
        """Whether a build was measured there."""
        where = build.environment
        there = where.platform in self.platforms if self.platforms else not where.platform.startswith("wine-")
        return there and (not self.filesystems or where.filesystem in self.filesystems)

    def missing(self, builds: Iterable[BuildResult]) -> list[str]:
        """The places asked for that none of the builds was measured in: `windows-x64`, or `linux-x64 on btrfs`."""
        seen = {(build.environment.platform, build.environment.filesystem) for build in builds}
        if not self.filesystems:
            measured = {platform for platform, _ in seen}
            return [each for each in self.platforms if each not in measured]
        platforms = self.platforms or tuple(dict.fromkeys(platform for platform, _ in sorted(seen)))
        wanted = product(platforms, self.filesystems)
        found = [f"{platform} on {filesystem}" for platform, filesystem in wanted if (platform, filesystem) not in seen]
        return found if platforms else [f"any platform on {filesystem}" for filesystem in self.filesystems]

    def __str__(self) -> str:
        """All of them in few words."""
        platforms = " and ".join(self.platforms) or "any platform but Wine"
        return f"{platforms} on {' and '.join(self.filesystems)}" if self.filesystems else platforms


@dataclass(frozen=True)
class Candidate:
    """One claim in all builds that are meant, newest last; `cells` has None where a build's results do not have it."""

    claim_id: str
    cells: tuple[tuple[BuildResult, ClaimResult | None], ...]

    @cached_property
    def measured(self) -> list[ClaimResult]:
        """What is known of it, newest last; never empty."""
        return [claim for _, claim in self.cells if claim is not None]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """One for each build."""
        return [Verdict.NOT_RUN if claim is None else claim.verdict for _, claim in self.cells]

    @property
    def newest(self) -> ClaimResult:
        """As it is in the newest build that has it: the code to show."""
        return self.measured[-1]

    @property
    def proved(self) -> int:
        """In how many of its builds it is safe."""
        return self.verdicts.count(Verdict.SAFE)

    @property
    def exclusive(self) -> bool:
        """Whether a trace shows, in every build, a system call with which only one can succeed."""
        return all(
            claim is not None and claim.mechanism is not None and _is_exclusive(claim.kind, claim.mechanism)
            for _, claim in self.cells
        )

    @property
    def recognised(self) -> bool:
        """Whether its refusals of what everyday locks leave say what they are, in every build."""
        return not any(
            case.outcome is Outcome.REFUSED and not case.recognised
            for claim in self.measured
            for occupant, case in claim.cases.items()
            if occupant in EVERYDAY
        )

    @property
    def raced(self) -> bool:
        """Whether it held in races somewhere, and nothing shows that it only looks before it acts."""
        held = any(claim.raced.outcome is RaceOutcome.ONE_WINNER for claim in self.measured)
        return held and not any(claim.mechanism == CHECK_THEN_ACT for claim in self.measured)

    @cached_property
    def listed(self) -> Claim | None:
        """The claim with what it makes and what it needs for that; None where results do not tell."""
        return as_listed(self.claim_id, self.newest)

    @property
    def needs_source(self) -> bool:
        """Whether something has to be made first, under another name."""
        return self.listed is None or (self.listed.kind is Kind.CREATE and self.listed.source is not None)

    @property
    def makes_pipe(self) -> bool:
        """Whether the name is a named pipe then."""
        return self.listed is not None and self.listed.makes == "fifo"

    @property
    def release(self) -> str | None:
        """Code that lets go of the name; None where there is none."""
        return None if self.listed is None else release_of(self.listed)

    @property
    def way(self) -> str:
        """Claims with the same one are the same thing to the system; an untraced call is a way of its own."""
        mechanism = self.newest.mechanism
        if mechanism is None or mechanism == CHECK_THEN_ACT:
            return call_of(self.claim_id)
        return way_of(mechanism)


def _is_exclusive(kind: Kind, mechanism: str) -> bool:
    return mechanism != CHECK_THEN_ACT and is_exclusive(kind, mechanism) is True


@dataclass(frozen=True, slots=True)
class Advice:
    """What the results say to one wish; every list has the best first.

    `safe` holds in every build that is meant, `excepting` excludes its own kind in every one and in races but has exceptions,
    `open` is safe in some and nothing speaks against it in the others, where it was not raced or not measured. `near` is safe in some and something
    speaks against it in others: ids with what was measured, place by place. `missing` names places without any build that is meant; where
    that is all of them, `elsewhere` tells where such builds were measured.
    """

    wanted: Wanted
    builds: tuple[BuildResult, ...]
    missing: tuple[str, ...]
    safe: tuple[Candidate, ...] = ()
    excepting: tuple[Candidate, ...] = ()
    open: tuple[Candidate, ...] = ()
    near: tuple[tuple[str, tuple[str, ...]], ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether something is proved in all that was asked for."""
        return bool(self.safe) and not self.missing

    @property
    def best(self) -> tuple[Candidate, ...]:
        """The best that there is to say: what is safe, or else what is not proved everywhere, or else what has exceptions."""
        return self.safe or self.open or self.excepting


def recommend(results: Iterable[BuildResult], wanted: Wanted, places: Places, kind: Kind) -> Advice:
    """The advice for one runtime; without builds where nothing was measured of what is meant."""
    meant = [build for build in in_order(results) if wanted.holds(build)]
    builds = [build for build in meant if places.hold(build)]
    if not builds:
        elsewhere = dict.fromkeys(f"{each.environment.platform} {each.environment.filesystem}" for each in meant)
        return Advice(wanted, (), tuple(places.missing(()) or [str(places)]), elsewhere=tuple(elsewhere))
    most = max(len(build.claims) for build in builds)
    in_part = [build for build in builds if 2 * len(build.claims) < most]
    builds = [build for build in builds if build not in in_part]
    candidates = _candidates(builds, in_part, kind)
    usual = Counter(_first_argument(each.claim_id) for each in candidates if each.proved)
    ranked = sorted(candidates, key=lambda each: _rank(each, usual))
    safe = [each for each in ranked if set(each.verdicts) == {Verdict.SAFE}]
    excepting = [
        each
        for each in ranked
        if each.raced
        and Verdict.CONDITIONAL in each.verdicts
        and set(each.verdicts) <= {Verdict.SAFE, Verdict.CONDITIONAL}
    ]
    unproved = [
        each
        for each in ranked
        if each.raced and each.proved < len(each.cells) and each.proved and set(each.verdicts) <= set(_OPEN)
    ]
    near = [each for each in ranked if each.proved and not set(each.verdicts) <= {*_OPEN, Verdict.CONDITIONAL}]
    return Advice(
        wanted,
        tuple(builds),
        tuple(places.missing(builds)),
        tuple(safe),
        tuple(excepting),
        tuple(unproved),
        tuple((each.claim_id, tuple(_history(builds, each.claim_id))) for each in near),
    )


def _candidates(builds: Sequence[BuildResult], in_part: Sequence[BuildResult], kind: Kind) -> list[Candidate]:
    """Every claim in every build; a build that was measured `in_part`, as bisecting does, speaks of the claims that it has."""
    ids = dict.fromkeys(claim_id for build in builds for claim_id, claim in build.claims.items() if claim.kind is kind)
    return [
        Candidate(
            claim_id,
            (
                *((build, build.claims[claim_id]) for build in in_part if claim_id in build.claims),
                *((build, build.claims.get(claim_id)) for build in builds),
            ),
        )
        for claim_id in sorted(ids)
    ]


def _rank(candidate: Candidate, usual: Counter[str]) -> tuple[int, bool, bool, bool, bool, int, int, str]:
    """Smaller is better; the module's docstring tells the rule."""
    return (
        -candidate.proved,
        not candidate.exclusive,
        not candidate.recognised,
        candidate.makes_pipe,
        candidate.needs_source,
        len(candidate.newest.code),
        -usual[_first_argument(candidate.claim_id)],
        candidate.claim_id,
    )


def _first_argument(claim_id: str) -> str:
    return claim_id.partition("/")[2].partition("+")[0]


def _history(builds: Sequence[BuildResult], claim_id: str) -> Iterator[str]:
    """What was measured of a claim, place by place: `racy up to 22.23.5, safe from 24.0.0 on linux-x64 ext4`."""
    for (platform, filesystem), found in groupby(all_series(builds), lambda each: (each.platform, each.filesystem)):
        series = list(found)
        if any(each.family for each in series):
            verdicts = _by_verdict([build for each in series for build in each.builds], claim_id)
        else:
            verdicts = told(segments(series[0].builds, claim_id), "en")
        yield f"{verdicts} on {platform} {filesystem}"


def _by_verdict(builds: Sequence[BuildResult], claim_id: str) -> str:
    """Versions that have no order, the worst first: `racy in dash-0.5.12+uutils-0.0.17, safe in 7 others`."""
    found: dict[Verdict, list[str]] = {}
    for build in builds:
        if claim_id in build.claims:
            found.setdefault(build.claims[claim_id].verdict, []).append(build.version)
    ordered = sorted(found, key=lambda each: -each.badness)
    return ", ".join(
        f"{verdict_word(each, 'en')} in {len(found[each])} others"
        if each is Verdict.SAFE and len(found[each]) > 2
        else f"{verdict_word(each, 'en')} in {' and '.join(found[each])}"
        for each in ordered
    )


def by_way(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Candidates that the system cannot tell apart together, in the order of the best of each."""
    ways: dict[str, list[Candidate]] = {}
    for each in candidates:
        ways.setdefault(each.way, []).append(each)
    return list(ways.values())


@dataclass(frozen=True, slots=True)
class Together:
    """Two claims that were made on one name, the first as the first wish has it."""

    first: str
    second: str
    meeting: Meeting
    encounter: Encounter


def together(one: Advice, other: Advice, meetings: Iterable[Meeting]) -> list[Together]:
    """What was measured of the claims of two pieces of advice on one name, in the order of the claims, the best ones first."""
    first, second = ({each.claim_id: place for place, each in enumerate(advice.best)} for advice in (one, other))
    builds = {_identity(build) for build in (*one.builds, *other.builds)}
    found = []
    for meeting in meetings:
        sides = [
            (meeting.environment.platform, meeting.environment.filesystem, *side)
            for side in (meeting.first, meeting.second)
        ]
        if not set(sides) <= builds:
            continue
        for encounter in meeting.encounters:
            for mine, its in ((encounter.first, encounter.second), (encounter.second, encounter.first)):
                if mine in first and its in second:
                    found.append(Together(mine, its, meeting, encounter))
                    break
    return sorted(found, key=lambda each: (first[each.first] + second[each.second], each.first, each.second))


def _identity(build: BuildResult) -> tuple[str, str, str, str]:
    return build.environment.platform, build.environment.filesystem, build.runtime, build.version


def unrecognised(candidate: Candidate) -> dict[str, list[Occupant]]:
    """The occupants that are refused with an error which a test for "it exists" does not recognise, by that error."""
    found: dict[str, set[Occupant]] = {}
    for claim in candidate.measured:
        for occupant, case in claim.cases.items():
            if case.outcome is Outcome.REFUSED and not case.recognised:
                found.setdefault(case.code or case.error or "an error without a name", set()).add(occupant)
    return {error: [each for each in Occupant if each in occupants] for error, occupants in sorted(found.items())}
