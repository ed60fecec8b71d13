"""Image backends and image loading: PIL images, ndarrays or Tensors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, overload

import numpy as np

from ..core.errors import FileError, OarlockError, OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import Array
from ..tensor.creation import to_tensor
from .type_aliases import Image

if TYPE_CHECKING:
    from PIL.Image import Image as PilImage

__all__ = ["get_image_backend", "image_load", "set_image_backend"]

_BACKENDS = ("pil", "cv2", "tensor")
_current_backend = "pil"


def set_image_backend(backend: str) -> None:
    """Set the backend, which determines the type of images that datasets and `image_load` return.

    Parameters
    ----------
    backend : "pil", "cv2" or "tensor"
        "pil": PIL images; "cv2": ndarrays; "tensor": Tensors, by `image_load` only. The default at
        import is "pil".

    Raises
    ------
    OpError
        If `backend` has another value.

    Notes
    -----
    OpenCV is not used and need not be installed; "cv2" only names the form of the arrays.

    Examples
    --------
    >>> paddle.vision.set_image_backend("cv2")
    >>> paddle.vision.get_image_backend()
    'cv2'
    >>> paddle.vision.set_image_backend("pil")
    """
    global _current_backend  # noqa: PLW0603 - the only state of the module
    _current_backend = _require_known_backend("set_image_backend", backend)


def get_image_backend() -> str:
    """Return the backend that images are loaded with.

    Returns
    -------
    "pil", "cv2" or "tensor"

    Examples
    --------
    >>> paddle.vision.get_image_backend()
    'pil'
    """
    return _current_backend


@overload
def image_load(path: str | os.PathLike[str], backend: Literal["pil"]) -> PilImage: ...
@overload
def image_load(path: str | os.PathLike[str], backend: Literal["cv2"]) -> Array: ...
@overload
def image_load(path: str | os.PathLike[str], backend: Literal["tensor"]) -> Tensor: ...
@overload
def image_load(path: str | os.PathLike[str], backend: str | None = None) -> Any: ...
def image_load(path: str | os.PathLike[str], backend: str | None = None) -> Image:
    """Load an image from a file.

    Parameters
    ----------
    path : str or PathLike
        A file in a format that Pillow reads, except EPS.
    backend : "pil", "cv2" or "tensor", optional
        Type of the result; by default that of `set_image_backend`.

    Returns
    -------
    PIL image, ndarray or Tensor
        "pil": a PIL image in the mode of the file; "cv2": uint8 [H, W, 3] in the order blue, green,
        red, as OpenCV loads images; "tensor": uint8 [3, H, W] in the order red, green, blue.

    Raises
    ------
    OpError
        If `backend` has another value.
    FileError
        If the file is not a complete image.
    OSError
        If the file cannot be opened.
    OarlockError
        If Pillow is not installed: ``pip install 'oarlock[vision]'``.

    Notes
    -----
    Pillow decodes the image for all backends. Paddle uses OpenCV for "cv2".

    Examples
    --------
    >>> from PIL import Image
    >>> Image.new("RGB", (4, 2), (255, 0, 0)).save("red.png")
    >>> paddle.vision.image_load("red.png", backend="cv2")[0, 0].tolist()
    [0, 0, 255]
    >>> paddle.vision.image_load("red.png", backend="tensor").shape
    [3, 2, 4]
    """
    backend = _require_known_backend("image_load", _current_backend if backend is None else backend)
    image = open_image_with_pillow(path)
    if backend == "pil":
        return image
    pixels = np.asarray(image.convert("RGB"))
    return (
        np.ascontiguousarray(pixels[..., ::-1])
        if backend == "cv2"
        else to_tensor(pixels.transpose(2, 0, 1))
    )


def _require_known_backend(op: str, backend: str) -> str:
    if backend not in _BACKENDS:
        raise OpError(
            append_user_line(f"{op}: backend={backend!r} is not one of {list(_BACKENDS)}")
        )
    return backend


def import_pillow() -> Any:
    """Return the module PIL.Image.

    Raises OarlockError if Pillow is not installed.
    """
    try:
        from PIL import Image  # noqa: PLC0415 - optional
    except ImportError:
        raise OarlockError(
            append_user_line("loading images requires Pillow: pip install 'oarlock[vision]'")
        ) from None
    return Image


_EXECUTABLE_FORMATS = {"EPS"}  # Pillow runs another program to decode them


@contextmanager
def converting_pillow_errors(name: str) -> Iterator[None]:
    """Raise FileError for the exceptions by which Pillow rejects a damaged or far too large image,
    when it opens it or, later, when it decodes it.
    """
    try:
        yield
    except (FileNotFoundError, PermissionError):
        raise
    except Exception as error:  # decoders of damaged files raise nearly all classes of errors
        reason = str(error) or type(error).__name__
        raise FileError(f"{name}: is not a readable image ({reason})") from None


def open_image_with_pillow(file: str | os.PathLike[str] | BinaryIO) -> Any:
    """Open and decode an image with Pillow.

    Raises FileError if it is damaged, far too large or in an executable format; OSError if it
    cannot be opened.
    """
    library = import_pillow()
    library.init()
    name = os.path.basename(file) if isinstance(file, (str, os.PathLike)) else "the image"
    with converting_pillow_errors(name):
        image = library.open(
            file, formats=[form for form in library.OPEN if form not in _EXECUTABLE_FORMATS]
        )
        try:
            image.load()
        except BaseException:
            image.close()
            raise
    return image
