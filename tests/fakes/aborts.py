"""Is killed by a signal in the middle of a claim."""

import os
import signal

from speaking import serve

serve(lambda request: os.kill(os.getpid(), signal.SIGKILL))
