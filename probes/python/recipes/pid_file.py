"""A lock file with the pid in it. When that process is dead, its file is removed and made anew."""

import os
import sys

name = sys.argv[1]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def create() -> bool:
    try:
        file = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return False
    os.write(file, str(os.getpid()).encode())
    os.close(file)
    return True


def acquire() -> bool:
    if create():
        return True
    with open(name) as file:
        pid = int(file.read())
    if is_alive(pid):
        return False
    os.unlink(name)
    return create()


if not acquire():
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
os.unlink(name)
