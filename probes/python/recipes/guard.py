"""A guard around a task that a scheduler starts: at most once a day, never twice at once, and never again after a crash that nobody looked at.

    guard.py STATE [--today YYYY-MM-DD]

STATE is a JSON file; STATE.lock is there while the task runs. The state goes from "running" over "effect" to "completed", each written
beside, made durable and put into place. Exit codes: 0 done · 10 already done today · 20 the state cannot be read, and stays as it is ·
21 another one runs, or was killed: see to STATE.lock · 22 the last run did not complete: a person has to review it · 30 the task failed ·
1 the output cannot be written.
"""

import argparse
import datetime
import json
import os
import sys
from pathlib import Path

DONE, DONE_TODAY, UNREADABLE, LOCKED, REVIEW, FAILED = 0, 10, 20, 21, 22, 30
STATES = ("running", "effect", "completed")


def read(state: Path) -> dict[str, str]:
    """The last state; {} when there is none. Raises ValueError when it makes no sense."""
    try:
        found = json.loads(state.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    if not isinstance(found, dict) or found.get("state") not in STATES or not isinstance(found.get("day"), str):
        raise ValueError("it is no state of ours")
    return found


def write(state: Path, what: str, day: str) -> None:
    beside = state.with_name(f"{state.name}.{os.getpid()}.tmp")
    with beside.open("x", encoding="utf-8") as file:
        json.dump({"state": what, "day": day}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, state)


def task() -> None:
    """What is to happen once a day. Here it happens as long as somebody has something to say to it."""
    print("acquired", flush=True)
    if "crash" in sys.stdin.read():
        raise RuntimeError("the task crashed")


def guarded(state: Path, day: str) -> int:
    try:
        last = read(state)
    except ValueError as error:
        print(f"{state} cannot be read: {error}", file=sys.stderr)
        return UNREADABLE
    if last and last["state"] != "completed":
        print(
            f"The run of {last['day']} stopped at “{last['state']}”: review it, then remove {state}.", file=sys.stderr
        )
        return REVIEW
    if last.get("day") == day:
        return DONE_TODAY
    write(state, "running", day)
    try:
        task()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return FAILED
    write(state, "effect", day)
    print(f"done – {day}", flush=True)
    write(state, "completed", day)
    return DONE


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("state", type=Path)
    parser.add_argument("--today", default=datetime.date.today().isoformat())
    given = parser.parse_args()
    lock = given.state.with_name(f"{given.state.name}.lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        print(f"{lock} is there: another one runs, or was killed.", file=sys.stderr)
        return LOCKED
    try:
        return guarded(given.state, given.today)
    finally:
        lock.unlink()


if __name__ == "__main__":
    sys.exit(main())
