"""The frequencies of a transform, and their order."""

from __future__ import annotations

from typing import Any

from ..core.dtype import get_default_dtype
from ..core.errors import OpError, with_user_line
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..tensor.convert import cast
from ..tensor.creation import arange
from ..tensor.manipulation import roll


def _check(n: int, d: float, op: str) -> None:
    if not n * d:
        raise OpError(with_user_line(f"{op}: n={n} or d={d} is 0"))


def fftfreq(n: int, d: float = 1.0, dtype: Any = None, name: str | None = None) -> Tensor:
    """The frequencies of `fft` of n samples that are d apart: 0, the positive ones, the negative
    ones.

    -> [n]
    """
    _check(n, d, "fftfreq")
    steps = roll(arange(-(n // 2), (n + 1) // 2, dtype="float64"), -(n // 2), 0)
    return cast(steps * (1.0 / (n * d)), dtype or get_default_dtype())


def rfftfreq(n: int, d: float = 1.0, dtype: Any = None, name: str | None = None) -> Tensor:
    """The frequencies of `rfft` of n samples that are d apart.

    -> [n // 2 + 1]
    """
    _check(n, d, "rfftfreq")
    return cast(
        arange(0, n // 2 + 1, dtype="float64") * (1.0 / (n * d)), dtype or get_default_dtype()
    )


def _shifted(x: Tensor, axes: Any, back: bool) -> Tensor:
    check_tensors(x)
    listed = (
        list(range(x.ndim)) if axes is None else [axes] if isinstance(axes, int) else list(axes)
    )
    sizes = [x.shape[a] for a in listed]
    return roll(x, [-(s // 2) if back else s // 2 for s in sizes], listed) if listed else x


def fftshift(x: Tensor, axes: Any = None, name: str | None = None) -> Tensor:
    """The frequency 0 moved to the middle of the axes, all by default.

    x [*] -> [*]
    """
    return _shifted(x, axes, back=False)


def ifftshift(x: Tensor, axes: Any = None, name: str | None = None) -> Tensor:
    """What undoes `fftshift`.

    x [*] -> [*]
    """
    return _shifted(x, axes, back=True)
