"""Read untrusted tar archives within limits."""

from __future__ import annotations

import io
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from ..core.errors import FileError, OarlockError

MAX_BYTES = 1 << 30  # size of an unpacked archive, and of the files extracted from it
MAX_FILES = 1 << 18
MAX_HEADER = 1 << 14  # maximal bytes of a long name or another extended header
MAX_HEADERS = 1 << 26  # maximal bytes of all headers, which stay in memory


@contextmanager
def open_tar_archive(
    path: str | os.PathLike[str], mode: Any = "r", max_bytes: int = MAX_BYTES
) -> Iterator[tarfile.TarFile]:
    """Open an archive.

    max_bytes: limit of the unpacked bytes. Errors in its bytes, also in the body of the `with`,
    become FileError.
    """
    name = os.path.basename(path)
    limits: Any = {"max_bytes": max_bytes}
    try:
        with open(path, "rb") as file, _LimitedTarFile.open(path, mode, file, **limits) as archive:
            yield archive
    except OarlockError:
        raise
    except MemoryError:
        raise FileError(f"{name}: its contents do not fit into memory") from None
    except (
        tarfile.TarError,
        OSError,
        EOFError,
        ValueError,
        OverflowError,
        IndexError,
        RecursionError,
        zlib.error,
        lzma.LZMAError,
    ) as error:
        if (
            isinstance(error, OSError) and error.errno is not None
        ):  # an error of the operating system
            raise
        raise FileError(f"{name}: is not a complete archive ({error})") from None


class _LimitedDecompressedFile:
    """File object that decompresses another file and limits the number of decompressed bytes.
    Seeking forward also decompresses the skipped bytes.
    """

    def __init__(self, file: Any, name: str, max_bytes: int) -> None:
        self._file, self._file_name, self._max_bytes = file, name, max_bytes
        self.tell, self.close = file.tell, file.close

    def seek(self, position: int) -> int:
        """Seek to a position."""
        self._check_unpacked_size(position)
        new_position: int = self._file.seek(position)
        return new_position

    def read(self, size: int) -> bytes:
        """Read bytes."""
        self._check_unpacked_size(self._file.tell() + size)
        data: bytes = self._file.read(size)
        return data

    def _check_unpacked_size(self, end: int) -> None:
        if end > self._max_bytes:
            raise FileError(
                f"{self._file_name}: has more than {self._max_bytes} unpacked bytes, which is too "
                f"large"
            )


class _LimitedTarInfo(tarfile.TarInfo):
    """Header of an archive member, which limits the size of extended headers and rejects sparse
    files.
    """

    _sparse_structs: Any

    def _proc_gnulong(self, archive: Any) -> Any:
        archive.count_header_and_check_limits(self)
        return super()._proc_gnulong(archive)  # type: ignore[misc]

    def _proc_pax(self, archive: Any) -> Any:
        archive.count_header_and_check_limits(self)
        # Global headers are skipped. A global header applies to all files, so that each file would
        # get a copy, and the files that are read need no global headers.
        if self.type == tarfile.XGLTYPE:
            archive.fileobj.read(self._block(self.size))  # type: ignore[attr-defined]
            return self.fromtarfile(archive)
        return super()._proc_pax(archive)  # type: ignore[misc]

    def _proc_sparse(self, archive: Any) -> Any:
        """Reject a sparse file, because the unpacked size of a sparse file is not limited by the
        number of bytes that the archive stores.
        """
        archive.raise_member_too_large(self, self._sparse_structs[2])

    def _proc_gnusparse_10(self, member: Any, headers: Any, archive: Any) -> Any:
        """Reject a sparse file of GNU format 1.0, for the reason stated at `_proc_sparse`."""
        archive.raise_member_too_large(member, member.size)


class _LimitedTarFile(tarfile.TarFile):
    """Tar archive whose headers and members are limited in size."""

    tarinfo = _LimitedTarInfo
    members: list[tarfile.TarInfo]  # read so far

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._header_bytes = 0
        super().__init__(*args, **kwargs)

    @classmethod
    def taropen(
        cls,
        name: Any,
        mode: Any = "r",
        fileobj: Any = None,
        max_bytes: int = MAX_BYTES,
        **kwargs: Any,
    ) -> Any:
        """Open an archive. `fileobj` returns the decompressed bytes, or is the archive file
        itself.
        """
        if not isinstance(fileobj, io.BufferedReader):
            fileobj = _LimitedDecompressedFile(fileobj, os.path.basename(name), max_bytes)
        return super().taropen(name, mode, fileobj, **kwargs)

    def next(self) -> Any:
        """Return the next file.

        Raises FileError for too many files, and for negative sizes, with which tarfile would loop
        forever.
        """
        member = super().next()
        if member is not None and (member.size < 0 or len(self.members) > MAX_FILES):
            is_within_count = len(self.members) <= MAX_FILES
            problem = (
                (f"{member.name!r:.80} has {member.size} bytes")
                if is_within_count
                else (f"has more than {MAX_FILES} files")
            )
            raise FileError(f"{self._file_name()}: {problem}")
        return member

    def count_header_and_check_limits(self, header: tarfile.TarInfo) -> None:
        """Count the bytes of a header. Raise FileError if the header, or all headers together, are
        too large.
        """
        self._header_bytes += max(header.size, 0)
        if header.size > MAX_HEADER or self._header_bytes > MAX_HEADERS:
            self.raise_member_too_large(header, max(header.size, self._header_bytes))

    def raise_member_too_large(self, member: tarfile.TarInfo, size: int) -> None:
        """Raise a FileError that says that the member has `size` bytes, which is too large."""
        raise FileError(
            f"{self._file_name()}: {member.name!r:.80} has {size} bytes, which is too large"
        )

    def _file_name(self) -> str:
        return os.path.basename(str(self.name))


def iter_wanted_paths_and_files(
    archive: tarfile.TarFile, name: str, is_wanted: Callable[[str], Any], max_bytes: int = MAX_BYTES
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the paths and contents of those files in the archive that `is_wanted` accepts.

    max_bytes: limit of the sum of their sizes. Raises FileError, and what tarfile raises.
    """
    remaining = max_bytes
    for member in archive:
        if not member.isfile() or not is_wanted(member.name):
            continue
        remaining -= member.size
        if remaining < 0 or member.issparse():
            raise FileError(
                f"{name}: {member.name!r:.80} has {member.size} bytes, which is too large"
            )
        file = archive.extractfile(member)
        assert file is not None
        yield member.name, file
