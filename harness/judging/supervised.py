"""Started as a program: puts itself under a filter of system calls, hands the filter's listener over, and becomes the command.

    python supervised.py SOCKET FILTER COMMAND…

SOCKET is the name of an abstract Unix socket, FILTER the filter's instructions in hexadecimal. The filter holds for everything that
the command starts, too.
"""

import ctypes
import os
import socket
import sys

_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER = 1
_NEW_LISTENER, _WAIT_KILLABLE = 1 << 3, 1 << 5
_INSTRUCTION_BYTES = 8


class _Program(ctypes.Structure):
    _fields_ = (("count", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def listener(instructions: bytes) -> int:
    """Install the filter; the descriptor that tells of the calls it holds. Raises OSError where that is not allowed."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Program(len(instructions) // _INSTRUCTION_BYTES, ctypes.cast(buffer, ctypes.c_void_p))
    number = _SECCOMP[os.uname().machine]
    # Who may filter without giving up set-user-id programs should not give them up: they are part of what is looked at.
    for give_up in (False, True):
        if give_up:
            libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        # Before Linux 5.19 a held call could not be protected from signals, which make it happen twice.
        for flags in (_NEW_LISTENER | _WAIT_KILLABLE, _NEW_LISTENER):
            descriptor = int(libc.syscall(number, _SET_MODE_FILTER, flags, ctypes.byref(program)))
            if descriptor >= 0:
                return descriptor
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def main(name: str, instructions: str, command: list[str]) -> None:
    """Never returns."""
    with socket.socket(socket.AF_UNIX) as door:
        door.connect("\0" + name)
        try:
            descriptor = listener(bytes.fromhex(instructions))
        except (OSError, KeyError) as error:
            door.sendall(str(error).encode())
            sys.exit(str(error))
        socket.send_fds(door, [b"+"], [descriptor])
        os.close(descriptor)
        # Nothing of the command is to run before somebody listens.
        door.recv(1)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        # As a shell says it: there is no such command, or it is none.
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
