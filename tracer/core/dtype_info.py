"""Limits of numeric dtypes: `iinfo` and `finfo`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .dtype import bfloat16, parse_dtype
from .errors import OpError


class iinfo:
    """Minimum, maximum and number of bits of an integer dtype. Raises OpError for other dtypes."""

    def __init__(self, dtype: Any) -> None:
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
    """Range, precision and number of bits of a floating dtype, or of the parts of a complex dtype.

    Raises OpError for other dtypes.
    """

    def __init__(self, dtype: Any) -> None:
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
