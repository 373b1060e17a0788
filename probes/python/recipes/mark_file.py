"""A mark that says who placed it, when, and for how long it counts. A limit of 0 was placed by a person: never taken over."""

import json
import os
import socket
import sys
import time
from pathlib import Path

name = Path(sys.argv[1])
LIMIT_MINUTES = 30
mine = json.dumps(
    {
        "who": socket.gethostname(),
        "pid": os.getpid(),
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "limit_minutes": LIMIT_MINUTES,
    }
)


def place() -> bool:
    try:
        with open(name, "x") as file:
            file.write(mine)
    except FileExistsError:
        return False
    return True


def acquire() -> bool:
    if place():
        return True
    try:
        limit = json.loads(name.read_text())["limit_minutes"] * 60
        age = time.time() - name.stat().st_mtime
    except FileNotFoundError:
        return place()
    except (ValueError, KeyError, TypeError) as error:
        print(f"{name} cannot be read: {error}", file=sys.stderr)
        sys.exit(2)
    if not limit > 0 or age < limit:
        return False
    name.unlink()
    return place()


if not acquire():
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
if name.read_text() == mine:
    name.unlink()
