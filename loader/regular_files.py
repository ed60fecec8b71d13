"""Open files for reading if they are regular files, so that a read never blocks on a pipe and never
reads a device without end.
"""

from __future__ import annotations

import io
import os
import stat
from typing import Any, BinaryIO, TypeVar

from ..core.errors import FileError

T = TypeVar("T")
# O_NONBLOCK, because opening a pipe that has no writer would block.
_OPEN_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class _NonBlockingFile(io.FileIO):
    """A file whose read methods raise FileError instead of blocking. Some files in /proc have the
    type of regular files, but reading them blocks until data arrives.
    """

    path = ""

    def readinto(self, buffer: Any, /) -> int:
        """Read bytes from the file into a buffer and return the number of bytes that were read.

        Raises FileError if the read would block.
        """
        count: int | None = super().readinto(buffer)
        return self._require_read_not_blocked(count)

    def readall(self) -> bytes:
        """Read the remaining bytes of the file. Raises FileError if the read would block."""
        data: bytes | None = super().readall()
        return self._require_read_not_blocked(data)

    def _require_read_not_blocked(self, data: T | None) -> T:
        if data is None:
            raise FileError(
                f"{os.path.basename(self.path)}: is not a regular file ({self.path}): a read "
                "would block"
            )
        return data


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading. Raises FileError if the path is a folder, a pipe or a
    device; raises OSError if the file cannot be opened.
    """
    handle = os.open(path, os.O_RDONLY | _OPEN_FLAGS)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise FileError(f"{os.path.basename(path)}: is not a regular file ({os.fspath(path)})")
    file = _NonBlockingFile(handle, "rb")
    file.path = os.fspath(path)
    return io.BufferedReader(file)


def read_file(
    path: str | os.PathLike[str], max_bytes: int | None = None, file_kind: str = "such file"
) -> bytes:
    """Return the bytes of a regular file.

    max_bytes: the maximum size.
    file_kind: the kind of file, for errors.

    Raises FileError, OSError.
    """
    name = os.path.basename(path)
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            data = (
                b""
                if max_bytes is not None and size > max_bytes
                else file.read(-1 if max_bytes is None else max_bytes + 1)
            )
        except MemoryError:
            raise FileError(f"{name}: {size} bytes, more than fit into memory") from None
        size = max(size, len(data))  # the file may have grown since its size was read
        if max_bytes is not None and size > max_bytes:
            raise FileError(f"{name}: {size} bytes, more than the {max_bytes} of any {file_kind}")
        return data
