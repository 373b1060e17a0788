"""Judging: what the runtime said, set against what the witness saw, and what all the cases of a claim add up to. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.claims import Claim
from harness.mechanism import CHECK_THEN_ACT, is_exclusive
from harness.observation import Answer, Observation, Said
from harness.occupants import MINE, NAME, OTHER_SOURCE, SOURCE, TARGET
from harness.vocabulary import EVERYDAY, WINNABLE, Detail, Kind, Occupant, Outcome, RaceOutcome, Verdict
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
    text: str = ""


@dataclass(frozen=True, slots=True)
class Raced:
    """What several contenders for one name showed: `outcome` by the clock, `explored` with every pause held open.

    `reason` and `unexplored` are codes that say why an outcome is what it is, "" where there is nothing to add; `pause` names the one
    in which both won. `unexplored` is "no-trace" where nothing can be traced, "not-asked", "unproved", or "" when all was tried.
    """

    outcome: RaceOutcome = RaceOutcome.NOT_RUN
    reason: str = ""
    explored: RaceOutcome = RaceOutcome.NOT_RUN
    unexplored: str = "not-asked"
    pause: str = ""


NOT_RACED = Raced()


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
    """Judge one claim against one occupant. What it did outside of its folder says nothing about the name, and is told beside that."""
    case = _judge_in_its_folder(claim, seen)
    told = case.detail not in (None, Detail.WAITED) or seen.answer is None
    return replace(case, detail=Detail.OUTSIDE) if seen.strayed and not told else case


def _judge_in_its_folder(claim: Claim, seen: Observation) -> Case:
    answer = seen.answer
    if answer is None:
        return Case(Outcome.UNAVAILABLE, reason=seen.obstacle)
    if answer.said is Said.TIMED_OUT and seen.occupant is Occupant.HELD and not compare(seen.before, seen.after):
        # Whoever waits for a lock is kept out by it; that it gets the lock in the end shows when it is released.
        return Case(Outcome.REFUSED, Detail.WAITED)
    if answer.said not in (Said.YES, Said.NO):
        return Case(Outcome(answer.said.value), error=answer.error if answer.said is Said.CRASHED else "")
    source_touched, change = _split_source(compare(seen.before, seen.after))
    detail = _what_happened(change) or (Detail.INTO_PIPE if seen.piped else None)
    if seen.occupant is Occupant.OUTSIDER:
        return _judge_outsider(answer, detail)
    winnable = seen.occupant in WINNABLE
    if answer.said is Said.NO:
        detail = detail or (Detail.SOURCE_LOST if source_touched else None)
        if winnable and not detail and not _IMPOSSIBLE.isdisjoint((answer.error, *answer.code.split())):
            return Case(
                Outcome.UNAVAILABLE, error=answer.error, code=answer.code, reason="the operation is impossible here"
            )
        harmless = Outcome.FALSE_REFUSAL if winnable else Outcome.REFUSED
        return Case(
            Outcome.DAMAGED if detail else harmless, detail, answer.error, answer.code, _is_recognised(claim, answer)
        )
    if winnable:
        return _judge_win(claim, seen)
    took = detail not in (None, Detail.LEFT_BEHIND, Detail.INTO_PIPE)
    return Case(Outcome.OVERWROTE if took else Outcome.FALSE_WIN, detail)


_IMPOSSIBLE = frozenset(("ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM"))
"""What the system says of a free name when it is the filesystem or a permission that stands in the way."""


def _is_recognised(claim: Claim, answer: Answer) -> bool:
    """Whether a caller's test for "it exists" recognises the refusal; only those who create a name have such a test."""
    return claim.kind is not Kind.CREATE or answer.exists is not False


def _judge_outsider(answer: Answer, detail: Detail | None) -> Case:
    """What became of a name that is held when somebody wrote into it who had asked for no lock."""
    if answer.said is Said.YES:
        return Case(Outcome.OVERWROTE if detail else Outcome.FALSE_WIN, detail)
    return Case(Outcome.DAMAGED if detail else Outcome.REFUSED, detail, answer.error)


def _judge_win(claim: Claim, seen: Observation) -> Case:
    """What became of a name that was to be had, of which the claim says that it has it."""
    if claim.kind is Kind.TAKE:
        taken = NAME not in seen.after.entries and (claim.makes != "moved" or MINE in seen.after.entries)
        return Case(Outcome.WON if taken else Outcome.FALSE_WIN)
    made = seen.after.entries.get(NAME)
    if claim.makes == "nothing":
        return Case(Outcome.WON)
    right = made is not None and made.type == _TYPE_MADE[claim.makes]
    return Case(Outcome.WON) if right else Case(Outcome.FALSE_WIN, Detail.OTHER_TYPE if made else None)


def judge_claim(
    kind: Kind,
    cases: Mapping[Occupant, Case],
    controls: Controls,
    raced: Raced = NOT_RACED,
    mechanism: str | None = None,
) -> Judgement:
    """What all the cases of a claim, its race and its mechanism add up to, worst first."""
    outcomes = {occupant: case.outcome for occupant, case in cases.items()}
    if outcomes and all(outcome in (Outcome.UNSUPPORTED, Outcome.UNAVAILABLE) for outcome in outcomes.values()):
        unsupported = Outcome.UNSUPPORTED in outcomes.values()
        return Judgement(
            Verdict.UNSUPPORTED if unsupported else Verdict.NOT_RUN,
            Reason("unsupported" if unsupported else "unavailable"),
        )
    if not outcomes or all(outcome is Outcome.NOT_RUN for outcome in outcomes.values()):
        return Judgement(Verdict.NOT_RUN, Reason("not-run"))
    if outcomes.get(_WON_WHEN[kind]) is Outcome.UNAVAILABLE and not any(each.harmful for each in outcomes.values()):
        return Judgement(Verdict.NOT_RUN, Reason("unavailable"))
    if not controls.hold:
        return Judgement(Verdict.INDETERMINATE, Reason("control-failed"))
    found = [_earned(kind, raced, mechanism), *_against(kind, cases), *_races_against(kind, raced, mechanism)]
    return max(found, key=lambda judgement: judgement.verdict.badness)


_WON_WHEN = {
    Kind.CREATE: Occupant.FREE,
    Kind.TAKE: Occupant.PRESENT,
    Kind.HELD: Occupant.FREE,
    Kind.LOOK: Occupant.FREE,
}
_LOST_WHEN = {Kind.CREATE: Occupant.OWN, Kind.TAKE: Occupant.GONE, Kind.HELD: Occupant.HELD, Kind.LOOK: Occupant.OWN}
"""What a claim of each kind has to win, and what it has to be kept out by, before anything can be said for it. Nobody judges a look,
but a file from outside may say that somebody did.
"""


def _against(kind: Kind, cases: Mapping[Occupant, Case]) -> list[Judgement]:
    """Everything that its cases say against a claim, each as a judgement of its own."""
    found = []
    harmed = [occupant for occupant, case in cases.items() if case.outcome.harmful and occupant not in WINNABLE]
    strayed = [occupant for occupant, case in cases.items() if case.detail is Detail.OUTSIDE]
    stuck = [occupant for occupant in (Occupant.RELEASED, Occupant.KILLED) if _is_stuck(cases, occupant)]
    for verdict, code, occupants in (
        (Verdict.UNSAFE, "took-taken", [occupant for occupant in harmed if occupant in EVERYDAY]),
        (Verdict.INDETERMINATE, "wrote-outside", strayed),
        (Verdict.CONDITIONAL, "took-other", [occupant for occupant in harmed if occupant not in EVERYDAY]),
        (Verdict.CONDITIONAL, "not-freed", stuck),
    ):
        if occupants:
            first = cases[occupants[0]]
            found.append(Judgement(verdict, Reason(code, tuple(occupants), first.outcome, first.detail)))
    broken = [occupant for occupant, case in cases.items() if case.outcome.broken]
    if broken:
        found.append(
            Judgement(Verdict.INDETERMINATE, Reason("no-valid-answer", tuple(broken), cases[broken[0]].outcome))
        )
    free = _outcome(cases, _WON_WHEN[kind])
    if free is not Outcome.WON and not free.broken:
        found.append(Judgement(Verdict.INDETERMINATE, Reason("free-not-won", (_WON_WHEN[kind],), free)))
    own = _outcome(cases, _LOST_WHEN[kind])
    if own in (Outcome.UNAVAILABLE, Outcome.NOT_RUN):
        found.append(Judgement(Verdict.INDETERMINATE, Reason("own-not-tried", (_LOST_WHEN[kind],), own)))
    return found


def _is_stuck(cases: Mapping[Occupant, Case], occupant: Occupant) -> bool:
    return _outcome(cases, occupant) not in (Outcome.WON, Outcome.NOT_RUN, Outcome.UNAVAILABLE)


def _races_against(kind: Kind, raced: Raced, mechanism: str | None) -> list[Judgement]:
    """Everything that contenders for one name say against a claim."""
    found = []
    if RaceOutcome.TWO_WINNERS in (raced.outcome, raced.explored):
        # An exclusive call that two succeeded with is a riddle, and the reader is told that it is one.
        code = "two-winners-exclusive" if mechanism and is_exclusive(kind, mechanism) else "two-winners"
        found.append(Judgement(Verdict.RACY, Reason(code, text=raced.pause)))
    if RaceOutcome.NO_WINNER in (raced.outcome, raced.explored):
        why = raced.reason if raced.outcome is RaceOutcome.NO_WINNER else "pause"
        found.append(Judgement(Verdict.CONDITIONAL, Reason("no-winner", text=why)))
    if raced.reason == LOCKS_LATE:
        found.append(Judgement(Verdict.CONDITIONAL, Reason(LOCKS_LATE)))
    return found


LOCKS_LATE = "locks-late"
"""Said of a race when traces show that the claim makes the name and asks for a lock on it only then, and that whoever looks at a name takes
locks, too. How often one is in the way of the other is chance, and that it can be is not."""

HARMLESS = ("", "budget", "unsupported", "unavailable")
"""Reasons for there being no race that say nothing against a claim."""


def told_nothing(raced: Raced) -> bool:
    """Whether there was a race, and nothing can be concluded from it: its contenders never met, it broke off, or its control was missed."""
    broke_off = raced.outcome is RaceOutcome.NOT_RUN and raced.reason not in HARMLESS
    return broke_off or raced.outcome is RaceOutcome.NEVER_MET or raced.reason == "control-missed"


def _earned(kind: Kind, raced: Raced, mechanism: str | None) -> Judgement:
    """The best verdict that its race and its mechanism allow to a claim with nothing against it."""
    if raced.outcome is RaceOutcome.NEVER_MET:
        return Judgement(Verdict.INDETERMINATE, Reason("never-met", text=raced.reason))
    if raced.outcome is RaceOutcome.NOT_RUN:
        if raced.reason in HARMLESS:
            return Judgement(Verdict.REFUSES, Reason("not-raced", text=raced.reason))
        return Judgement(Verdict.INDETERMINATE, Reason("race-failed", text=raced.reason))
    if raced.reason == "control-missed":
        return Judgement(Verdict.INDETERMINATE, Reason("control-missed"))
    exclusive = False if mechanism == CHECK_THEN_ACT else is_exclusive(kind, mechanism) if mechanism else None
    if exclusive is False:
        return Judgement(Verdict.INDETERMINATE, Reason("one-winner-by-luck", text=mechanism or ""))
    if raced.explored is RaceOutcome.ONE_WINNER or raced.unexplored == "no-trace" or exclusive:
        return Judgement(Verdict.SAFE, Reason("one-winner"))
    return Judgement(Verdict.INDETERMINATE, Reason("unexplored", text=raced.unexplored))


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


_OWN = frozenset({MINE, *(name + more for name in (SOURCE, OTHER_SOURCE) for more in ("", "-target"))})
"""What a claim needs for itself."""


def _split_source(change: Change) -> tuple[bool, Change]:
    """Whether the claim's own source or place was touched, and the change without it."""

    def mine(path: str) -> bool:
        return path.partition("/")[0] in _OWN

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
