"""CIFAR-10 and CIFAR-100 (Krizhevsky 2009): samples of float32 [3072] from 0 to 1 and a label."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.errors import FileError
from ..loader import pickles
from ..utils.tar_archives import iter_wanted_paths_and_files, open_tar_archive
from . import common

__all__ = ["test10", "test100", "train10", "train100"]

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"


def reader_creator(
    filename: str, sub_name: str, cycle: bool = False
) -> Callable[[], Iterator[Any]]:
    """Return a reader of those files in an archive whose names contain sub_name.

    cycle: repeat the data endlessly
    """

    def reader() -> Iterator[Any]:
        while True:
            with open_tar_archive(filename) as archive:
                for path, file in iter_wanted_paths_and_files(
                    archive, os.path.basename(filename), lambda path: sub_name in path
                ):
                    yield from _iter_batch_samples(pickles.loads(file.read(), path), path)
            if not cycle:
                return

    return reader


def _iter_batch_samples(batch: Any, name: str) -> Iterator[Any]:
    if not isinstance(batch, dict):
        raise FileError(f"cifar: {name} has no data or no labels")
    batch = {k.decode() if isinstance(k, bytes) else k: v for k, v in batch.items()}
    labels = batch.get("labels", batch.get("fine_labels"))
    if labels is None or "data" not in batch:
        raise FileError(f"cifar: {name} has no data or no labels")
    for pixels, label in zip(batch["data"], labels, strict=False):
        yield (pixels / 255.0).astype(np.float32), int(label)


def train10(cycle: bool = False) -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set of CIFAR-10."""
    return reader_creator(common.download(CIFAR10_URL, "cifar", CIFAR10_MD5), "data_batch", cycle)


def test10(cycle: bool = False) -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set of CIFAR-10."""
    return reader_creator(common.download(CIFAR10_URL, "cifar", CIFAR10_MD5), "test_batch", cycle)


def train100() -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set of CIFAR-100."""
    return reader_creator(common.download(CIFAR100_URL, "cifar", CIFAR100_MD5), "train")


def test100() -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set of CIFAR-100."""
    return reader_creator(common.download(CIFAR100_URL, "cifar", CIFAR100_MD5), "test")


def fetch() -> None:
    """Download the archives of CIFAR-10 and CIFAR-100."""
    common.download(CIFAR10_URL, "cifar", CIFAR10_MD5)
    common.download(CIFAR100_URL, "cifar", CIFAR100_MD5)
