"""`make bench`: where the time goes, as ratios from one run on one machine. Not a test: nothing here passes or fails."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import tabulate

from harness import processes, results
from harness.builds import Build, Request, conversation, layers, newest_build, resolve
from harness.claims import Claim, select
from harness.commands.options import read_merged
from harness.environment import Environment, filesystem
from harness.judge import Case, Controls, judge_claim
from harness.matrix import build_tables
from harness.measure import observe, workspace
from harness.occupants import occupants_for
from harness.races import Pace, track
from harness.report.markdown import render_readme
from harness.report.page import render_page
from harness.results import BuildResult, ClaimResult
from harness.run import Wanted, Watcher, run
from harness.runtimes import RUNTIMES
from harness.tables import render_tables
from harness.vocabulary import Kind, Occupant, Outcome
from harness.workbench import Bench, bench

_SAME = ("fs.writeFileSync/wx", "fs.openSync/w", "fs.mkdirSync", "fs.renameSync/file")
"""Claims for the comparison with one process per case, which is slow."""
_REPEATS = 3


def main() -> None:
    """Measure Node, since that is the runtime with the most claims, in the temporary folder and in memory."""
    build = resolve([Request("node", "22")], print)[-1]
    temporary = Path(tempfile.gettempdir())
    places = list(dict.fromkeys([temporary, *(path for path in (Path("/dev/shm"),) if path.is_dir())]))
    races = [row for place in places for row in _races(place)]
    print(tabulate.tabulate(races, ["", "filesystem", "rounds", "rounds/s", "met"], floatfmt=".0f"))
    print()
    print(
        tabulate.tabulate(
            list(_runs_of_many()), ["", "s", "s a build", "against one build", "against starts ÷ cores"], floatfmt=".2f"
        )
    )
    print()
    # The harness and the probe share one processor: a case in one is not bought with waiting for the other.
    processes.stay_on_one()
    rows = [row for place in places for row in _measured(build, place)]
    print(f"{build.id}, {len(occupants_for(Kind.CREATE, build.platform)) - 1} occupants a claim, on one processor")
    print(tabulate.tabulate(rows, ["", "cases", "cases/s", "against one process per case"], floatfmt=".0f"))
    print()
    head = ["", "claims", "MB", "read and merge, s", "matrix, s", "report, s"]
    print(tabulate.tabulate([_thousand_files()], head, floatfmt=".1f"))


_RACES = {
    "node": "fs.writeFileSync/wx",
    "bun": "fs.writeFileSync/wx",
    "deno": "fs.writeFileSync/wx",
    "dotnet": "FileStream/CreateNew",
    "python": "open/x",
    "sh": "mkdir",
}
_ROUNDS = 8000
_ROUNDS_OF_PROCESSES = 60


def _races(place: Path) -> Iterator[list[object]]:
    """Two contenders of each runtime, for as long as it takes them to find their pace and keep it."""
    for runtime, call in _RACES.items():
        build = newest_build(runtime, print)
        claim = next(claim for claim in build.claims if claim.call == call)
        rounds = _ROUNDS_OF_PROCESSES if RUNTIMES[runtime].PER_CASE else _ROUNDS
        pace = Pace(rounds=rounds, bystander_seconds=0.0)
        with workspace(place) as space, track([build, build], space) as contenders:
            lap = contenders.race([claim, claim], pace).claimants
        share = f"{lap.counts.met / max(lap.counts.rounds, 1):.0%}"
        rate = lap.counts.rounds / max(lap.seconds, 0.001)
        yield [f"{build.id} {call}", filesystem(place), lap.counts.rounds, rate, share]


def _runs_of_many() -> Iterator[list[object]]:
    """A few claims in one, two, four and eight builds of Node: a build ought to cost no more the more there are.

    From two builds on there are workers, which have to be started. The last column sets the whole run against what starting each
    probe once takes, divided by the cores.
    """
    builds = resolve([Request("node")], print)
    claims = select(builds[-1].claims, _SAME)
    alone = 0.0
    for count in (1, 2, 4, 8):
        seconds = _run(builds[-count:], claims)
        alone = alone or seconds
        starts = sum(map(_start, builds[-count:])) / min(count, os.cpu_count() or 1)
        against = f"{seconds / starts:.0f} times"
        yield [
            f"{count} of node, {len(claims)} claims",
            seconds,
            seconds / count,
            f"{seconds / count / alone:.0%}",
            against,
        ]


def _start(build: Build) -> float:
    """Seconds until a probe has said what it is."""
    with workspace(Path(tempfile.gettempdir())) as space:
        start = time.perf_counter()
        with conversation(build, space.home) as talk:
            talk.ask("hello")
            return time.perf_counter() - start


def _run(builds: Sequence[Build], claims: Sequence[Claim]) -> float:
    """Seconds that a run without races takes in the temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run(Wanted(builds, claims, [Path(tempfile.gettempdir())], Path(folder) / "results"), Watcher())
        return time.perf_counter() - start


def _thousand_files() -> list[object]:
    """The matrix of a thousand made-up builds, each in two folders that disagree now and then."""
    with tempfile.TemporaryDirectory() as temporary:
        folders = [Path(temporary) / name for name in ("first", "second")]
        for number, result in enumerate(_made_up()):
            results.write(result, folders[0 if number < _FILES - _TWICE else 1])
        size = sum(path.stat().st_size for folder in folders for path in folder.glob("*/*.json"))
        start = time.perf_counter()
        merged = read_merged(folders, keep_going=False)
        read = time.perf_counter()
        render_tables(build_tables(one.result for one in merged))
        printed = time.perf_counter()
        everything = [one.result for one in merged]
        render_page(everything, [])
        render_readme(everything, [])
        done = time.perf_counter()
    return [f"{_FILES} files", _FILES * _CLAIMS, size / 1e6, read - start, printed - read, done - printed]


_FILES, _TWICE, _CLAIMS = 1000, 50, 100


def _made_up() -> Iterator[BuildResult]:
    """Builds of five runtimes on ten platforms; one claim in twenty is not as in the version before. The last ones are there twice."""
    surroundings = [Environment(f"{name}-x64", kind, name, False) for name in ("linux", "windows") for kind in "abcde"]
    builds = [
        BuildResult(
            environment, runtime, f"{version}.0.0", "npm", "cafe", Controls(True, True, True), _claims(runtime, version)
        )
        for version in range(1, (_FILES - _TWICE) // 50 + 1)
        for environment in surroundings
        for runtime in ("node", "bun", "deno", "python", "sh")
    ]
    yield from builds
    for build in builds[:_TWICE]:
        yield replace(build, claims=_claims(build.runtime, 0))


def _claims(runtime: str, version: int) -> dict[str, ClaimResult]:
    return {
        f"{runtime}:fs.call{number // 5}/variant{number}": _claim(number, (version + number) // 20)
        for number in range(_CLAIMS)
    }


def _claim(number: int, generation: int) -> ClaimResult:
    worst = (Outcome.REFUSED, Outcome.OVERWROTE)[(number + generation) % 2]
    cases = {occupant: Case(worst, error="EEXIST") for occupant in occupants_for(Kind.CREATE, "linux-x64")}
    cases[Occupant.FREE] = Case(Outcome.WON)
    judgement = judge_claim(Kind.CREATE, cases, Controls(True, True, True))
    return ClaimResult(Kind.CREATE, f"fs.call{number}(name) // {generation}", "0123456789ab", judgement, cases)


def _measured(build: Build, place: Path) -> list[list[object]]:
    with layers([build.platform]), workspace(place) as space, bench(build, space.root, isolate=True) as ready:
        assert ready.alone is not None
        # A FIFO makes some claims wait for ever, and waiting is not what is measured here.
        occupants = [
            occupant for occupant in occupants_for(Kind.CREATE, build.platform) if occupant is not Occupant.FIFO
        ]
        every = [claim for claim in build.claims if claim.kind is Kind.CREATE and "cp" not in claim.call]
        same = select(every, _SAME)
        alone = _rate(lambda: _all(ready, same, occupants, alone=True), len(same) * len(occupants), repeats=1)
        together = _rate(lambda: _all(ready, same, occupants), len(same) * len(occupants))
        whole = _rate(lambda: _all(ready, every, occupants), len(every) * len(occupants))
        kind = filesystem(place)
        return [
            [f"one process per case, {kind}", len(same) * len(occupants), alone, "1"],
            [f"one process per build, {kind}", len(same) * len(occupants), together, f"{together / alone:.0f} times"],
            [f"all claims but cp, {kind}", len(every) * len(occupants), whole, f"{whole / alone:.0f} times"],
        ]


def _all(ready: Bench, claims: Sequence[Claim], occupants: Sequence[Occupant], *, alone: bool = False) -> None:
    talk = ready.alone if alone and ready.alone is not None else ready.talk
    for claim in claims:
        observe(talk, claim, occupants, ready.able, ready.space)


def _rate(work: Callable[[], None], cases: int, repeats: int = _REPEATS) -> float:
    """Cases a second of wall-clock time, the best of a few times: the rest is what else the machine did."""
    best = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = max(best, cases / (time.perf_counter() - start))
    return best


if __name__ == "__main__":
    main()
