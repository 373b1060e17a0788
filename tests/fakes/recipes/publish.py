"""A publisher that keeps every promise, and by its first argument breaks exactly one of them."""

import os
import sys

BROKEN, NAME, CONTENT = sys.argv[1:4]


def write(path: str, mode: str) -> None:
    with open(path, mode) as file, open(CONTENT) as content:
        file.write(content.readline())
        file.flush()
        file.write(content.read())


if BROKEN == "done-mark":
    open(NAME + ".done", "w").close()
    write(NAME, "w")
elif BROKEN == "whole-publication":
    write(NAME, "w")
else:
    fresh = NAME + ".new"
    write(fresh, "x" if BROKEN == "recovery" else "w")
    os.replace(fresh, NAME)
