"""Is killed in the middle of a race."""

import os
import signal

from racing import serve

serve(race=lambda honest, request: os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM)))
