"""Layers that resize, rearrange, pad, normalize and drop channels of images, AlphaDropout, and
layers of two inputs. Most of these layers are rows of a table, which names the function of
`nn.functional` that they call.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.operand_checks import axis_out_of_range_error, check_tensors
from ..core.tensor import Tensor
from ..tensor.manipulation import reshape
from . import functional as F
from .function_layer import REQUIRED, FunctionLayer, Row, make_layer_class
from .layer import Layer


class _PadLayer(FunctionLayer):
    """Base of the padding layers: an int pads all sides."""

    _attribute_names: ClassVar[dict[str, str]] = {"padding": "_pad"}

    def _normalize_config(self, config: dict[str, Any]) -> dict[str, Any]:
        if isinstance(config["padding"], int):
            num_sides = {"Pad1D": 2, "Pad3D": 6}.get(type(self).__name__, 4)
            config["padding"] = [config["padding"]] * num_sides
        return config

    def forward(self, x: Tensor) -> Tensor:
        s = self._read_argument_attributes()
        return F.pad(
            x, s["padding"], s.get("mode", "constant"), s.get("value", 0.0), s["data_format"]
        )


class _ResizeLayer(FunctionLayer):
    """Base of the resizing layers: `repr` shows either size or scale_factor."""

    def extra_repr(self) -> str:
        config = self._read_argument_attributes()
        target = "size" if config["scale_factor"] is None else "scale_factor"
        others = [k for k in config if k not in ("size", "scale_factor")]
        return ", ".join(f"{k}={config[k]}" for k in [target, *others]) + (
            f", name={self._name}" if self._name else ""
        )


class _UpsampleNearest(_ResizeLayer):
    """Nearest-neighbour upsampling to a size or by a factor; subclasses set another
    interpolation.
    """

    _mode_and_corners: tuple[str, bool] = ("nearest", False)

    def forward(self, x: Tensor) -> Tensor:
        s, (mode, align_corners) = self._read_argument_attributes(), self._mode_and_corners
        return F.interpolate(
            x, s["size"], s["scale_factor"], mode, align_corners, 0, s["data_format"]
        )


class _UpsampleBilinear(_UpsampleNearest):
    """Bilinear upsampling with aligned corners."""

    _mode_and_corners = ("bilinear", True)


_PAD = {"padding": REQUIRED, "mode": "constant", "value": 0.0}
_RESIZE = {"size": None, "scale_factor": None}
_UPSAMPLE = {
    **_RESIZE,
    "mode": "nearest",
    "align_corners": False,
    "align_mode": 0,
    "data_format": "NCHW",
}
_WINDOW_DEFAULTS = {"kernel_sizes": REQUIRED, "dilations": 1, "paddings": 0, "strides": 1}
_WINDOW_REPR = (
    "kernel_size:kernel_sizes",
    "dilation:dilations",
    "padding:paddings",
    "stride:strides",
)
_LRN_DEFAULTS = {"size": REQUIRED, "alpha": 0.0001, "beta": 0.75, "k": 1.0, "data_format": "NCHW"}
_SHUFFLE = {"data_format": "NCHW"}
_INPUT_NAMES = ("input",)

TABLE: list[tuple[Row, type[FunctionLayer]]] = [
    (
        Row(
            "Pad1D",
            "pad",
            {**_PAD, "data_format": "NCL"},
            "Pad the last axis: left, right.",
            "x [N, C, L] -> [N, C, L']",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "Pad2D",
            "pad",
            {**_PAD, "data_format": "NCHW"},
            "Pad images: left, right, top, bottom.",
            "x [N, C, H, W] -> [N, C, H', W']",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "Pad3D",
            "pad",
            {**_PAD, "data_format": "NCDHW"},
            "Pad volumes: left, right, top, bottom, front, back.",
            "x [N, C, D, H, W] -> [N, C, D', H', W']",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "ZeroPad2D",
            "zeropad2d",
            {"padding": REQUIRED, "data_format": "NCHW"},
            "Pad images with zeros: left, right, top, bottom.",
            "x [N, C, H, W] -> [N, C, H', W']",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "Upsample",
            "interpolate",
            _UPSAMPLE,
            "Resize to `size` or by `scale_factor`, as `functional.interpolate`.",
            "x [N, C, *S] -> [N, C, *size]",
        ),
        _ResizeLayer,
    ),
    (
        Row(
            "UpsamplingNearest2D",
            "interpolate",
            {**_RESIZE, "data_format": "NCHW"},
            "Resize images by nearest-neighbour interpolation.",
            "x [N, C, H, W] -> [N, C, *size]",
        ),
        _UpsampleNearest,
    ),
    (
        Row(
            "UpsamplingBilinear2D",
            "interpolate",
            {**_RESIZE, "data_format": "NCHW"},
            "Resize images by bilinear interpolation with aligned corners.",
            "x [N, C, H, W] -> [N, C, *size]",
        ),
        _UpsampleBilinear,
    ),
    (
        Row(
            "PixelShuffle",
            "pixel_shuffle",
            {"upscale_factor": REQUIRED, **_SHUFFLE},
            "Rearrange channels into pixels.",
            "x [N, C * r * r, H, W] -> [N, C, H * r, W * r]",
            repr_config=("upscale_factor",),
            attribute_format="_{}",
        ),
        FunctionLayer,
    ),
    (
        Row(
            "PixelUnshuffle",
            "pixel_unshuffle",
            {"downscale_factor": REQUIRED, **_SHUFFLE},
            "Rearrange pixels into channels.",
            "x [N, C, H * r, W * r] -> [N, C * r * r, H, W]",
            repr_config=("downscale_factor",),
            attribute_format="_{}",
        ),
        FunctionLayer,
    ),
    (
        Row(
            "ChannelShuffle",
            "channel_shuffle",
            {"groups": REQUIRED, **_SHUFFLE},
            "Interleave groups of channels.",
            "x [N, C, H, W] -> like x",
            repr_config=("groups",),
            attribute_format="_{}",
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Unfold",
            "unfold",
            _WINDOW_DEFAULTS,
            "Extract the L sliding windows as columns (im2col).",
            "x [N, C, H, W] -> [N, C * kH * kW, L]",
            _INPUT_NAMES,
            _WINDOW_REPR,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Fold",
            "fold",
            {"output_sizes": REQUIRED, **_WINDOW_DEFAULTS},
            "Sum columns into sliding windows (col2im), the adjoint of Unfold.",
            "x [N, C * kH * kW, L] -> [N, C, *output_sizes]",
            _INPUT_NAMES,
            _WINDOW_REPR,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "LocalResponseNorm",
            "local_response_norm",
            _LRN_DEFAULTS,
            "Normalize each channel by its neighbours (Krizhevsky et al. 2012).",
            "x [N, C, *] -> like x",
            _INPUT_NAMES,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "AlphaDropout",
            "alpha_dropout",
            {"p": 0.5},
            "Dropout for SELU that preserves mean and variance (Klambauer et al. 2017).",
            "x [*] -> [*]",
            _INPUT_NAMES,
            pass_training=True,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Dropout2D",
            "dropout2d",
            {"p": 0.5, "data_format": "NCHW"},
            "Drop whole channels of images.",
            "x [N, C, H, W] -> like x",
            _INPUT_NAMES,
            pass_training=True,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "Dropout3D",
            "dropout3d",
            {"p": 0.5, "data_format": "NCDHW"},
            "Drop whole channels of volumes.",
            "x [N, C, D, H, W] -> like x",
            _INPUT_NAMES,
            pass_training=True,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "CosineSimilarity",
            "cosine_similarity",
            {"axis": 1, "eps": 1e-8},
            "Cosine similarity along an axis.",
            "[*], [*] -> [* without axis]",
            ("x1", "x2"),
            has_name=False,
            attribute_format="_{}",
        ),
        FunctionLayer,
    ),
]
CLASSES = {row.name: make_layer_class(row, __name__, base) for row, base in TABLE}
CLASSES["LocalResponseNorm"].extra_repr = lambda self: _format_config_hiding_one_default(  # type: ignore[method-assign]
    self, "data_format", "NCHW"
)
globals().update(CLASSES)
__all__ = ["Bilinear", "PairwiseDistance", "Unflatten", *CLASSES]  # noqa: PLE0604 - created from the table


def _format_config_hiding_one_default(layer: FunctionLayer, argument: str, default: Any) -> str:
    """Return the text that `repr` shows in parentheses: all arguments, except for `argument` if its
    value is `default`.
    """
    shown_config = {
        k: v for k, v in layer._read_argument_attributes().items() if k != argument or v != default
    }
    return ", ".join(
        [f"{k}={v}" for k, v in shown_config.items()]
        + ([f"name={layer._name}"] if layer._name else [])
    )


class PairwiseDistance(Layer):
    """p-norm of x - y + epsilon along the last axis.

    x [*, D], y [*, D] -> [*]
    """

    def __init__(
        self, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: str | None = None
    ) -> None:
        super().__init__()
        self.p, self.epsilon, self.keepdim, self.name = p, epsilon, keepdim, name

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self) -> str:
        text = f"p={self.p}"
        text += f", epsilon={self.epsilon}" if self.epsilon != 1e-6 else ""
        text += f", keepdim={self.keepdim}" if self.keepdim else ""
        return text + (f", name={self.name}" if self.name else "")


class Bilinear(Layer):
    """Bilinear form x1' W x2 + bias for each of `out_features` matrices W.

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
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        text = (
            f"in1_features={self._in1_features}, in2_features={self._in2_features}, "
            f"out_features={self._out_features}"
        )
        text += f", dtype={self._dtype.name}"
        return text + (f", name={self._name}" if self._name else "")


class Unflatten(Layer):
    """Split an axis into several.

    x [*, product of shape, *] -> [*, *shape, *]
    """

    def __init__(self, axis: int, shape: Any, name: str | None = None) -> None:
        super().__init__()
        self.axis, self.shape, self.name = axis, shape, name

    def forward(self, input: Tensor) -> Tensor:
        check_tensors(input)
        if not input.ndim:
            raise axis_out_of_range_error(input, self.axis)
        axis, dims = self.axis % input.ndim, input.meta.shape
        leading = [0] * axis
        return reshape(
            input,
            [
                *leading,
                *self.shape,
                *(
                    d if d >= 0 else int(input.shape[axis + 1 + i])
                    for i, d in enumerate(dims[axis + 1 :])
                ),
            ],
        )

    def extra_repr(self) -> str:
        return (f"axis={self.axis}, shape={self.shape}") + (
            f", name={self.name}" if self.name else ""
        )
