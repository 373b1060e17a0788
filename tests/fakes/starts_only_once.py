"""Dies in a claim, and cannot be started again."""

import os
import sys
from pathlib import Path

from speaking import serve

marker = Path(sys.argv[1], "started")
if marker.exists():
    sys.exit("error: started before")
marker.touch()
serve(lambda request: os._exit(7))
