"""MNIST and FashionMNIST, in their IDX files   (LeCun et al. 1998; Xiao et al. 2017)."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...core.errors import FileError
from .common import MAX_BYTES, Pictures, label_of

__all__ = ["MNIST", "FashionMNIST"]

_UBYTE = 0x08  # what an element is, in the third byte of a file


def read_idx(path: Path, rank: int) -> np.ndarray[Any, Any]:
    """The bytes of a gzipped IDX file: two zeros, kind, rank, then sizes (uint32, big-endian), then
    elements.

    -> uint8 [*sizes]

    FileError unless it is whole, with nothing behind, and of the given rank.
    """
    try:
        with gzip.open(path, "rb") as file:
            head = file.read(4 + 4 * rank)
            if head[:4] != bytes([0, 0, _UBYTE, rank]) or len(head) != 4 + 4 * rank:
                raise FileError(f"{path.name}: is not an IDX file of bytes with {rank} axes")
            shape = struct.unpack(f">{rank}I", head[4:])
            size = int(np.prod(shape, dtype=object))
            if size > MAX_BYTES:
                raise FileError(
                    f"{path.name}: says that it holds {list(shape)} bytes, which is too much"
                )
            data = file.read(size + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path.name}: is not a complete gzip file ({error})") from None
    if len(data) != size:
        raise FileError(
            f"{path.name}: holds {'more' if len(data) > size else len(data)} bytes than "
            f"the {size} of {list(shape)}"
        )
    return np.frombuffer(data, np.uint8).reshape(shape)


class MNIST(Pictures):
    """Handwritten digits, 28x28: 60000 for mode 'train', 10000 for 'test'.

    -> image, label int64 [1]

    image: of PIL in mode L, or float32 [28, 28] from 0 to 255, behind `transform`.
    image_path, label_path: the files, or None
    for those from the network.   FileError for files that are damaged or do not belong together.
    """

    NAME = "mnist"
    _HOME = "https://dataset.bj.bcebos.com/mnist/"
    _FILES: ClassVar[dict[str, tuple[str, str]]] = {
        "train-images-idx3": ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        "train-labels-idx1": ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        "test-images-idx3": ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        "test-labels-idx1": ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    }

    def __init__(
        self,
        image_path: Any = None,
        label_path: Any = None,
        mode: str = "train",
        transform: Any = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__(mode, ("train", "test"), transform, backend)
        self.image_path = self._member(image_path, "image_path", "images-idx3", download)
        self.label_path = self._member(label_path, "label_path", "labels-idx1", download)
        self.images = read_idx(self.image_path, 3)
        self.labels = read_idx(self.label_path, 1)
        if len(self.images) != len(self.labels):
            raise FileError(
                f"{type(self).__name__}: {len(self.images)} images in "
                f"{self.image_path.name}, {len(self.labels)} labels in {self.label_path.name}"
            )

    def _member(self, given: Any, what: str, kind: str, download: bool) -> Path:
        name, md5 = self._FILES[f"{self.mode}-{kind}"]
        return self._file(given, what, self._HOME + name, md5, self.NAME, download)

    def __getitem__(self, idx: int) -> Any:
        return self._shown(self.images[idx]), label_of([self.labels[idx]])

    def __len__(self) -> int:
        return len(self.labels)


class FashionMNIST(MNIST):
    """Clothes, 28x28, in the form of MNIST."""

    NAME = "fashion-mnist"
    _HOME = "https://dataset.bj.bcebos.com/fashion_mnist/"
    _FILES: ClassVar[dict[str, tuple[str, str]]] = {
        "train-images-idx3": ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        "train-labels-idx1": ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        "test-images-idx3": ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        "test-labels-idx1": ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    }
