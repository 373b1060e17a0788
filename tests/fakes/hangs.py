"""Never answers a claim. It leaves the mark `hanging` in its folder when it has come that far."""

import sys
import time
from pathlib import Path

from speaking import serve


def wrong(request):
    Path(sys.argv[1], "hanging").touch()
    while True:
        time.sleep(3600)


serve(wrong, version="2.0.0")
