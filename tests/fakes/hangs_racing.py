"""Never comes back from a race. It leaves the mark `hanging` in its folder when it has come that far."""

import sys
import time
from pathlib import Path

from racing import serve


def hanging(honest, request):
    Path(sys.argv[1], "hanging").touch()
    time.sleep(3600)


serve(race=hanging)
