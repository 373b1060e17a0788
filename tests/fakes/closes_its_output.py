"""Closes standard output and lives on."""

import os
import time

from speaking import serve


def wrong(request):
    os.close(1)
    while True:
        time.sleep(3600)


serve(wrong)
