"""Discrete Fourier transforms.

`fft`, `ifft`: complex; `rfft`: real input, without the redundant half of the spectrum; `irfft`: its
inverse; `hfft`: half of a Hermitian spectrum to real numbers; `ihfft`: its inverse. Each exists for
one axis, for two (`2`) and for several (`n`).

n, s: transformed sizes; x is cut or padded with zeros. For real results they are the sizes of the
result, by default 2 (m - 1) for the last axis.

norm: `backward` (factor 1/n in the inverse), `forward` (in the forward transform), or `ortho`
(1/sqrt(n) in both)
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.dtype import default_float_np_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..tensor.convert import cast

Sizes = Sequence[int] | None
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


def _raise_fft_error(problem: str, x: Tensor) -> None:
    raise OpError(append_user_line(f"fft: {problem} (X={x.meta})"))


def _cast_integers_to_float(x: Tensor) -> Tensor:
    check_tensors(x)
    return cast(x, default_float_np_dtype()) if x.meta.dtype.kind in "iub" else x


def _as_complex(x: Tensor) -> Tensor:
    x = _cast_integers_to_float(x)
    return x if x.meta.dtype.kind == "c" else cast(x, _COMPLEX.get(x.dtype.name, "complex64"))


def _normalize_sizes_and_axes(
    x: Tensor, s: Sizes, axes: Sizes, keep_last: bool
) -> tuple[list[int] | None, list[int]]:
    """Normalize the arguments `s` and `axes` of a transform: return the sizes, and the
    non-negative, sorted axes.

    keep_last: keep the last axis in its position
    """
    if axes is None:
        count = x.ndim if s is None else len(s)
        axes = range(x.ndim - count, x.ndim)
    if s is not None and len(s) != len(axes):
        _raise_fft_error(f"s={list(s)} does not fit axes={list(axes)}", x)
    if s is not None and min(s, default=1) <= 0:
        _raise_fft_error(f"s={list(s)} contains a size that is not positive", x)
    if not axes or not all(-x.ndim <= a < x.ndim for a in axes):
        _raise_fft_error(f"axes={list(axes)} are out of range for rank {x.ndim}", x)
    axis_list = [a % x.ndim for a in axes]
    order = (
        sorted(range(len(axis_list) - keep_last), key=axis_list.__getitem__)
        + [len(axis_list) - 1] * keep_last
    )
    return None if s is None else [s[i] for i in order], [axis_list[i] for i in order]


def _crop_or_pad(x: Tensor, sizes: Sequence[int], axes: Sequence[int]) -> Tensor:
    """Return x with the given sizes along the axes: cut at the end, or padded with zeros at the
    end.
    """
    old_sizes = [x.shape[a] for a in axes]
    cut = [(a, s) for a, s, h in zip(axes, sizes, old_sizes, strict=True) if s < h]
    if cut:
        x = OPS["slice"](
            x, axes=[a for a, _ in cut], starts=[0] * len(cut), ends=[s for _, s in cut]
        )
    paddings = [0] * (2 * x.ndim)
    for a, s, h in zip(axes, sizes, old_sizes, strict=True):
        paddings[2 * a + 1] = max(s - h, 0)
    return OPS["pad"](x, paddings=paddings) if any(paddings) else x


def _transform_to_full_spectrum(
    x: Tensor, s: Sizes, axes: Sizes, norm: str, forward: bool
) -> Tensor:
    """Compute the Fourier transform with all frequencies, not only the non-negative half."""
    x = _cast_integers_to_float(x)
    is_real = x.meta.dtype.kind != "c"
    sizes, axis_list = _normalize_sizes_and_axes(x, s, axes, keep_last=is_real)
    x = x if sizes is None else _crop_or_pad(x, sizes, axis_list)
    if is_real:
        return OPS["fft_r2c"](
            x, axes=axis_list, normalization=norm, forward=forward, onesided=False
        )
    return OPS["fft_c2c"](x, axes=axis_list, normalization=norm, forward=forward)


def _real_to_half_spectrum(x: Tensor, s: Sizes, axes: Sizes, norm: str, forward: bool) -> Tensor:
    """Compute the non-negative half of the Fourier transform of real numbers."""
    x = _cast_integers_to_float(x)
    sizes, axis_list = _normalize_sizes_and_axes(x, s, axes, keep_last=True)
    x = x if sizes is None else _crop_or_pad(x, sizes, axis_list)
    return OPS["fft_r2c"](x, axes=axis_list, normalization=norm, forward=forward, onesided=True)


def _half_spectrum_to_real(x: Tensor, s: Sizes, axes: Sizes, norm: str, forward: bool) -> Tensor:
    """Compute the Fourier transform of a Hermitian spectrum, given its non-negative half; the
    result is real.
    """
    x = _as_complex(x)
    sizes, axis_list = _normalize_sizes_and_axes(x, s, axes, keep_last=True)
    if sizes is None:
        return OPS["fft_c2r"](x, axes=axis_list, normalization=norm, forward=forward)
    x = _crop_or_pad(x, [*sizes[:-1], sizes[-1] // 2 + 1], axis_list)
    return OPS["fft_c2r"](
        x, axes=axis_list, normalization=norm, forward=forward, last_dim_size=sizes[-1]
    )


def _wrap_optional_size_in_list(n: int | None) -> list[int] | None:
    return None if n is None else [n]


def _axes_of_2d_transform(x: Tensor, s: Sizes, axes: Sizes) -> Sizes:
    """Return the axes of a 2-D transform: the given ones, or the last two by default. Raise OpError
    if x has fewer than two axes, or unless `s` and `axes` have two elements.
    """
    check_tensors(x)
    if x.ndim < 2 or (s is not None and len(s) != 2) or (axes is not None and len(axes) != 2):
        _raise_fft_error(f"s={s}, axes={axes} must have two elements", x)
    return (-2, -1) if axes is None else axes


def fft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Fourier transform along an axis.

    x [*, N] -> complex [*, n]
    """
    return _transform_to_full_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, True)


def ifft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse Fourier transform along an axis.

    x [*, N] -> complex [*, n]
    """
    return _transform_to_full_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, False)


def rfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Half of the Fourier transform of real numbers along an axis.

    x real [*, N] -> complex [*, n // 2 + 1]
    """
    return _real_to_half_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, True)


def irfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `rfft`.

    x [*, M] -> real [*, n]
    """
    return _half_spectrum_to_real(x, _wrap_optional_size_in_list(n), [axis], norm, False)


def hfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Fourier transform of half of a Hermitian signal along an axis.

    x [*, M] -> real [*, n]
    """
    return _half_spectrum_to_real(x, _wrap_optional_size_in_list(n), [axis], norm, True)


def ihfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `hfft`.

    x real [*, N] -> complex [*, n // 2 + 1]
    """
    return _real_to_half_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, False)


def fftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Fourier transform along several axes (default: all).

    x [*] -> complex [*s]
    """
    return _transform_to_full_spectrum(x, s, axes, norm, True)


def ifftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse Fourier transform along several axes.

    x [*] -> complex [*s]
    """
    return _transform_to_full_spectrum(x, s, axes, norm, False)


def rfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Half of the Fourier transform of real numbers along several axes.

    x real [*] -> complex, the last axis s // 2 + 1
    """
    return _real_to_half_spectrum(x, s, axes, norm, True)


def irfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `rfftn`.

    x [*] -> real [*s]
    """
    return _half_spectrum_to_real(x, s, axes, norm, False)


def hfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Fourier transform of half of a Hermitian signal along several axes.

    x [*] -> real [*s]
    """
    return _half_spectrum_to_real(x, s, axes, norm, True)


def ihfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `hfftn`.

    x real [*] -> complex, the last axis s // 2 + 1
    """
    return _real_to_half_spectrum(x, s, axes, norm, False)


def fft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`fftn` along two axes."""
    return fftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def ifft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`ifftn` along two axes."""
    return ifftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def rfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`rfftn` along two axes."""
    return rfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def irfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`irfftn` along two axes."""
    return irfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def hfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`hfftn` along two axes."""
    return hfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def ihfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`ihfftn` along two axes."""
    return ihfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)
