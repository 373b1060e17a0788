"""Never answers a claim, and does not listen to polite signals nor to the end of its input."""

import signal
import time

from speaking import serve

signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)


def wrong(request):
    while True:
        time.sleep(3600)


serve(wrong)
