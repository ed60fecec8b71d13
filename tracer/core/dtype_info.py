"""Limits of numeric dtypes: `iinfo` and `finfo`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .dtype import bfloat16, parse_dtype
from .errors import OpError
from .type_aliases import DTypeLike


class iinfo:
    """Limits of an integer dtype.

    Parameters
    ----------
    dtype : str or dtype
        uint8, int8, int16, int32 or int64.

    Attributes
    ----------
    min, max : int
        The smallest and the largest value.
    bits : int
    dtype : str

    Raises
    ------
    OpError
        If `dtype` is not an integer dtype.

    Examples
    --------
    >>> paddle.iinfo("int8").max, paddle.iinfo(paddle.int64).bits
    (127, 64)
    """

    def __init__(self, dtype: DTypeLike) -> None:
        kind = parse_dtype(dtype)
        if kind.np.kind not in "iu":
            raise OpError(f"iinfo: {kind.name} is not an integer type")
        found = np.iinfo(kind.np)
        self.min, self.max, self.bits, self.dtype = (
            int(found.min),
            int(found.max),
            int(found.bits),
            kind.name,
        )

    def __repr__(self) -> str:
        return f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype})"


class finfo:
    """Limits and precision of a floating-point dtype, or of the parts of a complex dtype.

    Parameters
    ----------
    dtype : str or dtype
        float16, bfloat16, float32, float64, complex64 or complex128.

    Attributes
    ----------
    min, max : float
        The smallest and the largest finite value.
    eps : float
        The difference between 1 and the next larger value.
    tiny, smallest_normal : float
        The smallest positive normal value.
    resolution : float
        The approximate decimal precision.
    bits : int
    dtype : str

    Raises
    ------
    OpError
        If `dtype` is neither floating-point nor complex.

    Examples
    --------
    >>> info = paddle.finfo("float16")
    >>> info.max, info.eps, info.bits
    (65504.0, 0.0009765625, 16)
    """

    def __init__(self, dtype: DTypeLike) -> None:
        kind = parse_dtype(dtype)
        if kind.np.kind not in "fc" and kind is not bfloat16:
            raise OpError(f"finfo: {kind.name} is not a floating type")
        info: Any = ml_dtypes.finfo if kind is bfloat16 else np.finfo
        found = info(kind.np)
        self.min, self.max, self.eps = float(found.min), float(found.max), float(found.eps)
        self.tiny = self.smallest_normal = float(found.tiny)
        self.resolution, self.bits, self.dtype = float(found.resolution), int(found.bits), kind.name

    def __repr__(self) -> str:
        return (
            f"paddle.finfo(min={self.min}, max={self.max}, eps={self.eps}, "
            f"resolution={self.resolution}, "
            f"smallest_normal={self.smallest_normal}, tiny={self.tiny}, bits={self.bits}, "
            f"dtype={self.dtype})"
        )
