"""The user's own trouble as one exception, and the exit codes that tell it from everything else."""

from __future__ import annotations

import errno
from enum import IntEnum


class Exit(IntEnum):
    """What the exit code of every command means."""

    DONE = 0
    FINDINGS = 1
    USAGE = 2
    FAULT = 3
    NOT_RUN = 4
    INTERRUPTED = 130


class ClaimgridError(Exception):
    """Something the user can put right: `message` says what happened and where, `hint` what to do."""

    def __init__(self, message: str, hint: str = "", code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def out_of_space(error: BaseException) -> ClaimgridError | None:
    """What to tell the user when an error means that there is no room for anything more; None when it means something else."""
    if not isinstance(error, OSError) or error.errno not in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return None
    where = f"at {error.filename}" if error.filename else "where claimgrid works or keeps its results"
    return ClaimgridError(f"There is no room left {where}.", "Make some, and run again.", Exit.NOT_RUN)
