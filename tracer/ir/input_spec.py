"""InputSpec: shape, dtype and name of a model input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..core import pytree
from ..core.dtype import parse_dtype
from ..core.errors import OpError
from ..core.tensor import Tensor


class InputSpec:
    """Shape, dtype and name of an input.

    shape: None or -1 for a dynamic dimension
    """

    def __init__(
        self,
        shape: Sequence[int | None],
        dtype: Any = "float32",
        name: str | None = None,
        stop_gradient: bool = False,
    ) -> None:
        if not isinstance(shape, list | tuple):
            raise TypeError(
                f"InputSpec: shape should be a list or tuple, not {type(shape).__name__}"
            )
        for i, d in enumerate(shape):
            if d is not None and (isinstance(d, bool) or not isinstance(d, int | np.integer)):
                raise ValueError(
                    f"InputSpec: shape[{i}] should be an int or None, not {type(d).__name__}: {d!r}"
                )
        self.shape = tuple(-1 if d is None or d < 0 else int(d) for d in shape)
        self.dtype = parse_dtype(dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> Self:
        """The spec of a tensor."""
        if not isinstance(tensor, Tensor):
            raise ValueError(f"InputSpec.from_tensor: {type(tensor).__name__} is not a Tensor")
        return cls(list(tensor.meta.shape), tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: Any, name: str | None = None) -> Self:
        """The spec of an array."""
        if not isinstance(ndarray, np.ndarray | np.generic):
            raise ValueError(f"InputSpec.from_numpy: {type(ndarray).__name__} is not a ndarray")
        return cls(list(ndarray.shape), ndarray.dtype, name)

    def batch(self, batch_size: Any) -> Self:
        """Insert a batch axis at the front. Modifies the spec.

        batch_size: an int, or a list with one int.
        """
        if isinstance(batch_size, list | tuple):
            if len(batch_size) != 1:
                raise ValueError(
                    f"InputSpec.batch: batch_size should be one int, not {len(batch_size)}"
                )
            (batch_size,) = batch_size
        if not isinstance(batch_size, int | np.integer):
            raise TypeError(
                f"InputSpec.batch: batch_size should be an int, not {type(batch_size).__name__}"
            )
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self) -> Self:
        """Remove the first axis."""
        if not self.shape:
            raise ValueError("InputSpec.unbatch: the shape has no axis to remove")
        self.shape = self.shape[1:]
        return self

    def __repr__(self) -> str:
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, "
            f"stop_gradient={self.stop_gradient})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InputSpec):
            return NotImplemented
        return self._comparison_key() == other._comparison_key()

    def _comparison_key(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype.name, self.name, self.stop_gradient)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype.name, self.stop_gradient))


pytree.register_tensor_type(InputSpec)


def to_input_spec(given: Any) -> InputSpec:
    """Convert an InputSpec, Tensor or ndarray to an InputSpec."""
    if isinstance(given, InputSpec):
        return given
    if isinstance(given, Tensor):
        # omit a generated name
        return InputSpec(given.meta.shape, given.dtype, given._name)
    if isinstance(given, np.ndarray):
        return InputSpec.from_numpy(given)
    raise OpError(f"input_spec: {type(given).__name__} is not one of InputSpec, Tensor, ndarray")
