"""Base class of transforms, and deterministic transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError
from ...core.tensor import Tensor
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
    """Apply transforms one after the other."""

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
    """Base of transforms: called with an image, or a tuple whose items `keys` describes.

    An item with key 'image' is passed to `_apply_image`, 'boxes' to `_apply_boxes`, 'mask' to
    `_apply_mask`, and so on; items after those that `keys` names are unchanged. A key without a
    method raises OpError. `_get_params` draws random parameters once for all items of a call and
    stores them in `self.params`.
    """

    def __init__(self, keys: Sequence[str] | None = None) -> None:
        if keys is None:
            keys = ("image",)
        if isinstance(keys, str) or not isinstance(keys, Sequence):
            raise OpError(f"{type(self).__name__}: keys must be a list of names, not {keys!r}")
        for key in keys:
            if self._get_apply(key) is None:
                raise OpError(f"{type(self).__name__}: does not implement _apply_{key}")
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


def parse_height_width(size: Any) -> tuple[int, int]:
    """Return height and width from one number or two."""
    return (int(size), int(size)) if isinstance(size, int | float) else (int(size[0]), int(size[1]))


class ToTensor(BaseTransform):
    """Convert an image to a Tensor [C, H, W], as functional.to_tensor."""

    def __init__(self, data_format: str = "CHW", keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, img: Any) -> Tensor:
        return F.to_tensor(img, self.data_format)


class Resize(BaseTransform):
    """Resize an image, as functional.resize."""

    def __init__(
        self, size: Any, interpolation: str = "bilinear", keys: Sequence[str] | None = None
    ) -> None:
        super().__init__(keys)
        self.size = size
        self.interpolation = interpolation

    def _apply_image(self, img: Any) -> Any:
        return F.resize(img, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Crop the centre of an image, as functional.center_crop."""

    def __init__(self, size: Any, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.size = parse_height_width(size)

    def _apply_image(self, img: Any) -> Any:
        return F.center_crop(img, self.size)


class Pad(BaseTransform):
    """Pad an image, as functional.pad."""

    def __init__(
        self,
        padding: Any,
        fill: Any = 0,
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
    """Normalize each channel, as functional.normalize.

    mean, std: one number for all three channels, or one for each
    """

    def __init__(
        self,
        mean: Any = 0.0,
        std: Any = 1.0,
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
    """Permute the axes; PIL images become arrays.

    [H, W, C] -> [C, H, W]
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
    """Convert an image to grayscale, as functional.to_grayscale."""

    def __init__(self, num_output_channels: int = 1, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, img: Any) -> Any:
        return F.to_grayscale(img, self.num_output_channels)
