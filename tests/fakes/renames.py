"""Renames its source onto the name, which replaces a file that is there."""

import os

from speaking import LISTED, entry, no, serve


def wrong(request):
    try:
        os.replace(request["source"], request["name"])
    except OSError as error:
        return no(error)
    return {"said": "yes"}


serve(wrong, listed=[*LISTED[:-1], entry("wrong", source="file")])
