"""What pictures are when they are read: PIL images, ndarrays or Tensors."""

from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO

import numpy as np

from ..core.errors import FileError, OarlockError, OpError
from ..tensor.creation import to_tensor

__all__ = ["get_image_backend", "image_load", "set_image_backend"]

_BACKENDS = ("pil", "cv2", "tensor")
_chosen = "pil"


def set_image_backend(backend: str) -> None:
    """Choose what pictures are read as: 'pil' images; 'cv2', which means ndarrays; 'tensor'."""
    global _chosen  # noqa: PLW0603 - the choice is the module's one state
    _chosen = _known("set_image_backend", backend)


def get_image_backend() -> str:
    """What pictures are read as."""
    return _chosen


def image_load(path: str | os.PathLike[str], backend: str | None = None) -> Any:
    """A picture: of PIL; as ndarray [H, W, 3] of blue, green and red (as OpenCV has it); or as
    Tensor uint8 [C, H, W].
    """
    backend = _known("image_load", _chosen if backend is None else backend)
    image = opened(path)
    if backend == "pil":
        return image
    pixels = np.asarray(image.convert("RGB"))
    return (
        np.ascontiguousarray(pixels[..., ::-1])
        if backend == "cv2"
        else to_tensor(pixels.transpose(2, 0, 1))
    )


def _known(op: str, backend: str) -> str:
    if backend not in _BACKENDS:
        raise OpError(f"{op}: backend={backend!r} is not one of {list(_BACKENDS)}")
    return backend


def pil() -> Any:
    """PIL.Image.

    OarlockError where Pillow is not installed.
    """
    try:
        from PIL import Image  # noqa: PLC0415 - optional
    except ImportError:
        raise OarlockError(
            "pictures are read by Pillow, which is not installed: pip install oarlock[vision]"
        ) from None
    return Image


_PROGRAMS = {"EPS"}  # formats that Pillow passes to another program


def opened(file: str | os.PathLike[str] | BinaryIO) -> Any:
    """A PIL image, read whole.

    FileError where it is damaged, far too large, or in a form that is a program; OSError where it
    cannot be opened
    """
    library = pil()
    library.init()
    name = os.path.basename(file) if isinstance(file, (str, os.PathLike)) else "the picture"
    try:
        image = library.open(file, formats=[form for form in library.OPEN if form not in _PROGRAMS])
        image.load()
    except (FileNotFoundError, PermissionError):
        raise
    except (
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        struct.error,
        library.DecompressionBombError,
    ) as error:
        raise FileError(f"{name}: is not a readable image ({error})") from None
    return image
