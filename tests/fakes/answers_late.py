"""Answers garbage once, and only after it has made the claim that was asked next."""

import json
import sys
from pathlib import Path

from speaking import exclusive, serve

marker = Path(sys.argv[1], "was late")


def wrong(request):
    if marker.exists():
        return exclusive(request)
    marker.touch()
    exclusive(json.loads(sys.stdin.readline()))
    sys.stdout.write("sorry, what was the question?\n")
    sys.stdout.flush()


serve(wrong)
