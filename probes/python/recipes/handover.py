"""Written beside, made durable, and put into its place: a reader finds the old file or the new one, each whole."""

import os
import sys
import tempfile
from pathlib import Path

name, content = Path(sys.argv[1]), Path(sys.argv[2])

with tempfile.NamedTemporaryFile("wb", dir=name.parent, prefix=f"{name.name}.", delete=False) as file:
    file.write(content.read_bytes())
    file.flush()
    os.fsync(file.fileno())
os.replace(file.name, name)
