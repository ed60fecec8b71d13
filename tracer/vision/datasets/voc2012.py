"""PASCAL VOC 2012 segmentation dataset (Everingham et al. 2012)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import FileError
from ...core.type_aliases import PathLike
from ...utils.tar_archives import open_tar_archive
from ..image import open_image_with_pillow
from .image_dataset import ImageDataset

__all__ = ["VOC2012"]

_URL = "https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar"
_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
_ROOT = "VOCdevkit/VOC2012"
_LIST_NAMES = {"train": "trainval", "test": "train", "valid": "val"}  # as in Paddle


class VOC2012(ImageDataset):
    """PASCAL VOC 2012: images with a class for each pixel (Everingham et al. 2012).

    An item is a pair (image, label). For the backend "pil" both are PIL images, the label with a
    palette of classes; for "cv2" they are float32 [H, W, 3] and [H, W]. `transform` is applied to
    the image only.

    Parameters
    ----------
    data_file : str or PathLike, optional
        The archive ``VOCtrainval_11-May-2012.tar``, which is read without unpacking; by default it
        is downloaded once (2 GB).
    mode : "train", "valid" or "test", default "train"
        2913, 1449 or 1464 images: the lists "trainval", "val" and "train" of the archive, as in
        Paddle.
    transform : callable, optional
        Function of the image.
    download : bool, default True
        Whether a missing archive may be downloaded.
    backend : "pil" or "cv2", optional
        Type of the images; by default that of `set_image_backend`.

    Raises
    ------
    OpError
        If `mode` or `backend` has another value, `data_file` is not a file, or it is missing and
        ``download=False``.
    FileError
        If the archive is damaged or lacks a file.
    OarlockError
        If a download fails, or Pillow is not installed.

    Notes
    -----
    The pixels of the label are 0 (background), 1 to 20 (classes) or 255 (border). With the backend
    "cv2", images and labels get the default dtype.

    Examples
    --------
    >>> data = paddle.vision.datasets.VOC2012(mode="valid", backend="cv2")  # doctest: +SKIP
    >>> len(data)  # doctest: +SKIP
    1449
    """

    def __init__(
        self,
        data_file: PathLike | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__(mode, tuple(_LIST_NAMES), transform, backend)
        self.data_file = self._user_or_downloaded_file(
            data_file, "data_file", _URL, _MD5, "voc2012", download
        )
        with open_tar_archive(self.data_file, "r:") as archive:
            files = (m for m in archive if m.isfile())
            self._offsets_and_sizes = {m.name: (m.offset_data, m.size) for m in files}
        names = (
            self._read_archive_member(
                f"{_ROOT}/ImageSets/Segmentation/{_LIST_NAMES[self.mode]}.txt"
            )
            .decode("latin1")
            .split()
        )
        self.data = [f"{_ROOT}/JPEGImages/{name}.jpg" for name in names]
        self.labels = [f"{_ROOT}/SegmentationClass/{name}.png" for name in names]

    def _read_archive_member(self, name: str) -> bytes:
        """Read a file of the archive.

        Opens the archive each time, so that worker processes do not share a file position.
        """
        if name not in self._offsets_and_sizes:
            raise FileError(f"{self.data_file.name}: does not contain {name}")
        start, size = self._offsets_and_sizes[name]
        with self.data_file.open("rb") as file:
            file.seek(start)
            return file.read(size)

    def __getitem__(self, idx: int) -> Any:
        image, label = (
            open_image_with_pillow(io.BytesIO(self._read_archive_member(names[idx])))
            for names in (self.data, self.labels)
        )
        if self.backend == "pil":
            return self._transform_and_cast_image(image), label
        return self._transform_and_cast_image(np.array(image)), np.array(label).astype(self.dtype)

    def __len__(self) -> int:
        return len(self.data)
