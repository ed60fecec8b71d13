"""Unpack downloaded archives beside themselves."""

from __future__ import annotations

import lzma
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from ..core.errors import FileError
from .tar_archives import iter_wanted_paths_and_files, open_tar_archive

MAX_BYTES = 1 << 36  # maximal size of an unpacked archive
# Exceptions that the modules of the standard library raise for archives that are damaged, encrypted
# or of an unknown format.
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
)


def is_tar_or_zip_archive(path: Path) -> bool:
    """Return whether a file is a tar or zip archive."""
    return tarfile.is_tarfile(path) or zipfile.is_zipfile(path)


def unpack(path: Path) -> Path:
    """Unpack an archive beside itself. If the archive contains only one file or folder, return the
    path of that file or folder; otherwise return the path of a new folder with the name of the
    archive.

    Links in tar archives are skipped; a symbolic link in a zip archive becomes a file that contains
    the path of its target. Raises FileError for paths outside of the folder and for damaged
    archives; then nothing is written.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as temporary:
        try:
            _extract_archive(path, Path(temporary))
        except _ARCHIVE_ERRORS as error:
            raise FileError(f"{path.name}: is not a complete archive ({error})") from None
        entries = sorted(Path(temporary).iterdir())
        if len(entries) == 1:
            return _move_file_or_merge_folder(entries[0], path.parent / entries[0].name)
        target = path.with_suffix("") if path.suffix else path.with_name(path.name + "_unpacked")
        target.mkdir(exist_ok=True)
        for entry in entries:
            _move_file_or_merge_folder(entry, target / entry.name)
        return target


def _extract_archive(path: Path, folder: Path) -> None:
    for name, file in _iter_archive_files(path):
        target = folder / _require_path_inside_archive(path, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as out:
            shutil.copyfileobj(file, out)


def _iter_archive_files(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    if tarfile.is_tarfile(path):
        with open_tar_archive(path, max_bytes=MAX_BYTES) as archive:
            yield from iter_wanted_paths_and_files(archive, path.name, lambda _: True, MAX_BYTES)
            while archive.fileobj is not None and archive.fileobj.read(1 << 20):
                pass  # the checksum of the compressed bytes follows the last file
        return
    with zipfile.ZipFile(path) as archive_file:
        files = [info for info in archive_file.infolist() if not info.is_dir()]
        if sum(info.file_size for info in files) > MAX_BYTES:
            raise FileError(
                f"{path.name}: has more than {MAX_BYTES} unpacked bytes, which is too large"
            )
        for info in files:
            with archive_file.open(info) as file:
                yield info.filename, file


def _require_path_inside_archive(path: Path, name: str) -> PurePosixPath:
    relative_path = PurePosixPath(name)
    if relative_path.is_absolute() or ".." in relative_path.parts or "\\" in name:
        raise FileError(f"{path.name}: {name!r:.80} is not a path inside of the archive")
    return relative_path


def _move_file_or_merge_folder(source: Path, target: Path) -> Path:
    """Move a file to `target`, replacing an existing file; or copy a folder to `target`, merging it
    into an existing folder.
    """
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        source.replace(target)
    return target
