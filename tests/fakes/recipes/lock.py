"""A lock that keeps every promise, and by its first argument breaks exactly one of them."""

import contextlib
import fcntl
import os
import re
import sys
import time

BROKEN, NAME = sys.argv[1], sys.argv[2]
FREE = b"free           \n"
STATE = re.compile(rb"(free {11}|held by \d{7})\n")
TRIED = NAME + ".tried"
LIMIT = 60


def lay() -> None:
    """Have the file there, whole from its first moment on."""
    fresh = f"{NAME}.{os.getpid()}"
    with open(fresh, "xb") as file:
        file.write(FREE)
    with contextlib.suppress(FileExistsError):
        os.link(fresh, NAME)
    os.unlink(fresh)


def refuse(state: bytes) -> None:
    if BROKEN == "progress":
        open(TRIED, "wb").close()
    if BROKEN == "owner-only-release" and state.startswith(b"held"):
        os.unlink(NAME)
    sys.exit(1)


def acquire() -> int:
    if BROKEN == "no-wrong-takeover" and os.path.exists(NAME) and time.time() - os.stat(NAME).st_mtime > LIMIT:
        os.unlink(NAME)
    lay()
    file = os.open(NAME, os.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        state = os.pread(file, 100, 0)
        if not (BROKEN == "exclusion" and state == FREE):
            refuse(state)
    try:
        same = os.stat(NAME).st_ino == os.fstat(file).st_ino
    except FileNotFoundError:
        same = False
    if not same:
        sys.exit(1)
    state = os.pread(file, 100, 0)
    if not STATE.fullmatch(state) and BROKEN != "safe-on-doubt":
        sys.exit(2)
    if BROKEN == "recovery" and state.startswith(b"held"):
        sys.exit(1)
    if BROKEN == "progress" and os.path.exists(TRIED):
        os.unlink(TRIED)
        sys.exit(1)
    # As long as the other state, so that it is replaced by one call.
    os.pwrite(file, b"held by %07d\n" % os.getpid(), 0)
    return file


def release(file: int) -> None:
    os.pwrite(file, FREE, 0)
    os.close(file)


held = acquire()
print("acquired", flush=True)
sys.stdin.read()
release(held)
