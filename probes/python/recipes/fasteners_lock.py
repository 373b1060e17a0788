"""fasteners' InterProcessLock, without waiting."""

import sys

from fasteners import InterProcessLock

lock = InterProcessLock(sys.argv[1])
if not lock.acquire(blocking=False):
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
lock.release()
