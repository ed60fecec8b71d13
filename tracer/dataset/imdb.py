"""IMDB movie reviews (Maas et al. 2011): samples of a list of word indices, and 0 for a positive or
1 for a negative review.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ..utils.tar_archives import iter_wanted_paths_and_files, open_tar_archive
from . import common

__all__ = ["build_dict", "test", "train"]

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"
_PUNCTUATION = string.punctuation.encode()


def tokenize(pattern: re.Pattern[str]) -> Iterator[list[bytes]]:
    """Yield the list of words of each file in the archive whose name matches the pattern, in lower
    case and without punctuation.
    """
    with open_tar_archive(common.download(URL, "imdb", MD5)) as archive:
        for _, part in iter_wanted_paths_and_files(archive, "imdb", pattern.match):
            yield part.read().rstrip(b"\n\r").translate(None, _PUNCTUATION).lower().split()


def build_dict(pattern: re.Pattern[str], cutoff: int) -> dict[Any, int]:
    """Return a dict from words (bytes) to indices: the words that occur more than cutoff times, and
    `<unk>` as the last.
    """
    counts: Counter[bytes] = Counter()
    for words in tokenize(pattern):
        counts.update(words)
    indices: dict[Any, int] = common.index_frequent_words(counts, cutoff)
    indices["<unk>"] = len(indices)
    return indices


def reader_creator(
    pos_pattern: re.Pattern[str], neg_pattern: re.Pattern[str], word_idx: dict[Any, int]
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the files in the archive whose names match the patterns. The files are
    read when this function is called.
    """
    unknown = word_idx["<unk>"]
    samples = [
        ([word_idx.get(word, unknown) for word in words], label)
        for label, pattern in enumerate((pos_pattern, neg_pattern))
        for words in tokenize(pattern)
    ]
    return lambda: iter(samples)


def _make_split_reader(name: str, word_idx: dict[Any, int]) -> Callable[[], Iterator[Any]]:
    positive, negative = (re.compile(rf"aclImdb/{name}/{kind}/.*\.txt$") for kind in ("pos", "neg"))
    return reader_creator(positive, negative, word_idx)


def train(word_idx: dict[Any, int]) -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set."""
    return _make_split_reader("train", word_idx)


def test(word_idx: dict[Any, int]) -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set."""
    return _make_split_reader("test", word_idx)


def word_dict() -> dict[Any, int]:
    """Return a dict from words to indices, of the words that occur more than 150 times."""
    return build_dict(re.compile(r"aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$"), 150)


def fetch() -> None:
    """Download the archive."""
    common.download(URL, "imdb", MD5)
