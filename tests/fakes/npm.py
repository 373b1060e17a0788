"""The npm client as far as claimgrid uses it. Its registry is a folder: the first argument.

`registry.json` there has versions and digests by package; the archives lie beside it.
"""

import json
import shutil
import sys
from pathlib import Path

registry, verb, wanted, *rest = sys.argv[1:]
known = json.loads(Path(registry, "registry.json").read_text(encoding="utf-8"))
if known is None:
    sys.exit("npm error code ENOTFOUND\nnpm error network request to https://registry.example/ failed")
if verb == "view":
    versions = list(known[wanted])
    sys.stdout.write(json.dumps(versions if len(versions) != 1 else versions[0]))
elif verb == "pack":
    package, _, version = wanted.rpartition("@")
    archive = Path(registry, f"{version}.tgz")
    if archive.exists():
        shutil.copy(archive, rest[rest.index("--pack-destination") + 1])
    sys.stdout.write(json.dumps([{"integrity": known[package][version]}]))
