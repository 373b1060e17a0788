"""The system's lock on a file that is removed at the end, to leave nothing behind."""

import fcntl
import os
import sys

name = sys.argv[1]
file = os.open(name, os.O_CREAT | os.O_RDWR, 0o644)
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
os.unlink(name)
os.close(file)
