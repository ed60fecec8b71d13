"""Fourier transforms: complex to complex, real to complex, complex to real.

normalization: the transforms that are divided by n: "backward", "forward", or "ortho" (both are
divided by sqrt(n)).

Fourier matrices are symmetric and gradients are conjugated (see `core/op.py`), so the gradient of a
transform is a transform of the same direction.
"""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import NO_HALF_COMPLEX, OPS, Long, Longs, Meta, check, check_dtype, op
from .complex_numbers import real
from .elementwise import add
from .shared_op_rules import (
    check_float,
    complex_dtype,
    normalize_axes,
    raise_unknown_size_unless,
    real_dtype,
    vjp_input_shape,
)

_INVERSE_NORMALIZATION = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _numpy_fft_function(name: str) -> Any:
    """Return a function of numpy.fft. The module is imported at the first call, not with
    Oarlock.
    """
    return getattr(np.fft, name)


def _check_attrs_and_normalize_axes(x: Any, axes: Any, normalization: str) -> tuple[int, ...]:
    """Return the axes as non-negative numbers. Raises OpError for invalid axes or an unknown
    normalization.
    """
    check(
        normalization in _INVERSE_NORMALIZATION,
        f"normalization={normalization} is not one of {', '.join(_INVERSE_NORMALIZATION)}",
    )
    check(len(axes) > 0, "axes is empty")
    found = normalize_axes(axes, len(x.shape), "axes")
    check(all(x.shape[a] != 0 for a in found), "an axis to transform has no elements")
    return found


@op(
    "fft_c2c",
    "X -> Out",
    no_half_reason=NO_HALF_COMPLEX,
    validate_before_kernel=True,
)
def fft_c2c(x, *, axes: Longs, normalization: str, forward: bool):
    """Out = the discrete Fourier transform of X over the axes.

    forward: exponent -2 pi i jk / n; otherwise the inverse transform, with +2 pi i jk / n.

    X complex [*] -> Out [*]
    """
    _check_attrs_and_normalize_axes(x, axes, normalization)
    return _numpy_fft_function("fftn" if forward else "ifftn")(
        x, axes=axes, norm=normalization
    ).astype(x.dtype, copy=False)


@fft_c2c.meta
def _(x, *, axes, normalization, forward):
    check_dtype(x.dtype.kind == "c", "needs a complex dtype")
    _check_attrs_and_normalize_axes(x, axes, normalization)
    return x


@fft_c2c.vjp
def _(g, x, *, axes, normalization, forward):
    return fft_c2c(g, axes=axes, normalization=normalization, forward=forward)


@op("fft_r2c", "X -> Out", no_half_reason=NO_HALF_COMPLEX)
def fft_r2c(x, *, axes: Longs, normalization: str, forward: bool, onesided: bool):
    """Out = the discrete Fourier transform of real X.

    onesided: omit the conjugate-symmetric half of the last axis.

    X [*] -> Out complex [*]
    """
    check_float(x)
    wide = complex_dtype(x.dtype)
    _check_attrs_and_normalize_axes(x, axes, normalization)
    if not onesided:
        found = _numpy_fft_function("fftn" if forward else "ifftn")(
            x, axes=axes, norm=normalization
        )
    elif forward:
        found = _numpy_fft_function("rfftn")(x, axes=axes, norm=normalization)
    else:
        found = np.conjugate(
            _numpy_fft_function("rfftn")(x, axes=axes, norm=_INVERSE_NORMALIZATION[normalization])
        )
    return found.astype(wide, copy=False)


@fft_r2c.meta
def _(x, *, axes, normalization, forward, onesided):
    check_dtype(x.dtype.kind == "f", "needs a floating dtype")
    last = _check_attrs_and_normalize_axes(x, axes, normalization)[-1]
    half = onesided and x.shape[last] >= 0
    return Meta(
        _shape_with_axis_size(x.shape, last, x.shape[last] // 2 + 1 if half else x.shape[last]),
        complex_dtype(x.dtype),
    )


def _shape_with_axis_size(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


def _emit_zero_pad_around_axis(x: Any, axis: int, before: int, after: int) -> Any:
    """Pad X with zeros before and after its elements along an axis."""
    rank = len(vjp_input_shape(x))
    return OPS["pad"](
        x, paddings=[0] * (2 * axis) + [before, after] + [0] * (2 * (rank - axis - 1))
    )


@fft_r2c.vjp
def fft_r2c_grad(g, x, *, axes, normalization, forward, onesided):
    """The gradient of fft_r2c with respect to X. g complex like Out, X [*] -> [*]"""
    last = axes[-1] % len(vjp_input_shape(x))
    if onesided:
        size = vjp_input_shape(x)[last]
        raise_unknown_size_unless(size >= 0)
        g = _emit_zero_pad_around_axis(g, last, 0, size - size // 2 - 1)
    return real(fft_c2c(g, axes=axes, normalization=normalization, forward=forward))


def _real_axis_size(x: Any, last: int, size: int) -> int:
    """The size of the transformed axis in the real result of fft_c2r."""
    half = x.shape[last]
    if not size:
        return -1 if half < 0 else 2 * (half - 1)
    check(
        half < 0 or half >= size // 2 + 1,
        f"last_dim_size={size} is not possible with {half} elements in the last axis of X",
    )
    return size


@op(
    "fft_c2r",
    "X -> Out",
    no_half_reason=NO_HALF_COMPLEX,
    validate_before_kernel=True,
)
def fft_c2r(x, *, axes: Longs, normalization: str, forward: bool, last_dim_size: Long = 0):
    """Out = the real transform of a Hermitian X, which holds the first half (m elements) of its
    last axis.

    last_dim_size: the size of that axis in Out; 0 for 2 * (m - 1).

    X complex [*] -> Out real [*]
    """
    last = _check_attrs_and_normalize_axes(x, axes, normalization)[-1]
    sizes = [x.shape[a] for a in axes[:-1]] + [_real_axis_size(x, last, last_dim_size)]
    check(sizes[-1] > 0, "the result has no elements")
    if forward:
        x, normalization = np.conjugate(x), _INVERSE_NORMALIZATION[normalization]
    return _numpy_fft_function("irfftn")(x, s=sizes, axes=axes, norm=normalization).astype(
        real_dtype(x.dtype), copy=False
    )


@fft_c2r.meta
def _(x, *, axes, normalization, forward, last_dim_size):
    check_dtype(x.dtype.kind == "c", "needs a complex dtype")
    last = _check_attrs_and_normalize_axes(x, axes, normalization)[-1]
    size = _real_axis_size(x, last, last_dim_size)
    check(size != 0, "the result has no elements")
    return Meta(_shape_with_axis_size(x.shape, last, size), real_dtype(x.dtype))


@fft_c2r.vjp
def _(g, x, *, axes, normalization, forward):
    """The gradient of fft_c2r. Each element of X stands for two conjugate elements, so its gradient
    is doubled, except for the first element and, for an even size, the last element.
    """
    last = axes[-1] % len(vjp_input_shape(x))
    given, size = vjp_input_shape(x)[last], vjp_input_shape(g)[last]
    raise_unknown_size_unless(min(given, size) >= 0)
    half = size // 2 + 1
    found = fft_r2c(g, axes=axes, normalization=normalization, forward=forward, onesided=True)
    end = half - 1 if size % 2 == 0 else half
    if end > 1:
        twice = OPS["slice"](found, axes=[last], starts=[1], ends=[end])
        found = add(found, _emit_zero_pad_around_axis(twice, last, 1, half - end))
    return _emit_zero_pad_around_axis(found, last, 0, given - half) if given > half else found
