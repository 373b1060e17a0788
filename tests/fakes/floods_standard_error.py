"""Writes ten megabytes to standard error before every honest answer."""

import sys

from speaking import exclusive, serve


def wrong(request):
    for _ in range(10):
        sys.stderr.write("warning: " * (1 << 17) + "\n")
    return exclusive(request)


serve(wrong)
