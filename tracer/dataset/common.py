"""What the data sets share: the folder of their files, and how files get there."""

from __future__ import annotations

import glob
import hashlib
import pickle
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OpError, with_user_line
from ..utils import download as _files

__all__ = ["DATA_HOME", "cluster_files_reader", "download", "md5file", "split"]

DATA_HOME = str(_files.home() / "dataset")


def md5file(fname: str) -> str:
    """The MD5 of a file, in hex."""
    with open(fname, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def download(url: str, module_name: str, md5sum: str | None, save_name: str | None = None) -> str:
    """The path of a data set's file: the one that is there, with a warning if it is another; else
    it is fetched.

    Raises OarlockError where it cannot be had, which says what file to put where.
    """
    return str(_files.fetch(url, Path(DATA_HOME) / module_name, md5sum, name=save_name, own=True))


def split(
    reader: Callable[[], Iterator[Any]],
    line_count: int,
    suffix: str = "%05d.pickle",
    dumper: Callable[[Any, Any], None] = pickle.dump,
) -> None:
    """Write the samples of a reader to files of about line_count each, named `suffix % number`."""
    if not callable(dumper):
        raise TypeError("dumper should be callable.")
    lines: list[Any] = []
    number = 0
    for i, sample in enumerate(reader()):
        lines.append(sample)
        if i >= line_count and i % line_count == 0:
            _dump(lines, suffix % number, dumper)
            lines, number = [], number + 1
    if lines:
        _dump(lines, suffix % number, dumper)


def _dump(lines: list[Any], name: str, dumper: Callable[[Any, Any], None]) -> None:
    with open(name, "wb") as file:
        dumper(lines, file)


def cluster_files_reader(
    files_pattern: str,
    trainer_count: int,
    trainer_id: int,
    loader: Callable[[Any], Any] | None = None,
) -> Callable[[], Iterator[Any]]:
    """A reader of what `split` wrote: of each trainer_count files the one that trainer_id counts.

    loader: reads a file, else as data
    """
    if loader is not None and not callable(loader):
        raise TypeError("loader should be callable.")

    def reader() -> Iterator[Any]:
        for name in sorted(glob.glob(files_pattern))[trainer_id::trainer_count]:
            with open(name, "rb") as file:
                yield from loader(file) if loader else _read(file.read(), name)

    return reader


def _read(data: bytes, name: str) -> Any:
    from ..loader import pickles  # noqa: PLC0415 - not needed where no pickle is read

    return pickles.loads(data, name)


def member(archive: tarfile.TarFile, name: str) -> Any:
    """A file in an archive, by its name with or without `./`.

    FileError where it has none.
    """
    for known in (name, name.removeprefix("./"), f"./{name}"):
        try:
            found = archive.extractfile(known)
        except KeyError:
            continue
        if found is not None:
            return found
    raise FileError(f"{archive.name!s}: has no file {name}")


def by_frequency(counts: dict[Any, int], least: int) -> dict[Any, int]:
    """Words that come more often than `least`, numbered from the most frequent on, then by the
    alphabet.
    """
    kept = sorted((w for w, n in counts.items() if n > least), key=lambda w: (-counts[w], w))
    if not kept:
        raise OpError(with_user_line(f"build_dict: no word comes more than {least} times"))
    return {word: i for i, word in enumerate(kept)}
