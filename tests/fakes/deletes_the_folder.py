"""Deletes the whole folder that the name is in, and says no."""

import os
import shutil

from speaking import serve


def wrong(request):
    shutil.rmtree(os.path.dirname(request["name"]))
    return {"said": "no", "error": "ENOENT", "exists": False}


serve(wrong)
