"""Reviews of films

(Maas et al. 2011): samples of a list of numbers of words, and 0 for a good one, 1 for a bad one.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ..utils.archives import archive_at, members
from . import common

__all__ = ["build_dict", "test", "train"]

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"
_SIGNS = string.punctuation.encode()


def tokenize(pattern: re.Pattern[str]) -> Iterator[list[bytes]]:
    """The words of each file in the archive whose name matches: small letters, no signs."""
    with archive_at(common.download(URL, "imdb", MD5)) as archive:
        for _, part in members(archive, "imdb", pattern.match):
            yield part.read().rstrip(b"\n\r").translate(None, _SIGNS).lower().split()


def build_dict(pattern: re.Pattern[str], cutoff: int) -> dict[Any, int]:
    """The number of each word (bytes) that comes more than cutoff times, and of `<unk>`,
    the last.
    """
    counts: Counter[bytes] = Counter()
    for words in tokenize(pattern):
        counts.update(words)
    numbers: dict[Any, int] = common.by_frequency(counts, cutoff)
    numbers["<unk>"] = len(numbers)
    return numbers


def reader_creator(
    pos_pattern: re.Pattern[str], neg_pattern: re.Pattern[str], word_idx: dict[Any, int]
) -> Callable[[], Iterator[Any]]:
    """A reader of the files that match, read now."""
    unknown = word_idx["<unk>"]
    samples = [
        ([word_idx.get(word, unknown) for word in words], label)
        for label, pattern in enumerate((pos_pattern, neg_pattern))
        for words in tokenize(pattern)
    ]
    return lambda: iter(samples)


def _part(name: str, word_idx: dict[Any, int]) -> Callable[[], Iterator[Any]]:
    good, bad = (re.compile(rf"aclImdb/{name}/{kind}/.*\.txt$") for kind in ("pos", "neg"))
    return reader_creator(good, bad, word_idx)


def train(word_idx: dict[Any, int]) -> Callable[[], Iterator[Any]]:
    """A reader of the training set."""
    return _part("train", word_idx)


def test(word_idx: dict[Any, int]) -> Callable[[], Iterator[Any]]:
    """A reader of the test set."""
    return _part("test", word_idx)


def word_dict() -> dict[Any, int]:
    """The numbers of the words that come more than 150 times."""
    return build_dict(re.compile(r"aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$"), 150)


def fetch() -> None:
    """Have its archive."""
    common.download(URL, "imdb", MD5)
