"""Honest, but without a loop: its arguments are its one request, as of a shell."""

import sys

from speaking import serve

keys = ("do", "id", "claim", "name", "source", "mine", "data")
request = dict(zip(keys, sys.argv[2:], strict=False))
if "id" in request:
    request["id"] = int(request["id"])
serve(requests=[request])
