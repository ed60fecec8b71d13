"""Cache folder and download of the datasets."""

from __future__ import annotations

import glob
import hashlib
import pickle
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OpError, append_user_line
from ..utils import download as _files

__all__ = ["DATA_HOME", "cluster_files_reader", "download", "md5file", "split"]

DATA_HOME = str(_files.cache_folder() / "dataset")


def md5file(fname: str) -> str:
    """Return the MD5 of a file in hexadecimal."""
    with open(fname, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def download(url: str, module_name: str, md5sum: str | None, save_name: str | None = None) -> str:
    """Return the path of a file of a dataset; download it if it is missing. Warns if the file
    exists, but its MD5 differs from the expected one.

    Raises OarlockError if the download fails, with a hint where to put the file.
    """
    return str(
        _files.fetch(
            url, Path(DATA_HOME) / module_name, md5sum, name=save_name, accept_other_md5=True
        )
    )


def split(
    reader: Callable[[], Iterator[Any]],
    line_count: int,
    suffix: str = "%05d.pickle",
    dumper: Callable[[Any, Any], None] = pickle.dump,
) -> None:
    """Write the samples of a reader to files with about line_count samples each, named `suffix %
    number`.
    """
    if not callable(dumper):
        raise TypeError("dumper should be callable.")
    lines: list[Any] = []
    number = 0
    for i, sample in enumerate(reader()):
        lines.append(sample)
        if i >= line_count and i % line_count == 0:
            _dump_to_file(lines, suffix % number, dumper)
            lines, number = [], number + 1
    if lines:
        _dump_to_file(lines, suffix % number, dumper)


def _dump_to_file(lines: list[Any], name: str, dumper: Callable[[Any, Any], None]) -> None:
    with open(name, "wb") as file:
        dumper(lines, file)


def cluster_files_reader(
    files_pattern: str,
    trainer_count: int,
    trainer_id: int,
    loader: Callable[[Any], Any] | None = None,
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the samples in every trainer_count-th file that `split` wrote, starting
    with file number trainer_id.

    loader: function that reads a file; default: unpickles it as data
    """
    if loader is not None and not callable(loader):
        raise TypeError("loader should be callable.")

    def reader() -> Iterator[Any]:
        for name in sorted(glob.glob(files_pattern))[trainer_id::trainer_count]:
            with open(name, "rb") as file:
                yield from (
                    loader(file) if loader else _unpickle_without_code_execution(file.read(), name)
                )

    return reader


def _unpickle_without_code_execution(data: bytes, name: str) -> Any:
    from ..loader import pickles  # noqa: PLC0415 - needed for pickles only

    return pickles.loads(data, name)


def open_member(archive: tarfile.TarFile, name: str) -> Any:
    """Open a file in an archive by its name; the archive may store the name with a leading `./`.

    Raises FileError if it does not exist.
    """
    for candidate in (name, name.removeprefix("./"), f"./{name}"):
        try:
            file = archive.extractfile(candidate)
        except KeyError:
            continue
        if file is not None:
            return file
    raise FileError(f"{archive.name!s}: does not contain {name}")


def index_frequent_words(counts: dict[Any, int], min_count: int) -> dict[Any, int]:
    """Return the indices of words that occur more than `min_count` times, sorted by descending
    frequency, then alphabetically. Raises OpError if no word occurs more than `min_count` times.
    """
    words = sorted((w for w, n in counts.items() if n > min_count), key=lambda w: (-counts[w], w))
    if not words:
        raise OpError(append_user_line(f"build_dict: no word occurs more than {min_count} times"))
    return {word: i for i, word in enumerate(words)}
