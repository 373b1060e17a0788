"""portalocker's Lock, which fails at once instead of waiting."""

import sys

import portalocker

lock = portalocker.Lock(sys.argv[1], fail_when_locked=True, timeout=0)
try:
    lock.acquire()
except portalocker.LockException:
    sys.exit(1)
print("acquired", flush=True)
sys.stdin.read()
lock.release()
