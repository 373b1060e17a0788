"""Ends with a code of its own in the middle of a claim, after saying why on standard error."""

import os
import sys

from speaking import serve


def wrong(request):
    sys.stderr.write("fatal: out of luck\n")
    sys.stderr.flush()
    os._exit(7)


serve(wrong)
