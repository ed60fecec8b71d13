"""MNIST and FashionMNIST, in their IDX files (LeCun et al. 1998; Xiao et al. 2017)."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...core.errors import FileError
from ...core.type_aliases import PathLike
from .image_dataset import MAX_BYTES, ImageDataset, to_label_array

__all__ = ["MNIST", "FashionMNIST"]

_UBYTE = 0x08  # element type in the third byte of a file


def read_idx(path: Path, rank: int) -> np.ndarray[Any, Any]:
    """Read the bytes of a gzipped IDX file: two zeros, element type, rank, sizes (uint32,
    big-endian), elements.

    -> uint8 [*sizes]

    Raises FileError if the file is truncated, has trailing bytes or another rank.
    """
    try:
        with gzip.open(path, "rb") as file:
            header = file.read(4 + 4 * rank)
            if header[:4] != bytes([0, 0, _UBYTE, rank]) or len(header) != 4 + 4 * rank:
                raise FileError(f"{path.name}: is not an IDX file of bytes with {rank} axes")
            shape = struct.unpack(f">{rank}I", header[4:])
            size = int(np.prod(shape, dtype=object))
            if size > MAX_BYTES:
                raise FileError(f"{path.name}: declares {list(shape)} bytes, which is too large")
            data = file.read(size + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path.name}: is not a complete gzip file ({error})") from None
    if len(data) != size:
        raise FileError(
            f"{path.name}: contains {'more' if len(data) > size else 'fewer'} bytes than "
            f"the {size} of {list(shape)}"
        )
    return np.frombuffer(data, np.uint8).reshape(shape)


class MNIST(ImageDataset):
    """MNIST: 28x28 images of handwritten digits (LeCun et al. 1998).

    An item is a pair (image, label). The image is a PIL image of mode "L", or float32 [28, 28] from
    0 to 255 for the backend "cv2", after `transform`; the label is int64 [1].

    Parameters
    ----------
    image_path, label_path : str or PathLike, optional
        The gzipped IDX files; by default they are downloaded once.
    mode : "train" or "test", default "train"
        60000 or 10000 images.
    transform : callable, optional
        Function of the image.
    download : bool, default True
        Whether missing files may be downloaded.
    backend : "pil" or "cv2", optional
        Type of the images; by default that of `set_image_backend`.

    Raises
    ------
    OpError
        If `mode` or `backend` has another value, a path is not a file, or a path is missing and
        ``download=False``.
    FileError
        If a file is damaged, or the numbers of images and labels differ.
    OarlockError
        If a download fails.

    Notes
    -----
    With the backend "cv2", images get the default dtype.

    Examples
    --------
    >>> import gzip, struct
    >>> def write(name, *sizes):
    ...     with gzip.open(name, "wb") as file:
    ...         header = struct.pack(f">4B{len(sizes)}I", 0, 0, 8, len(sizes), *sizes)
    ...         file.write(header + bytes(int(np.prod(sizes))))
    >>> write("images.gz", 2, 28, 28)
    >>> write("labels.gz", 2)
    >>> data = paddle.vision.datasets.MNIST("images.gz", "labels.gz", mode="test", backend="cv2")
    >>> image, label = data[0]
    >>> len(data), image.shape, label
    (2, (28, 28), array([0]))
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
        image_path: PathLike | None = None,
        label_path: PathLike | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__(mode, ("train", "test"), transform, backend)
        self.image_path = self._user_or_downloaded_idx_file(
            image_path, "image_path", "images-idx3", download
        )
        self.label_path = self._user_or_downloaded_idx_file(
            label_path, "label_path", "labels-idx1", download
        )
        self.images = read_idx(self.image_path, 3)
        self.labels = read_idx(self.label_path, 1)
        if len(self.images) != len(self.labels):
            raise FileError(
                f"{type(self).__name__}: {len(self.images)} images in "
                f"{self.image_path.name}, {len(self.labels)} labels in {self.label_path.name}"
            )

    def _user_or_downloaded_idx_file(
        self, user_path: PathLike | None, argument: str, file_type: str, download: bool
    ) -> Path:
        name, md5 = self._FILES[f"{self.mode}-{file_type}"]
        return self._user_or_downloaded_file(
            user_path, argument, self._HOME + name, md5, self.NAME, download
        )

    def __getitem__(self, idx: int) -> Any:
        return self._pixels_to_transformed_image(self.images[idx]), to_label_array(
            [self.labels[idx]]
        )

    def __len__(self) -> int:
        return len(self.labels)


class FashionMNIST(MNIST):
    """FashionMNIST: 28x28 images of clothes in ten classes (Xiao et al. 2017).

    The files have the format of MNIST.

    An item is a pair (image, label). The image is a PIL image of mode "L", or float32 [28, 28] from
    0 to 255 for the backend "cv2", after `transform`; the label is int64 [1].

    Parameters
    ----------
    image_path, label_path : str or PathLike, optional
        The gzipped IDX files; by default they are downloaded once.
    mode : "train" or "test", default "train"
        60000 or 10000 images.
    transform : callable, optional
        Function of the image.
    download : bool, default True
        Whether missing files may be downloaded.
    backend : "pil" or "cv2", optional
        Type of the images; by default that of `set_image_backend`.

    Raises
    ------
    OpError
        If `mode` or `backend` has another value, a path is not a file, or a path is missing and
        ``download=False``.
    FileError
        If a file is damaged, or the numbers of images and labels differ.
    OarlockError
        If a download fails.

    See Also
    --------
    paddle.vision.datasets.MNIST : Has an example that reads files.

    Examples
    --------
    >>> data = paddle.vision.datasets.FashionMNIST(mode="test")  # doctest: +SKIP
    >>> len(data)  # doctest: +SKIP
    10000
    """

    NAME = "fashion-mnist"
    _HOME = "https://dataset.bj.bcebos.com/fashion_mnist/"
    _FILES: ClassVar[dict[str, tuple[str, str]]] = {
        "train-images-idx3": ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        "train-labels-idx1": ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        "test-images-idx3": ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        "test-labels-idx1": ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    }
