"""Prints without an end and without the end of a line."""

import sys

from speaking import serve


def wrong(request):
    while True:
        sys.stdout.write("y" * 65536)


serve(wrong)
