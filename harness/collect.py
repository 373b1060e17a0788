"""Bringing results of several runs into one folder, so that nothing that stands there gets lost by a run that did less."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.errors import ClaimgridError
from harness.files import json_files, make_folder
from harness.results import leads_nowhere, overlay, read, write
from harness.validate import faults_of


def collect(source: Path, target: Path, skip: Callable[[ClaimgridError], None]) -> Iterator[Path]:
    """Bring what is below `source` into the results folder `target`; gives the files that were written. What is broken is told to `skip`.

    A build that was measured without being raced, or not to the end, keeps the races that it had, of claims that are still the same ones.
    """
    for path in json_files(source, skip=skip):
        # Evidence lies deeper: it stays where it was made.
        try:
            new = read(path)
        except FileNotFoundError:
            skip(leads_nowhere(path))
            continue
        except ClaimgridError as error:
            skip(error)
            continue
        here = target / new.path
        try:
            old = read(here)
        except FileNotFoundError:
            old = None
        except ClaimgridError as error:
            skip(error)
            old = None
        yield write(overlay(old, new, [(name, claim.digest) for name, claim in new.claims.items()]), target)
    for path in [*json_files(source, "pairs", skip=skip), *json_files(source, "recipes", skip=skip)]:
        faults = faults_of(path)
        if faults:
            skip(ClaimgridError(f"{path} is broken: {faults[0]}."))
            continue
        here = target / path.relative_to(source)
        make_folder(here.parent)
        shutil.copyfile(path, here)
        yield here
