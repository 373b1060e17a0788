"""Judging: what the runtime said, set against what the witness saw, and what all the cases of a claim add up to. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.claims import Claim
from harness.observation import Observation, Said
from harness.occupants import MINE, NAME, SOURCE, TARGET
from harness.vocabulary import EVERYDAY, Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict
from harness.witness import Entry, Snapshot

_TYPE_MADE = {"file": "file", "empty-dir": "dir", "full-dir": "dir", "link": "link", "fifo": "fifo"}


@dataclass(frozen=True, slots=True)
class Case:
    """One judged case. `reason` explains an outcome that is not about the claim ("no symbolic links here").

    `recognised` is False for a refusal that a caller testing for "it exists" would take for another error.
    """

    outcome: Outcome
    detail: Detail | None = None
    error: str = ""
    code: str = ""
    recognised: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is what it is, as a code with parameters; the sentences are in `harness.sentences`."""

    code: str
    occupants: tuple[Occupant, ...] = ()
    outcome: Outcome | None = None
    detail: Detail | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one claim in one build."""

    verdict: Verdict
    reason: Reason


@dataclass(frozen=True, slots=True)
class Controls:
    """Whether the batch could be trusted: each control is True, False, or None when it was not part of the batch."""

    free_name_won: bool | None = None
    overwrite_seen: bool | None = None
    race_caught: bool | None = None

    @property
    def hold(self) -> bool:
        """Whether cases may be judged at all: a free name was won and an overwrite was seen."""
        return self.free_name_won is True and self.overwrite_seen is True


@dataclass(frozen=True, slots=True)
class Change:
    """The differences between two snapshots, by relative path."""

    added: Mapping[str, Entry] = field(default_factory=dict)
    removed: Mapping[str, Entry] = field(default_factory=dict)
    altered: Mapping[str, tuple[Entry, Entry]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.altered)


def compare(before: Snapshot, after: Snapshot) -> Change:
    """What is different in a directory. Times are not looked at: a touched file is an untouched name."""
    then, now = before.entries, after.entries
    return Change(
        added={path: entry for path, entry in now.items() if path not in then},
        removed={path: entry for path, entry in then.items() if path not in now},
        altered={path: (entry, now[path]) for path, entry in then.items() if path in now and now[path] != entry},
    )


def judge_case(claim: Claim, seen: Observation) -> Case:
    """Judge one create-claim against one occupant."""
    answer = seen.answer
    if answer is None:
        return Case(Outcome.UNAVAILABLE, reason=seen.obstacle)
    if answer.said not in (Said.YES, Said.NO):
        return Case(Outcome(answer.said.value), error=answer.error if answer.said is Said.CRASHED else "")
    source_touched, change = _split_source(compare(seen.before, seen.after))
    detail = _what_happened(change) or (Detail.INTO_PIPE if seen.piped else None)
    if answer.said is Said.NO:
        detail = detail or (Detail.SOURCE_LOST if source_touched else None)
        harmless = Outcome.FALSE_REFUSAL if seen.occupant is Occupant.FREE else Outcome.REFUSED
        return Case(
            Outcome.DAMAGED if detail else harmless, detail, answer.error, answer.code, answer.exists is not False
        )
    if seen.occupant is Occupant.FREE:
        made = seen.after.entries.get(NAME)
        right = made is not None and made.type == _TYPE_MADE[claim.makes]
        return Case(Outcome.WON) if right else Case(Outcome.FALSE_WIN, Detail.OTHER_TYPE if made else None)
    took = detail not in (None, Detail.LEFT_BEHIND, Detail.INTO_PIPE)
    return Case(Outcome.OVERWROTE if took else Outcome.FALSE_WIN, detail)


def judge_claim(cases: Mapping[Occupant, Case], race: RaceOutcome, controls: Controls) -> Judgement:
    """What all the cases of a create-claim and its race add up to, worst first."""
    outcomes = {occupant: case.outcome for occupant, case in cases.items()}
    if outcomes and all(outcome in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE) for outcome in outcomes.values()):
        unsupported = Outcome.UNSUPPORTED in outcomes.values()
        return Judgement(
            Verdict.UNSUPPORTED if unsupported else Verdict.NOT_RUN,
            Reason("unsupported" if unsupported else "unavailable"),
        )
    if not outcomes or all(outcome is Outcome.NOT_RUN for outcome in outcomes.values()):
        return Judgement(Verdict.NOT_RUN, Reason("not-run"))
    if not controls.hold:
        return Judgement(Verdict.INDETERMINATE, Reason("control-failed"))
    return max(_findings(cases, race), key=lambda judgement: judgement.verdict.badness)


def _findings(cases: Mapping[Occupant, Case], race: RaceOutcome) -> list[Judgement]:
    """Everything that can be said against a claim, each as a judgement of its own, and the best it can earn."""
    found = [_earned(race)]
    harmed = [occupant for occupant, case in cases.items() if case.outcome.harmful and occupant is not Occupant.FREE]
    for verdict, code, occupants in (
        (Verdict.UNSAFE, "took-taken", [occupant for occupant in harmed if occupant in EVERYDAY]),
        (Verdict.CONDITIONAL, "took-other", [occupant for occupant in harmed if occupant not in EVERYDAY]),
    ):
        if occupants:
            first = cases[occupants[0]]
            found.append(Judgement(verdict, Reason(code, tuple(occupants), first.outcome, first.detail)))
    broken = [occupant for occupant, case in cases.items() if case.outcome.broken]
    if broken:
        found.append(
            Judgement(Verdict.INDETERMINATE, Reason("no-valid-answer", tuple(broken), cases[broken[0]].outcome))
        )
    free = cases.get(Occupant.FREE, Case(Outcome.NOT_RUN)).outcome
    if free is not Outcome.WON and not free.broken:
        found.append(Judgement(Verdict.INDETERMINATE, Reason("free-not-won", (Occupant.FREE,), free)))
    own = cases.get(Occupant.OWN, Case(Outcome.NOT_RUN)).outcome
    if own in (Outcome.UNAVAILABLE, Outcome.NOT_RUN):
        found.append(Judgement(Verdict.INDETERMINATE, Reason("own-not-tried", (Occupant.OWN,), own)))
    if race is RaceOutcome.TWO_WINNERS:
        found.append(Judgement(Verdict.RACY, Reason("two-winners")))
    return found


def _earned(race: RaceOutcome) -> Judgement:
    """The best verdict that the race allows to a claim with nothing against it."""
    match race:
        case RaceOutcome.ONE_WINNER:
            return Judgement(Verdict.SAFE, Reason("one-winner"))
        case RaceOutcome.NO_WINNER:
            return Judgement(Verdict.CONDITIONAL, Reason("no-winner"))
        case RaceOutcome.NEVER_MET:
            return Judgement(Verdict.INDETERMINATE, Reason("never-met"))
        case _:
            return Judgement(Verdict.REFUSES, Reason("not-raced"))


def judge_controls(claims: Sequence[Claim], cases: Mapping[str, Mapping[Occupant, Case]]) -> Controls:
    """The controls of a batch, from the claim that is known to overwrite: it wins a free name, and its overwriting is seen."""
    for claim in claims:
        if claim.role == "overwrites" and claim.kind is Kind.CREATE and claim.id in cases:
            own = cases[claim.id]
            return Controls(
                free_name_won=_outcome(own, Occupant.FREE) is Outcome.WON,
                overwrite_seen=_outcome(own, Occupant.FILE) is Outcome.OVERWROTE,
            )
    return Controls()


def _outcome(cases: Mapping[Occupant, Case], occupant: Occupant) -> Outcome:
    return cases[occupant].outcome if occupant in cases else Outcome.NOT_RUN


def _split_source(change: Change) -> tuple[bool, Change]:
    """Whether the claim's own source or place was touched, and the change without it."""

    def mine(path: str) -> bool:
        return path.partition("/")[0] in (SOURCE, SOURCE + "-target", MINE)

    rest = Change(
        {path: entry for path, entry in change.added.items() if not mine(path)},
        {path: entry for path, entry in change.removed.items() if not mine(path)},
        {path: pair for path, pair in change.altered.items() if not mine(path)},
    )
    touched = len(rest.added) + len(rest.removed) + len(rest.altered) < len(change.added) + len(change.removed) + len(
        change.altered
    )
    return touched, rest


def _what_happened(change: Change) -> Detail | None:
    """The most telling word for a change to the contested name and whatever it leads to; None for no change."""
    if NAME in change.altered:
        return _alteration(*change.altered[NAME])
    for path in change.removed:
        if path == NAME or path.upper() == NAME.upper():
            return Detail.REMOVED
    if TARGET in change.altered or TARGET in change.added or TARGET in change.removed:
        # A hard link has the same file under both names and shows as an altered name above: here only links are followed.
        return Detail.FOLLOWED_LINK
    changed = [*change.altered, *change.added, *change.removed]
    if any(path.startswith(TARGET + "/") for path in changed):
        return Detail.FOLLOWED_LINK
    if any(path.startswith(NAME + "/") for path in changed):
        return Detail.INSIDE_DIRECTORY
    for path, pair in change.altered.items():
        if path.upper() == NAME.upper():
            return _alteration(*pair)
    return Detail.LEFT_BEHIND if changed else None


def _alteration(before: Entry, after: Entry) -> Detail:
    if before.identity != after.identity or before.type != after.type:
        return Detail.REPLACED
    if before.content != after.content:
        if before.content and after.content.startswith(before.content):
            return Detail.APPENDED
        return Detail.WRITTEN_INTO if _kept_tail(before.content, after.content) else Detail.TRUNCATED
    return Detail.MODE_CHANGED if before.mode != after.mode else Detail.REPLACED


def _kept_tail(before: bytes, after: bytes) -> bool:
    """Whether a write went over the beginning only: most of the old bytes are still there, at the same places, behind the new ones."""
    if len(after) < len(before):
        return False
    # Half, since two products of one claim may well end alike (archives do) without one being left of the other.
    half = len(before) // 2
    return before[half:] == after[half : len(before)]
