"""Writes into every file of that name in the folders beside its own, as one does who goes up a level too far."""

import os
from pathlib import Path

from speaking import exclusive, serve


def wrong(request):
    answer = exclusive(request)
    folder = Path(os.path.dirname(request["name"]))
    for other in folder.parent.glob("neighbour*/name"):
        other.write_bytes(b"x" * other.stat().st_size)
    return answer


serve(wrong)
