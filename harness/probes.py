"""Where the probes are: beside the package in a checkout, inside it when it was installed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path


@cache
def probes_folder() -> Path:
    """The folder of all probes."""
    package = Path(__file__).resolve().parent
    inside = package / "_probes"
    return inside if inside.is_dir() else package.parent / "probes"


@cache
def probe_digest(files: Sequence[str]) -> str:
    """Identifies a probe by the bytes of its files (paths below the probes folder), whatever their line ends."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + (probes_folder() / name).read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:12]
