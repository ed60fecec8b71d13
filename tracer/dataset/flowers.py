"""Flowers-102 (Nilsback and Zisserman 2008) as readers of cropped images with subtracted mean."""

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
    """Decode and transform an image file.

    -> float32 [150528] ([3, 224, 224] flattened), and the label
    """
    bytes, label = sample
    return simple_transform(
        load_image_bytes(bytes), 256, 224, is_train, mean=_MEAN
    ).flatten(), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def _make_reader(
    mode: str, mapper: Callable[[Sample], Any], buffered_size: int, use_xmap: bool, cycle: bool
) -> Callable[[], Iterator[Any]]:
    dataset = Flowers(mode=mode)

    def iter_image_bytes_and_labels() -> Iterator[Sample]:
        while True:
            for image_number in dataset.indexes:
                yield (
                    (dataset.data_path / f"image_{image_number:05d}.jpg").read_bytes(),
                    int(dataset.labels[image_number - 1]) - 1,
                )
            if not cycle:
                return

    return (
        xmap_readers(mapper, iter_image_bytes_and_labels, _WORKERS, buffered_size)
        if use_xmap
        else map_readers(mapper, iter_image_bytes_and_labels)
    )


def train(
    mapper: Callable[[Sample], Any] = train_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Callable[[], Iterator[Any]]:
    """Return a reader of 6149 images with labels from 0 to 101.

    mapper: function of (bytes of the file, label)
    """
    return _make_reader("train", mapper, buffered_size, use_xmap, cycle)


def test(
    mapper: Callable[[Sample], Any] = test_mapper,
    buffered_size: int = 1024,
    use_xmap: bool = True,
    cycle: bool = False,
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the 1020 test images with labels, with the arguments of `train`."""
    return _make_reader("test", mapper, buffered_size, use_xmap, cycle)


def valid(
    mapper: Callable[[Sample], Any] = test_mapper, buffered_size: int = 1024, use_xmap: bool = True
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the 1020 validation images with labels, with the arguments of `train`."""
    return _make_reader("valid", mapper, buffered_size, use_xmap, cycle=False)
