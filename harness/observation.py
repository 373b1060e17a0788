"""What one case yields before anybody judges it: what the runtime said, and what the witness saw before and after."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from harness.vocabulary import Occupant
from harness.witness import Snapshot


class Said(StrEnum):
    """How an answer came out; the last three are the absence of a valid one."""

    YES = "yes"
    NO = "no"
    UNSUPPORTED = "unsupported"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    NO_ANSWER = "no-answer"

    @property
    def valid(self) -> bool:
        """Whether the probe answered and is still fit to be asked again."""
        return self in (Said.YES, Said.NO, Said.UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the runtime said about one claim.

    `exists`: whether its callers' usual test for "it exists" recognises the refusal; None where they have no such test.
    """

    said: Said
    error: str = ""
    code: str = ""
    exists: bool | None = None
    message: str = ""


NOTHING = Snapshot(MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Observation:
    """One case as it went. Without an answer the case could not be set up, and `obstacle` says why.

    `piped` is what came out of the other end of a FIFO occupant; `stderr` what the probe said there before it ended.
    `strayed`: something outside the folder of the case was touched.
    """

    occupant: Occupant
    answer: Answer | None = None
    before: Snapshot = NOTHING
    after: Snapshot = NOTHING
    piped: bytes = b""
    stderr: str = ""
    obstacle: str = ""
    strayed: bool = False
