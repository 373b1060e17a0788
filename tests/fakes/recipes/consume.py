"""A worker that keeps every promise, and by its first argument breaks exactly one of them."""

import os
import sys
import time
from pathlib import Path

BROKEN, FOLDER, WORKER = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
LIMIT = 60
mine = FOLDER / "processing" / WORKER
done = FOLDER / "done"
for each in (mine, done):
    each.mkdir(parents=True, exist_ok=True)


def took_effect(item: str) -> bool:
    return any(item in path.read_text().split() for path in FOLDER.glob("effects-*"))


def process(item: str) -> None:
    if BROKEN == "idempotence" or not took_effect(item):
        with open(FOLDER / f"effects-{WORKER}", "a") as effects:
            effects.write(f"{item}\n")


for path in sorted((FOLDER / "incoming").iterdir()):
    if BROKEN == "one-consumer":
        process(path.name)
        path.unlink(missing_ok=True)
        continue
    try:
        path.rename(mine / path.name)
    except FileNotFoundError:
        continue
    os.utime(mine / path.name)
    process(path.name)
    (mine / path.name).rename(done / path.name)

if BROKEN != "recovery":
    for path in sorted((FOLDER / "processing").glob("*/*")):
        if path.parent != mine and time.time() - path.stat().st_mtime > LIMIT:
            try:
                path.rename(mine / path.name)
            except FileNotFoundError:
                continue
            process(path.name)
            (mine / path.name).rename(done / path.name)
