"""Resize images: nearest, linear and cubic interpolation over one to three axes.

Along each axis an output element is a weighted mean of a few input elements, so the axes are
processed one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.arrays import np
from ..core.op import Floats, Meta, Op, check, op
from .half_precision import computed_in_float32_if_half
from .scatter_at import ufunc_at
from .shared_op_rules import check_inexact, like_x_meta
from .sliding_window import NUMBER_WORDS

INTERP_SLOTS = "X, OutSize?!, SizeTensor*?!, Scale?! -> Out"
MAX_SCALE = 1 << 30
CUBIC_COEFFICIENT = -0.75  # Paddle's cubic coefficient
Taps = tuple[Any, Any]  # source positions [K,out] and weights [K,out]


def _nearest_taps(size: int, out: int, ratio: Any, corners: bool, align_mode: int) -> Taps:
    at = np.arange(out, dtype=np.float32) * ratio + np.float32(0.5 if corners else 0)
    return np.minimum(at.astype(np.int64), size - 1)[None], np.ones((1, out), np.float32)


def _linear_taps(size: int, out: int, ratio: Any, corners: bool, align_mode: int) -> Taps:
    at = np.arange(out, dtype=np.float32)
    centered = align_mode == 0 and not corners
    at = (
        np.maximum((at + np.float32(0.5)) * ratio - np.float32(0.5), np.float32(0))
        if centered
        else at * ratio
    )
    low = np.minimum(at.astype(np.int64), size - 1)
    part = at - low.astype(np.float32)
    return np.stack([low, np.minimum(low + 1, size - 1)]), np.stack([np.float32(1) - part, part])


def _cubic_taps(size: int, out: int, ratio: Any, corners: bool, align_mode: int) -> Taps:
    at = np.arange(out, dtype=np.float32)
    at = at * ratio if corners else (at + np.float32(0.5)) * ratio - np.float32(0.5)
    low = np.floor(at)
    part = at - low
    far = [
        _cubic_outer_weight(part + 1),
        _cubic_inner_weight(part),
        _cubic_inner_weight(1 - part),
        _cubic_outer_weight(2 - part),
    ]
    places = np.clip(low.astype(np.int64) + np.arange(-1, 3)[:, None], 0, size - 1)
    return places, np.stack(far).astype(np.float32)


def _cubic_inner_weight(x: Any) -> Any:
    """The weight of a pixel in cubic interpolation at a distance below 1 (Keys 1981)."""
    return ((CUBIC_COEFFICIENT + 2) * x - (CUBIC_COEFFICIENT + 3)) * x * x + 1


def _cubic_outer_weight(x: Any) -> Any:
    """The weight of a pixel in cubic interpolation at a distance between 1 and 2."""
    return (
        (CUBIC_COEFFICIENT * x - 5 * CUBIC_COEFFICIENT) * x + 8 * CUBIC_COEFFICIENT
    ) * x - 4 * CUBIC_COEFFICIENT


TAP_FUNCTIONS = {
    "nearest": _nearest_taps,
    "linear": _linear_taps,
    "bilinear": _linear_taps,
    "trilinear": _linear_taps,
    "bicubic": _cubic_taps,
}
RANKS_BY_KIND = {
    "nearest": (2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "trilinear": (3,),
    "bicubic": (2,),
}


def _scales_per_axis(scale: Sequence[float], rank: int) -> list[float]:
    """Convert the attribute `scale` to one scale per axis; an empty list if no scale is given."""
    found = [float(s) for s in scale]
    check(
        len(found) in (0, 1, rank), f"scale={found} is neither one number nor {NUMBER_WORDS[rank]}"
    )
    check(all(0 < s < MAX_SCALE for s in found), f"scale={found} is not between 0 and {MAX_SCALE}")
    return found * rank if len(found) == 1 else found


def _output_sizes_and_scales(
    sizes: Sequence[int],
    out_size: Any,
    size_tensors: Any,
    scale_tensor: Any,
    out: Sequence[int],
    scale: Sequence[float],
) -> tuple[list[int], list[float]]:
    """Return the output sizes, and one scale per axis if scales are given. With OutSize, the scales
    still determine the distance between sampling positions.
    """
    if size_tensors:
        return [int(s.reshape(())) for s in size_tensors], []
    scales = _scales_per_axis(scale if scale_tensor is None else scale_tensor.ravel(), len(sizes))
    if out_size is not None:
        return [int(s) for s in out_size.ravel()], scales
    if scales:
        return [
            int(np.float32(n) * np.float32(s)) for n, s in zip(sizes, scales, strict=True)
        ], scales
    return list(out), []


def _taps_per_axis(
    kind: str,
    sizes: Sequence[int],
    out: Sequence[int],
    scales: list[float],
    corners: bool,
    mode: int,
) -> list[Taps]:
    """For each axis, the source positions and weights (`Taps`) of the elements of the result."""
    check(
        len(out) == len(sizes) and min(out) > 0, f"the sizes {out} of the result are not positive"
    )
    found = []
    for i, (size, wanted) in enumerate(zip(sizes, out, strict=True)):
        if wanted == 1:  # as in Paddle, the ratio is 0 for an output size of 1, in all modes
            ratio = np.float32(0)
        elif corners:
            ratio = np.float32((size - 1) / (wanted - 1))
        else:
            ratio = np.float32(1 / np.float32(scales[i])) if scales else np.float32(size / wanted)
        found.append(TAP_FUNCTIONS[kind](size, wanted, ratio, corners, mode))
    return found


def _apply_taps(x: Any, taps: Taps, axis: int) -> Any:
    places, weights = taps
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    if len(places) == 1:
        return np.take(x, places[0], axis)
    total = np.take(x, places[0], axis) * weights[0].astype(x.dtype).reshape(shape)
    for p, w in zip(places[1:], weights[1:], strict=True):
        total += np.take(x, p, axis) * w.astype(x.dtype).reshape(shape)
    return total


def _apply_taps_transposed(g: Any, taps: Taps, axis: int, size: int) -> Any:
    """The adjoint of `_apply_taps`, computed as a product with the weight matrix."""
    places, weights = taps
    matrix = np.zeros_like(g, shape=(size, places.shape[1]))
    for p, w in zip(places, weights, strict=True):
        ufunc_at(np.add, matrix, (p, np.arange(len(p))), w.astype(g.dtype))
    return np.moveaxis(np.tensordot(matrix, g, (1, axis)), 0, axis)


def _first_spatial_axis(layout: str) -> int:
    """The index of the first spatial axis in a data format such as NCHW."""
    check(layout in ("NCHW", "NHWC"), f"data_layout={layout} is neither NCHW nor NHWC")
    return 1 if layout == "NHWC" else 2


def _spatial_shape(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    start = _first_spatial_axis(layout)
    return tuple(shape[start : start + len(shape) - 2])


def _output_sizes_from_attrs(rank: int, out_d: int, out_h: int, out_w: int) -> list[int]:
    return [out_d, out_h, out_w][3 - rank :]


def _check_interpolated_dtype(kind: str, x: Any) -> None:
    """Raise OpError for integer images, because interpolated values are not integers. uint8
    is accepted by all modes but bicubic.
    """
    if kind != "nearest" and not (x.dtype == np.uint8 and kind != "bicubic"):
        check_inexact(x)


def define_resize_op(kind: str) -> Op:
    """Define the op `<kind>_interp_v2`."""

    @op(
        f"{kind}_interp_v2",
        INTERP_SLOTS,
        amp_class="deny_at_o2",
        validate_before_kernel=True,
        public_name="interpolate",
    )
    @computed_in_float32_if_half
    def kernel(
        x,
        out_size=None,
        sizes=None,
        scale_tensor=None,
        *,
        data_layout: str = "NCHW",
        out_d: int = 0,
        out_h: int = 0,
        out_w: int = 0,
        scale: Floats = [],
        interp_method: str = "bilinear",
        align_corners: bool = True,
        align_mode: int = 1,
    ):
        inner = _spatial_shape(x.shape, data_layout)
        attrs_out = _output_sizes_from_attrs(len(inner), out_d, out_h, out_w)
        out, scales = _output_sizes_and_scales(
            inner, out_size, sizes, scale_tensor, attrs_out, scale
        )
        _check_interpolated_dtype(kind, x)
        made = x.astype(np.float32) if kind != "nearest" and x.dtype == np.uint8 else x
        for i, taps in enumerate(
            _taps_per_axis(kind, inner, out, scales, align_corners, align_mode)
        ):
            made = _apply_taps(made, taps, _first_spatial_axis(data_layout) + i)
        return made.astype(x.dtype, copy=False)  # uint8 results are truncated, as in Paddle

    @kernel.meta
    def _(x, out_size, sizes, scale_tensor, *, data_layout, out_d, out_h, out_w, scale, **_):
        _check_interpolated_dtype(kind, x)
        rank = len(x.shape) - 2
        check(
            rank in RANKS_BY_KIND[kind],
            f"needs {' or '.join(NUMBER_WORDS[r + 2] for r in RANKS_BY_KIND[kind])} axes",
        )
        out = _infer_output_sizes(
            _spatial_shape(x.shape, data_layout),
            (out_size, sizes or None, scale_tensor),
            _output_sizes_from_attrs(rank, out_d, out_h, out_w),
            scale,
        )
        return Meta(
            (x.shape[0], *out, x.shape[-1]) if data_layout == "NHWC" else (*x.shape[:2], *out),
            x.dtype,
        )

    @kernel.vjp
    def _(g, x, out_size, sizes, scale_tensor, **attrs):
        return (
            resize_grad(x, out_size, sizes, scale_tensor, g, kind=kind, **attrs),
            None,
            None,
            None,
        )

    kernel.kernel.__doc__ = (
        f"Out = X, resized by {kind} interpolation. OutSize, SizeTensor, Scale, `scale` or `out_*` "
        f"determine the output sizes. X [N,C,*S] -> Out [N,C,*out]"
    )
    return kernel


def _infer_output_sizes(
    inner: tuple[int, ...], given: tuple[Any, ...], out: list[int], scale: Sequence[float]
) -> list[int]:
    if any(g is not None for g in given):
        return [-1] * len(inner)
    scales = _scales_per_axis(scale, len(inner))
    if scales:
        pairs = zip(inner, scales, strict=True)
        out = [int(np.float32(n) * np.float32(s)) if n >= 0 else -1 for n, s in pairs]
    check(
        all(o > 0 or (scales and o == -1) for o in out),
        f"the sizes {out} of the result are not positive",
    )
    return out


nearest, linear, bilinear, trilinear, bicubic = RESIZE_OPS = [
    define_resize_op(kind) for kind in TAP_FUNCTIONS
]


@op(
    "interp_grad",
    "X, OutSize?, SizeTensor*?, Scale?, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    attrs_of=bilinear,
    internal=True,
)
@computed_in_float32_if_half
def resize_grad(x, out_size, sizes, scale_tensor, g, *, kind: str, **attrs):
    """The gradient of interpolation. The rule uses only the shape of X.

    X [N,C,*S], Out@GRAD [N,C,*out] -> X@GRAD like X
    """
    full = bilinear.attrs_with_defaults(attrs)
    inner = _spatial_shape(x.shape, full["data_layout"])
    out = _spatial_shape(g.shape, full["data_layout"])
    _, scales = _output_sizes_and_scales(inner, out_size, sizes, scale_tensor, out, full["scale"])
    for i, taps in enumerate(
        _taps_per_axis(kind, inner, out, scales, full["align_corners"], full["align_mode"])
    ):
        g = _apply_taps_transposed(g, taps, _first_spatial_axis(full["data_layout"]) + i, inner[i])
    return g


@resize_grad.vjp
def _(gg, x, out_size, sizes, scale_tensor, g, *, kind, **attrs):
    again = dict(zip(TAP_FUNCTIONS, RESIZE_OPS, strict=True))[kind](
        gg, out_size, sizes, scale_tensor, **attrs
    )
    return None, None, None, None, again
