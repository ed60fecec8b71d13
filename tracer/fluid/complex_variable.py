"""ComplexVariable: a complex tensor stored as two real variables."""

from __future__ import annotations

from typing import Any

import numpy as np


class ComplexVariable:
    """real + 1j * imag; both have the same shape and dtype.

    Paddle 2 has paddle.Tensor with a complex dtype instead.
    """

    def __init__(self, real: Any, imag: Any) -> None:
        if list(real.shape) != list(imag.shape) or real.dtype != imag.dtype:
            raise ValueError("ComplexVariable: real and imag differ in shape or dtype")
        self.real, self.imag = real, imag

    @property
    def shape(self) -> Any:
        """The shape of the complex tensor."""
        return self.real.shape

    @property
    def name(self) -> dict[str, str]:
        """The names of the variables with the real and the imaginary part."""
        return {"real": self.real.name, "imag": self.imag.name}

    @property
    def dtype(self) -> str:
        """The dtype: complex64 or complex128."""
        return "complex64" if self.real.dtype == "float32" else "complex128"

    def numpy(self) -> Any:
        """Return the value as a complex ndarray."""
        value: Any = self.real.numpy() + 1j * self.imag.numpy()
        return np.asarray(value)

    def __str__(self) -> str:
        return f"REAL: {self.real}IMAG: {self.imag}"

    __repr__ = __str__
