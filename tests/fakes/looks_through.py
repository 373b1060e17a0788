"""Makes a directory of the name, and then looks through it at the folder above."""

import os

from speaking import no, serve


def wrong(request):
    try:
        os.mkdir(request["name"])
    except OSError as error:
        return no(error)
    os.lstat(os.path.join(request["name"], ".."))
    return {"said": "yes"}


serve(wrong)
