"""Padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.arrays import np
from ..core.op import OPS, Ints, Meta, check, op
from .dynamic_sizes import sizes_from_tensors_or_attr
from .shared_op_rules import Shape, like_x_meta

# Names of the padding modes in np.pad.
_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
# The axes of width, height and depth, in the order of `paddings`.
_SPATIAL_AXES = {"NCDHW": (4, 3, 2), "NDHWC": (3, 2, 1)}

Pairs = Sequence[tuple[int, int]]


def pad_or_crop_with_value(x: Any, pairs: Pairs, value: float) -> Any:
    """`x` padded with `value`; a negative width removes elements."""
    shape = [d + a + b for d, (a, b) in zip(x.shape, pairs, strict=True)]
    check(min(shape, default=0) >= 0, f"paddings={list(pairs)} remove more elements than X has")
    out = np.full_like(x, int(value) if x.dtype.kind in "iu" else value, shape=shape)
    target, source = [], []
    for d, size, (before, _) in zip(x.shape, shape, pairs, strict=True):
        begin = max(before, 0)
        end = max(min(d + before, size), begin)
        target.append(slice(begin, end))
        source.append(slice(begin - before, end - before))
    out[tuple(target)] = x[tuple(source)]
    return out


def padded_shape(x: Shape, pairs: Pairs) -> Shape:
    """The shape of `x` after padding."""
    shape = tuple(-1 if d < 0 else d + a + b for d, (a, b) in zip(x, pairs, strict=True))
    check(
        all(d >= -1 if s < 0 else d >= 0 for d, s in zip(shape, x, strict=True)),
        f"paddings={list(pairs)} remove more elements than X has",
    )
    return shape


@op("pad", "X -> Out")
def pad(x, *, paddings: Ints, pad_value: float = 0.0):
    """Out = X, padded with pad_value.

    paddings: the widths before and after each axis.

    X [*] -> Out [*]
    """
    return pad_or_crop_with_value(x, pad_width_pairs(paddings, x.ndim), pad_value)


def pad_width_pairs(paddings: Sequence[int], rank: int) -> Pairs:
    """The pairs of padding widths before and after each axis, from the flat attribute
    `paddings`.
    """
    check(len(paddings) == 2 * rank, f"paddings={list(paddings)} are not two for each axis")
    return list(zip(paddings[::2], paddings[1::2], strict=True))


@pad.meta
def _(x, *, paddings, pad_value):
    return Meta(padded_shape(x.shape, pad_width_pairs(paddings, len(x.shape))), x.dtype)


@pad.vjp
def _(g, x, *, paddings):
    return pad(g, paddings=[-p for p in paddings])


def pad_width_pairs_of_all_axes(paddings: Sequence[int], data_format: str) -> Pairs:
    """The pairs of padding widths of all five axes of an image, from those of width, height and
    depth.
    """
    check(data_format in _SPATIAL_AXES, f"data_format={data_format!r} is neither NCDHW nor NDHWC")
    check(len(paddings) == 6, f"paddings={list(paddings)} are not six")
    pairs = [(0, 0)] * 5
    for k, axis in enumerate(_SPATIAL_AXES[data_format]):
        pairs[axis] = (paddings[2 * k], paddings[2 * k + 1])
    return pairs


def check_mode_supports_paddings(shape: Shape, pairs: Pairs, mode: str) -> None:
    """Raise OpError if the padding mode does not support the widths."""
    check(
        mode == "constant" or mode in _MODES,
        f"mode={mode!r} is not one of constant, {', '.join(_MODES)}",
    )
    if mode == "constant":
        return
    check(
        all(min(p) >= 0 for p in pairs),
        f"paddings={list(pairs)} are negative, which mode={mode!r} does not support",
    )
    used = [(d, max(p)) for d, p in zip(shape, pairs, strict=True) if max(p) and d >= 0]
    check(
        all(d > (width if mode == "reflect" else 0) for d, width in used),
        f"paddings={list(pairs)} are too wide for the axes of X",
    )


def source_index_per_padded_element(size: int, pair: tuple[int, int], mode: str) -> Any:
    """For each element of a padded axis, the index of the element that it copies."""
    return np.pad(np.arange(size), pair, mode=_MODES[mode])  # type: ignore[call-overload]


@op("pad3d", "X, Paddings? -> Out", public_name="pad")
def pad3d(
    x,
    paddings_tensor=None,
    *,
    paddings: Ints,
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCDHW",
):
    """Out = X, padded on its spatial axes as `mode` states.

    paddings: left, right, top, bottom, front, back.

    X [N, C, D, H, W] or [N, D, H, W, C] -> Out like X
    """
    check(x.ndim == 5, "needs five axes")
    pairs = pad_width_pairs_of_all_axes(
        sizes_from_tensors_or_attr(paddings_tensor, None, paddings), data_format
    )
    check_mode_supports_paddings(x.shape, pairs, mode)
    if mode == "constant":
        return pad_or_crop_with_value(x, pairs, value)
    for axis, pair in enumerate(pairs):
        if max(pair):
            x = np.take(x, source_index_per_padded_element(x.shape[axis], pair, mode), axis)
    return x


@pad3d.meta
def _(x, paddings_tensor, *, paddings, mode, value, data_format):
    check(len(x.shape) == 5, "needs five axes")
    if paddings_tensor is not None:
        check(
            data_format in _SPATIAL_AXES, f"data_format={data_format!r} is neither NCDHW nor NDHWC"
        )
        return Meta(
            tuple(-1 if i in _SPATIAL_AXES[data_format] else d for i, d in enumerate(x.shape)),
            x.dtype,
        )
    pairs = pad_width_pairs_of_all_axes(paddings, data_format)
    check_mode_supports_paddings(x.shape, pairs, mode)
    return Meta(padded_shape(x.shape, pairs), x.dtype)


@pad3d.vjp
def _(g, x, paddings_tensor, *, paddings, mode, data_format):
    if mode == "constant":
        back = None if paddings_tensor is None else OPS["scale"](paddings_tensor, scale=-1.0)
        return pad3d(g, back, paddings=[-p for p in paddings], data_format=data_format), None
    return pad3d_grad(
        x, paddings_tensor, g, paddings=paddings, mode=mode, data_format=data_format
    ), None


@op("pad3d_grad", "X, Paddings?, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
def pad3d_grad(
    x,
    paddings_tensor,
    g,
    *,
    paddings: Ints,
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCDHW",
):
    """The gradient of padding: the gradient of each padded element is added to that of the element
    which it copies.

    X [*], Out@GRAD like Out -> X@GRAD [*]
    """
    pairs = pad_width_pairs_of_all_axes(
        sizes_from_tensors_or_attr(paddings_tensor, None, paddings), data_format
    )
    for axis, pair in enumerate(pairs):
        if max(pair):
            g = pad_axis_grad(
                g, axis, pair, source_index_per_padded_element(x.shape[axis], pair, mode)
            )
    return g


def pad_axis_grad(g: Any, axis: int, pair: tuple[int, int], source: Any) -> Any:
    """The gradient of padding along one axis: `g` without its padded elements, which are added to
    the elements that they copy.
    """
    g = np.moveaxis(g, axis, 0)
    size = g.shape[0] - sum(pair)
    out = g[pair[0] : pair[0] + size].copy()
    for at in [*range(pair[0]), *range(pair[0] + size, g.shape[0])]:
        out[source[at]] += g[at]
    return np.moveaxis(out, 0, axis)


@pad3d_grad.vjp
def _(gg, x, paddings_tensor, g, *, paddings, mode, data_format):
    return (
        None,
        None,
        pad3d(gg, paddings_tensor, paddings=paddings, mode=mode, data_format=data_format),
    )
