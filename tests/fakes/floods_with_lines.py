"""Prints lines without an end, as a prompt that is asked again and again does."""

import sys

from speaking import serve


def wrong(request):
    while True:
        sys.stdout.write("Overwrite it? [y/n]\n" * 1000)


serve(wrong)
