"""Dies and leaves a process behind that went to a session of its own and let go of all pipes. `grandchild` has its id."""

import os
import sys
import time
from pathlib import Path

from speaking import serve


def wrong(request):
    if os.fork() == 0:
        os.setsid()
        for handle in range(3):
            os.close(handle)
        Path(sys.argv[1], "grandchild").write_text(str(os.getpid()), encoding="utf-8")
        while True:
            time.sleep(3600)
    while not Path(sys.argv[1], "grandchild").exists():
        time.sleep(0.001)
    os._exit(7)


serve(wrong)
