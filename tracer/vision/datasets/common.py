"""What the data sets share: their settings, their files, and what a picture of theirs becomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.errors import OpError
from ...io import Dataset
from ...utils import download
from ..image import get_image_backend, pil

MAX_BYTES = 1 << 30  # of one file, unpacked


class Pictures(Dataset):
    """Base of data sets with pictures.

    backend: 'pil' for PIL images, 'cv2' for ndarrays; None for what set_image_backend chose
    """

    def __init__(
        self, mode: str, modes: tuple[str, ...], transform: Any, backend: str | None
    ) -> None:
        name = type(self).__name__
        if mode.lower() not in modes:
            raise OpError(f"{name}: mode={mode!r} is not one of {list(modes)}")
        self.backend = get_image_backend() if backend is None else backend
        if self.backend not in ("pil", "cv2"):
            raise OpError(f"{name}: backend={self.backend!r} is not one of ['pil', 'cv2']")
        self.mode = mode.lower()
        self.transform = transform
        self.dtype = get_default_dtype()

    def _file(self, given: Any, what: str, url: str, md5: str, folder: str, fetch: bool) -> Path:
        """The path of a file: the given one, else the one from the network."""
        if given is not None:
            path = Path(given)
            if not path.is_file():
                raise OpError(f"{type(self).__name__}: {what}={given!s} is not a file")
            return path
        if not fetch:
            raise OpError(f"{type(self).__name__}: {what} is needed where download is off")
        return download.fetch(url, download.home() / "dataset" / folder, md5, own=True)

    def _shown(self, pixels: Any) -> Any:
        """A picture as it is given to the user.

        pixels: uint8 [H, W] or [H, W, C]
        """
        image = pil().fromarray(pixels) if self.backend == "pil" else pixels
        return self._changed(image)

    def _changed(self, image: Any) -> Any:
        """After the transform; what is no PIL picture has the default dtype."""
        if self.transform is not None:
            image = self.transform(image)
        return image if self.backend == "pil" else image.astype(self.dtype)


def label_of(value: Any) -> Any:
    """A label as an int64 array."""
    return np.asarray(value, np.int64)
