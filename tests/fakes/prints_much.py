"""Prints a hundred megabytes before it answers."""

import sys

from speaking import exclusive, serve


def wrong(request):
    for _ in range(100):
        sys.stdout.write("y" * (1 << 20))
    return exclusive(request)


serve(wrong)
