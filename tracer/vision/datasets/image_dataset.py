"""Base class of the image datasets: arguments, files and transforms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.errors import OpError, append_user_line
from ...core.type_aliases import PathLike
from ...io import Dataset
from ...utils import download
from ..image import get_image_backend, import_pillow

MAX_BYTES = 1 << 30  # maximal size of an unpacked file


class ImageDataset(Dataset):
    """Base of the image datasets.

    backend: 'pil' for PIL images, 'cv2' for ndarrays; None for that of set_image_backend
    """

    def __init__(
        self,
        mode: str,
        modes: tuple[str, ...],
        transform: Callable[[Any], Any] | None,
        backend: str | None,
    ) -> None:
        name = type(self).__name__
        if mode.lower() not in modes:
            raise OpError(append_user_line(f"{name}: mode={mode!r} is not one of {list(modes)}"))
        self.backend = get_image_backend() if backend is None else backend
        if self.backend not in ("pil", "cv2"):
            raise OpError(
                append_user_line(f"{name}: backend={self.backend!r} is not one of ['pil', 'cv2']")
            )
        self.mode = mode.lower()
        self.transform = transform
        self.dtype = get_default_dtype()

    def _user_or_downloaded_file(
        self,
        user_path: PathLike | None,
        argument: str,
        url: str,
        md5: str,
        folder: str,
        may_download: bool,
    ) -> Path:
        """Return the path of a file: the user's, or a downloaded one."""
        if user_path is not None:
            path = Path(user_path)
            if not path.is_file():
                raise OpError(
                    append_user_line(
                        f"{type(self).__name__}: {argument}={user_path!s} is not a file"
                    )
                )
            return path
        if not may_download:
            raise OpError(
                append_user_line(f"{type(self).__name__}: {argument} is required if download=False")
            )
        return download.fetch(
            url, download.cache_folder() / "dataset" / folder, md5, accept_other_md5=True
        )

    def _pixels_to_transformed_image(self, pixels: Any) -> Any:
        """Convert pixels to the backend's type and apply the transform.

        pixels: uint8 [H, W] or [H, W, C]
        """
        image = import_pillow().fromarray(pixels) if self.backend == "pil" else pixels
        return self._transform_and_cast_image(image)

    def _transform_and_cast_image(self, image: Any) -> Any:
        """Apply the transform; an ndarray gets the default dtype."""
        if self.transform is not None:
            image = self.transform(image)
        return image if self.backend == "pil" else image.astype(self.dtype)


def to_label_array(value: Any) -> Any:
    """Return a label, or a list of labels, as an int64 array."""
    return np.asarray(value, np.int64)
