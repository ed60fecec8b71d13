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
from ...core.type_aliases import Array, Size
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
from ..type_aliases import Ints

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
    """Apply an affine map to the last axis: x @ weight + bias.

    Parameters
    ----------
    x : Tensor [*, in_features]
    weight : Tensor [in_features, out_features], dtype of x
    bias : Tensor [out_features], optional
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, out_features], dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> F.linear(x, paddle.to_tensor([[1.0], [10.0]]), paddle.to_tensor([0.5])).tolist()
    [[21.5], [43.5]]
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
    """Look up rows of a table; the result of row `padding_idx` is zeros, without gradient.

    out[...] = weight[x[...]]

    Parameters
    ----------
    x : Tensor [*], an integer dtype
        Positions in [0, N).
    weight : Tensor [N, D]
    padding_idx : int, optional
        In [-N, N); negative values count from the end.
    sparse : bool, default False
        Not used: gradients are dense.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, D], dtype of weight

    Raises
    ------
    OpError
        If an index or `padding_idx` is out of range, or `x` is not of integers.

    Examples
    --------
    >>> weight = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> F.embedding(paddle.to_tensor([1, 0, 1]), weight).tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    >>> F.embedding(paddle.to_tensor([1, 0]), weight, padding_idx=0).tolist()
    [[3.0, 4.0], [0.0, 0.0]]
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
    p: float | Tensor = 0.5,
    axis: Ints | None = None,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    """In training, set each element to 0 with probability `p` (Srivastava et al. 2014).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    p : float or Tensor, default 0.5
        Probability in [0, 1].
    axis : int or list of int, optional
        Elements that differ only along other axes share one decision; by default each element has
        its own. For images [N, C, H, W], ``[0, 1]`` drops whole channels.
    training : bool, default True
    mode : "upscale_in_train" or "downscale_in_infer", default "upscale_in_train"
        The first divides kept elements by 1 - p in training; otherwise it returns `x`. The second
        keeps them in training; otherwise it multiplies all elements by 1 - p.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `p` is not between 0 and 1, or `axis`, `mode` or the dtype is not valid.

    Notes
    -----
    `paddle.seed` sets the seed of the decisions. In a program with a `random_seed` each run drops
    the same elements.

    Examples
    --------
    >>> y = F.dropout(paddle.ones([1000]), p=0.5)
    >>> sorted(set(y.tolist()))
    [0.0, 2.0]
    >>> F.dropout(paddle.ones([2]), 0.5, training=False, mode="downscale_in_infer").tolist()
    [0.5, 0.5]
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
        raise OpError(append_user_line(f"dropout: p={p} is not between 0 and 1"))
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
    """In training, set each channel of each image to 0 with probability `p`.

    Kept channels are divided by 1 - p.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    p : float, default 0.5
        Probability in [0, 1].
    training : bool, default True
        If False, `x` is returned.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If x does not have four axes, or `p` is not between 0 and 1.

    Examples
    --------
    >>> y = F.dropout2d(paddle.ones([1, 100, 2, 2]))
    >>> sorted(set(y.sum([0, 2, 3]).tolist()))  # whole channels are 0 or 2
    [0.0, 8.0]
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
    """In training, set each channel of each volume to 0 with probability `p`.

    Kept channels are divided by 1 - p.

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    p : float, default 0.5
        Probability in [0, 1].
    training : bool, default True
        If False, `x` is returned.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If x does not have five axes, or `p` is not between 0 and 1.

    Examples
    --------
    >>> y = F.dropout3d(paddle.ones([1, 100, 2, 2, 2]))
    >>> sorted(set(y.sum([0, 2, 3, 4]).tolist()))  # whole channels are 0 or 2
    [0.0, 16.0]
    """
    _check_rank(x, 5, "dropout3d")
    return dropout(x, p, axis=[0, 1] if data_format == "NCDHW" else [0, 4], training=training)


def alpha_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None
) -> Tensor:
    """Dropout for SELU, which keeps mean 0 and variance 1 (Klambauer et al. 2017).

    In training each element becomes SELU's lowest value s = -1.7581 with probability p; then all
    are mapped to a * x - a * s * p with a = ((1 - p) * (1 + p * s^2))^(-1/2).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    p : float, default 0.5
        Probability in [0, 1]; for 1 the result is zeros.
    training : bool, default True
        If False, `x` is returned.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If `p` is not between 0 and 1.

    Examples
    --------
    >>> y = F.alpha_dropout(paddle.zeros([1000]), p=0.5)
    >>> [round(value, 3) for value in sorted(set(y.tolist()))]
    [-0.779, 0.779]
    """
    if not 0 <= p <= 1:
        raise OpError(append_user_line(f"alpha_dropout: p={p} is not between 0 and 1"))
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
    pad: Sequence[Size] | Tensor | Array,
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Pad a tensor at the ends of its axes.

    Parameters
    ----------
    x : Tensor [*], any dtype
    pad : list of int, tuple of int or Tensor
        Two forms. With two sizes for every axis: [before, after] of the first axis, then of the
        second, and so on; mode "constant" only. With two sizes for every spatial axis of a tensor
        of rank 3, 4 or 5: [before, after] of the last spatial axis first, such as [left, right,
        top, bottom]. A negative size crops in mode "constant".
    mode : "constant", "reflect", "replicate" or "circular", default "constant"
        New elements are `value`; or those mirrored at the border, without the border itself; or the
        border; or those of the other end.
    value : float, default 0.0
    data_format : str, default "NCHW"
        For the spatial form: "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC". "NCHW" fits tensors
        of rank 3 and 5 as well.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, dtype of x

    Raises
    ------
    OpError
        If the number of sizes does not fit the rank, `mode` is unknown, or a size is too large for
        "reflect".

    Notes
    -----
    In a static program, `pad` may contain or be tensors.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> F.pad(x, [1, 0, 0, 1]).tolist()  # one row before, one column after
    [[0, 0, 0], [1, 2, 0], [3, 4, 0]]
    >>> image = x.astype("float32").reshape([1, 1, 2, 2])
    >>> F.pad(image, [1, 1, 0, 0], mode="replicate").tolist()  # left and right
    [[[[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]]]
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
    x: Tensor,
    padding: Sequence[Size] | Tensor | Array,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Pad images with zeros.

    Parameters
    ----------
    x : Tensor [N, C, H, W], any dtype
    padding : list of int, tuple of int or Tensor
        [left, right, top, bottom]. A negative size crops.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, H + top + bottom, W + left + right], dtype of x

    Raises
    ------
    OpError
        If the number of sizes does not fit the rank.

    Examples
    --------
    >>> F.zeropad2d(paddle.ones([1, 1, 1, 2]), [1, 0, 0, 1]).tolist()
    [[[[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]]]
    """
    return pad(x, padding, "constant", 0.0, data_format)


def one_hot(x: Tensor, num_classes: int, name: str | None = None) -> Tensor:
    """Encode classes as vectors that are 1 at the class and 0 elsewhere.

    Parameters
    ----------
    x : Tensor [*], an integer dtype
        Classes in [0, num_classes).
    num_classes : int or Tensor
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, num_classes], float32

    Raises
    ------
    OpError
        If a class is out of range, or `x` is not of integers.

    Examples
    --------
    >>> F.one_hot(paddle.to_tensor([2, 0]), 3).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    return one_hot_of(x, num_classes)


def label_smooth(
    label: Tensor, prior_dist: Tensor | None = None, epsilon: float = 0.1, name: str | None = None
) -> Tensor:
    """Smooth one-hot labels: (1 - epsilon) * label + epsilon * prior (Szegedy et al. 2016).

    Parameters
    ----------
    label : Tensor [*, C], float16 | bfloat16 | float32 | float64
        One-hot or soft labels.
    prior_dist : Tensor [C] or [1, C], dtype of label, optional
        Probabilities of the classes; by default 1 / C.
    epsilon : float, default 0.1
        Weight of the prior in [0, 1].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, C], dtype of label

    Raises
    ------
    OpError
        If `epsilon` is out of range, or dtypes or shapes do not fit.

    Examples
    --------
    >>> F.label_smooth(paddle.to_tensor([[0.0, 1.0]]), epsilon=0.5).tolist()
    [[0.25, 0.75]]
    """
    if not 0.0 <= epsilon <= 1.0:
        raise OpError(append_user_line(f"label_smooth: epsilon={epsilon} is not between 0 and 1"))
    return OPS["label_smooth"](label, prior_dist, epsilon=float(epsilon))


def normalize(
    x: Tensor, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None
) -> Tensor:
    """Divide vectors along an axis by their p-norm: x / max(norm_p(x), epsilon).

    Parameters
    ----------
    x : Tensor [*], float16 | bfloat16 | float32 | float64
    p : float, default 2
        Order of the norm: sum(abs(x)^p)^(1/p); inf is the largest absolute value, 0 counts the
        elements that are not 0.
    axis : int, default 1
        Axis of the vectors; ignored for a tensor of rank 1.
    epsilon : float, default 1e-12
        Lower limit of the divisor.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If the axis does not exist, or the dtype is not floating-point.

    Examples
    --------
    >>> F.normalize(paddle.to_tensor([[3.0, 4.0], [0.0, 0.0]])).numpy().round(3)
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    check_tensors(x)
    length = OPS["p_norm"](x, porder=float(p), axis=axis if x.ndim > 1 else 0, keepdim=True)
    return divide(x, maximum(length, full([], epsilon, x.dtype)))


def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-8) -> Tensor:
    """Cosine of the angle between vectors along an axis.

    sum(x1 * x2) / sqrt(max(sum(x1^2) * sum(x2^2), eps^2))

    Parameters
    ----------
    x1 : Tensor [*], float16 | bfloat16 | float32 | float64
    x2 : Tensor [*], dtype of x1
        The shapes broadcast.
    axis : int, default 1
        Axis of the vectors.
    eps : float, default 1e-8
        Lower limit of the divisor.

    Returns
    -------
    Tensor, dtype of x1
        The broadcast shape without `axis`.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or the axis does not exist.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 0.0], [3.0, 4.0]])
    >>> F.cosine_similarity(x, paddle.to_tensor([[0.0, 1.0]])).numpy().round(3)
    array([0. , 0.8], dtype=float32)
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
    """Distance of pairs of vectors: the p-norm of x - y + epsilon along the last axis.

    Parameters
    ----------
    x : Tensor [*, D], float16 | bfloat16 | float32 | float64
    y : Tensor [*, D], dtype of x
        The shapes broadcast.
    p : float, default 2.0
        Order of the norm: sum(abs(d)^p)^(1/p); inf is the largest absolute value, 0 counts the
        elements that are not 0.
    epsilon : float, default 1e-6
        Added to each difference.
    keepdim : bool, default False
        Whether the last axis stays, with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*] or [*, 1], dtype of x

    Raises
    ------
    OpError
        If the shapes do not broadcast.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 3.0], [3.0, 5.0]])
    >>> y = paddle.to_tensor([[5.0, 6.0], [3.0, 5.0]])
    >>> F.pairwise_distance(x, y, epsilon=0.0).tolist()
    [5.0, 0.0]
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
    """Bilinear map of two vectors: out[b, o] = x1[b] @ weight[o] @ x2[b] + bias[o].

    Parameters
    ----------
    x1 : Tensor [B, I], float16 | bfloat16 | float32 | float64
    x2 : Tensor [B, J], dtype of x1
    weight : Tensor [O, I, J], dtype of x1
    bias : Tensor [1, O] or [O], optional
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [B, O], dtype of x1

    Raises
    ------
    OpError
        If the shapes do not fit.

    Examples
    --------
    >>> x1, x2 = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0, 4.0, 5.0]])
    >>> F.bilinear(x1, x2, paddle.ones([1, 2, 3])).tolist()
    [[36.0]]
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
