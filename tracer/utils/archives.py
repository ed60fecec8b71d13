"""Archives of others: what they hold is read, and never more than there can be."""

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
MAX_HEAD = 1 << 14  # maximal bytes of a long name, or of other headers in front of a file
MAX_HEADS = 1 << 26  # of all together: they stay in memory


@contextmanager
def archive_at(
    path: str | os.PathLike[str], mode: Any = "r", most: int = MAX_BYTES
) -> Iterator[tarfile.TarFile]:
    """An archive, opened.

    most: bytes that may be unpacked.
    What is wrong with its bytes, in the body as well, becomes a FileError.
    """
    name = os.path.basename(path)
    limits: Any = {"most": most}
    try:
        with open(path, "rb") as file, _Archive.open(path, mode, file, **limits) as archive:
            yield archive
    except OarlockError:
        raise
    except MemoryError:
        raise FileError(f"{name}: holds more than fits into memory") from None
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
        if isinstance(error, OSError) and error.errno is not None:  # the system's own words
            raise
        raise FileError(f"{name}: is not a complete archive ({error})") from None


class _Unpacked:
    """What comes out of a packed file, up to the limit: also what is only passed over has to be
    unpacked.
    """

    def __init__(self, file: Any, name: str, most: int) -> None:
        self._file, self._name, self._most = file, name, most
        self.tell, self.close = file.tell, file.close

    def seek(self, position: int) -> int:
        """Go there."""
        self._check(position)
        found: int = self._file.seek(position)
        return found

    def read(self, size: int) -> bytes:
        """The next bytes."""
        self._check(self._file.tell() + size)
        found: bytes = self._file.read(size)
        return found

    def _check(self, end: int) -> None:
        if end > self._most:
            raise FileError(
                f"{self._name}: is more than {self._most} bytes, unpacked, which is too much"
            )


class _Head(tarfile.TarInfo):
    """The head of a file; what goes before it is bounded."""

    _sparse_structs: Any

    def _proc_gnulong(self, archive: Any) -> Any:
        archive.count_head(self)
        return super()._proc_gnulong(archive)  # type: ignore[misc]

    def _proc_pax(self, archive: Any) -> Any:
        archive.count_head(self)
        # Global headers apply to all files, each of which would get a copy; requested files do not
        # need them.
        if self.type == tarfile.XGLTYPE:
            archive.fileobj.read(self._block(self.size))  # type: ignore[attr-defined]
            return self.fromtarfile(archive)
        return super()._proc_pax(archive)  # type: ignore[misc]

    def _proc_sparse(self, archive: Any) -> Any:
        """A sparse file is as large as it says, whatever is stored of it, and lists its pieces
        without end.
        """
        archive.refuse(self, self._sparse_structs[2])

    def _proc_gnusparse_10(self, found: Any, headers: Any, archive: Any) -> Any:
        archive.refuse(found, found.size)


class _Archive(tarfile.TarFile):
    """An archive that is read within limits."""

    tarinfo = _Head
    members: list[tarfile.TarInfo]  # so far

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._heads = 0
        super().__init__(*args, **kwargs)

    @classmethod
    def taropen(
        cls, name: Any, mode: Any = "r", fileobj: Any = None, most: int = MAX_BYTES, **kwargs: Any
    ) -> Any:
        """Open one; fileobj: what is unpacked, or the file itself."""
        if not isinstance(fileobj, io.BufferedReader):
            fileobj = _Unpacked(fileobj, os.path.basename(name), most)
        return super().taropen(name, mode, fileobj, **kwargs)

    def next(self) -> Any:
        """The next file.

        FileError for one too many, and for sizes below 0, after which tarfile would go round in
        circles
        """
        member = super().next()
        if member is not None and (member.size < 0 or len(self.members) > MAX_FILES):
            few = len(self.members) <= MAX_FILES
            why = (
                (f"{member.name!r:.80} has {member.size} bytes")
                if few
                else (f"has more than {MAX_FILES} files")
            )
            raise FileError(f"{self._name()}: {why}")
        return member

    def count_head(self, head: tarfile.TarInfo) -> None:
        """Raise FileError for one that is too large, and for too many."""
        self._heads += max(head.size, 0)
        if head.size > MAX_HEAD or self._heads > MAX_HEADS:
            self.refuse(head, max(head.size, self._heads))

    def refuse(self, member: tarfile.TarInfo, size: int) -> None:
        """Raise FileError."""
        raise FileError(f"{self._name()}: {member.name!r:.80} has {size} bytes, which is too much")

    def _name(self) -> str:
        return os.path.basename(str(self.name))


def members(
    archive: tarfile.TarFile, name: str, wanted: Callable[[str], Any], most: int = MAX_BYTES
) -> Iterator[tuple[str, IO[bytes]]]:
    """Path and contents of the wanted files of an archive.

    most: bytes of all together.
    FileError; and what tarfile raises.
    """
    left = most
    for member in archive:
        if not member.isfile() or not wanted(member.name):
            continue
        left -= member.size
        if left < 0 or member.issparse():
            raise FileError(
                f"{name}: {member.name!r:.80} has {member.size} bytes, which is too much"
            )
        file = archive.extractfile(member)
        assert file is not None
        yield member.name, file
