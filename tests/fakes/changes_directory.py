"""Goes to the folder of the claim and stays there."""

import os

from speaking import exclusive, serve


def wrong(request):
    os.chdir(os.path.dirname(request["name"]))
    return exclusive(request)


serve(wrong)
