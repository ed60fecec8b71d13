"""Sample frequencies of Fourier transforms, and shifts of the frequency 0 to the center and
back.
"""

from __future__ import annotations

from ..core.dtype import get_default_dtype
from ..core.errors import OpError, append_user_line
from ..core.operand_checks import axis_out_of_range_error, check_tensors
from ..core.tensor import Tensor
from ..core.type_aliases import Axes, DTypeLike
from ..tensor.convert import cast
from ..tensor.creation import arange
from ..tensor.manipulation import roll


def _check_length_and_spacing(n: int, d: float, op: str) -> None:
    """Raise OpError unless n is positive and d is not 0."""
    if n <= 0 or not d:
        raise OpError(append_user_line(f"{op}: n={n} must be positive, and d={d} not 0"))


def fftfreq(
    n: int, d: float = 1.0, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Frequencies of the elements of `fft` of n samples with spacing d.

    0, then the positive and then the negative frequencies: k / (n * d) with k = 0, 1, ..., -2, -1

    Parameters
    ----------
    n : int
        Number of samples.
    d : float, default 1.0
        Spacing of the samples, such as seconds; the frequencies are in its inverse.
    dtype : dtype or str, optional
        Default: the default float dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [n], `dtype`

    Raises
    ------
    OpError
        If `n` is not positive, or `d` is 0.

    Examples
    --------
    >>> paddle.fft.fftfreq(4, d=0.5).tolist()
    [0.0, 0.5, -1.0, -0.5]
    """
    _check_length_and_spacing(n, d, "fftfreq")
    steps = roll(arange(-(n // 2), (n + 1) // 2, dtype="float64"), -(n // 2), 0)
    return cast(steps * (1.0 / (n * d)), dtype or get_default_dtype())


def rfftfreq(
    n: int, d: float = 1.0, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Frequencies of the elements of `rfft` of n samples with spacing d.

    k / (n * d) with k = 0 ... n // 2

    Parameters
    ----------
    n : int
        Number of samples.
    d : float, default 1.0
        Spacing of the samples, such as seconds; the frequencies are in its inverse.
    dtype : dtype or str, optional
        Default: the default float dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [n // 2 + 1], `dtype`

    Raises
    ------
    OpError
        If `n` or `d` is 0.

    Examples
    --------
    >>> paddle.fft.rfftfreq(4, d=0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    _check_length_and_spacing(n, d, "rfftfreq")
    return cast(
        arange(0, n // 2 + 1, dtype="float64") * (1.0 / (n * d)), dtype or get_default_dtype()
    )


def _roll_by_half(x: Tensor, axes: Axes | None, inverse: bool) -> Tensor:
    check_tensors(x)
    axis_list = (
        list(range(x.ndim)) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    )
    for axis in axis_list:
        if not -x.ndim <= axis < x.ndim:
            raise axis_out_of_range_error(x, axis)
    sizes = [x.shape[a] for a in axis_list]
    return roll(x, [-(s // 2) if inverse else s // 2 for s in sizes], axis_list) if axis_list else x


def fftshift(x: Tensor, axes: Axes | None = None, name: str | None = None) -> Tensor:
    """Move the frequency 0 of a spectrum to the center of the axes.

    The first half of each axis is swapped with the second: a roll by size // 2.

    Parameters
    ----------
    x : Tensor [*], any dtype
    axes : int or sequence of int, optional
        Default: all axes.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If an axis does not exist.

    Notes
    -----
    A program needs static sizes of the axes.

    See Also
    --------
    paddle.fft.ifftshift : The inverse.

    Examples
    --------
    >>> paddle.fft.fftshift(paddle.arange(5)).tolist()
    [3, 4, 0, 1, 2]
    """
    return _roll_by_half(x, axes, inverse=False)


def ifftshift(x: Tensor, axes: Axes | None = None, name: str | None = None) -> Tensor:
    """Move the frequency 0 of a spectrum from the center to the start of the axes.

    A roll by -(size // 2), the inverse of `fftshift`.

    Parameters
    ----------
    x : Tensor [*], any dtype
    axes : int or sequence of int, optional
        Default: all axes.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If an axis does not exist.

    Notes
    -----
    A program needs static sizes of the axes.

    See Also
    --------
    paddle.fft.fftshift : The inverse.

    Examples
    --------
    >>> paddle.fft.ifftshift(paddle.arange(5)).tolist()
    [2, 3, 4, 0, 1]
    """
    return _roll_by_half(x, axes, inverse=True)
