"""Never says what it is. It leaves the mark `hanging` in its folder when it has come that far."""

import sys
import time
from pathlib import Path

sys.stdin.readline()
Path(sys.argv[1], "hanging").touch()
while True:
    time.sleep(3600)
