"""Flowers of 102 kinds

(Nilsback and Zisserman 2008) as readers of pictures that are cropped and told their mean.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ..reader import map_readers, xmap_readers
from ..vision.datasets import Flowers
from .image import load_image_bytes, simple_transform

__all__ = ["test", "train", "valid"]

_MEAN = [103.94, 116.78, 123.68]
_WORKERS = 4

Sample = tuple[Any, int]


def default_mapper(is_train: bool, sample: Sample) -> Sample:
    """The bytes of a picture's file as numbers.

    -> float32 [150528], which is [3, 224, 224], and the label
    """
    bytes, label = sample
    return simple_transform(
        load_image_bytes(bytes), 256, 224, is_train, mean=_MEAN
    ).flatten(), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def _reader(
    mode: str, mapper: Callable[[Sample], Any], buffered_size: int, use_xmap: bool, cycle: bool
) -> Callable[[], Iterator[Any]]:
    held = Flowers(mode=mode)

    def files() -> Iterator[Sample]:
        while True:
            for number in held.indexes:
                yield (
                    (held.data_path / f"image_{number:05d}.jpg").read_bytes(),
                    int(held.labels[number - 1]) - 1,
                )
            if not cycle:
                return

    return (
        xmap_readers(mapper, files, _WORKERS, buffered_size)
        if use_xmap
        else map_readers(mapper, files)
    )


def train(
    mapper: Callable[[Sample], Any] = train_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Callable[[], Iterator[Any]]:
    """A reader of 6149 pictures and labels from 0 to 101.

    mapper: what is made of (bytes of the file, label)
    """
    return _reader("train", mapper, buffered_size, use_xmap, cycle)


def test(
    mapper: Callable[[Sample], Any] = test_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Callable[[], Iterator[Any]]:
    """A reader of 1020 pictures and labels, as `train` gives them."""
    return _reader("test", mapper, buffered_size, use_xmap, cycle)


def valid(
    mapper: Callable[[Sample], Any] = test_mapper, buffered_size: int = 1024, use_xmap: bool = True
) -> Callable[[], Iterator[Any]]:
    """A reader of 1020 pictures and labels, as `train` gives them."""
    return _reader("valid", mapper, buffered_size, use_xmap, cycle=False)
