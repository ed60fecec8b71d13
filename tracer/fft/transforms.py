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
    """Discrete Fourier transform along an axis.

    out[k] = sum over j of x[j] * exp(-2 pi i j k / n)

    Parameters
    ----------
    x : Tensor [*, N], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    n : int, optional
        Length of the transform: x is cut or padded with zeros; default N.
    axis : int, default -1
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, n], complex64 | complex128

    Raises
    ------
    OpError
        If `n` is not positive, the axis does not exist, `norm` has another value or x is of half
        precision.

    Notes
    -----
    A program needs a static size of the axis if `n` is given.

    See Also
    --------
    paddle.fft.ifft : The inverse.

    Examples
    --------
    >>> paddle.fft.fft(paddle.to_tensor([1.0, 2.0, 3.0, 4.0])).numpy().round(3)
    array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j], dtype=complex64)
    """
    return _transform_to_full_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, True)


def ifft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse discrete Fourier transform along an axis.

    out[j] = 1 / n * sum over k of x[k] * exp(2 pi i j k / n)

    Parameters
    ----------
    x : Tensor [*, N], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    n : int, optional
        Length of the transform: x is cut or padded with zeros; default N.
    axis : int, default -1
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, n], complex64 | complex128

    Raises
    ------
    OpError
        If `n` is not positive, the axis does not exist, `norm` has another value or x is of half
        precision.

    Notes
    -----
    A program needs a static size of the axis if `n` is given.

    See Also
    --------
    paddle.fft.fft : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    >>> paddle.fft.ifft(paddle.fft.fft(x)).numpy().round(3)
    array([1.+0.j, 2.+0.j, 3.+0.j, 4.+0.j], dtype=complex64)
    """
    return _transform_to_full_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, False)


def rfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Discrete Fourier transform of real numbers along an axis, without negative frequencies.

    out[k] = sum over j of x[j] * exp(-2 pi i j k / n), k = 0 ... n // 2; out[n - k] would be the
    conjugate of out[k]

    Parameters
    ----------
    x : Tensor [*, N], float32 | float64
        Integers are cast to the default float dtype.
    n : int, optional
        Length of the transform: x is cut or padded with zeros; default N.
    axis : int, default -1
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, n // 2 + 1], complex64 | complex128

    Raises
    ------
    OpError
        If `n` is not positive, the axis does not exist, `norm` has another value or x is of half
        precision.

    Notes
    -----
    A program needs a static size of the axis if `n` is given.

    See Also
    --------
    paddle.fft.irfft : The inverse.

    Examples
    --------
    >>> paddle.fft.rfft(paddle.to_tensor([1.0, 2.0, 3.0, 4.0])).numpy().round(3)
    array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    return _real_to_half_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, True)


def irfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `rfft`: real numbers from the non-negative half of a spectrum, along an axis.

    out[j] = 1 / n * sum over k of X[k] * exp(2 pi i j k / n), where X is x with the conjugate
    negative frequencies

    Parameters
    ----------
    x : Tensor [*, M], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    n : int, optional
        Length of the result: x is cut or padded with zeros to n // 2 + 1; default 2 * (M - 1).
    axis : int, default -1
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, n], float32 | float64

    Raises
    ------
    OpError
        If `n` is not positive, the axis does not exist, `norm` has another value or x is of half
        precision.

    Notes
    -----
    A program needs a static size of the axis if `n` is given.

    See Also
    --------
    paddle.fft.rfft : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    >>> paddle.fft.irfft(paddle.fft.rfft(x)).numpy().round(3)
    array([1., 2., 3., 4.], dtype=float32)
    """
    return _half_spectrum_to_real(x, _wrap_optional_size_in_list(n), [axis], norm, False)


def hfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Discrete Fourier transform of a Hermitian signal along an axis; the result is real.

    out[k] = sum over j of X[j] * exp(-2 pi i j k / n), where X is x, the half of the signal with j
    >= 0, with its conjugate other half

    Parameters
    ----------
    x : Tensor [*, M], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    n : int, optional
        Length of the result: x is cut or padded with zeros to n // 2 + 1; default 2 * (M - 1).
    axis : int, default -1
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, n], float32 | float64

    Raises
    ------
    OpError
        If `n` is not positive, the axis does not exist, `norm` has another value or x is of half
        precision.

    Notes
    -----
    A program needs a static size of the axis if `n` is given.

    See Also
    --------
    paddle.fft.ihfft : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    >>> paddle.fft.hfft(paddle.fft.ihfft(x)).numpy().round(3)
    array([1., 2., 3., 4.], dtype=float32)
    """
    return _half_spectrum_to_real(x, _wrap_optional_size_in_list(n), [axis], norm, True)


def ihfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `hfft`: half of a Hermitian signal from a real spectrum, along an axis.

    out[j] = 1 / n * sum over k of x[k] * exp(2 pi i j k / n), j = 0 ... n // 2

    Parameters
    ----------
    x : Tensor [*, N], float32 | float64
        Integers are cast to the default float dtype.
    n : int, optional
        Length of the transform: x is cut or padded with zeros; default N.
    axis : int, default -1
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, n // 2 + 1], complex64 | complex128

    Raises
    ------
    OpError
        If `n` is not positive, the axis does not exist, `norm` has another value or x is of half
        precision.

    Notes
    -----
    A program needs a static size of the axis if `n` is given.

    See Also
    --------
    paddle.fft.hfft : The inverse.

    Examples
    --------
    >>> paddle.fft.ihfft(paddle.to_tensor([1.0, 2.0, 3.0, 4.0])).numpy().round(3)
    array([ 2.5-0.j , -0.5-0.5j, -0.5-0.j ], dtype=complex64)
    """
    return _real_to_half_spectrum(x, _wrap_optional_size_in_list(n), [axis], norm, False)


def fftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Discrete Fourier transform along several axes.

    Parameters
    ----------
    x : Tensor [*], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : sequence of int, optional
        Default: all axes, or the last ``len(s)`` axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*s], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit, a size is not positive, an axis does not exist, `norm` has
        another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.ifftn : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.fftn(x).numpy().round(3)
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return _transform_to_full_spectrum(x, s, axes, norm, True)


def ifftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse discrete Fourier transform along several axes.

    Parameters
    ----------
    x : Tensor [*], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : sequence of int, optional
        Default: all axes, or the last ``len(s)`` axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*s], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit, a size is not positive, an axis does not exist, `norm` has
        another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.fftn : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.ifftn(paddle.fft.fftn(x)).numpy().round(3)
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]], dtype=complex64)
    """
    return _transform_to_full_spectrum(x, s, axes, norm, False)


def rfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Discrete Fourier transform of real numbers along several axes, without redundant half.

    The last of the axes has the non-negative half of the frequencies; the others have all.

    Parameters
    ----------
    x : Tensor [*], float32 | float64
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : sequence of int, optional
        Default: all axes, or the last ``len(s)`` axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*s[:-1], s[-1] // 2 + 1], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit, a size is not positive, an axis does not exist, `norm` has
        another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.irfftn : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.rfftn(x).numpy().round(3)
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return _real_to_half_spectrum(x, s, axes, norm, True)


def irfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `rfftn`: real numbers from the half of a spectrum, along several axes.

    The last of the axes of x has the non-negative half of the frequencies; the others have all.

    Parameters
    ----------
    x : Tensor [*], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes of the result along `axes`: x is cut or padded with zeros to fit. Default: the sizes
        of x, except 2 * (M - 1) for the last axis of size M.
    axes : sequence of int, optional
        Default: all axes, or the last ``len(s)`` axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*s], float32 | float64

    Raises
    ------
    OpError
        If `s` and `axes` do not fit, a size is not positive, an axis does not exist, `norm` has
        another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.rfftn : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.irfftn(paddle.fft.rfftn(x)).numpy().round(3)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return _half_spectrum_to_real(x, s, axes, norm, False)


def hfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Discrete Fourier transform of a Hermitian signal along several axes; the result is real.

    The last of the axes of x has the non-negative half of the positions; the others have all.

    Parameters
    ----------
    x : Tensor [*], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes of the result along `axes`: x is cut or padded with zeros to fit. Default: the sizes
        of x, except 2 * (M - 1) for the last axis of size M.
    axes : sequence of int, optional
        Default: all axes, or the last ``len(s)`` axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*s], float32 | float64

    Raises
    ------
    OpError
        If `s` and `axes` do not fit, a size is not positive, an axis does not exist, `norm` has
        another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.ihfftn : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.hfftn(paddle.fft.ihfftn(x)).numpy().round(3)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return _half_spectrum_to_real(x, s, axes, norm, True)


def ihfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Inverse of `hfftn`: half of a Hermitian signal from a real spectrum, along several axes.

    The last of the axes of the result has the non-negative half of the positions; the others have
    all.

    Parameters
    ----------
    x : Tensor [*], float32 | float64
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : sequence of int, optional
        Default: all axes, or the last ``len(s)`` axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*s[:-1], s[-1] // 2 + 1], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit, a size is not positive, an axis does not exist, `norm` has
        another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.hfftn : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.ihfftn(x).numpy().round(3)
    array([[ 2.5-0.j, -0.5-0.j],
           [-1. -0.j,  0. -0.j]], dtype=complex64)
    """
    return _real_to_half_spectrum(x, s, axes, norm, False)


def fft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """Discrete Fourier transform along two axes.

    Parameters
    ----------
    x : Tensor [*, H, W], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : (int, int), default (-2, -1)
        None: the last two axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, H', W'], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit or do not have two elements, a size is not positive, an axis
        does not exist, `norm` has another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.ifft2 : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.fft2(x).numpy().round(3)
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return fftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def ifft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """Inverse discrete Fourier transform along two axes.

    Parameters
    ----------
    x : Tensor [*, H, W], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : (int, int), default (-2, -1)
        None: the last two axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, H', W'], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit or do not have two elements, a size is not positive, an axis
        does not exist, `norm` has another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.fft2 : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.ifft2(paddle.fft.fft2(x)).numpy().round(3)
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]], dtype=complex64)
    """
    return ifftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def rfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """Discrete Fourier transform of real numbers along two axes, without redundant half.

    The last of the axes has the non-negative half of the frequencies; the others have all.

    Parameters
    ----------
    x : Tensor [*, H, W], float32 | float64
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : (int, int), default (-2, -1)
        None: the last two axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, H', W' // 2 + 1], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit or do not have two elements, a size is not positive, an axis
        does not exist, `norm` has another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.irfft2 : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.rfft2(x).numpy().round(3)
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    return rfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def irfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """Inverse of `rfft2`: real numbers from the half of a spectrum, along two axes.

    The last of the axes of x has the non-negative half of the frequencies; the others have all.

    Parameters
    ----------
    x : Tensor [*, H, W], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes of the result along `axes`: x is cut or padded with zeros to fit. Default: the sizes
        of x, except 2 * (M - 1) for the last axis of size M.
    axes : (int, int), default (-2, -1)
        None: the last two axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, H', W'], float32 | float64

    Raises
    ------
    OpError
        If `s` and `axes` do not fit or do not have two elements, a size is not positive, an axis
        does not exist, `norm` has another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.rfft2 : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.irfft2(paddle.fft.rfft2(x)).numpy().round(3)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return irfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def hfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """Discrete Fourier transform of a Hermitian signal along two axes; the result is real.

    The last of the axes of x has the non-negative half of the positions; the others have all.

    Parameters
    ----------
    x : Tensor [*, H, W], float32 | float64 | complex64 | complex128
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes of the result along `axes`: x is cut or padded with zeros to fit. Default: the sizes
        of x, except 2 * (M - 1) for the last axis of size M.
    axes : (int, int), default (-2, -1)
        None: the last two axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, H', W'], float32 | float64

    Raises
    ------
    OpError
        If `s` and `axes` do not fit or do not have two elements, a size is not positive, an axis
        does not exist, `norm` has another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.ihfft2 : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.hfft2(paddle.fft.ihfft2(x)).numpy().round(3)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return hfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)


def ihfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """Inverse of `hfft2`: half of a Hermitian signal from a real spectrum, along two axes.

    The last of the axes of the result has the non-negative half of the positions; the others have
    all.

    Parameters
    ----------
    x : Tensor [*, H, W], float32 | float64
        Integers are cast to the default float dtype.
    s : sequence of int, optional
        Sizes along `axes`: x is cut or padded with zeros. Default: the sizes of x.
    axes : (int, int), default (-2, -1)
        None: the last two axes.
    norm : "backward", "forward" or "ortho", default "backward"
        The factor 1 / n is in the inverse transform, in the forward transform, or 1 / sqrt(n) in
        both.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, H', W' // 2 + 1], complex64 | complex128

    Raises
    ------
    OpError
        If `s` and `axes` do not fit or do not have two elements, a size is not positive, an axis
        does not exist, `norm` has another value, or x is of half precision.

    Notes
    -----
    A program needs static sizes of the axes if `s` is given.

    See Also
    --------
    paddle.fft.hfft2 : The inverse.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.fft.ihfft2(x).numpy().round(3)
    array([[ 2.5-0.j, -0.5-0.j],
           [-1. -0.j,  0. -0.j]], dtype=complex64)
    """
    return ihfftn(x, s, _axes_of_2d_transform(x, s, axes), norm)
