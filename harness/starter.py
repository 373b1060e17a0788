"""The contender of a runtime whose every claim is a process: it answers `clock` and `race` as a probe does (see probes/PROTOCOL.md).

    python starter.py RUNTIME PROGRAM PLATFORM

A process of its own, as every contender is, so that two of them start their programs at the same moment. For each round it starts
the probe and waits for its answer; the round begins before that start and ends with that answer.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.clocks import now
from harness.conversation import Conversation, Limits, Request
from harness.observation import Said
from harness.probes import probes_folder
from harness.runtimes import RUNTIMES

_LONG_WAIT = 20.0


def main(name: str, program: str, platform: str) -> None:
    """Answer line by line until standard input ends."""
    runtime = RUNTIMES[name]
    launch = runtime.launch(Path(program), platform, probes_folder())
    with Conversation(launch, Path.cwd(), Limits(runtime.START_SECONDS, runtime.CASE_SECONDS), per_case=True) as talk:
        for line in sys.stdin:
            request = json.loads(line)
            sys.stdout.write(json.dumps({"id": request.get("id"), **_answer(talk, request)}) + "\n")
            sys.stdout.flush()


def _answer(talk: Conversation, request: Mapping[str, Any]) -> Mapping[str, Any]:
    if request["do"] == "race":
        return _race(talk, request)
    return {"clock": now()} if request["do"] == "clock" else {}


def _race(talk: Conversation, request: Mapping[str, Any]) -> Mapping[str, Any]:
    rounds: list[tuple[int, float, float]] = []
    errors: Counter[str] = Counter()
    for number in range(request["rounds"]):
        name, source, mine = (Path(f"{request[key]}{number}") for key in ("name", "source", "mine"))
        claim = Request(number, request["claim"], name, source, mine, request["data"])
        began = _wait_until(request["start"] + number * request["gap"])
        answer = next(talk.claims([claim])).answer
        ended = now()
        talk.close()
        if answer.said is Said.UNSUPPORTED:
            return {"said": "unsupported", "message": answer.message}
        if not answer.said.valid:
            return {"fault": f"in round {number} {answer.said}: {answer.message}"}
        rounds.append((int(answer.said is Said.YES), round(began, 3), round(ended, 3)))
        if answer.said is Said.NO:
            errors[answer.error] += 1
    return {"rounds": rounds, "errors": errors}


def _wait_until(due: float) -> float:
    """Sleep while it is long, spin for the rest; late is at once."""
    if due - now() > _LONG_WAIT:
        time.sleep((due - now() - _LONG_WAIT) / 1000)
    while (moment := now()) < due:
        pass
    return moment


if __name__ == "__main__":
    main(*sys.argv[1:])
