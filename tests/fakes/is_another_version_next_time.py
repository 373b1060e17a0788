"""Is 1.0.0 the first time it is started, and 1.0.1 from then on, as a program that updates itself."""

import sys
from pathlib import Path

from speaking import serve

marker = Path(sys.argv[1], "updated")
version = "1.0.1" if marker.exists() else "1.0.0"
marker.touch()
serve(version=version)
