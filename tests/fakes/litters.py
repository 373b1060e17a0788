"""Makes twenty thousand files beside the name."""

import os

from speaking import exclusive, serve


def wrong(request):
    for number in range(20_000):
        os.close(os.open(f"{request['name']}-{number}", os.O_CREAT | os.O_WRONLY))
    return exclusive(request)


serve(wrong)
