"""Archives of others: what they hold is read, and never more than there can be."""

from __future__ import annotations

import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from ..core.errors import FileError, OarlockError

MAX_BYTES = 1 << 30  # of the files in an archive, unpacked


@contextmanager
def archive_at(path: str | os.PathLike[str], mode: Any = "r") -> Iterator[tarfile.TarFile]:
    """An archive, opened.   What is wrong with its bytes, in the body as well, becomes a FileError."""
    try:
        with tarfile.open(path, mode) as archive:
            yield archive
    except OarlockError:
        raise
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, zlib.error, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's own words
            raise
        raise FileError(f"{os.path.basename(path)}: is no whole archive ({error})") from None


def listed(archive: tarfile.TarFile, name: str) -> Iterator[tarfile.TarInfo]:
    """What is in an archive.   name: of its file.   FileError for sizes below 0, after which tarfile would go round in circles"""
    for member in archive:
        if member.size < 0:
            raise FileError(f"{name}: {member.name!r:.80} has {member.size} bytes")
        yield member


def members(
    archive: tarfile.TarFile, name: str, wanted: Callable[[str], Any], most: int = MAX_BYTES
) -> Iterator[tuple[str, IO[bytes]]]:
    """Path and contents of the wanted files of an archive.   most: bytes of all together.   FileError; and what tarfile raises."""
    left = most
    for member in listed(archive, name):
        if not member.isfile() or not wanted(member.name):
            continue
        left -= member.size
        # A sparse file is as large as it says, whatever is stored of it.
        if left < 0 or member.issparse():
            raise FileError(f"{name}: {member.name!r:.80} has {member.size} bytes, which is too much")
        file = archive.extractfile(member)
        assert file is not None
        yield member.name, file
