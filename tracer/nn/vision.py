"""Layers that resize, rearrange, pad, normalize and drop channels of images, AlphaDropout, and
layers of two inputs. Most of these layers are rows of a table, which names the function of
`nn.functional` that they call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..core.operand_checks import axis_out_of_range_error, check_tensors
from ..core.tensor import Tensor
from ..core.type_aliases import Size
from ..tensor.manipulation import reshape
from . import functional as F
from .function_layer import REQUIRED, FunctionLayer, Row, make_layer_class
from .layer import Layer
from .type_aliases import ParamAttrLike


class _PadLayer(FunctionLayer):
    """Base of the padding layers: an int pads all sides."""

    _attribute_names: ClassVar[dict[str, str]] = {"padding": "_pad"}
    _argument_types: ClassVar[dict[str, str]] = {"padding": "int | Sequence[Size] | Tensor | Array"}

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
    """Nearest-neighbor upsampling to a size or by a factor; subclasses set another
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
            """Pad the last axis of a batch of sequences on all sides.

Parameters
----------
padding : int, list of int, tuple of int or Tensor
    One int for all sides, or left, right. A negative size crops in mode
    "constant".
mode : "constant", "reflect", "replicate" or "circular", default "constant"
    New elements are `value`; or those mirrored at the border, without the border itself; or the
    border; or those of the other end.
value : float, default 0.0
data_format : "NCL" or "NLC", default "NCL"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, L], any dtype
returns : [N, C, left + L + right], dtype of x

Raises
------
OpError
    In a call, if the number of sizes or the rank does not fit, `mode` is unknown, or a size is too
    large for "reflect".

See Also
--------
paddle.nn.functional.pad : The same as a function.

Examples
--------
>>> x = paddle.to_tensor([[[1.0, 2.0, 3.0]]])
>>> nn.Pad1D([1, 2], mode="reflect")(x).tolist()
[[[2.0, 1.0, 2.0, 3.0, 2.0, 1.0]]]
""",
            "",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "Pad2D",
            "pad",
            {**_PAD, "data_format": "NCHW"},
            """Pad a batch of images on all sides.

Parameters
----------
padding : int, list of int, tuple of int or Tensor
    One int for all sides, or left, right, top, bottom. A negative size crops in mode
    "constant".
mode : "constant", "reflect", "replicate" or "circular", default "constant"
    New elements are `value`; or those mirrored at the border, without the border itself; or the
    border; or those of the other end.
value : float, default 0.0
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, H, W], any dtype
returns : [N, C, top + H + bottom, left + W + right], dtype of x

Raises
------
OpError
    In a call, if the number of sizes or the rank does not fit, `mode` is unknown, or a size is too
    large for "reflect".

See Also
--------
paddle.nn.functional.pad : The same as a function.

Examples
--------
>>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
>>> nn.Pad2D([1, 0, 0, 0], value=9.0)(x).tolist()
[[[[9.0, 1.0, 2.0], [9.0, 3.0, 4.0]]]]
""",
            "",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "Pad3D",
            "pad",
            {**_PAD, "data_format": "NCDHW"},
            """Pad a batch of volumes on all sides.

Parameters
----------
padding : int, list of int, tuple of int or Tensor
    One int for all sides, or left, right, top, bottom, front, back. A negative size crops in mode
    "constant".
mode : "constant", "reflect", "replicate" or "circular", default "constant"
    New elements are `value`; or those mirrored at the border, without the border itself; or the
    border; or those of the other end.
value : float, default 0.0
data_format : "NCDHW" or "NDHWC", default "NCDHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, D, H, W], any dtype
returns : [N, C, front + D + back, top + H + bottom, left + W + right], dtype of x

Raises
------
OpError
    In a call, if the number of sizes or the rank does not fit, `mode` is unknown, or a size is too
    large for "reflect".

See Also
--------
paddle.nn.functional.pad : The same as a function.

Examples
--------
>>> nn.Pad3D([1, 1, 0, 0, 0, 2])(paddle.zeros([1, 1, 2, 2, 2])).shape
[1, 1, 4, 2, 4]
""",
            "",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "ZeroPad2D",
            "zeropad2d",
            {"padding": REQUIRED, "data_format": "NCHW"},
            """Pad a batch of images with zeros.

Parameters
----------
padding : int, list of int, tuple of int or Tensor
    One int for all sides, or left, right, top, bottom. A negative size crops.
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, H, W], any dtype
returns : [N, C, top + H + bottom, left + W + right], dtype of x

Raises
------
OpError
    In a call, if the number of sizes or the rank does not fit.

Examples
--------
>>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
>>> nn.ZeroPad2D([0, 1, 0, 0])(x).tolist()
[[[[1.0, 2.0, 0.0], [3.0, 4.0, 0.0]]]]
""",
            "",
            attribute_format="_{}",
        ),
        _PadLayer,
    ),
    (
        Row(
            "Upsample",
            "interpolate",
            _UPSAMPLE,
            """Resize a batch of sequences, images or volumes by interpolation.

Parameters
----------
size : int, sequence of int or Tensor, or Tensor of integers, optional
    Sizes of the result; one int is used for all axes.
scale_factor : float, sequence of float or Tensor, optional
    Factor of the sizes, rounded down. Exactly one of `size` and `scale_factor` is given.
mode : str, default "nearest"
    "nearest": images and volumes. "linear", "bilinear", "trilinear": linear interpolation of
    sequences, images and volumes. "bicubic": images. "area": adaptive average pooling to `size`.
align_corners : bool, default False
    The centers of the corner pixels of input and result coincide; not with "nearest".
align_mode : 0 or 1, default 0
    Position in the input of pixel i of the result without `align_corners`, linear modes: 0:
    ratio * (i + 0.5) - 0.5; 1: ratio * i.
data_format : str, default "NCHW"
    "NCW" or "NWC" for sequences, "NCHW" or "NHWC", "NCDHW" or "NDHWC" for volumes.
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, *S], float16 | bfloat16 | float32 | float64
returns : [N, C, *size], dtype of x

Raises
------
OpError
    In a call, if `mode`, the rank, `data_format` and the other arguments do not fit.

See Also
--------
paddle.nn.functional.interpolate : The same as a function.

Examples
--------
>>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
>>> nn.Upsample(size=[3, 3], mode="bilinear", align_corners=True)(x).tolist()
[[[[1.0, 1.5, 2.0], [2.0, 2.5, 3.0], [3.0, 3.5, 4.0]]]]
""",
            "",
        ),
        _ResizeLayer,
    ),
    (
        Row(
            "UpsamplingNearest2D",
            "interpolate",
            {**_RESIZE, "data_format": "NCHW"},
            """Resize a batch of images by nearest-neighbor interpolation.

Parameters
----------
size : int, sequence of int or Tensor, or Tensor of integers, optional
    Sizes of the result; one int is used for all axes.
scale_factor : float, sequence of float or Tensor, optional
    Factor of the sizes, rounded down. Exactly one of `size` and `scale_factor` is given.
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, H, W], float16 | bfloat16 | float32 | float64
returns : [N, C, *size], dtype of x

Raises
------
OpError
    In a call, if x has another rank, or not exactly one of `size` and `scale_factor` is given.

Examples
--------
>>> nn.UpsamplingNearest2D(scale_factor=2)(paddle.to_tensor([[[[1.0, 2.0]]]])).tolist()
[[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
""",
            "",
        ),
        _UpsampleNearest,
    ),
    (
        Row(
            "UpsamplingBilinear2D",
            "interpolate",
            {**_RESIZE, "data_format": "NCHW"},
            """Resize a batch of images by bilinear interpolation with aligned corners.

The centers of the corner pixels of input and result coincide.

Parameters
----------
size : int, sequence of int or Tensor, or Tensor of integers, optional
    Sizes of the result; one int is used for all axes.
scale_factor : float, sequence of float or Tensor, optional
    Factor of the sizes, rounded down. Exactly one of `size` and `scale_factor` is given.
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, H, W], float16 | bfloat16 | float32 | float64
returns : [N, C, *size], dtype of x

Raises
------
OpError
    In a call, if x has another rank, or not exactly one of `size` and `scale_factor` is given.

Examples
--------
>>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
>>> nn.UpsamplingBilinear2D(size=[3, 3])(x).tolist()
[[[[1.0, 1.5, 2.0], [2.0, 2.5, 3.0], [3.0, 3.5, 4.0]]]]
""",
            "",
        ),
        _UpsampleBilinear,
    ),
    (
        Row(
            "PixelShuffle",
            "pixel_shuffle",
            {"upscale_factor": REQUIRED, **_SHUFFLE},
            """Rearrange groups of r * r channels into blocks of r x r pixels (Shi et al. 2016).

out[n, c, h * r + i, w * r + j] = x[n, (c * r + i) * r + j, h, w], where r is the factor

Parameters
----------
upscale_factor : int
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C * r * r, H, W], any dtype
returns : [N, C, H * r, W * r], dtype of x

Raises
------
OpError
    In a call, if the channels are not a multiple of r * r or x has another rank.

Examples
--------
>>> nn.PixelShuffle(2)(paddle.arange(4).reshape([1, 4, 1, 1])).tolist()
[[[[0, 1], [2, 3]]]]
""",
            "",
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
            """Rearrange blocks of r x r pixels into r * r channels: the inverse of `PixelShuffle`.

out[n, (c * r + i) * r + j, h, w] = x[n, c, h * r + i, w * r + j], where r is the factor

Parameters
----------
downscale_factor : int
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, H * r, W * r], any dtype
returns : [N, C * r * r, H, W], dtype of x

Raises
------
OpError
    In a call, if the height or width is not a multiple of r or x has another rank.

Examples
--------
>>> nn.PixelUnshuffle(2)(paddle.zeros([1, 3, 8, 8])).shape
[1, 12, 4, 4]
""",
            "",
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
            """Interleave the channels of all groups (Zhang et al. 2017).

The result has first channel 0 of each group, then channel 1 of each group, and so on.

out[:, c * groups + g] = x[:, g * (C / groups) + c]

Parameters
----------
groups : int
    Divides C.
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, H, W], any dtype
returns : [N, C, H, W], dtype of x

Raises
------
OpError
    In a call, if `groups` does not divide the channels or x has another rank.

Examples
--------
>>> nn.ChannelShuffle(2)(paddle.arange(6).reshape([1, 6, 1, 1])).flatten().tolist()
[0, 3, 1, 4, 2, 5]
""",
            "",
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
            """Extract sliding windows of images as columns (im2col).

Parameters
----------
kernel_sizes : int or (int, int)
    Height and width of a window.
dilations, paddings, strides : int or (int, int), default 1, 0 and 1
    `paddings` may also be [top, left, bottom, right]; padded pixels are 0.
name : str, optional
    Shown by `repr`.

Shape
-----
input : [N, C, H, W], any dtype
returns : [N, C * kH * kW, L], dtype of input; L is the number of windows

Raises
------
OpError
    In a call, if a window does not fit into the padded image.

See Also
--------
paddle.nn.functional.unfold : The same as a function.

Examples
--------
>>> x = paddle.arange(9, dtype="float32").reshape([1, 1, 3, 3])
>>> nn.Unfold(2)(x).tolist()
[[[0.0, 1.0, 3.0, 4.0], [1.0, 2.0, 4.0, 5.0], [3.0, 4.0, 6.0, 7.0], [4.0, 5.0, 7.0, 8.0]]]
""",
            "",
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
            """Sum columns into sliding windows of images (col2im): the adjoint of `Unfold`.

Pixels that several windows cover are the sum of their values.

Parameters
----------
output_sizes : int or (int, int)
    Height and width of the images.
kernel_sizes : int or (int, int)
    Height and width of a window.
dilations, paddings, strides : int or (int, int), default 1, 0 and 1
    `paddings` may also be [top, left, bottom, right].
name : str, optional
    Shown by `repr`.

Shape
-----
input : [N, C * kH * kW, L], any dtype; L is the number of windows
returns : [N, C, *output_sizes], dtype of input

Raises
------
OpError
    In a call, if L is not the number of windows.

Examples
--------
>>> nn.Fold(output_sizes=3, kernel_sizes=2)(paddle.ones([1, 4, 4])).tolist()
[[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
""",
            "",
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
            """Divide by a power of the mean square of neighboring channels (Krizhevsky 2012).

x[c] / (k + alpha * sum(x[i]^2) / size)^beta, with i from c - size // 2 to c + (size - 1) // 2;
channels outside of x count as 0

Parameters
----------
size : int
    Number of channels.
alpha : float, default 0.0001
beta : float, default 0.75
k : float, default 1.0
data_format : "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC", default "NCHW"
    A last letter C: the channels are the last axis; otherwise the second.
name : str, optional
    Shown by `repr`.

Shape
-----
input : [N, C, *] of rank 3 or more, float16 | bfloat16 | float32 | float64
returns : shape and dtype of input

Raises
------
OpError
    In a call, if the rank, `data_format` or `size` does not fit.

Examples
--------
>>> x = paddle.to_tensor([1.0, 2.0, 3.0]).reshape([1, 3, 1])
>>> nn.LocalResponseNorm(2, alpha=2.0, beta=1.0, k=0.0)(x).flatten().numpy().round(3)
array([1.   , 0.4  , 0.231], dtype=float32)
""",
            "",
            _INPUT_NAMES,
        ),
        FunctionLayer,
    ),
    (
        Row(
            "AlphaDropout",
            "alpha_dropout",
            {"p": 0.5},
            """Dropout for SELU, which keeps mean 0 and variance 1 (Klambauer et al. 2017).

In training each element becomes SELU's lowest value s = -1.7581 with probability p; then all are
mapped to a * x - a * s * p with a = ((1 - p) * (1 + p * s^2))^(-1/2). In evaluation the input is
returned.

Parameters
----------
p : float, default 0.5
    Probability in [0, 1]; for 1 the result is zeros.
name : str, optional
    Shown by `repr`.

Shape
-----
input : [*], float16 | bfloat16 | float32 | float64
returns : [*], dtype of input

Raises
------
OpError
    In a call, if `p` is not between 0 and 1.

Examples
--------
>>> y = nn.AlphaDropout(0.5)(paddle.zeros([1000]))
>>> [round(value, 3) for value in sorted(set(y.tolist()))]
[-0.779, 0.779]
""",
            "",
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
            """In training, set each channel of each image to 0 with probability `p`.

Kept channels are divided by 1 - p. In evaluation the input is returned.

Parameters
----------
p : float, default 0.5
    Probability in [0, 1].
data_format : "NCHW" or "NHWC", default "NCHW"
name : str, optional
    Shown by `repr`.

Shape
-----
input : [N, C, H, W], float16 | bfloat16 | float32 | float64
returns : [N, C, H, W], dtype of input

Raises
------
OpError
    In a call, if the rank does not fit, or `p` is not between 0 and 1.

Examples
--------
>>> y = nn.Dropout2D()(paddle.ones([1, 100, 2, 2]))
>>> sorted(set(y.sum([0, 2, 3]).tolist()))  # whole channels are 0 or 2
[0.0, 8.0]
""",
            "",
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
            """In training, set each channel of each volume to 0 with probability `p`.

Kept channels are divided by 1 - p. In evaluation the input is returned.

Parameters
----------
p : float, default 0.5
    Probability in [0, 1].
data_format : "NCDHW" or "NDHWC", default "NCDHW"
name : str, optional
    Shown by `repr`.

Shape
-----
input : [N, C, D, H, W], float16 | bfloat16 | float32 | float64
returns : [N, C, D, H, W], dtype of input

Raises
------
OpError
    In a call, if the rank does not fit, or `p` is not between 0 and 1.

Examples
--------
>>> y = nn.Dropout3D()(paddle.ones([1, 100, 2, 2, 2]))
>>> sorted(set(y.sum([0, 2, 3, 4]).tolist()))  # whole channels are 0 or 2
[0.0, 16.0]
""",
            "",
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
            """Cosine of the angle between vectors along an axis.

sum(x1 * x2) / sqrt(max(sum(x1^2) * sum(x2^2), eps^2))

Parameters
----------
axis : int, default 1
    Axis of the vectors.
eps : float, default 1e-8
    Lower limit of the divisor.

Shape
-----
x1 : [*], float16 | bfloat16 | float32 | float64
x2 : [*], dtype of x1; the shapes broadcast
returns : the broadcast shape without `axis`, dtype of x1

Raises
------
OpError
    In a call, if the shapes do not broadcast, or the axis does not exist.

Examples
--------
>>> x = paddle.to_tensor([[1.0, 0.0], [3.0, 4.0]])
>>> nn.CosineSimilarity()(x, paddle.to_tensor([[0.0, 1.0]])).numpy().round(3)
array([0. , 0.8], dtype=float32)
""",
            "",
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
    """Distance of pairs of vectors: the p-norm of x - y + epsilon along the last axis.

    (sum |x - y + epsilon|^p)^(1/p)

    Parameters
    ----------
    p : float, default 2.0
        Order of the norm; inf is the largest absolute difference, 0 counts differences that are
        not 0.
    epsilon : float, default 1e-6
        Added to each difference, so that the gradient is finite for equal vectors.
    keepdim : bool, default False
        Keep the last axis with size 1.
    name : str, optional
        Shown by `repr`.

    Shape
    -----
    x : [*, D], float16 | bfloat16 | float32 | float64
    y : [*, D], dtype of x; the shapes broadcast
    returns : [*] or [*, 1], dtype of x

    Raises
    ------
    OpError
        In a call, if shapes or dtypes do not fit.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.to_tensor([[0.0, 0.0]])
    >>> nn.PairwiseDistance()(x, y).numpy().round(3)
    array([5.], dtype=float32)
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
    """Bilinear form of two inputs: x1 W x2 + bias for each of `out_features` matrices W.

    out[b, o] = sum over i, j of x1[b, i] * weight[o, i, j] * x2[b, j] + bias[o]

    Parameters
    ----------
    in1_features, in2_features, out_features : int
    weight_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name, regularizer. ``bias_attr=False``: no bias.
    name : str, optional
        Shown by `repr`.

    Attributes
    ----------
    weight : Parameter [out_features, in1_features, in2_features]
    bias : Parameter [1, out_features]

    Shape
    -----
    x1 : [B, in1_features], float16 | bfloat16 | float32 | float64
    x2 : [B, in2_features], dtype of x1
    returns : [B, out_features], dtype of x1

    Raises
    ------
    OpError
        In a call, if shapes or dtypes do not fit.

    Examples
    --------
    >>> bilinear = nn.Bilinear(2, 3, 4)
    >>> bilinear(paddle.ones([5, 2]), paddle.ones([5, 3])).shape
    [5, 4]
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
    """Split an axis into several axes.

    Parameters
    ----------
    axis : int
        A negative axis counts from the end.
    shape : sequence of int or Tensor
        Sizes of the new axes; one may be -1.
    name : str, optional
        Shown by `repr`.

    Shape
    -----
    input : [*, product of shape, *], any dtype
    returns : [*, *shape, *], dtype of input

    Raises
    ------
    OpError
        In a call, if the axis does not have as many elements as `shape`.

    Examples
    --------
    >>> nn.Unflatten(1, [2, -1])(paddle.zeros([3, 6])).shape
    [3, 2, 3]
    """

    def __init__(self, axis: int, shape: Sequence[Size] | Tensor, name: str | None = None) -> None:
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
