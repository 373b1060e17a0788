"""Races on paper only: tells of rounds at the very times that were planned, so that contenders always meet, on any machine.

Who wins is settled: the control is won by everybody, `os.mkdir` by the first contender, `os.makedirs` by the second, and `open/x`
is told to be won by the first, who takes nothing.
"""

import os

from racing import serve


def on_paper(honest, request):
    """What was planned."""
    first = request["data"] == "contender 0\n"
    wins = {"os.mkdir": first, "os.makedirs": not first, "open/x": first, "os.path.exists/open": True}.get(
        request["claim"], False
    )
    if wins and request["claim"] in ("os.mkdir", "os.makedirs"):
        for number in range(request["rounds"]):
            os.mkdir(f"{request['name']}{number}")
    starts = [request["start"] + number * request["gap"] for number in range(request["rounds"])]
    return {"rounds": [(int(wins), start, start + request["gap"] / 2) for start in starts], "errors": {}}


serve(race=on_paper)
