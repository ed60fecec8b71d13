"""Base class of transforms, and deterministic transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...core.type_aliases import Array
from ..type_aliases import Fill
from . import functional as F

__all__ = [
    "BaseTransform",
    "CenterCrop",
    "Compose",
    "Grayscale",
    "Normalize",
    "Pad",
    "Resize",
    "ToTensor",
    "Transpose",
]


class Compose:
    """Apply transforms one after the other.

    Parameters
    ----------
    transforms : sequence of callable
        Each gets the result of the previous one.

    Examples
    --------
    >>> T = paddle.vision.transforms
    >>> transform = T.Compose([T.Resize(4), T.ToTensor()])
    >>> transform(np.zeros([8, 8, 3], "uint8")).shape
    [3, 4, 4]
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, data: Any) -> Any:
        """Apply all transforms in order, and return the result of the last one."""
        for transform in self.transforms:
            data = transform(data)
        return data

    def __repr__(self) -> str:
        return "".join([f"{type(self).__name__}(", *(f"\n    {t}" for t in self.transforms), "\n)"])


class BaseTransform:
    """Base class of transforms of images and of what belongs to them, such as boxes and masks.

    A subclass implements `_apply_image`, and `_apply_boxes`, `_apply_mask` or other methods
    `_apply_KEY` for the keys it supports. It is called with an image or a tuple: each item is
    passed to the method of its key; items after the last key are returned unchanged.
    `_get_params(items)` can return random parameters, which are drawn once for all items of a call
    and stored in `self.params`.

    Parameters
    ----------
    keys : sequence of str, optional
        A key for each item of the input: "image", "boxes", "mask" or another. Default: ("image",).

    Raises
    ------
    OpError
        If `keys` is no sequence of names, or the class has no method for a key.
    NotImplementedError
        In a call, if the class does not support a key.

    Examples
    --------
    >>> class Invert(paddle.vision.transforms.BaseTransform):
    ...     def _apply_image(self, image):
    ...         return 255 - image
    >>> Invert()((np.array([[0, 55]], "uint8"), "label"))
    (array([[255, 200]], dtype=uint8), 'label')
    """

    def __init__(self, keys: Sequence[str] | None = None) -> None:
        if keys is None:
            keys = ("image",)
        if isinstance(keys, str) or not isinstance(keys, Sequence):
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: keys must be a list of names, not {keys!r}"
                )
            )
        for key in keys:
            if self._get_apply(key) is None:
                raise OpError(
                    append_user_line(f"{type(self).__name__}: does not implement _apply_{key}")
                )
        self.keys = keys
        self.params: Any = None

    def _get_params(self, inputs: tuple[Any, ...]) -> Any:
        return None

    def _get_apply(self, key: str) -> Any:
        return getattr(self, f"_apply_{key}", None)

    def __call__(self, inputs: Any) -> Any:
        """Transform each item of the input by the method `_apply_KEY`, where KEY is its entry in
        `keys`.
        """
        items = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(items)
        transformed = [
            self._get_apply(key)(item) for key, item in zip(self.keys, items, strict=False)
        ]
        out = (*transformed, *items[len(transformed) :])
        return out if len(out) > 1 else out[0]

    def _apply_image(self, image: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement _apply_image")

    def _apply_boxes(self, boxes: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement _apply_boxes")

    def _apply_mask(self, mask: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement _apply_mask")


def parse_height_width(size: float | Sequence[float]) -> tuple[int, int]:
    """Return height and width from one number or two."""
    return (int(size), int(size)) if isinstance(size, int | float) else (int(size[0]), int(size[1]))


class ToTensor(BaseTransform):
    """Convert an image to a Tensor; uint8 becomes float32 from 0 to 1, other dtypes are unchanged.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [C, H, W]; the result is a
    Tensor [C, H, W] or [H, W, C].

    Parameters
    ----------
    data_format : "CHW" or "HWC", default "CHW"
        Order of the axes of the result.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        In a call, if the input is no image or `data_format` has another value.

    Examples
    --------
    >>> paddle.vision.transforms.ToTensor()(np.array([[0, 255]], "uint8")).tolist()
    [[[0.0, 1.0]]]
    """

    def __init__(self, data_format: str = "CHW", keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, img: Any) -> Tensor:
        return F.to_tensor(img, self.data_format)


class Resize(BaseTransform):
    """Resize an image.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W].

    Parameters
    ----------
    size : int or (int, int)
        Height and width. One int is the shorter side; the other side keeps the aspect ratio.
    interpolation : str, default "bilinear"
        "nearest", "bilinear", "bicubic" or "lanczos"; "area" except for PIL images; "box" and
        "hamming" only for PIL images.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        In a call, if the input is no image, or `size` or `interpolation` has another form.

    See Also
    --------
    paddle.vision.transforms.resize : The same as a function.

    Examples
    --------
    >>> image = np.zeros([4, 8, 3], "uint8")
    >>> paddle.vision.transforms.Resize(2)(image).shape
    (2, 4, 3)
    >>> paddle.vision.transforms.Resize((3, 5))(image).shape
    (3, 5, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: str = "bilinear",
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.size = size
        self.interpolation = interpolation

    def _apply_image(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Crop the center of an image.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W].

    Parameters
    ----------
    size : int or (int, int)
        Height and width, at most those of the image.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        In a call, if the input is no image.

    Examples
    --------
    >>> paddle.vision.transforms.CenterCrop(2)(np.arange(16).reshape(4, 4)).tolist()
    [[5, 6], [9, 10]]
    """

    def __init__(self, size: int | Sequence[int], keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.size = parse_height_width(size)

    def _apply_image(self, img: Any) -> Any:
        return F.center_crop(img, self.size)


class Pad(BaseTransform):
    """Pad an image on its sides.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W].

    Parameters
    ----------
    padding : int, (int, int) or (int, int, int, int)
        Pixels on all sides; left and right, top and bottom; or left, top, right, bottom.
    fill : float or sequence of float, default 0
        Value of the new pixels for "constant"; a sequence has one value per channel and is not
        supported for Tensors.
    padding_mode : "constant", "edge", "reflect" or "symmetric", default "constant"
        "edge" repeats the outermost pixels, "reflect" and "symmetric" mirror the image without and
        with them. "symmetric" is not supported for Tensors.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        In a call, if the input is no image, or `padding` or `padding_mode` has another form.

    Examples
    --------
    >>> paddle.vision.transforms.Pad((1, 0), fill=9)(np.array([[1, 2, 3]])).tolist()
    [[9, 1, 2, 3, 9]]
    """

    def __init__(
        self,
        padding: int | Sequence[int],
        fill: Fill | str = 0,
        padding_mode: str = "constant",
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def _apply_image(self, img: Any) -> Any:
        return F.pad(img, self.padding, self.fill, self.padding_mode)


class Normalize(BaseTransform):
    """Normalize each channel of an image.

    out[c] = (img[c] - mean[c]) / std[c]

    A PIL image becomes an ndarray of floats.

    Parameters
    ----------
    mean, std : float or sequence of float, default 0.0 and 1.0
        One value per channel in the units of the pixels; one number is used for three channels.
    data_format : "CHW" or "HWC", default "CHW"
        Order of the axes of the input. Use "HWC" for PIL images and arrays [H, W, C].
    to_rgb : bool, default False
        Reverse the order of the channels first.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        In a call, if the input is no image.

    Examples
    --------
    >>> normalize = paddle.vision.transforms.Normalize(127.5, 127.5, data_format="HWC")
    >>> normalize(np.full([2, 2, 3], 255, "uint8"))[0, 0].tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        mean: Fill | Array = 0.0,
        std: Fill | Array = 1.0,
        data_format: str = "CHW",
        to_rgb: bool = False,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.mean = [mean] * 3 if isinstance(mean, int | float) else mean
        self.std = [std] * 3 if isinstance(std, int | float) else std
        self.data_format = data_format
        self.to_rgb = to_rgb

    def _apply_image(self, img: Any) -> Any:
        return F.normalize(img, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """Permute the axes of an image; by default channels become the first axis.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor with three axes. PIL
    images become ndarrays; an image without channels gets one.

    Parameters
    ----------
    order : sequence of int, default (2, 0, 1)
        The axes of the input, in the order of the result.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Examples
    --------
    >>> paddle.vision.transforms.Transpose()(np.zeros([8, 6, 3], "uint8")).shape
    (3, 8, 6)
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.order = order

    def _apply_image(self, img: Any) -> Any:
        if isinstance(img, Tensor):
            return img.transpose(list(self.order))
        array = np.asarray(img)
        return (array[..., None] if array.ndim == 2 else array).transpose(self.order)


class Grayscale(BaseTransform):
    """Convert an RGB image to grayscale.

    gray = 0.299 * red + 0.587 * green + 0.114 * blue (for Tensors 0.2989 * red, as in Paddle)

    The input is a PIL image, an ndarray uint8 [H, W, 3], or a Tensor [*, 3, H, W].

    Parameters
    ----------
    num_output_channels : 1 or 3, default 1
        3: three equal channels.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        In a call, if the input is no such image or `num_output_channels` has another value.

    Examples
    --------
    >>> image = np.array([[[255, 0, 0], [0, 255, 0]]], "uint8")
    >>> paddle.vision.transforms.Grayscale()(image).tolist()
    [[[76], [150]]]
    """

    def __init__(self, num_output_channels: int = 1, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, img: Any) -> Any:
        return F.to_grayscale(img, self.num_output_channels)
