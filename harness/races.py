"""Racing claims: contenders are processes of their own, started once, that meet at names by the clock. The side effects are here.

A race is a row of short batches of rounds. For each batch a fresh folder is laid out, the contenders' clocks are compared, and all
are told when the first round starts and how far apart the rounds are. Then the harness sleeps, so that it takes no processor from
them. What they tell, and what the disk shows afterwards, is judged in `harness.rounds`.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import psutil

from harness.aim import Aim
from harness.arena import Arena
from harness.builds import Build
from harness.claims import Claim
from harness.clocks import common_error, now
from harness.contenders import Contender, Failure, Lost, Unsupported
from harness.errors import out_of_space
from harness.files import check_space
from harness.measure import Workspace
from harness.rounds import MIN_MET, Attempt, Counts, Round, count_rounds, judge_race
from harness.tempo import Tempo
from harness.vocabulary import Kind, RaceOutcome

_RACES_A_CONTROL = 8
"""Races after which the control is raced again: the machine may have got busier."""
_SURE = 3
"""Doublings of the control from which its rate is estimated."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to race: `rounds` rounds, or else `seconds`, which end with the first round that shows what was looked for.

    Where it is not enough by then the race goes on for up to `patience` times as long. `bystander_seconds` are for the part with
    the bystander, and 0 is without one: what it does to a creator takes a thousand rounds to show.
    """

    seconds: float = 0.3
    rounds: int | None = None
    patience: float = 4.0
    bystander_seconds: float = 0.3


@dataclass(frozen=True, slots=True)
class Goal:
    """What a lap is run for: when `is_shown` it ends at once, and as long as it is not `is_enough` it goes on for longer."""

    is_shown: Callable[[Counts], bool]
    is_enough: Callable[[Counts], bool]

    def is_reached(self, lap: Lap, pace: Pace) -> bool:
        """Whether the lap has lasted long enough."""
        if pace.rounds is not None:
            return lap.counts.rounds >= pace.rounds
        if self.is_shown(lap.counts):
            return True
        return lap.seconds >= pace.seconds * (1 if self.is_enough(lap.counts) else pace.patience)


@dataclass(frozen=True, slots=True)
class Lap:
    """Rounds with the same claims, batch after batch.

    `gap`, `duration` and `lag` are milliseconds, of the last batch; `clock_error`, too, the largest of all; `refusals` are by
    error name.
    With a `failure` it ended in the middle of a batch, which is not counted.
    """

    counts: Counts = field(default_factory=Counts)
    refusals: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    batches: int = 0
    gap: float = 0.0
    duration: float = 0.0
    lag: float = 0.0
    clock_error: float = 0.0
    seconds: float = 0.0
    failure: Failure | None = None

    def evidence(self) -> dict[str, Any]:
        """All of it in plain values."""
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("counts", "failure")}
        plain.update(refusals=dict(sorted(self.refusals.items())), counts=asdict(self.counts))
        return {**plain, **({"failure": asdict(self.failure)} if self.failure else {})}


@dataclass(frozen=True, slots=True)
class Race:
    """What racing showed. `reason` is a code that says more than the outcome does, "" where there is nothing to add.

    `caught`: whether the known check-then-act claims were seen to double in the same processes; None when there are none.
    `obstacle` says why there could be no race.
    """

    outcome: RaceOutcome
    reason: str = ""
    caught: bool | None = None
    claimants: Lap = field(default_factory=Lap)
    control: Lap | None = None
    bystander: Lap | None = None
    obstacle: str = ""
    seed: int = 0

    @property
    def failure(self) -> Failure | None:
        """How the contender failed that ended the race."""
        return next(
            (lap.failure for lap in (self.claimants, self.control, self.bystander) if lap and lap.failure), None
        )

    def evidence(self) -> dict[str, Any]:
        """Everything but the outcome, for the evidence file."""
        laps = {"claimants": self.claimants, "control": self.control, "bystander": self.bystander}
        return {
            "seed": self.seed,
            **({"reason": self.reason} if self.reason else {}),
            **({"obstacle": self.obstacle} if self.obstacle else {}),
            **{name: lap.evidence() for name, lap in laps.items() if lap is not None},
        }


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch as it went: when each contender was to start, and what claimants were refused with."""

    rounds: Sequence[Round]
    starts: Sequence[float]
    refusals: Mapping[str, int]


class Track:
    """Contenders, one of each build given, ready to race any claims of these builds; made by `track`."""

    def __init__(self, builds: Sequence[Build], space: Workspace, seed: int) -> None:
        self.builds = tuple(builds)
        self.seed = seed
        self._space = space
        self._random = random.Random(seed)
        self._controlled: list[Lap] = []
        processors = _processors()
        self._claimants = [
            # All live in one home: a lock with a name of its own, such as .NET's Mutex, is a file in the folder for temporary ones.
            Contender(number, build, space.home, processors(number))
            for number, build in enumerate(builds)
        ]
        # It races with the first contender alone, and so has the place of the second.
        self._bystander = Contender(len(builds), builds[0], space.home, processors(1))

    def close(self) -> None:
        """End all contenders."""
        for contender in (*self._claimants, self._bystander):
            contender.close()

    def race(self, claims: Sequence[Claim], pace: Pace) -> Race:
        """Race the control, then in the same processes one claim per contender, then the first claim beside somebody who only looks.

        The last is left out where it could not change the outcome. Raises ClaimgridError when a contender cannot be started, and OSError
        when there is no room for a race.
        """
        race = Race(RaceOutcome.NOT_RUN, seed=self.seed)
        if any(claim.call in build.unsupported for claim, build in zip(claims, self.builds, strict=True)):
            return replace(race, reason="unsupported")
        try:
            if control := self._control():
                lap = self._control_lap(control, pace)
                race = replace(race, control=lap, caught=lap.counts.several > 0)
            if race.failure is None:
                # What the control has found out about two runtimes of different speed is a good guess for other claims.
                lag = race.control.lag if race.control else 0.0
                race = replace(race, claimants=self._lap(claims, None, pace, _two_win(race.control), lag))
            race = _judged(race)
            look = self._look(claims[0]) if pace.bystander_seconds else None
            if look is not None and race.outcome is RaceOutcome.ONE_WINNER:
                watched = replace(pace, seconds=pace.bystander_seconds)
                race = _judged(replace(race, bystander=self._lap(claims[:1], look, watched, _NOBODY_WINS)))
            return race
        except Unsupported as unsupported:
            return replace(race, outcome=RaceOutcome.NOT_RUN, reason="unsupported", obstacle=str(unsupported))
        except OSError as error:
            if out_of_space(error):
                raise
            return replace(
                race, outcome=RaceOutcome.NOT_RUN, reason="unavailable", obstacle=error.strerror or str(error)
            )
        finally:
            if race.failure is not None:
                self._controlled.clear()

    def _control_lap(self, control: Sequence[Claim], pace: Pace) -> Lap:
        """How the control does in these processes: for a few races the same lap counts, as long as all of them live."""
        if not self._controlled or not self._controlled[-1].counts.several:
            self._controlled = [
                self._lap(control, None, replace(pace, rounds=None), _CONTROL_DOUBLES)
            ] * _RACES_A_CONTROL
        return self._controlled.pop()

    def _control(self) -> list[Claim]:
        """The check-then-act claim of every contender's build; nothing when one has none."""
        known = [
            next((claim for claim in build.claims if claim.role == "check-then-act"), None) for build in self.builds
        ]
        return [claim for claim in known if claim is not None] if all(known) else []

    def _look(self, claim: Claim) -> Claim | None:
        """The first build's usual way to look at a name. Nobody looks into a FIFO: that waits for a writer, whoever made it."""
        looks = (each for each in self.builds[0].claims if each.kind is Kind.LOOK and claim.makes != "fifo")
        return next((each for each in looks if each.call not in self.builds[0].unsupported), None)

    def _lap(self, claims: Sequence[Claim], look: Claim | None, pace: Pace, goal: Goal, lag: float = 0.0) -> Lap:
        """Batches until the goal is reached or a contender fails. Raises Unsupported, and OSError when a source cannot be laid."""
        lap, tempo, aim = Lap(), Tempo(), Aim(lag)
        kinds = [claim.kind for claim in claims]
        contenders = [*self._claimants[: len(claims)], *([self._bystander] if look else [])]
        began: float | None = None
        while lap.batches == 0 or not goal.is_reached(lap, pace):
            try:
                error = common_error([contender.compare_clocks() for contender in contenders])
                # The time for the first start of a process is not the race's.
                began = began or time.monotonic()
                batch = self._batch(contenders, [*claims, look] if look else claims, tempo, aim)
            except Lost as lost:
                return replace(lap, failure=lost.failure)
            following = tempo.after(batch.rounds, batch.starts)
            lap = Lap(
                counts=lap.counts + count_rounds(batch.rounds, kinds, error),
                refusals=Counter(lap.refusals) + Counter(batch.refusals),
                batches=lap.batches + 1,
                gap=tempo.gap,
                duration=round(following.duration, 3),
                lag=round(aim.lag, 3),
                clock_error=round(max(lap.clock_error, error), 4),
                seconds=round(time.monotonic() - began, 3),
            )
            tempo, aim = following, aim.after(batch.rounds, batch.starts, tempo.gap, kinds[0])
        return lap

    def _batch(self, contenders: Sequence[Contender], claims: Sequence[Claim], tempo: Tempo, aim: Aim) -> _Batch:
        """One batch; the contender after the claimants, if there is one, is the bystander."""
        arena = Arena(self._space.root / f"race{self._space.number()}", claims, tempo.rounds)
        try:
            arena.lay()
            starts = aim.starts(now() + tempo.lead, len(contenders), self._random.uniform(-1, 1))
            asked = [
                contender.start(claim, arena.paths(place), tempo, start)
                for place, (contender, claim, start) in enumerate(zip(contenders, claims, starts, strict=True))
            ]
            told = _finish(contenders, asked, tempo)
            left = arena.look()
            check_space(self._space.root)
        finally:
            arena.clear()
        claimants = [rounds for (rounds, _), claim in zip(told, claims, strict=True) if claim.kind is not Kind.LOOK]
        looked = told[len(claimants)][0] if len(claimants) < len(told) else None
        refusals: Counter[str] = Counter()
        for _, errors in told[: len(claimants)]:
            refusals.update(errors)
        rounds = [
            Round(tuple(each[k] for each in claimants), left[k], looked[k] if looked else None)
            for k in range(tempo.rounds)
        ]
        return _Batch(rounds, starts, refusals)


@contextlib.contextmanager
def track(builds: Sequence[Build], space: Workspace, seed: int = 0) -> Iterator[Track]:
    """Contenders of these builds, usually twice the same one, in a workspace on the filesystem under test.

    Their processes are started when they are needed, again after one was lost, and ended with the context.
    """
    ready = Track(builds, space, seed)
    try:
        yield ready
    finally:
        ready.close()


def _processors() -> Callable[[int], int | None]:
    """Which processor each contender stays on: another one for each, as far as there are several."""
    try:
        usable = psutil.Process().cpu_affinity()
    except (AttributeError, psutil.Error):
        usable = []
    return lambda number: usable[number % len(usable)] if len(usable) > 1 else None


def _finish(
    contenders: Sequence[Contender], asked: Sequence[int], tempo: Tempo
) -> list[tuple[list[Attempt], Mapping[str, int]]]:
    """Everybody's rounds. What the first raises who has none is raised only after all were waited for: nobody is left racing."""
    told = []
    without: list[Lost | Unsupported] = []
    for contender, request in zip(contenders, asked, strict=True):
        try:
            told.append(contender.finish(request, tempo))
        except (Lost, Unsupported) as reason:
            without.append(reason)
    if without:
        raise without[0]
    return told


_CONTROL_DOUBLES = Goal(lambda counts: counts.several >= _SURE, lambda counts: counts.several > 0)
_NOBODY_WINS = Goal(lambda counts: counts.none > 0, lambda counts: counts.met >= MIN_MET)


def _two_win(control: Lap | None) -> Goal:
    return Goal(lambda counts: counts.several > 0, lambda counts: counts.is_enough(control.counts if control else None))


def _judged(race: Race) -> Race:
    outcome, reason = judge_race(
        race.claimants.counts,
        race.control.counts if race.control else None,
        race.bystander.counts if race.bystander else None,
    )
    if race.failure is not None and outcome is not RaceOutcome.TWO_WINNERS:
        outcome, reason = RaceOutcome.NOT_RUN, race.failure.said.value
    return replace(race, outcome=outcome, reason=reason)
