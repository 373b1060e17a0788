"""Makes a million names beside the one it is asked for."""

import os

from speaking import exclusive, serve


def wrong(request):
    first = f"{request['name']}-0"
    os.close(os.open(first, os.O_CREAT | os.O_WRONLY))
    for number in range(1, 1_000_000):
        os.link(first, f"{request['name']}-{number}")
    return exclusive(request)


serve(wrong)
