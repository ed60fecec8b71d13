"""Sample images at given positions, and create grids of positions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from ..core.arrays import np
from ..core.op import Ints, Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .scatter_at import ufunc_at
from .shared_op_rules import (
    check_float,
    dims_match,
    make_vjp_rule_rejecting_second_order,
    num_elements,
)
from .sliding_window import NUMBER_WORDS
from .unary_math import round_half_away


class PositionsAndDerivative(NamedTuple):
    """Sampling positions along one image axis, with their derivative.

    positions: the positions in pixels.
    position_derivative: the derivative of `positions` with respect to the grid coordinates.
    """

    positions: Any
    position_derivative: Any


def _pixel_positions_and_derivative(
    grid: Any, size: int, padding_mode: str, align_corners: bool
) -> PositionsAndDerivative:
    """Convert grid coordinates in [-1, 1] to positions in pixels, and compute the derivative of
    this conversion.
    """
    t = grid.dtype.type
    slope = t((size - 1) / 2 if align_corners else size / 2)
    place = (grid + t(1)) * slope - t(0 if align_corners else 0.5)
    slopes = np.full_like(place, slope)
    if padding_mode == "reflection":
        start, span = (t(0), t(size - 1)) if align_corners else (t(-0.5), t(size))
        place, sign = _reflect_with_derivative_sign(place, start, span)
        slopes = slopes * sign
    if padding_mode in ("border", "reflection"):
        # For a position exactly at the border, Paddle uses the derivative of a position inside of
        # the image.
        inside = (place >= 0) & (place <= size - 1)
        return PositionsAndDerivative(np.clip(place, t(0), t(size - 1)), slopes * inside)
    return PositionsAndDerivative(place, slopes)


def _reflect_with_derivative_sign(place: Any, start: Any, span: Any) -> tuple[Any, Any]:
    """Reflect positions at both ends of [start, start + span]; also return the sign of the
    derivative.
    """
    if span == 0:
        return np.zeros_like(place), np.zeros_like(place)
    away = np.abs(place - start)
    rest = away - np.floor(away / (2 * span)) * (2 * span)
    sign = np.where(place < start, -1, 1) * np.where(rest > span, -1, 1)
    return np.minimum(rest, 2 * span - rest) + start, sign.astype(place.dtype)


def _positions_and_derivatives_per_axis(
    x: Any, grid: Any, padding_mode: str, align_corners: bool
) -> list[PositionsAndDerivative]:
    """Return the positions along each image axis, in the order of the image axes. The last axis of
    the grid lists the image axes in reverse order.
    """
    rank = x.ndim - 2
    return [
        _pixel_positions_and_derivative(
            grid[..., rank - 1 - i], x.shape[2 + i], padding_mode, align_corners
        )
        for i in range(rank)
    ]


class InterpolationCorner(NamedTuple):
    """One of the pixels around each position.

    index: into the flat image.
    is_inside: whether it is in the image.
    weights: per axis.
    signs: per axis, the sign of the derivative of the weight with respect to the position: 1 for
    the upper neighbor, -1 for the lower one.
    """

    index: Any
    is_inside: Any
    weights: list[Any]
    signs: tuple[int, ...]


def _iter_interpolation_corners(
    axes: list[PositionsAndDerivative], sizes: tuple[int, ...], mode: str
) -> Iterator[InterpolationCorner]:
    choices = (0,) if mode == "nearest" else (0, 1)
    for choice in product(choices, repeat=len(axes)):
        index, inside, weights = np.int64(0), True, []
        for c, (place, _), size in zip(choice, axes, sizes, strict=True):
            low = np.floor(place)
            at = round_half_away(place) if mode == "nearest" else low + c
            weights.append(
                np.ones_like(place)
                if mode == "nearest"
                else (place - low if c else 1 - (place - low))
            )
            inside = inside & (at >= 0) & (at <= size - 1)
            index = index * size + np.clip(at, 0, size - 1).astype(np.int64)
        yield InterpolationCorner(index, inside, weights, tuple(1 if c else -1 for c in choice))


def _check_modes(mode: str, padding_mode: str) -> None:
    check(mode in ("bilinear", "nearest"), f"mode={mode!r} is neither 'bilinear' nor 'nearest'")
    known = padding_mode in ("zeros", "border", "reflection")
    check(known, f"padding_mode={padding_mode!r} is not one of 'zeros', 'border', 'reflection'")


def _gather_pixels(x: Any, corner: InterpolationCorner) -> Any:
    """Gather the pixels at one corner of all positions, [N,C,*positions]; 0 outside of the image.
    x: [N,C,*S]
    """
    flat = x.reshape(*x.shape[:2], -1)
    found = np.take_along_axis(flat, corner.index.reshape(x.shape[0], 1, -1), axis=2)
    return found.reshape(*x.shape[:2], *corner.index.shape[1:]) * corner.is_inside[:, None]


def _multiply_all(arrays: list[Any]) -> Any:
    total = arrays[0]
    for a in arrays[1:]:
        total = total * a
    return total


@op(
    "grid_sampler",
    "X, Grid -> Output",
    same_dtype="X Grid",
    floating="X",
    validate_before_kernel=True,
    public_name="grid_sample",
)
@computed_in_float32_if_half
def grid_sampler(
    x, grid, *, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = True
):
    """Output = X, interpolated at the positions in Grid, whose coordinates are in [-1, 1]
    (Jaderberg et al., 2015).

    X [N,C,*S], Grid [N,*P,rank] -> [N,C,*P]
    """
    _check_modes(mode, padding_mode)
    axes = _positions_and_derivatives_per_axis(x, grid, padding_mode, align_corners)
    total = np.zeros_like(x, shape=(*x.shape[:2], *grid.shape[1:-1]))
    for corner in _iter_interpolation_corners(axes, x.shape[2:], mode):
        total += _gather_pixels(x, corner) * _multiply_all(corner.weights)[:, None]
    return total


@grid_sampler.meta
def _(x, grid, *, mode, padding_mode, align_corners):
    check_float(x)
    check(len(x.shape) in (4, 5), "X needs four or five axes")
    check(len(grid.shape) == len(x.shape), f"Grid needs {NUMBER_WORDS[len(x.shape)]} axes")
    check_dtype(grid.dtype == x.dtype, "the dtypes differ")
    check(
        dims_match(grid.shape[-1], len(x.shape) - 2),
        f"the last axis of Grid is not {len(x.shape) - 2} long",
    )
    check(dims_match(grid.shape[0], x.shape[0]), "the batches differ")
    _check_modes(mode, padding_mode)
    return Meta((*x.shape[:2], *grid.shape[1:-1]), x.dtype)


@grid_sampler.vjp
def _(g, x, grid, **attrs):
    return tuple(grid_sampler_grad(x, grid, g, **attrs))


@op(
    "grid_sampler_grad",
    "X, Grid, Output@GRAD -> X@GRAD, Grid@GRAD",
    attrs_of=grid_sampler,
    internal=True,
)
@computed_in_float32_if_half
def grid_sampler_grad(
    x, grid, g, *, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = True
):
    """The gradients of grid_sampler with respect to X and Grid.

    X [N,C,*S], Grid [N,*P,rank], Output@GRAD [N,C,*P] -> like X, like Grid
    """
    axes = _positions_and_derivatives_per_axis(x, grid, padding_mode, align_corners)
    to_x, to_places = (
        np.zeros_like(x, shape=(x.shape[0], x.shape[1], int(np.prod(x.shape[2:])))),
        np.zeros_like(grid),
    )
    batch = np.arange(x.shape[0])[:, None]
    for corner in _iter_interpolation_corners(axes, x.shape[2:], mode):
        share = g * (_multiply_all(corner.weights) * corner.is_inside)[:, None]
        flat = np.moveaxis(share.reshape(*g.shape[:2], -1), 1, 2)
        ufunc_at(
            np.add, np.moveaxis(to_x, 1, 2), (batch, corner.index.reshape(x.shape[0], -1)), flat
        )
        if mode == "bilinear":
            seen = np.sum(_gather_pixels(x, corner) * g, axis=1)
            for i, sign in enumerate(corner.signs):
                others = [w for k, w in enumerate(corner.weights) if k != i]
                to_places[..., len(axes) - 1 - i] += seen * (
                    _multiply_all(others) * axes[i].position_derivative * sign
                )
    return to_x.reshape(x.shape), to_places


@grid_sampler_grad.meta
def _(x, grid, g, **_):
    return x, grid


grid_sampler_grad.vjp(make_vjp_rule_rejecting_second_order("grid_sampler"))


# -- grids
# ------------------------------------------------------------------------------


def _pixel_center_coordinates(size: int, align_corners: bool, dtype: Any) -> Any:
    """The coordinates of `size` pixel centers along one axis. With align_corners, the first and
    last pixel centers are at -1 and 1; otherwise the edges of the image are at -1 and 1.
    """
    line = np.linspace(-1, 1, size) if size > 1 else np.full(size, -1.0)
    return (line if align_corners else line * ((size - 1) / max(size, 1))).astype(dtype)


def _homogeneous_coordinates(sizes: Any, align_corners: bool, dtype: Any) -> Any:
    """The homogeneous coordinates of all P pixels of an image, [P, rank + 1]: the coordinates, last
    image axis first, followed by a 1.
    """
    lines = np.meshgrid(
        *[_pixel_center_coordinates(s, align_corners, dtype) for s in sizes], indexing="ij"
    )
    return np.stack(
        [*(line.ravel() for line in reversed(lines)), np.ones_like(lines[0]).ravel()], axis=1
    )


def _shape_from_tensor_or_attr(shape_tensor: Any, output_shape: Any) -> list[int]:
    return [int(s) for s in (output_shape if shape_tensor is None else shape_tensor.ravel())]


@op("affine_grid", "Theta, OutputShape?! -> Output")
@computed_in_float32_if_half
def affine_grid(theta, shape=None, *, output_shape: Ints = [], align_corners: bool = True):
    """Output = Theta @ the homogeneous coordinates of each pixel of an image [N,C,*S].

    Theta [N,rank,rank+1] -> Output [N,*S,rank]
    """
    check_float(theta)
    sizes = _shape_from_tensor_or_attr(shape, output_shape)[2:]
    points = _homogeneous_coordinates(sizes, align_corners, theta.dtype)
    return np.matmul(points, np.swapaxes(theta, 1, 2)).reshape(theta.shape[0], *sizes, len(sizes))


@affine_grid.meta
def _(theta, shape, *, output_shape, align_corners):
    check_float(theta)
    check(len(theta.shape) == 3, "Theta needs three axes")
    rank = theta.shape[1]
    check(
        rank in (-1, 2, 3) and dims_match(theta.shape[2], rank + 1 if rank > 0 else -1),
        "Theta is neither [N,2,3] nor [N,3,4]",
    )
    if shape is not None:
        count = num_elements(shape.shape) - 2 if num_elements(shape.shape) > 0 else rank
        check(count > 0, "the rank is not known")
        return Meta((theta.shape[0], *(-1,) * count, count), theta.dtype)
    check(
        dims_match(len(output_shape) - 2, rank),
        f"output_shape={list(output_shape)} does not fit Theta",
    )
    check(
        min(output_shape[2:], default=0) > 0, f"output_shape={list(output_shape)} is not positive"
    )
    return Meta((theta.shape[0], *output_shape[2:], len(output_shape) - 2), theta.dtype)


@affine_grid.vjp
def _(g, theta, shape, *, output_shape, align_corners):
    return affine_grid_grad(g, shape, output_shape=output_shape, align_corners=align_corners), None


@op(
    "affine_grid_grad",
    "Output@GRAD, OutputShape? -> Theta@GRAD",
    attrs_of=affine_grid,
    internal=True,
)
@computed_in_float32_if_half
def affine_grid_grad(g, shape=None, *, output_shape: Ints = [], align_corners: bool = True):
    """The gradient of affine_grid with respect to Theta.

    Output@GRAD [N,*S,rank] -> Theta@GRAD [N,rank,rank+1]
    """
    points = _homogeneous_coordinates(
        _shape_from_tensor_or_attr(shape, output_shape)[2:], align_corners, g.dtype
    )
    return np.matmul(np.swapaxes(g.reshape(g.shape[0], -1, g.shape[-1]), 1, 2), points)


@affine_grid_grad.meta
def _(g, shape, **_):
    return Meta((g.shape[0], g.shape[-1], g.shape[-1] + 1 if g.shape[-1] > 0 else -1), g.dtype)


@affine_grid_grad.vjp
def _(gg, g, shape, *, output_shape, align_corners):
    return affine_grid(gg, shape, output_shape=output_shape, align_corners=align_corners), None
