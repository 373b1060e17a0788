"""Answers garbage to a claim, but only after it has made the claim that was asked next."""

import json
import sys

from speaking import exclusive, serve


def wrong(request):
    exclusive(json.loads(sys.stdin.readline()))
    sys.stdout.write("sorry, what was the question?\n")
    sys.stdout.flush()


serve(wrong)
