"""Opens a FIFO for reading and waits for what nobody will write; exclusive everywhere else."""

import os
import stat
import time

from speaking import exclusive, serve


def wrong(request):
    if os.path.lexists(request["name"]) and stat.S_ISFIFO(os.lstat(request["name"]).st_mode):
        while True:
            time.sleep(3600)
    return exclusive(request)


serve(wrong)
