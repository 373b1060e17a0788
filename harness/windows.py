"""What only Windows has, by its own calls: jobs that end with whoever made them, streams of files, the filesystem of a volume.

Every function takes the `kernel` whose calls it makes, kernel32 by default, so that its use of them can be tested anywhere.
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

_KILL_ON_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_ALL_STREAMS = 0
_MAIN_STREAM = "::$DATA"
_LONGEST = 1 << 15
"""Characters of a path, more than any has."""
CREATE_SUSPENDED = 0x4


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
    library.CreateJobObjectW.restype = library.FindFirstStreamW.restype = ctypes.c_void_p
    return library


class Job:
    """A job object: what is put into it, and all that this starts, is ended with it, at the latest when the harness is no more."""

    def __init__(self, kernel: Any = None) -> None:
        self._kernel = kernel if kernel is not None else kernel32()
        self._handle = ctypes.c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = _Limits(flags=_KILL_ON_CLOSE)
        self._kernel.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )

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
    """The type of the filesystem of the volume that a folder is on, a network share too: "NTFS"; empty when Windows does not tell."""
    kernel = kernel if kernel is not None else kernel32()
    volume, name = ctypes.create_unicode_buffer(_LONGEST), ctypes.create_unicode_buffer(261)
    if not kernel.GetVolumePathNameW(str(folder), volume, _LONGEST):
        return ""
    told = kernel.GetVolumeInformationW(volume, None, 0, None, None, None, name, len(name))
    return name.value if told else ""
