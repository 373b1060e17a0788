"""The system's lock on a file that stays: it is gone with the process, and there is nothing to take over."""

import fcntl
import os
import sys

file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR, 0o644)
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
os.close(file)
