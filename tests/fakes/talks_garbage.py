"""Answers something that is not JSON."""

import sys

from speaking import serve


def wrong(request):
    sys.stdout.write("Segmentation fault (core dumped)\n")
    sys.stdout.flush()


serve(wrong)
