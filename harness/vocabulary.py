"""The words of claimgrid: kinds, occupants, outcomes, details and verdicts, with what each of them means."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a claim is for."""

    CREATE = "create"
    TAKE = "take"
    HELD = "held"
    LOOK = "look"


class Occupant(StrEnum):
    """What sits on the name before the claim; FREE is nothing, the positive control.

    A *take* finds what it is after PRESENT or GONE. A *held* claim finds the name HELD by another process, or RELEASED by it, or
    let go of because that was KILLED; OUTSIDER is the other way round: a process that asks for no lock writes into what is held.
    """

    FREE = "free"
    OWN = "own"
    FILE = "file"
    EMPTY_FILE = "empty-file"
    READONLY_FILE = "readonly-file"
    EMPTY_DIR = "empty-dir"
    FULL_DIR = "full-dir"
    LINK_TO_FILE = "link-to-file"
    LINK_TO_DIR = "link-to-dir"
    DANGLING_LINK = "dangling-link"
    HARD_LINK = "hard-link"
    FIFO = "fifo"
    JUNCTION = "junction"
    OPEN_FILE = "open-file"
    OTHER_CASE = "other-case"
    DEVICE_NAME = "device-name"
    PRESENT = "present"
    GONE = "gone"
    HELD = "held"
    RELEASED = "released"
    KILLED = "killed"
    OUTSIDER = "outsider"


EVERYDAY = frozenset({Occupant.OWN, Occupant.FILE, Occupant.EMPTY_FILE, Occupant.GONE, Occupant.HELD})
"""The occupants of everyday locks: a claim that takes one of these is unsafe, not merely conditional."""

WINNABLE = frozenset({Occupant.FREE, Occupant.PRESENT, Occupant.RELEASED, Occupant.KILLED})
"""The occupants that keep nobody out: whoever claims then has to win."""


class Detail(StrEnum):
    """What a claim did to the occupant, as seen on the disk."""

    REPLACED = "replaced"
    TRUNCATED = "truncated"
    APPENDED = "appended"
    WRITTEN_INTO = "written-into"
    REMOVED = "removed"
    FOLLOWED_LINK = "followed-link"
    INSIDE_DIRECTORY = "inside-directory"
    INTO_PIPE = "into-pipe"
    MODE_CHANGED = "mode-changed"
    SOURCE_LOST = "source-lost"
    LEFT_BEHIND = "left-behind"
    OTHER_TYPE = "other-type"
    WAITED = "waited"
    OUTSIDE = "outside"


class Outcome(StrEnum):
    """What happened in one case: what the runtime said, set against what the witness saw."""

    WON = "won"
    REFUSED = "refused"
    OVERWROTE = "overwrote"
    FALSE_WIN = "false-win"
    DAMAGED = "damaged"
    FALSE_REFUSAL = "false-refusal"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    NO_ANSWER = "no-answer"
    DISAGREED = "disagreed"
    UNSUPPORTED = "unsupported"
    UNAVAILABLE = "unavailable"
    NOT_RUN = "not-run"

    @property
    def harmful(self) -> bool:
        """Whether a name that was taken was taken again, pretended to be, or changed."""
        return self in (Outcome.OVERWROTE, Outcome.FALSE_WIN, Outcome.DAMAGED)

    @property
    def broken(self) -> bool:
        """Whether nothing can be concluded, because no valid answer came."""
        return self in (Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.NO_ANSWER, Outcome.DISAGREED)


class RaceOutcome(StrEnum):
    """What racing the contenders for one name showed."""

    ONE_WINNER = "one-winner"
    TWO_WINNERS = "two-winners"
    NO_WINNER = "no-winner"
    NEVER_MET = "never-met"
    NOT_RUN = "not-run"


class Verdict(StrEnum):
    """What one claim is worth in one build; listed worst first, and combined by taking the worst."""

    UNSAFE = "unsafe"
    RACY = "racy"
    INDETERMINATE = "indeterminate"
    CONDITIONAL = "conditional"
    REFUSES = "refuses"
    SAFE = "safe"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not-run"

    @property
    def badness(self) -> int:
        """Position in the order of combination: higher is worse."""
        return _BADNESS[self]

    @property
    def sign(self) -> str:
        """One character that tells the verdict without colour; plain ASCII, so that every console shows it."""
        return _SIGNS[self]

    @property
    def meaning(self) -> str:
        """One sentence for a legend."""
        return _MEANINGS[self]


_BADNESS = {verdict: len(Verdict) - place for place, verdict in enumerate(Verdict)}

_SIGNS = {
    Verdict.UNSAFE: "X",
    Verdict.RACY: "!",
    Verdict.INDETERMINATE: "?",
    Verdict.CONDITIONAL: "~",
    Verdict.REFUSES: "+",
    Verdict.SAFE: "*",
    Verdict.UNSUPPORTED: "-",
    Verdict.NOT_RUN: ".",
}

_MEANINGS = {
    Verdict.UNSAFE: "takes, changes or pretends to take a name that was taken",
    Verdict.RACY: "refuses one after another, but two contenders won one round",
    Verdict.INDETERMINATE: "crashed, timed out, or a control failed: nothing can be concluded",
    Verdict.CONDITIONAL: "excludes its own kind, but not every other occupant",
    Verdict.REFUSES: "refuses every occupant one after another; not raced",
    Verdict.SAFE: "refuses every occupant, and exactly one contender won wherever they met",
    Verdict.UNSUPPORTED: "this build has no such call",
    Verdict.NOT_RUN: "not measured",
}


def worst(verdicts: list[Verdict]) -> Verdict:
    """The pessimistic combination; NOT_RUN for none."""
    return max(verdicts, key=lambda verdict: verdict.badness, default=Verdict.NOT_RUN)
