"""Readers made of readers, in this process and its threads."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

from ..core.errors import OpError, with_user_line
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
    """Readers that are read side by side end at different samples."""


def cache(reader: Reader) -> Reader:
    """A reader of what `reader` gives, which is read now, once, and kept."""
    samples = tuple(reader())
    return lambda: iter(samples)


def map_readers(func: Callable[..., Any], *readers: Reader) -> Reader:
    """A reader of func(a, b, ...) for what the readers give side by side; it ends with the
    shortest.
    """
    return lambda: map(func, *(reader() for reader in readers))


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """A reader of the same samples, each buf_size of them in a random order (of Python's
    `random`).
    """

    def shuffled() -> Iterator[Any]:
        samples = iter(reader())
        while buffer := list(itertools.islice(samples, max(buf_size, 1))):
            random.shuffle(buffer)
            yield from buffer

    return shuffled


def chain(*readers: Reader) -> Reader:
    """A reader of what the readers give one after the other."""
    return lambda: itertools.chain(*(reader() for reader in readers))


def compose(*readers: Reader, check_alignment: bool = True) -> Reader:
    """A reader of one tuple of what the readers give side by side: (1, 2) and 3 become (1, 2, 3).

    Raises ComposeNotAligned where one ends before another, unless check_alignment is off: then the
    rest is left.
    """

    def composed() -> Iterator[Any]:
        rows = [reader() for reader in readers]
        together = itertools.zip_longest(*rows) if check_alignment else zip(*rows, strict=False)
        for row in together:
            if check_alignment and any(sample is None for sample in row):
                raise ComposeNotAligned(
                    with_user_line("compose: outputs of readers are not aligned")
                )
            yield tuple(itertools.chain(*(s if isinstance(s, tuple) else (s,) for s in row)))

    return composed


def firstn(reader: Reader, n: int) -> Reader:
    """A reader of the first n samples."""

    def first() -> Iterator[Any]:
        for i, sample in enumerate(reader()):
            if i == n:
                return
            yield sample

    return first
