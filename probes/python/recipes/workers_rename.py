"""Each worker renames an item into a folder of its own before it works on it; what an old one left there is taken up later.

What took effect is the ledger: it is looked up before, so that an item which a dead worker left behind half done counts once.
"""

import os
import sys
import time
from pathlib import Path

folder, worker = Path(sys.argv[1]), sys.argv[2]
LIMIT_SECONDS = 60
mine, done = folder / "processing" / worker, folder / "done"


def take(path: Path) -> bool:
    try:
        path.rename(mine / path.name)
    except FileNotFoundError:
        return False
    return True


def took_effect(item: str) -> bool:
    return any(item in effects.read_text().splitlines() for effects in folder.glob("effects-*"))


def work(item: str) -> None:
    os.utime(mine / item)
    if not took_effect(item):
        with open(folder / f"effects-{worker}", "a") as effects:
            effects.write(f"{item}\n")
    (mine / item).rename(done / item)


mine.mkdir(parents=True, exist_ok=True)
done.mkdir(exist_ok=True)
for path in sorted((folder / "incoming").iterdir()):
    if take(path):
        work(path.name)
for path in sorted((folder / "processing").glob("*/*")):
    if path.parent != mine and time.time() - path.stat().st_mtime > LIMIT_SECONDS and take(path):
        work(path.name)
