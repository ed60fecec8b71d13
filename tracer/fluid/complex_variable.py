"""ComplexVariable: two real variables that are one complex number together."""

from __future__ import annotations

from typing import Any

import numpy as np


class ComplexVariable:
    """real + 1j * imag.   real, imag [*S], of one dtype"""

    def __init__(self, real: Any, imag: Any) -> None:
        if list(real.shape) != list(imag.shape) or real.dtype != imag.dtype:
            raise ValueError("ComplexVariable: real and imag differ in shape or dtype")
        self.real, self.imag = real, imag

    @property
    def shape(self) -> Any:
        """The sizes of the axes."""
        return self.real.shape

    @property
    def name(self) -> dict[str, str]:
        """The names of both parts."""
        return {"real": self.real.name, "imag": self.imag.name}

    @property
    def dtype(self) -> str:
        """complex64 or complex128."""
        return "complex64" if self.real.dtype == "float32" else "complex128"

    def numpy(self) -> Any:
        """The value as a complex ndarray."""
        found: Any = self.real.numpy() + 1j * self.imag.numpy()
        return np.asarray(found)

    def __str__(self) -> str:
        return f"REAL: {self.real}IMAG: {self.imag}"

    __repr__ = __str__
