"""MNIST (LeCun et al. 1998): samples of float32 [784] from -1 to 1 and a label from 0 to 9."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.errors import FileError
from . import common

__all__ = ["test", "train"]

URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
_MD5 = {
    "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
    "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
}


def train() -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set."""
    return reader_creator(
        _download_file("train-images-idx3-ubyte.gz"),
        _download_file("train-labels-idx1-ubyte.gz"),
        100,
    )


def test() -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set."""
    return reader_creator(
        _download_file("t10k-images-idx3-ubyte.gz"),
        _download_file("t10k-labels-idx1-ubyte.gz"),
        100,
    )


def fetch() -> None:
    """Download all files."""
    for name in _MD5:
        _download_file(name)


def _download_file(name: str) -> str:
    return common.download(URL_PREFIX + name, "mnist", _MD5[name])


def reader_creator(
    image_filename: str, label_filename: str, buffer_size: int
) -> Callable[[], Iterator[Any]]:
    """Return a reader of the images and labels in a pair of gzipped IDX files.

    Raises FileError if a file is damaged or the files do not match.
    """

    def reader() -> Iterator[Any]:
        images, labels = _read_idx(image_filename, 3), _read_idx(label_filename, 1)
        if len(images) != len(labels):
            raise FileError(
                f"mnist: {len(images)} images in {image_filename}, {len(labels)} labels "
                f"in {label_filename}"
            )
        for start in range(0, len(labels), buffer_size):
            pixels = (
                images[start : start + buffer_size].reshape(-1, images[0].size).astype(np.float32)
            )
            pixels = pixels / 255.0 * 2.0 - 1.0
            for pixel, label in zip(pixels, labels[start : start + buffer_size], strict=True):
                yield pixel, int(label)

    return reader


def _read_idx(path: str, rank: int) -> Any:
    """Read a gzipped IDX file of bytes; return uint8 [*sizes]."""
    try:
        with gzip.open(path, "rb") as file:
            data = file.read()
    except (OSError, EOFError) as error:
        raise FileError(f"{path}: is not a complete gzip file ({error})") from None
    sizes = np.frombuffer(data, ">u4", 1 + rank).tolist()[1:] if len(data) >= 4 + 4 * rank else []
    if (
        not sizes
        or data[2:4] != bytes([8, rank])
        or len(data) != 4 + 4 * rank + int(np.prod(sizes, dtype=object))
    ):
        raise FileError(f"{path}: is not a complete IDX file of bytes with {rank} axes")
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(sizes)
