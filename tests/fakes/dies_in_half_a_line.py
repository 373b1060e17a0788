"""Dies in the middle of the line that says no."""

import os
import sys

from speaking import serve


def wrong(request):
    sys.stdout.write(f'{{"id":{request["id"]},"said":"no"')
    sys.stdout.flush()
    os._exit(7)


serve(wrong)
