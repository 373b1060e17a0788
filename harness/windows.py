"""What only Windows has, by its own calls: jobs that end with whoever made them, streams of files, the filesystem of a volume.

Every function takes the `kernel` whose calls it makes, kernel32 by default, so that its use of them can be tested anywhere.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_KILL_ON_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_ALL_STREAMS = 0
_MAIN_STREAM = "::$DATA"
_LONGEST = 1 << 15
"""Characters of a path, more than any has."""
CREATE_SUSPENDED = 0x4
_DRIVE_REMOTE = 4
_PLAIN_WORD = re.compile(r"[\w./:\\=+-]+")
_BATCH = (".cmd", ".bat")


def command_line(argv: Sequence[str], comspec: str = "cmd.exe") -> str | list[str]:
    """What starts a program: its words as they are; of a batch file the one line with which cmd passes every word on intact.

    Python would leave words without spaces bare, and cmd ends a bare word at `&`. Raises OSError for a word that cmd changes in quotes, too.
    """
    if not argv[0].lower().endswith(_BATCH):
        return list(argv)
    for word in argv:
        if any(sign in word for sign in '"%\r\n'):
            raise OSError(f"a batch file cannot be given {word!r} as it is")
    words = " ".join(f'"{word}"' for word in argv)
    return f'"{comspec}" /d /v:off /s /c "{words}"'


def quoted_word(word: str) -> str:
    """A word as it can be pasted into cmd and into PowerShell: in quotes when either would see more in it than a word."""
    if _PLAIN_WORD.fullmatch(word):
        return word
    # Programs read a backslash before a quote as one that escapes it.
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', word)
    return '"' + re.sub(r"(\\+)$", r"\1\1", escaped) + '"'


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which only the flags are used."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("classes", ctypes.c_uint32 * 2),
        ("io", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


class _Stream(ctypes.Structure):
    """WIN32_FIND_STREAM_DATA."""

    _fields_ = (("size", ctypes.c_int64), ("name", ctypes.c_wchar * 296))


@functools.cache
def kernel32() -> Any:
    """The library, with handles and pointers as wide as they are."""
    library = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined, unused-ignore]
    handle, text, number, pointer = ctypes.c_void_p, ctypes.c_wchar_p, ctypes.c_uint32, ctypes.c_void_p
    for name, gives, takes in (
        ("CreateJobObjectW", handle, (pointer, text)),
        ("SetInformationJobObject", ctypes.c_int, (handle, ctypes.c_int, pointer, number)),
        ("AssignProcessToJobObject", ctypes.c_int, (handle, handle)),
        ("TerminateJobObject", ctypes.c_int, (handle, ctypes.c_uint)),
        ("CloseHandle", ctypes.c_int, (handle,)),
        ("FindFirstStreamW", handle, (text, ctypes.c_int, pointer, number)),
        ("FindNextStreamW", ctypes.c_int, (handle, pointer)),
        ("FindClose", ctypes.c_int, (handle,)),
        ("GetVolumePathNameW", ctypes.c_int, (text, text, number)),
        ("GetVolumeInformationW", ctypes.c_int, (text, text, number, pointer, pointer, pointer, text, number)),
        ("GetDriveTypeW", ctypes.c_uint, (text,)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = gives, takes
    return library


class Job:
    """A job object: what is put into it, and all that this starts, is ended with it, at the latest when the harness is no more.

    Raises OSError when Windows makes none.
    """

    def __init__(self, kernel: Any = None) -> None:
        self._kernel = kernel if kernel is not None else kernel32()
        self._handle = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = _Limits(flags=_KILL_ON_CLOSE)
        if not self._handle or not self._kernel.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        ):
            self.end()
            raise OSError("Windows makes no job object for a process")

    def take(self, process: int) -> bool:
        """Put a process into it, by its handle. One that was started suspended cannot have started anything before."""
        return bool(self._kernel.AssignProcessToJobObject(self._handle, ctypes.c_void_p(process)))

    def end(self) -> None:
        """End everything in it, once."""
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, 1)
            self._kernel.CloseHandle(self._handle)
            self._handle = ctypes.c_void_p()


def streams(path: str, kernel: Any = None) -> list[tuple[str, int]]:
    """The streams that a file has beside its content, each with its size; none where the filesystem knows none."""
    kernel = kernel if kernel is not None else kernel32()
    data = _Stream()
    search = ctypes.c_void_p(kernel.FindFirstStreamW(path, _ALL_STREAMS, ctypes.byref(data), 0))
    if search.value in (None, ctypes.c_void_p(-1).value):
        return []
    found = []
    try:
        while True:
            if data.name != _MAIN_STREAM:
                found.append((str(data.name), int(data.size)))
            if not kernel.FindNextStreamW(search, ctypes.byref(data)):
                return sorted(found)
    finally:
        kernel.FindClose(search)


def volume_filesystem(folder: Path, kernel: Any = None) -> str:
    """The type of the filesystem of the volume that a folder is on: "NTFS"; empty when Windows does not tell.

    A share is "SMB", whatever lies on the disk of its server: names are made there by another system, over another protocol.
    """
    kernel = kernel if kernel is not None else kernel32()
    volume, name = ctypes.create_unicode_buffer(_LONGEST), ctypes.create_unicode_buffer(261)
    if not kernel.GetVolumePathNameW(str(folder), volume, _LONGEST):
        return ""
    if kernel.GetDriveTypeW(volume) == _DRIVE_REMOTE:
        return "SMB"
    told = kernel.GetVolumeInformationW(volume, None, 0, None, None, None, name, len(name))
    return name.value if told else ""
