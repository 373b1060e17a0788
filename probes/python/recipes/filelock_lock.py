"""filelock's FileLock: the system's lock on a file, which stays."""

import sys

from filelock import FileLock, Timeout

lock = FileLock(sys.argv[1], timeout=0)
try:
    lock.acquire()
except Timeout:
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
lock.release()
