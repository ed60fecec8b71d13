"""Layers that resize, rearrange, pad and compare: each calls the function of nn.functional that its
row names.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.operand_checks import check_tensors, no_axis_error
from ..core.tensor import Tensor
from ..tensor.manipulation import reshape
from . import functional as F
from .function_layer import REQUIRED, FunctionLayer, Row, made
from .layer import Layer


class _Padded(FunctionLayer):
    """One number of padding is for all sides."""

    _names: ClassVar[dict[str, str]] = {"padding": "_pad"}

    def _prepared(self, settings: dict[str, Any]) -> dict[str, Any]:
        if isinstance(settings["padding"], int):
            sides = {"Pad1D": 2, "Pad3D": 6}.get(type(self).__name__, 4)
            settings["padding"] = [settings["padding"]] * sides
        return settings

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output; the class describes shapes."""
        s = self._settings
        return F.pad(
            x, s["padding"], s.get("mode", "constant"), s.get("value", 0.0), s["data_format"]
        )


class _Resized(FunctionLayer):
    """One of size and scale_factor is given, and shown."""

    def extra_repr(self) -> str:
        """Settings."""
        settings = self._settings
        given = "size" if settings["scale_factor"] is None else "scale_factor"
        rest = [k for k in settings if k not in ("size", "scale_factor")]
        return ", ".join(f"{k}={settings[k]}" for k in [given, *rest]) + (
            f", name={self._name}" if self._name else ""
        )


class _Nearest(_Resized):
    """Both kinds of upsampling to a size or by a factor."""

    _fixed: tuple[str, bool] = ("nearest", False)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output; the class describes shapes."""
        s, (mode, corners) = self._settings, self._fixed
        return F.interpolate(x, s["size"], s["scale_factor"], mode, corners, 0, s["data_format"])


class _Bilinear(_Nearest):
    """Upsampling with align_corners."""

    _fixed = ("bilinear", True)


_PAD = {"padding": REQUIRED, "mode": "constant", "value": 0.0}
_RESIZE = {"size": None, "scale_factor": None}
_UPSAMPLE = {
    **_RESIZE,
    "mode": "nearest",
    "align_corners": False,
    "align_mode": 0,
    "data_format": "NCHW",
}
_WINDOW = {"kernel_sizes": REQUIRED, "dilations": 1, "paddings": 0, "strides": 1}
_WINDOW_SHOWN = (
    "kernel_size:kernel_sizes",
    "dilation:dilations",
    "padding:paddings",
    "stride:strides",
)
_LRN = {"size": REQUIRED, "alpha": 0.0001, "beta": 0.75, "k": 1.0, "data_format": "NCHW"}
_SHUFFLE = {"data_format": "NCHW"}
_INPUT = ("input",)

TABLE: list[tuple[Row, type[FunctionLayer]]] = [
    (
        Row(
            "Pad1D",
            "pad",
            {**_PAD, "data_format": "NCL"},
            "Padding: left, right.   x [N, C, L] -> [N, C, L']",
            kept="_{}",
        ),
        _Padded,
    ),
    (
        Row(
            "Pad2D",
            "pad",
            {**_PAD, "data_format": "NCHW"},
            "Padding: left, right, top, bottom.   x [N, C, H, W] -> [N, C, H', W']",
            kept="_{}",
        ),
        _Padded,
    ),
    (
        Row(
            "Pad3D",
            "pad",
            {**_PAD, "data_format": "NCDHW"},
            "Padding: left, right, top, bottom, front, back.   x [N, C, D, H, W] -> [N, C, D', "
            "H', W']",
            kept="_{}",
        ),
        _Padded,
    ),
    (
        Row(
            "ZeroPad2D",
            "zeropad2d",
            {"padding": REQUIRED, "data_format": "NCHW"},
            "Zeros around pictures.   x [N, C, H, W] -> [N, C, H', W']",
            kept="_{}",
        ),
        _Padded,
    ),
    (
        Row(
            "Upsample",
            "interpolate",
            _UPSAMPLE,
            "functional.interpolate as a layer.   x [N, C, *S] -> [N, C, *size]",
        ),
        _Resized,
    ),
    (
        Row(
            "UpsamplingNearest2D",
            "interpolate",
            {**_RESIZE, "data_format": "NCHW"},
            "Nearest.   x [N, C, H, W] -> [N, C, *size]",
        ),
        _Nearest,
    ),
    (
        Row(
            "UpsamplingBilinear2D",
            "interpolate",
            {**_RESIZE, "data_format": "NCHW"},
            "Bilinear, corners aligned.   x [N, C, H, W] -> [N, C, *size]",
        ),
        _Bilinear,
    ),
    (
        Row(
            "PixelShuffle",
            "pixel_shuffle",
            {"upscale_factor": REQUIRED, **_SHUFFLE},
            "Channels as pixels.   x [N, C * r * r, H, W] -> [N, C, H * r, W * r]",
            shown=("upscale_factor",),
            kept="_{}",
        ),
        FunctionLayer,
    ),
    (
        Row(
            "PixelUnshuffle",
            "pixel_unshuffle",
            {"downscale_factor": REQUIRED, **_SHUFFLE},
            "Pixels as channels.   x [N, C, H * r, W * r] -> [N, C * r * r, H, W]",
            shown=("downscale_factor",),
            kept="_{}",
        ),
        FunctionLayer,
    ),
    (
        Row(
            "ChannelShuffle",
            "channel_shuffle",
            {"groups": REQUIRED, **_SHUFFLE},
            "Groups of channels interleaved.   x [N, C, H, W] -> like x",
            shown=("groups",),
            kept="_{}",
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Unfold",
            "unfold",
            _WINDOW,
            "Windows as columns.   x [N, C, H, W] -> [N, C * kH * kW, L]",
            _INPUT,
            _WINDOW_SHOWN,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Fold",
            "fold",
            {"output_sizes": REQUIRED, **_WINDOW},
            "Columns as windows, added.   x [N, C * kH * kW, L] -> [N, C, *output_sizes]",
            _INPUT,
            _WINDOW_SHOWN,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "LocalResponseNorm",
            "local_response_norm",
            _LRN,
            "Channels normalised by those around   (Krizhevsky et al. 2012).   x [N, C, *] -> "
            "like x",
            _INPUT,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "AlphaDropout",
            "alpha_dropout",
            {"p": 0.5},
            "Dropout for SELU   (Klambauer et al. 2017).   x [*] -> [*]",
            _INPUT,
            trained=True,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Dropout2D",
            "dropout2d",
            {"p": 0.5, "data_format": "NCHW"},
            "Dropout of whole channels.   x [N, C, H, W] -> like x",
            _INPUT,
            trained=True,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Dropout3D",
            "dropout3d",
            {"p": 0.5, "data_format": "NCDHW"},
            "Dropout of whole channels.   x [N, C, D, H, W] -> like x",
            _INPUT,
            trained=True,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "CosineSimilarity",
            "cosine_similarity",
            {"axis": 1, "eps": 1e-8},
            "The cosine of an angle along an axis.   [*], [*] -> [* without axis]",
            ("x1", "x2"),
            named=False,
            kept="_{}",
        ),
        FunctionLayer,
    ),
]
CLASSES = {row.name: made(row, __name__, base) for row, base in TABLE}
CLASSES["LocalResponseNorm"].extra_repr = lambda self: _changed(self, "data_format", "NCHW")  # type: ignore[method-assign]
globals().update(CLASSES)
__all__ = ["Bilinear", "PairwiseDistance", "Unflatten", *CLASSES]  # noqa: PLE0604 - made from the table


def _changed(layer: FunctionLayer, setting: str, default: Any) -> str:
    """The settings, one of them only when it is not at its default."""
    found = {k: v for k, v in layer._settings.items() if k != setting or v != default}
    return ", ".join(
        [f"{k}={v}" for k, v in found.items()] + ([f"name={layer._name}"] if layer._name else [])
    )


class PairwiseDistance(Layer):
    """The p-norm of x - y along the last axis.

    x [*, D], y [*, D] -> [*]
    """

    def __init__(
        self, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: str | None = None
    ) -> None:
        super().__init__()
        self.p, self.epsilon, self.keepdim, self.name = p, epsilon, keepdim, name

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Compute the output; the class describes shapes."""
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self) -> str:
        """Settings, those at their defaults left out."""
        found = f"p={self.p}"
        found += f", epsilon={self.epsilon}" if self.epsilon != 1e-6 else ""
        found += f", keepdim={self.keepdim}" if self.keepdim else ""
        return found + (f", name={self.name}" if self.name else "")


class Bilinear(Layer):
    """x1' W x2 for each of out_features matrices W, plus bias.

    x1 [B, in1_features], x2 [B, in2_features] -> [B, out_features]
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._in1_features, self._in2_features, self._out_features = (
            in1_features,
            in2_features,
            out_features,
        )
        self._weight_attr, self._bias_attr, self._name = weight_attr, bias_attr, name
        self.weight: Any = self.create_parameter(
            [out_features, in1_features, in2_features], weight_attr
        )
        self.bias: Any = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Compute the output; the class describes shapes."""
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes."""
        found = (
            f"in1_features={self._in1_features}, in2_features={self._in2_features}, "
            f"out_features={self._out_features}"
        )
        found += f", dtype={self._dtype.name}"
        return found + (f", name={self._name}" if self._name else "")


class Unflatten(Layer):
    """An axis as several.

    x [*, product of shape, *] -> [*, *shape, *]
    """

    def __init__(self, axis: int, shape: Any, name: str | None = None) -> None:
        super().__init__()
        self.axis, self.shape, self.name = axis, shape, name

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output; the class describes shapes."""
        check_tensors(input)
        if not input.ndim:
            raise no_axis_error(input, self.axis)
        at, dims = self.axis % input.ndim, input.meta.shape
        kept = [0] * at
        return reshape(
            input,
            [
                *kept,
                *self.shape,
                *(
                    d if d >= 0 else int(input.shape[at + 1 + i])
                    for i, d in enumerate(dims[at + 1 :])
                ),
            ],
        )

    def extra_repr(self) -> str:
        """Settings."""
        return (f"axis={self.axis}, shape={self.shape}") + (
            f", name={self.name}" if self.name else ""
        )
