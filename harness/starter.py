"""The contender of a runtime whose every claim is a process: it answers `clock` and `race` as a probe does (see probes/PROTOCOL.md).

    python starter.py RUNTIME PROGRAM PLATFORM

A process of its own, as every contender is. For each round it starts the probe, which gets ready for the claim and then waits for a
line. The round begins when this line is sent and ends when the answer is here, so that it has little more in it than the claim.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
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
    limits = Limits(runtime.START_SECONDS, runtime.CASE_SECONDS)
    for line in sys.stdin:
        request = json.loads(line)
        # Whatever a race holds, or left running, ends with it.
        with contextlib.ExitStack() as stack:
            answer = _answer(
                request, lambda: stack.enter_context(Conversation(launch, Path.cwd(), limits, per_case=True))
            )
        sys.stdout.write(json.dumps({"id": request.get("id"), **answer}) + "\n")
        sys.stdout.flush()


def _answer(request: Mapping[str, Any], new_talk: Callable[[], Conversation]) -> Mapping[str, Any]:
    if request["do"] == "race":
        return _race(request, new_talk)
    return {"clock": now()} if request["do"] == "clock" else {}


def _race(request: Mapping[str, Any], new_talk: Callable[[], Conversation]) -> Mapping[str, Any]:
    rounds: list[tuple[int, float, float]] = []
    errors: Counter[str] = Counter()
    talk = new_talk()
    for number in range(request["rounds"]):
        name, source, mine = (Path(f"{request[key]}{number}") for key in ("name", "source", "mine"))
        claim = Request(number, request["claim"], name, source, mine, request["data"])
        unready = talk.prepare(claim)
        began = _wait_until(request["start"] + number * request["gap"])
        answer = (unready or talk.go(claim)).answer
        ended = now()
        if request.get("kind") == "held" and answer.said is Said.YES:
            talk = new_talk()
        else:
            talk.close()
        if answer.said is Said.UNSUPPORTED:
            return {"said": "unsupported", "message": answer.message}
        if not answer.said.valid:
            return {"fault": f"{answer.said} in round {number}: {answer.message}"}
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
