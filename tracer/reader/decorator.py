"""Functions that create readers from other readers, and read in this process."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

from ..core.errors import OpError, append_user_line
from .parallel import buffered, multiprocess_reader, xmap_readers

__all__ = [
    "ComposeNotAligned",
    "buffered",
    "cache",
    "chain",
    "compose",
    "firstn",
    "map_readers",
    "multiprocess_reader",
    "shuffle",
    "xmap_readers",
]

Reader = Callable[[], Iterator[Any]]


class ComposeNotAligned(OpError):
    """Raised if readers that are composed have different numbers of samples."""


def cache(reader: Reader) -> Reader:
    """Read all samples now, and return a reader of the stored samples."""
    samples = tuple(reader())
    return lambda: iter(samples)


def map_readers(func: Callable[..., Any], *readers: Reader) -> Reader:
    """Return a reader that yields func(a, b, ...) for the samples a, b, ... of several readers. The
    reader ends when the first of them ends.
    """
    return lambda: map(func, *(reader() for reader in readers))


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """Return a reader that shuffles each buf_size consecutive samples with Python's `random`."""

    def shuffled() -> Iterator[Any]:
        samples = iter(reader())
        while buffer := list(itertools.islice(samples, max(buf_size, 1))):
            random.shuffle(buffer)
            yield from buffer

    return shuffled


def chain(*readers: Reader) -> Reader:
    """Return a reader that yields the samples of several readers, one reader after the other."""
    return lambda: itertools.chain(*(reader() for reader in readers))


def compose(*readers: Reader, check_alignment: bool = True) -> Reader:
    """Return a reader that yields one tuple of the samples of several readers.

    readers: (1, 2) and 3 become (1, 2, 3).

    Raises ComposeNotAligned if a reader ends before the others; without check_alignment the surplus
    samples are dropped.
    """

    def composed() -> Iterator[Any]:
        iterators = [reader() for reader in readers]
        sample_rows = (
            itertools.zip_longest(*iterators) if check_alignment else zip(*iterators, strict=False)
        )
        for row in sample_rows:
            if check_alignment and any(sample is None for sample in row):
                raise ComposeNotAligned(
                    append_user_line("compose: outputs of readers are not aligned")
                )
            yield tuple(itertools.chain(*(s if isinstance(s, tuple) else (s,) for s in row)))

    return composed


def firstn(reader: Reader, n: int) -> Reader:
    """Return a reader of the first n samples."""

    def first() -> Iterator[Any]:
        for i, sample in enumerate(reader()):
            if i == n:
                return
            yield sample

    return first
