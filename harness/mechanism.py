"""The mechanism of a claim: which system call takes the name, or that a look decides before it. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.observation import Said
from harness.strace import Call
from harness.vocabulary import Kind

CHECK_THEN_ACT = "check-then-act"

_FLAG = re.compile(r"\b(?:O_(?:CREAT|EXCL|TRUNC|APPEND)|RENAME_[A-Z]+|AT_REMOVEDIR|LOCK_[A-Z]+|F_(?:OFD_)?SETLKW?)\b")
_OPENS = ("open", "openat", "openat2")
_RENAMES = ("rename", "renameat", "renameat2")
_REMOVES = ("unlink", "unlinkat", "rmdir")
# These make a name or fail: no flag lets them touch one that is there.
_MAKES = ("mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat")
_LOCKS = ("flock", "fcntl")

# What happens to the caller's own descriptor and to nothing that another process could see.
_PRIVATE = ("lseek", "fadvise64", "mmap", "dup", "dup2", "dup3", "epoll_ctl", "poll", "ppoll", "pselect6")


@dataclass(frozen=True, slots=True)
class Trace:
    """One claim as its system calls and its answer tell it; `names` are the spellings of the contested name."""

    names: tuple[str, ...]
    said: Said
    calls: tuple[Call, ...]

    @property
    def touches(self) -> list[Call]:
        """The calls that touch the contested name or what is in it, in order."""
        return touches(self.calls, self.names)


def touches(calls: Sequence[Call], names: Sequence[str]) -> list[Call]:
    """Those of the calls that look at, change or go through the name, what is below it, or an open file of it.

    The names may be relative ones, too, for calls that do not tell in which directory they were looked up.
    """
    return [
        call
        for call in calls
        if not _is_private(call) and any(_within(path, names) for path in (*call.paths, *call.given, *call.descriptors))
    ]


def _within(path: str, names: Sequence[str]) -> bool:
    return any(path == name or path.startswith(name + "/") for name in names)


def _is_private(call: Call) -> bool:
    if call.name == "fcntl":
        return not _FLAG.search(notation(call))
    if call.name == "ioctl":
        return "TCGETS" in call.arguments
    return call.name in _PRIVATE


def notation(call: Call) -> str:
    """A call as it is printed: its name and the flags that make a difference, in order of the alphabet."""
    # A path may spell a flag; it stands between quotes or in the brackets of its descriptor.
    spoken = " ".join(argument for argument in call.arguments if '"' not in argument and "<" not in argument)
    if call.name == "openat2":
        spoken = " ".join(call.arguments[2:])
    flags = sorted(set(_FLAG.findall(spoken)))
    return f"{call.name}({'|'.join(flags)})" if flags else call.name


def taking(kind: Kind, trace: Trace) -> Call | None:
    """The call that took the name in a trace of a win; None when no call did that strace could see."""
    won = [call for call in trace.calls if call.succeeded and _could_take(kind, call, trace.names)]
    if kind is Kind.HELD:
        # Whoever holds a lock opened the file first, perhaps with a shared lock, which excluded nobody.
        won.sort(key=lambda call: not is_exclusive(kind, notation(call)))
    # A tree is gone when its own name goes, whatever went before.
    return (won[-1] if kind is Kind.TAKE else won[0]) if won else None


def _could_take(kind: Kind, call: Call, names: Sequence[str]) -> bool:
    """Whether calls of this form take the name, one way or another."""
    if kind is Kind.TAKE:
        return call.name in (*_RENAMES, *_REMOVES) and call.paths[:1] != () and call.paths[0] in names
    if kind is Kind.HELD and call.name in _LOCKS:
        lets_go = any("LOCK_UN" in argument or "F_UNLCK" in argument for argument in call.arguments)
        return not lets_go and bool(_FLAG.search(notation(call))) and any(path in names for path in call.descriptors)
    if not call.paths or call.paths[-1] not in names:
        return False
    return call.name in (*_MAKES, *_RENAMES, "creat") or (call.name in _OPENS and "O_CREAT" in notation(call))


def takes_locks(calls: Sequence[Call]) -> bool:
    """Whether any of the calls asks for a lock, be it a shared one: whoever wants an exclusive one is kept out by that."""
    return any(call.name in _LOCKS and not _is_private(call) for call in calls)


def locks_late(kind: Kind, win: Trace) -> bool:
    """Whether a claim takes the name and only then asks for an exclusive lock on it, which whoever looks at that moment may be in the way of."""
    act = taking(kind, win)
    if act is None or kind is Kind.HELD:
        return False
    return any(
        call.name in _LOCKS and any("LOCK_EX" in each or "F_WRLCK" in each for each in call.arguments)
        for call in win.touches[win.touches.index(act) + 1 :]
    )


def is_exclusive(kind: Kind, mechanism: str) -> bool | None:
    """Whether the system lets only one caller succeed with this call; None where that depends on what is moved."""
    call, _, flags = mechanism.rstrip(")").partition("(")
    if call in _OPENS:
        return {"O_CREAT", "O_EXCL"} <= set(flags.split("|"))
    if call in _RENAMES:
        # A directory is not moved onto a full one, but onto an empty one. A name that was moved away cannot be again.
        return True if kind is Kind.TAKE or "RENAME_NOREPLACE" in flags else None
    return call in (*_MAKES, *_REMOVES, *_LOCKS) and "LOCK_SH" not in flags


def undecided(kind: Kind, win: Trace, again: Trace) -> int | None:
    """The touch of `win` after which another has to take the name before the mechanism can be told; None when it can.

    It cannot when the name is looked at first, and then taken by a call that would be refused by the system: whether
    that refusal counts does not show as long as the look decides every time.
    """
    act = taking(kind, win)
    if act is None or not _decided_by_a_look(kind, act, again) or is_exclusive(kind, notation(act)) is False:
        return None
    before = win.touches.index(act)
    return before or None


def mechanism(kind: Kind, win: Trace, again: Trace, late: Said | None = None) -> str | None:
    """The mechanism, from a trace of a win and one of the same claim when the name was taken; None when it does not show.

    `late` is what the claim said when the name was taken between its look and its act (see `undecided`).
    """
    act = taking(kind, win)
    if act is None:
        return None
    if not _decided_by_a_look(kind, act, again):
        return notation(act)
    if is_exclusive(kind, notation(act)) is False or late is Said.YES:
        return CHECK_THEN_ACT
    return notation(act) if late is Said.NO else None


def _decided_by_a_look(kind: Kind, act: Call, again: Trace) -> bool:
    """Whether the claim said no without having tried the call that takes the name."""
    tried = any(notation(call) == notation(act) and _could_take(kind, call, again.names) for call in again.calls)
    return again.said is Said.NO and not tried


def way_of(mechanism: str) -> str:
    """What decides in a mechanism: claims with the same are the same thing to the system.

    What else an exclusive open does to a file that it has just made is nothing to others; `mkdirat` is `mkdir`.
    """
    name, _, flags = mechanism.rstrip(")").partition("(")
    kept = [flag for flag in flags.split("|") if flag not in ("O_TRUNC", "O_APPEND")]
    return f"{name.removesuffix('2').removesuffix('at')}({'|'.join(kept)})"
