"""Makes twenty thousand files beside the name, and removes what was there; says no."""

import contextlib
import os

from speaking import exclusive, serve


def wrong(request):
    answer = exclusive(request)
    if answer["said"] == "no":
        for number in range(20_000):
            os.close(os.open(f"{request['name']}-{number}", os.O_CREAT | os.O_WRONLY))
        with contextlib.suppress(OSError):
            os.unlink(request["name"])
    return answer


serve(wrong)
