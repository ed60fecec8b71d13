"""The Penn Treebank of Mikolov's examples

(Mikolov et al. 2010): samples of numbers of words, n in a row or a sentence and its next words.
"""

from __future__ import annotations

import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from ..utils.archives import archive_at
from . import common

__all__ = ["build_dict", "test", "train"]

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
MD5 = "30177ea32e27c525793142b6bf2c8e2d"
_TRAIN, _TEST = ("./simple-examples/data/ptb.train.txt", "./simple-examples/data/ptb.valid.txt")


class DataType:
    """What a sample is."""

    NGRAM = 1
    SEQ = 2


def word_count(f: Iterable[Any], word_freq: Any = None) -> Any:
    """How often each word of the lines comes; `<s>` and `<e>` once for each line."""
    counts = Counter[Any]() if word_freq is None else word_freq
    for line in f:
        for word in [*line.strip().split(), "<s>", "<e>"]:
            counts[word] = counts.get(word, 0) + 1
    return counts


def _archive() -> AbstractContextManager[tarfile.TarFile]:
    return archive_at(common.download(URL, "imikolov", MD5))


def build_dict(min_word_freq: int = 50) -> dict[Any, int]:
    """The number of each word that comes more than min_word_freq times, and of `<unk>`,
    the last.
    """
    with _archive() as archive:
        counts = word_count(
            common.member(archive, _TEST), word_count(common.member(archive, _TRAIN))
        )
    counts.pop("<unk>", None)
    ordered = sorted(
        ((w, n) for w, n in counts.items() if n > min_word_freq), key=lambda x: (-x[1], _key(x[0]))
    )
    numbers: dict[Any, int] = {word: i for i, (word, _) in enumerate(ordered)}
    numbers["<unk>"] = len(numbers)
    return numbers


def _key(word: Any) -> bytes:
    return word if isinstance(word, bytes) else word.encode()


def reader_creator(
    filename: str, word_idx: dict[Any, int], n: int, data_type: int
) -> Callable[[], Iterator[Any]]:
    """A reader of a file in the archive."""
    if data_type not in (DataType.NGRAM, DataType.SEQ):
        raise AssertionError("Unknow data type")

    def reader() -> Iterator[Any]:
        with _archive() as archive:
            for line in common.member(archive, filename):
                words = line.strip().split()
                yield from (
                    _grams(words, word_idx, n)
                    if data_type == DataType.NGRAM
                    else _sentence(words, word_idx, n)
                )

    return reader


def _grams(words: list[Any], word_idx: dict[Any, int], n: int) -> Iterator[tuple[int, ...]]:
    if n < 0:
        raise AssertionError("Invalid gram length")
    numbers = [word_idx.get(word, word_idx["<unk>"]) for word in ["<s>", *words, "<e>"]]
    for end in range(n, len(numbers) + 1):
        yield tuple(numbers[end - n : end])


def _sentence(
    words: list[Any], word_idx: dict[Any, int], n: int
) -> Iterator[tuple[list[int], list[int]]]:
    numbers = [word_idx.get(word, word_idx["<unk>"]) for word in words]
    if not 0 < n < len(numbers) + 1:
        yield [word_idx["<s>"], *numbers], [*numbers, word_idx["<e>"]]


def train(
    word_idx: dict[Any, int], n: int, data_type: int = DataType.NGRAM
) -> Callable[[], Iterator[Any]]:
    """A reader of the training set.

    n: how many words in a row, or the most in a sentence
    """
    return reader_creator(_TRAIN, word_idx, n, data_type)


def test(
    word_idx: dict[Any, int], n: int, data_type: int = DataType.NGRAM
) -> Callable[[], Iterator[Any]]:
    """A reader of the test set."""
    return reader_creator(_TEST, word_idx, n, data_type)


def fetch() -> None:
    """Have its archive."""
    common.download(URL, "imikolov", MD5)
