"""Says no, and ends with code 0 before the end of the line."""

import os
import sys

from speaking import serve


def wrong(request):
    sys.stdout.write(f'{{"id":{request["id"]},"said":"no"}}')
    sys.stdout.flush()
    os._exit(0)


serve(wrong)
