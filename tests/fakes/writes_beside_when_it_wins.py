"""Leaves a folder in the folder above that of the claim when it wins."""

import os
from pathlib import Path

from speaking import exclusive, serve


def wrong(request):
    answer = exclusive(request)
    if answer["said"] == "yes":
        Path(os.path.dirname(request["name"]), "..", "astray", "deeper").mkdir(parents=True, exist_ok=True)
    return answer


serve(wrong)
