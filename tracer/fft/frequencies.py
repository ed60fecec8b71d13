"""Sample frequencies of Fourier transforms, and shifts of the frequency 0 to the centre and
back.
"""

from __future__ import annotations

from typing import Any

from ..core.dtype import get_default_dtype
from ..core.errors import OpError, append_user_line
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..tensor.convert import cast
from ..tensor.creation import arange
from ..tensor.manipulation import roll


def _check_nonzero(n: int, d: float, op: str) -> None:
    """Raise OpError if n or d is 0."""
    if not n * d:
        raise OpError(append_user_line(f"{op}: n={n} and d={d} must not be 0"))


def fftfreq(n: int, d: float = 1.0, dtype: Any = None, name: str | None = None) -> Tensor:
    """Return the frequencies of `fft` of n samples with spacing d: first 0, then the positive and
    then the negative frequencies.

    -> [n]
    """
    _check_nonzero(n, d, "fftfreq")
    steps = roll(arange(-(n // 2), (n + 1) // 2, dtype="float64"), -(n // 2), 0)
    return cast(steps * (1.0 / (n * d)), dtype or get_default_dtype())


def rfftfreq(n: int, d: float = 1.0, dtype: Any = None, name: str | None = None) -> Tensor:
    """Frequencies of `rfft` of n samples with spacing d.

    -> [n // 2 + 1]
    """
    _check_nonzero(n, d, "rfftfreq")
    return cast(
        arange(0, n // 2 + 1, dtype="float64") * (1.0 / (n * d)), dtype or get_default_dtype()
    )


def _roll_by_half(x: Tensor, axes: Any, inverse: bool) -> Tensor:
    check_tensors(x)
    axis_list = (
        list(range(x.ndim)) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    )
    sizes = [x.shape[a] for a in axis_list]
    return roll(x, [-(s // 2) if inverse else s // 2 for s in sizes], axis_list) if axis_list else x


def fftshift(x: Tensor, axes: Any = None, name: str | None = None) -> Tensor:
    """Move the frequency 0 to the centre of the axes (default: all).

    x [*] -> [*]
    """
    return _roll_by_half(x, axes, inverse=False)


def ifftshift(x: Tensor, axes: Any = None, name: str | None = None) -> Tensor:
    """Inverse of `fftshift`.

    x [*] -> [*]
    """
    return _roll_by_half(x, axes, inverse=True)
