"""Linear maps, embeddings, dropout, padding and distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core import rng
from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import axis_out_of_range_error, check_tensors, not_a_tensor_error
from ...core.tensor import Tensor
from ...tensor.convert import (
    axis_list,
    cast,
    full,
    normalize_axis,
    split_into_ints_and_tensors,
    tensor_of_symbolic_ints_or_none,
)
from ...tensor.creation import full as full_of
from ...tensor.creation import uniform
from ...tensor.manipulation import one_hot as one_hot_of
from ...tensor.math import add, divide, maximum, multiply, sqrt, subtract
from ...tensor.math import sum as sum_of

__all__ = [
    "alpha_dropout",
    "bilinear",
    "cosine_similarity",
    "dropout",
    "dropout2d",
    "dropout3d",
    "embedding",
    "label_smooth",
    "linear",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "zeropad2d",
]

_LINEAR, _MATMUL, _ADD = OPS["linear"], OPS["matmul_v2"], OPS["elementwise_add"]


def linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None
) -> Tensor:
    """x @ weight + bias.

    x [*, in], weight [in, out], bias [out] -> [*, out]
    """
    if bias is None:
        return _MATMUL(x, weight)
    if state.mode.allows_fused_ops:
        return _LINEAR(x, weight, bias)
    return _ADD(_MATMUL(x, weight), bias)


def embedding(
    x: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Look up rows of `weight`; `padding_idx` maps to zeros and gets no gradient.

    x int [*], weight [N, D] -> [*, D]
    """
    try:
        rows = weight.meta.shape[0]
    except AttributeError:
        raise not_a_tensor_error(weight) from None
    except IndexError:
        raise axis_out_of_range_error(weight, 0) from None
    if padding_idx is None:
        padding_idx = -1
    elif not -rows <= padding_idx < rows:
        raise OpError(
            append_user_line(
                f"embedding: padding_idx={padding_idx} is not a row (weight={weight.meta})"
            )
        )
    elif padding_idx < 0:
        padding_idx += rows
    return OPS["lookup_table_v2"](weight, x, padding_idx=padding_idx)


def dropout(
    x: Tensor,
    p: Any = 0.5,
    axis: Any = None,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    """In training, set each element to 0 with probability p.

    x [*] -> [*]

    mode: 'upscale_in_train' divides the others by 1 - p; 'downscale_in_infer' multiplies by 1 - p
    outside of training.
    axis: elements that differ only along other axes share one decision.
    """
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise OpError(
            append_user_line(
                f"dropout: mode={mode!r} is neither 'upscale_in_train' nor 'downscale_in_infer'"
            )
        )
    if isinstance(p, Tensor):
        if state.mode.static:
            return _dropout_with_tensor_p(x, p, axis, training, mode)
        p = p.item()
    if not 0 <= p <= 1:
        raise OpError(append_user_line(f"dropout: p={p} is not a probability"))
    if p == 0 or (not training and mode == "upscale_in_train" and state.mode.is_eager):
        return x
    if axis is not None:
        return _dropout_along_axes(
            x, float(p), [axis] if isinstance(axis, int) else list(axis), training, mode
        )
    implementation = "upscale_in_train" if mode == "upscale_in_train" else "downgrade_in_infer"
    attrs = {
        "dropout_prob": float(p),
        "is_test": not training,
        "dropout_implementation": implementation,
    }
    if (
        seed := rng.main_program_seed_hook()
    ):  # With a seed each call drops the same elements, as in Paddle.
        attrs |= {"fix_seed": True, "seed": seed}
    return OPS["dropout"](x, **attrs)[0]


def _dropout_with_tensor_p(x: Tensor, p: Tensor, axis: Any, training: bool, mode: str) -> Tensor:
    """Dropout with a symbolic probability."""
    upscale = mode == "upscale_in_train"
    prob = OPS["reshape2"](cast(p, x.dtype), shape=[])
    keep_prob = OPS["scale"](prob, scale=-1.0, bias=1.0)
    if not training:
        return x if upscale else multiply(x, keep_prob)
    rank = x.ndim
    mask_axes = (
        range(rank) if axis is None else [normalize_axis(a, x, "dropout") for a in axis_list(axis)]
    )
    shape = [x.shape[a] if a in mask_axes else 1 for a in range(rank)]
    mask = OPS["greater_equal"](uniform(shape, x.dtype, 0.0, 1.0), prob)
    out = multiply(x, cast(mask, x.dtype))
    if not upscale:
        return out
    is_positive = OPS["greater_than"](keep_prob, full([], 0.0, x.dtype))
    return divide(out, OPS["where"](is_positive, keep_prob, full([], 1.0, x.dtype)))


def _dropout_along_axes(x: Tensor, p: float, axes: list[int], training: bool, mode: str) -> Tensor:
    """Dropout with one decision for each index of `axes`."""
    upscale = mode == "upscale_in_train"
    if not training:
        return x if upscale else multiply(x, 1 - p)
    if p == 1:
        return multiply(x, 0.0)
    try:
        rank = x.ndim
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if not rank:
        raise axis_out_of_range_error(x, axes)
    mask_axes = [normalize_axis(a, x, "dropout") for a in axes]
    shape = [x.shape[a] if a in mask_axes else 1 for a in range(rank)]
    mask = cast(_random_keep_mask(x, shape, p), x.dtype)
    out = multiply(x, mask)
    return multiply(out, 1 / (1 - p)) if upscale else out


def _check_rank(x: Tensor, rank: int, op: str) -> None:
    """Raise OpError unless `x` has `rank` axes."""
    check_tensors(x)
    if x.ndim != rank:
        raise OpError(append_user_line(f"{op}: the rank must be {rank} (X={x.meta})"))


def dropout2d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Drop whole channels of images.

    x [N, C, H, W] -> [N, C, H, W]
    """
    _check_rank(x, 4, "dropout2d")
    return dropout(x, p, axis=[0, 1] if data_format == "NCHW" else [0, 3], training=training)


def dropout3d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Drop whole channels of volumes.

    x [N, C, D, H, W] -> [N, C, D, H, W]
    """
    _check_rank(x, 5, "dropout3d")
    return dropout(x, p, axis=[0, 1] if data_format == "NCDHW" else [0, 4], training=training)


def alpha_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None
) -> Tensor:
    """Dropout for SELU (Klambauer et al. 2017): dropped elements become SELU's lowest value, then
    mean and variance are restored.
    """
    if not 0 <= p <= 1:
        raise OpError(append_user_line(f"alpha_dropout: p={p} is not a probability"))
    if not training or p == 0:
        return x
    if p == 1:
        return OPS["scale"](x, scale=0.0)
    lowest = -1.7580993408473766  # the limit of selu(x) for x -> -inf
    a = ((1 - p) * (1 + p * lowest**2)) ** -0.5
    try:
        shape = list(x.shape)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    mask = cast(_random_keep_mask(x, shape, p), x.dtype)
    mixed = add(multiply(x, mask), OPS["scale"](mask, scale=-lowest, bias=lowest))
    return OPS["scale"](mixed, scale=a, bias=-a * lowest * p)


def _random_keep_mask(x: Tensor, shape: list[Any], p: float) -> Tensor:
    """Return whether uniform random numbers from [0, 1) are at least p.

    -> bool [*shape]
    """
    noise = uniform(shape, x.dtype, 0.0, 1.0)
    return OPS["greater_equal"](noise, full([], p, x.dtype))


_PAD_FORMATS = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}


def pad(
    x: Tensor,
    pad: Any,
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Pad x. `pad` has two sizes per axis in order, or per spatial axis with the last axis first.

    mode (spatial form only): 'constant', 'reflect', 'replicate', 'circular'
    """
    sizes, tensors = split_into_ints_and_tensors(pad)
    try:
        rank = x.ndim
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if mode == "constant" and len(sizes) == 2 * rank:
        if tensors is not None:
            return _pad_with_tensor_widths(x, tensors, float(value))
        return OPS["pad"](x, paddings=sizes, pad_value=float(value))
    if x.ndim not in _PAD_FORMATS or len(sizes) != 2 * (x.ndim - 2):
        check_tensors(x)
        raise OpError(append_user_line(f"pad: {len(sizes)} sizes do not fit (X={x.meta})"))
    is_channels_first = data_format == _PAD_FORMATS[x.ndim][0] or data_format in (
        "NCHW",
        "NCL",
        "NCDHW",
    )
    num_added_axes = 5 - x.ndim
    x5 = (
        OPS["unsqueeze2"](x, axes=[2 if is_channels_first else 1] * num_added_axes)
        if num_added_axes
        else x
    )
    layout = "NCDHW" if is_channels_first else "NDHWC"
    size_tensor = tensor_of_symbolic_ints_or_none([*pad, *[0, 0] * num_added_axes])
    sizes = [] if size_tensor is not None else sizes + [0, 0] * num_added_axes
    out = OPS["pad3d"](
        x5, size_tensor, paddings=sizes, mode=mode, value=float(value), data_format=layout
    )
    return (
        OPS["squeeze2"](
            out, axes=[(2 if is_channels_first else 1) + i for i in range(num_added_axes)]
        )
        if num_added_axes
        else out
    )


def _pad_with_tensor_widths(x: Tensor, widths: Sequence[Tensor], value: float) -> Tensor:
    """Pad each axis with constants by symbolic widths."""
    for axis in range(x.ndim):
        before, after = (
            full_of([width if i == axis else x.shape[i] for i in range(x.ndim)], value, x.dtype)
            for width in widths[2 * axis : 2 * axis + 2]
        )
        x = OPS["concat"]([before, x, after], axis=axis)
    return x


def zeropad2d(
    x: Tensor, padding: Any, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Pad images with zeros: left, right, top, bottom.

    x [N, C, H, W] -> [N, C, H', W']
    """
    return pad(x, padding, "constant", 0.0, data_format)


def one_hot(x: Tensor, num_classes: Any, name: str | None = None) -> Tensor:
    """One-hot encoding: 1 at the class, 0 elsewhere.

    x int [*] -> float32 [*, num_classes]
    """
    return one_hot_of(x, num_classes)


def label_smooth(
    label: Tensor, prior_dist: Tensor | None = None, epsilon: float = 0.1, name: str | None = None
) -> Tensor:
    """(1 - epsilon) * label + epsilon * prior; the prior is uniform by default.

    label [*, C] -> [*, C]
    """
    if not 0.0 <= epsilon <= 1.0:
        raise OpError(append_user_line(f"label_smooth: epsilon={epsilon} is not between 0 and 1"))
    return OPS["label_smooth"](label, prior_dist, epsilon=float(epsilon))


def normalize(
    x: Tensor, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None
) -> Tensor:
    """x / max(p-norm of x along `axis`, epsilon).

    x [*] -> [*]
    """
    check_tensors(x)
    length = OPS["p_norm"](x, porder=float(p), axis=axis if x.ndim > 1 else 0, keepdim=True)
    return divide(x, maximum(length, full([], epsilon, x.dtype)))


def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-8) -> Tensor:
    """Cosine similarity of x1 and x2 along `axis`.

    [*], [*] -> [* without axis]
    """
    product = sum_of(multiply(x1, x2), axis)
    length = sqrt(
        maximum(
            multiply(sum_of(multiply(x1, x1), axis), sum_of(multiply(x2, x2), axis)),
            full([], eps * eps, product.dtype),
        )
    )
    return divide(product, length)


def pairwise_distance(
    x: Tensor,
    y: Tensor,
    p: float = 2.0,
    epsilon: float = 1e-6,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """The p-norm of x - y + epsilon along the last axis.

    x [*, D], y [*, D] -> [*]
    """
    try:
        dtype = x.dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    difference = subtract(x, y)
    difference = add(difference, full([], epsilon, dtype)) if epsilon else difference
    return OPS["p_norm"](difference, porder=float(p), axis=-1, epsilon=0.0, keepdim=keepdim)


def bilinear(
    x1: Tensor, x2: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None
) -> Tensor:
    """x1' W x2 for each matrix W of weight, plus bias.

    x1 [B, I], x2 [B, J], weight [O, I, J], bias [1, O] -> [B, O]
    """
    return OPS["bilinear_tensor_product"](x1, x2, weight, bias)


def add_channel_bias(out: Tensor, bias: Tensor | None, channel_last: bool = False) -> Tensor:
    """Add a bias per channel, with the ops that Paddle records: reshape2, elementwise_add.

    bias [C]
    """
    if bias is None:
        return out
    if channel_last:
        return add(out, bias)
    shape = [1, bias.meta.shape[0]] + [1] * (out.ndim - 2)
    return add(out, OPS["reshape2"](bias, shape=shape))
