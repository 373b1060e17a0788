"""Bringing the clocks of several processes together: pings narrow down how far another clock is ahead of this process's."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

ROUNDING = 0.002
"""Milliseconds by which a probe's reading of the system's own clock may be off: it tells three decimals, and may have had to set
the clock that it reads by the system's one."""
_SAME_CLOCK = 20.0
"""A clock that agrees with ours to within this many milliseconds is the system's own, as ours is.

Clocks of any other origin differ by the time since that origin: the start of the process, or of the system's other clocks.
"""


def now() -> float:
    """Milliseconds of the system's monotonic clock."""
    # Not time.monotonic: on Windows that goes in steps of 16 ms; elsewhere they are the same.
    return time.perf_counter() * 1000


@dataclass(frozen=True, slots=True)
class Offset:
    """How many milliseconds another clock is ahead of ours: somewhere from `low` to `high`.

    What a ping proves: the other clock was read after the question was sent, and before the answer was here.
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The best guess; none is needed for the system's own clock."""
        return 0.0 if self.is_system else (self.low + self.high) / 2

    @property
    def error(self) -> float:
        """How far the best guess may be off."""
        return ROUNDING if self.is_system else (self.high - self.low) / 2

    @property
    def is_system(self) -> bool:
        """Whether the other clock can only be the one that we read, too."""
        return self.low <= 0.0 <= self.high and self.high - self.low < _SAME_CLOCK

    def narrowed(self, later: Offset) -> Offset:
        """Both together. Where they contradict each other the clocks have drifted, and the later one holds."""
        low, high = max(self.low, later.low), min(self.high, later.high)
        return Offset(low, high) if low <= high else later


def handshake(read_other: Callable[[], float], pings: int, clock: Callable[[], float] = now) -> Offset:
    """The offset of the clock that `read_other` asks for. Whatever that raises is passed on.

    Each ping is a proof, so all of them hold together: that is at least as tight as the ping with the shortest round trip alone.
    """
    known = Offset(-math.inf, math.inf)
    for _ in range(pings):
        sent = clock()
        told = read_other()
        known = known.narrowed(Offset(told - clock(), told - sent))
    return known


def common_error(offsets: Iterable[Offset]) -> float:
    """How far apart two of these clocks may read at one moment, once each was corrected by its best guess."""
    errors = sorted(offset.error for offset in offsets)
    return sum(errors[-2:])
