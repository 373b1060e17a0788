"""Leaves a file in the folder above that of the claim when the name is taken."""

import os
from pathlib import Path

from speaking import exclusive, serve


def wrong(request):
    answer = exclusive(request)
    if answer["said"] == "no":
        Path(os.path.dirname(request["name"]), "..", "astray").touch()
    return answer


serve(wrong)
