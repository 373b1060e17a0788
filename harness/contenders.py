"""Contenders: processes that take part in a race. They are asked for the time and for rounds, and what they answer is checked."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.arena import Paths
from harness.builds import Build, conversation
from harness.claims import Claim
from harness.clocks import Offset, handshake
from harness.conversation import Conversation, Limits, Reply
from harness.observation import Said
from harness.rounds import Attempt
from harness.runtimes import RUNTIMES
from harness.runtimes.contract import Launch
from harness.tempo import Tempo

_FIRST_PINGS, _FURTHER_PINGS = 8, 2
_LONGEST_TIME = 1e15


@dataclass(frozen=True, slots=True)
class Failure:
    """How a contender failed to answer, in the words for single claims."""

    contender: int
    said: Said
    message: str
    stderr: str = ""


class Lost(Exception):
    """A contender did not answer as it should. Its process is gone; the next thing that it is asked starts another one."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Unsupported(Exception):
    """A contender says that its build has no such call."""


class Contender:
    """One process that takes part, and how its clock relates to ours for as long as it lives.

    It stays on its `processor`: a scheduler that finds all of them in use lets new ones take turns on one, and then they never meet.
    """

    def __init__(self, number: int, build: Build, home: Path, processor: int | None = None) -> None:
        self.number = number
        self.build = build
        self._talk = _conversation(build, home)
        self._processor = processor
        self._offset: Offset | None = None
        self._ids = itertools.count(1)

    def close(self) -> None:
        """End the process and whatever it left running."""
        self._talk.__exit__()

    def compare_clocks(self) -> Offset:
        """How far its clock is ahead of ours, by all that is known by now. Raises Lost."""
        if self._offset is None:
            if self._processor is not None:
                self._talk.stay_on(self._processor)
            self._offset = handshake(self._read_clock, _FIRST_PINGS)
        elif not self._offset.is_system:
            self._offset = self._offset.narrowed(handshake(self._read_clock, _FURTHER_PINGS))
        return self._offset

    def start(self, claim: Claim, paths: Paths, tempo: Tempo, first: float) -> int:
        """Have it make a claim once per round from `first` on, by our clock. The id of the request."""
        spell = self._talk.launch.spell
        return self._post(
            {
                "do": "race",
                "claim": claim.call,
                "kind": claim.kind,
                "name": spell(paths.name),
                "source": spell(paths.source),
                "mine": spell(paths.mine),
                "data": paths.data,
                "start": round(first + self._ahead, 3),
                "gap": tempo.gap,
                "rounds": tempo.rounds,
            }
        )

    def finish(self, request: int, tempo: Tempo) -> tuple[list[Attempt], Mapping[str, int]]:
        """All its rounds in our time, and its refusals by their names. Raises Lost and Unsupported."""
        limits = self._talk.limits
        # One round more may take as long as any single claim may; the first ones, of which nothing is known yet, twice that.
        grace = limits.case * (1 if tempo.duration else 2)
        told = self._collect(request, 3 * tempo.planned / 1000 + grace)
        if told.get("said") == "unsupported":
            raise Unsupported(str(told.get("message", ""))[:500])
        rounds, errors = told.get("rounds"), told.get("errors")
        if not isinstance(rounds, list) or len(rounds) != tempo.rounds or not all(map(_is_round, rounds)):
            raise self._lost(
                f"answered with {len(rounds) if isinstance(rounds, list) else 'no'} rounds, and not with {tempo.rounds} proper ones"
            )
        ahead = self._ahead
        counted = errors if isinstance(errors, dict) else {}
        return (
            [Attempt(bool(won), began - ahead, ended - ahead) for won, began, ended in rounds],
            {str(name)[:100]: count for name, count in counted.items() if isinstance(count, int)},
        )

    @property
    def _ahead(self) -> float:
        assert self._offset is not None
        return self._offset.middle

    def _read_clock(self) -> float:
        told = self._collect(self._post({"do": "clock"}), self._talk.limits.case).get("clock")
        if told is None or not _is_time(told):
            raise self._lost(f"its clock says {told!r:.100}")
        return float(told)

    def _post(self, message: Mapping[str, Any]) -> int:
        number = next(self._ids)
        self._talk.post({**message, "id": number})
        return number

    def _collect(self, request: int, seconds: float) -> Mapping[str, Any]:
        received = self._talk.collect(request, seconds)
        if isinstance(received, Reply):
            self._offset = None
            raise Lost(Failure(self.number, received.answer.said, received.answer.message, received.stderr))
        return received

    def _lost(self, message: str) -> Lost:
        """What to raise for an answer that is none: whatever else the process says could not be trusted either."""
        self._talk.close(polite=False)
        self._offset = None
        return Lost(Failure(self.number, Said.NO_ANSWER, message))


def _conversation(build: Build, home: Path) -> Conversation:
    """With the build's probe; where every claim is a process of its own, with `starter.py`, which starts those."""
    runtime = RUNTIMES[build.runtime]
    if not runtime.PER_CASE:
        return conversation(build, home)
    starter = Path(__file__).with_name("starter.py")
    argv = (sys.executable, str(starter), build.runtime, str(build.program), build.platform)
    # A contender's home is not the user's, where some of our own packages may be: the whole search path is handed on.
    env = {"PYTHONPATH": os.pathsep.join((str(starter.parent.parent), *filter(None, sys.path)))}
    return Conversation(Launch(argv, env), home, Limits(max(runtime.START_SECONDS, 20.0), runtime.CASE_SECONDS))


def _is_round(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and value[0] in (0, 1)
        and _is_time(value[1])
        and _is_time(value[2])
        and value[1] <= value[2]
    )


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LONGEST_TIME
