"""The probe protocol, spoken honestly; each fake beside this module replaces one part of it by something wrong.

Every fake lists the same claims, honest ones and `wrong`, which is where most of them go wrong.
"""

import json
import os
import sys
import time
from pathlib import Path


def exclusive(request):
    """Create the name with O_EXCL."""
    try:
        handle = os.open(request["name"], os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except OSError as error:
        return no(error)
    os.write(handle, request["data"].encode())
    os.close(handle)
    return {"said": "yes"}


def overwriting(request):
    """Create the name or truncate what is there."""
    try:
        with open(request["name"], "w", encoding="utf-8") as file:
            file.write(request["data"])
    except OSError as error:
        return no(error)
    return {"said": "yes"}


def looking_first(request):
    """Look, and then create the name as if nothing could have happened in between."""
    if Path(request["name"]).exists():
        return {"said": "no", "error": "EEXIST", "exists": True}
    return overwriting(request)


def no(error):
    """The answer for an OSError."""
    return {
        "said": "no",
        "error": type(error).__name__,
        "exists": isinstance(error, FileExistsError),
        "message": str(error),
    }


def send(answer):
    """One line, flushed."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def entry(id, **more):
    """One entry of the list of claims."""
    return {
        "id": id,
        "kind": "create",
        "code": f"{id}(name)",
        "makes": "file",
        "source": None,
        "supported": True,
        **more,
    }


LISTED = [
    entry("open/x"),
    entry("open/w", role="overwrites"),
    entry("exists/open", role="check-then-act"),
    entry("missing", supported=False),
    entry("wrong"),
]


def serve(wrong=exclusive, *, version="1.0.0", listed=LISTED, overwriting=overwriting, requests=None):
    """Answer requests until there are no more. `wrong` makes the claim of that name; what it returns is sent with the id,
    None when it sent what it wanted by itself.
    """
    claims = {"open/x": exclusive, "open/w": overwriting, "exists/open": looking_first, "wrong": wrong}
    for request in map(json.loads, sys.stdin) if requests is None else requests:
        if request["do"] == "hello":
            send({"protocol": 1, "runtime": "fake", "version": version})
        elif request["do"] == "list":
            send({"claims": listed})
        elif request["do"] == "clock":
            send({"id": request["id"], "clock": time.monotonic() * 1000})
        elif request["do"] == "claim":
            answer = claims[request["claim"]](request)
            if answer is not None:
                send({"id": request["id"], **answer})
