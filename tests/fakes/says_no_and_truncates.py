"""Says that the name was taken, and has emptied what was there."""

import contextlib

from speaking import exclusive, serve


def wrong(request):
    answer = exclusive(request)
    if answer["said"] == "no":
        with contextlib.suppress(OSError), open(request["name"], "r+b") as file:
            file.truncate()
    return answer


serve(wrong)
