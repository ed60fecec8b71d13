"""Penn Treebank of Mikolov's examples (Mikolov et al. 2010): samples of word indices: n-grams, or a
sentence and its next words.
"""

from __future__ import annotations

import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from ..utils.tar_archives import open_tar_archive
from . import common

__all__ = ["build_dict", "test", "train"]

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
MD5 = "30177ea32e27c525793142b6bf2c8e2d"
_TRAIN, _TEST = ("./simple-examples/data/ptb.train.txt", "./simple-examples/data/ptb.valid.txt")


class DataType:
    """Type of a sample."""

    NGRAM = 1
    SEQ = 2


def word_count(f: Iterable[Any], word_freq: Any = None) -> Any:
    """Count how often each word occurs in the lines; the marks `<s>` and `<e>` count once for each
    line.
    """
    counts = Counter[Any]() if word_freq is None else word_freq
    for line in f:
        for word in [*line.strip().split(), "<s>", "<e>"]:
            counts[word] = counts.get(word, 0) + 1
    return counts


def _open_downloaded_archive() -> AbstractContextManager[tarfile.TarFile]:
    return open_tar_archive(common.download(URL, "imikolov", MD5))


def build_dict(min_word_freq: int = 50) -> dict[Any, int]:
    """Return a dict from words to indices: the words that occur more than min_word_freq times, and
    `<unk>` as the last.
    """
    with _open_downloaded_archive() as archive:
        counts = word_count(
            common.open_member(archive, _TEST), word_count(common.open_member(archive, _TRAIN))
        )
    counts.pop("<unk>", None)
    ordered = sorted(
        ((w, n) for w, n in counts.items() if n > min_word_freq),
        key=lambda x: (-x[1], _to_bytes(x[0])),
    )
    indices: dict[Any, int] = {word: i for i, (word, _) in enumerate(ordered)}
    indices["<unk>"] = len(indices)
    return indices


def _to_bytes(word: Any) -> bytes:
    return word if isinstance(word, bytes) else word.encode()


def reader_creator(
    filename: str, word_idx: dict[Any, int], n: int, data_type: int
) -> Callable[[], Iterator[Any]]:
    """Return a reader of a file in the archive."""
    if data_type not in (DataType.NGRAM, DataType.SEQ):
        raise AssertionError("Unknow data type")

    def reader() -> Iterator[Any]:
        with _open_downloaded_archive() as archive:
            for line in common.open_member(archive, filename):
                words = line.strip().split()
                yield from (
                    _iter_ngrams(words, word_idx, n)
                    if data_type == DataType.NGRAM
                    else _iter_input_and_target_if_short(words, word_idx, n)
                )

    return reader


def _iter_ngrams(words: list[Any], word_idx: dict[Any, int], n: int) -> Iterator[tuple[int, ...]]:
    if n < 0:
        raise AssertionError("Invalid gram length")
    indices = [word_idx.get(word, word_idx["<unk>"]) for word in ["<s>", *words, "<e>"]]
    for end in range(n, len(indices) + 1):
        yield tuple(indices[end - n : end])


def _iter_input_and_target_if_short(
    words: list[Any], word_idx: dict[Any, int], n: int
) -> Iterator[tuple[list[int], list[int]]]:
    indices = [word_idx.get(word, word_idx["<unk>"]) for word in words]
    if not 0 < n < len(indices) + 1:
        yield [word_idx["<s>"], *indices], [*indices, word_idx["<e>"]]


def train(
    word_idx: dict[Any, int], n: int, data_type: int = DataType.NGRAM
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set.

    n: length of the n-grams, or maximal length of a sentence
    """
    return reader_creator(_TRAIN, word_idx, n, data_type)


def test(
    word_idx: dict[Any, int], n: int, data_type: int = DataType.NGRAM
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set."""
    return reader_creator(_TEST, word_idx, n, data_type)


def fetch() -> None:
    """Download the archive."""
    common.download(URL, "imikolov", MD5)
