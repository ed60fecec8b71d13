"""Flowers of 102 kinds (Nilsback and Zisserman 2008)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import FileError
from ...utils.archives import archive_at, members
from ..image import opened
from .common import Pictures, label_of
from .matfile import read_mat

__all__ = ["Flowers"]

_HOME = "http://paddlemodels.bj.bcebos.com/flowers/"
_DATA = (f"{_HOME}102flowers.tgz", "52808999861908f626f3c1f4e79d11fa")
_LABEL = (f"{_HOME}imagelabels.mat", "e0620be6f572b9609742df49c70aed4d")
_SETID = (f"{_HOME}setid.mat", "a5357ecc9cb78c4bef273ce3793fc85c")
# as in Paddle, which trains on the largest
_SETS = {"train": "tstid", "test": "trnid", "valid": "valid"}
_PICTURE = re.compile(r"(?:\./)?jpg/image_\d{5}\.jpg")


class Flowers(Pictures):
    """Flowers in mode 'train' (6149), 'valid' (1020) or 'test' (1020).

    -> image, label int64 [1] from 1 to 102

    data_file: the archive of pictures, which are unpacked beside it; label_file, setid_file: `.mat`
    files; None for those from the
    network.
    image: of PIL, or float32 [H, W, 3], behind `transform`.
    FileError for files that are damaged.
    """

    def __init__(
        self,
        data_file: Any = None,
        label_file: Any = None,
        setid_file: Any = None,
        mode: str = "train",
        transform: Any = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__(mode, tuple(_SETS), transform, backend)
        archive = self._file(data_file, "data_file", *_DATA, "flowers", download)
        self.labels = self._numbers(
            self._file(label_file, "label_file", *_LABEL, "flowers", download), "labels"
        )
        ids = self._file(setid_file, "setid_file", *_SETID, "flowers", download)
        self.indexes = self._numbers(ids, _SETS[self.mode])
        if len(self.indexes) and not 1 <= self.indexes.min() <= self.indexes.max() <= len(
            self.labels
        ):
            raise FileError(f"{ids.name}: names pictures that have no label")
        self.data_path = unpacked(archive)

    def _numbers(self, path: Path, name: str) -> Any:
        held = read_mat(path)
        if name not in held:
            raise FileError(f"{path.name}: has no matrix {name!r}; it has {sorted(held)}")
        return held[name].reshape(-1).astype(np.int64)

    def __getitem__(self, idx: int) -> Any:
        number = self.indexes[idx]
        image = opened(self.data_path / f"image_{number:05d}.jpg")
        return self._changed(image if self.backend == "pil" else np.array(image)), label_of(
            [self.labels[number - 1]]
        )

    def __len__(self) -> int:
        return len(self.indexes)


def unpacked(archive: Path) -> Path:
    """The folder with the pictures of the archive; only files `jpg/image_NNNNN.jpg` are taken out,
    and only once.
    """
    folder = archive.with_name(archive.name.removesuffix(".tgz") + "-pictures")
    if folder.is_dir():
        return folder
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    try:
        with archive_at(archive) as tar:
            for path, picture in members(tar, archive.name, _PICTURE.fullmatch):
                with (part / path.rsplit("/", 1)[-1]).open("wb") as file:
                    shutil.copyfileobj(picture, file)
        return part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
