"""Says on standard error that everything failed, and makes an honest claim."""

import sys

from speaking import exclusive, serve


def wrong(request):
    sys.stderr.write("fatal error: permission denied\n")
    return exclusive(request)


serve(wrong)
