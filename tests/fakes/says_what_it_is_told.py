"""Answers whatever bytes the data of the claim spells in hexadecimal, and the end of a line."""

import sys

from speaking import serve


def wrong(request):
    sys.stdout.buffer.write(bytes.fromhex(request["data"]) + b"\n")
    sys.stdout.buffer.flush()


serve(wrong)
