"""filelock's SoftFileLock: the file itself is the lock."""

import sys

from filelock import SoftFileLock, Timeout

lock = SoftFileLock(sys.argv[1], timeout=0)
try:
    lock.acquire()
except Timeout:
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
lock.release()
