"""The pictures of PASCAL VOC 2012 that have every pixel labelled (Everingham et al. 2012)."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from ...core.errors import FileError
from ...utils.archives import archive_at
from ..image import opened
from .common import Pictures

__all__ = ["VOC2012"]

_URL = "https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar"
_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
_ROOT = "VOCdevkit/VOC2012"
_SETS = {"train": "trainval", "test": "train", "valid": "val"}  # as in Paddle


class VOC2012(Pictures):
    """Pictures for modes 'train' (2913), 'valid' (1449) and 'test' (1464).

    -> image, label

    image: of PIL, or float32 [H, W, 3], behind `transform`; label: of PIL, classes as a palette, or
    float32 [H, W].
    data_file: the archive, which is read where it is; None for the one from the network.
    FileError where it lacks something.
    """

    def __init__(
        self,
        data_file: Any = None,
        mode: str = "train",
        transform: Any = None,
        download: bool = True,
        backend: str | None = None,
    ) -> None:
        super().__init__(mode, tuple(_SETS), transform, backend)
        self.data_file = self._file(data_file, "data_file", _URL, _MD5, "voc2012", download)
        with archive_at(self.data_file, "r:") as archive:
            whole = (m for m in archive if m.isfile())
            self._places = {m.name: (m.offset_data, m.size) for m in whole}
        names = (
            self._read(f"{_ROOT}/ImageSets/Segmentation/{_SETS[self.mode]}.txt")
            .decode("latin1")
            .split()
        )
        self.data = [f"{_ROOT}/JPEGImages/{name}.jpg" for name in names]
        self.labels = [f"{_ROOT}/SegmentationClass/{name}.png" for name in names]

    def _read(self, name: str) -> bytes:
        """A file of the archive.

        Opened anew each time, so that worker processes do not disturb each other.
        """
        if name not in self._places:
            raise FileError(f"{self.data_file.name}: has no {name}")
        start, size = self._places[name]
        with self.data_file.open("rb") as file:
            file.seek(start)
            return file.read(size)

    def __getitem__(self, idx: int) -> Any:
        image, label = (
            opened(io.BytesIO(self._read(names[idx]))) for names in (self.data, self.labels)
        )
        if self.backend == "pil":
            return self._changed(image), label
        return self._changed(np.array(image)), np.array(label).astype(self.dtype)

    def __len__(self) -> int:
        return len(self.data)
