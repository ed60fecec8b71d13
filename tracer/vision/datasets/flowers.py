"""Flowers-102 (Nilsback and Zisserman 2008)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import FileError
from ...core.type_aliases import PathLike
from ...utils.tar_archives import iter_wanted_paths_and_files, open_tar_archive
from ..image import open_image_with_pillow
from .image_dataset import ImageDataset, to_label_array
from .matfile import read_mat

__all__ = ["Flowers"]

_BASE_URL = "http://paddlemodels.bj.bcebos.com/flowers/"
_DATA = (f"{_BASE_URL}102flowers.tgz", "52808999861908f626f3c1f4e79d11fa")
_LABEL = (f"{_BASE_URL}imagelabels.mat", "e0620be6f572b9609742df49c70aed4d")
_SETID = (f"{_BASE_URL}setid.mat", "a5357ecc9cb78c4bef273ce3793fc85c")
# The keys of the index lists by mode, as in Paddle, which trains on the largest set ("tstid").
_INDEX_KEYS = {"train": "tstid", "test": "trnid", "valid": "valid"}
_IMAGE_NAME = re.compile(r"(?:\./)?jpg/image_\d{5}\.jpg")


class Flowers(ImageDataset):
    """Flowers-102: images of flowers in 102 classes (Nilsback and Zisserman 2008).

    An item is a pair (image, label). The image is a PIL image, or float32 [H, W, 3] from 0 to 255
    for the backend "cv2", after `transform`; the label is int64 [1] from 1 to 102.

    Parameters
    ----------
    data_file : str or PathLike, optional
        The archive ``102flowers.tgz``; it is unpacked once into a folder beside it.
    label_file, setid_file : str or PathLike, optional
        The files ``imagelabels.mat`` and ``setid.mat``. Files that are not given are downloaded
        once.
    mode : "train", "valid" or "test", default "train"
        6149, 1020 or 1020 images.
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
        If a file is damaged.
    OarlockError
        If a download fails, or Pillow is not installed.

    Notes
    -----
    As in Paddle, the mode "train" has the images of the list "tstid" in ``setid.mat``, which is the
    largest, and "test" those of "trnid". With the backend "cv2", images get the default dtype.

    Examples
    --------
    >>> data = paddle.vision.datasets.Flowers(mode="test")  # doctest: +SKIP
    >>> len(data)  # doctest: +SKIP
    1020
    """

    def __init__(
        self,
        data_file: PathLike | None = None,
        label_file: PathLike | None = None,
        setid_file: PathLike | None = None,
        mode: str = "train",
        transform: Callable[[Any], Any] | None = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__(mode, tuple(_INDEX_KEYS), transform, backend)
        archive = self._user_or_downloaded_file(data_file, "data_file", *_DATA, "flowers", download)
        self.labels = self._read_integers(
            self._user_or_downloaded_file(label_file, "label_file", *_LABEL, "flowers", download),
            "labels",
        )
        ids = self._user_or_downloaded_file(setid_file, "setid_file", *_SETID, "flowers", download)
        self.indexes = self._read_integers(ids, _INDEX_KEYS[self.mode])
        if len(self.indexes) and not 1 <= self.indexes.min() <= self.indexes.max() <= len(
            self.labels
        ):
            raise FileError(f"{ids.name}: contains indices of images without a label")
        self.data_path = unpack_images(archive)

    def _read_integers(self, path: Path, name: str) -> Any:
        matrices = read_mat(path)
        if name not in matrices:
            raise FileError(f"{path.name}: has no matrix {name!r}; it has {sorted(matrices)}")
        return matrices[name].reshape(-1).astype(np.int64)

    def __getitem__(self, idx: int) -> Any:
        image_number = self.indexes[idx]
        image = open_image_with_pillow(self.data_path / f"image_{image_number:05d}.jpg")
        return self._transform_and_cast_image(
            image if self.backend == "pil" else np.array(image)
        ), to_label_array([self.labels[image_number - 1]])

    def __len__(self) -> int:
        return len(self.indexes)


def unpack_images(archive: Path) -> Path:
    """Unpack the images of the archive once and return their folder. Only files
    `jpg/image_NNNNN.jpg` are extracted.
    """
    folder = archive.with_name(archive.name.removesuffix(".tgz") + "-pictures")
    if folder.is_dir():
        return folder
    temporary = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        with open_tar_archive(archive) as tar:
            for path, image in iter_wanted_paths_and_files(
                tar, archive.name, _IMAGE_NAME.fullmatch
            ):
                with (temporary / path.rsplit("/", 1)[-1]).open("wb") as file:
                    shutil.copyfileobj(image, file)
        return temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
