"""InputSpec: shape, dtype and name of a model input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..core import pytree
from ..core.dtype import parse_dtype
from ..core.errors import OpError
from ..core.tensor import Tensor
from ..core.type_aliases import Array, DTypeLike
from .dim import Dim, Dims, split_sizes_and_dims


class InputSpec:
    """Shape, dtype and name of an input of `to_static`, `jit.save` or `onnx.export`.

    Parameters
    ----------
    shape : list or tuple of int, None, Dim or str
        None or -1 for a dynamic dimension; a `Dim`, or a str as its name, for a dynamic dimension
        with a name and a range. The attribute `shape` has -1 for each of them, `dims` has the Dims.
    dtype : str or dtype, default "float32"
    name : str, optional
        The name of the input in the program; by default that of the argument.
    stop_gradient : bool, default False
        Only compared and printed: each call determines which inputs require gradients.

    Raises
    ------
    TypeError
        If the shape is not a list or tuple.
    ValueError
        If a size is neither an int, None, a Dim nor the name of one.

    Examples
    --------
    >>> paddle.static.InputSpec(["batch", 3, None], "float32", "x")
    InputSpec(shape=('batch', 3, -1), dtype=paddle.float32, name=x, stop_gradient=False)
    """

    def __init__(
        self,
        shape: Sequence[int | str | Dim | None],
        dtype: DTypeLike = "float32",
        name: str | None = None,
        stop_gradient: bool = False,
    ) -> None:
        self.shape = shape
        self.dtype = parse_dtype(dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the input, a tuple of int with -1 for dynamic dimensions.

        Assigning a shape also replaces the names of dimensions.

        Examples
        --------
        >>> paddle.static.InputSpec(["batch", 3, None]).shape
        (-1, 3, -1)
        """
        return self._shape

    @shape.setter
    def shape(self, shape: Sequence[Any]) -> None:
        if not isinstance(shape, list | tuple):
            raise TypeError(
                f"InputSpec: shape should be a list or tuple, not {type(shape).__name__}"
            )
        sizes, dims = split_sizes_and_dims(shape)
        for i, d in enumerate(sizes):
            if d is not None and (isinstance(d, bool) or not isinstance(d, int | np.integer)):
                raise ValueError(
                    f"InputSpec: shape[{i}] should be an int, None, a name or a Dim, not "
                    f"{type(d).__name__}: {d!r}"
                )
        self._shape = tuple(-1 if d is None or d < 0 else int(d) for d in sizes)
        self._dims = dims

    @property
    def dims(self) -> Dims:
        """The Dims of the shape, a tuple: the Dim of each dimension, or None if it has no name.

        () if no dimension has a name.

        Examples
        --------
        >>> paddle.static.InputSpec(["batch", 3, None]).dims
        (Dim('batch'), None, None)
        """
        return self._dims

    def shape_with_dims(self) -> tuple[int | Dim, ...]:
        """Return the shape with the Dim of each dimension that has a name.

        Returns
        -------
        tuple of int or Dim

        Examples
        --------
        >>> paddle.static.InputSpec(["batch", 3, None]).shape_with_dims()
        (Dim('batch'), 3, -1)
        """
        dims = self._dims or (None,) * len(self._shape)
        return tuple(d if dim is None else dim for d, dim in zip(self._shape, dims, strict=True))

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> Self:
        """Return an InputSpec with the shape and dtype of a tensor.

        Parameters
        ----------
        tensor : Tensor
        name : str, optional
            Default: the name of the tensor.

        Returns
        -------
        InputSpec

        Raises
        ------
        ValueError
            If `tensor` is not a Tensor.

        Examples
        --------
        >>> paddle.static.InputSpec.from_tensor(paddle.ones([2, 3]), "x")
        InputSpec(shape=(2, 3), dtype=paddle.float32, name=x, stop_gradient=False)
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"InputSpec.from_tensor: {type(tensor).__name__} is not a Tensor")
        return cls(list(tensor.meta.shape), tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: Array, name: str | None = None) -> Self:
        """Return an InputSpec with the shape and dtype of an ndarray.

        Parameters
        ----------
        ndarray : ndarray
        name : str, optional

        Returns
        -------
        InputSpec

        Raises
        ------
        ValueError
            If `ndarray` is not an ndarray.

        Examples
        --------
        >>> paddle.static.InputSpec.from_numpy(np.ones([2, 3]), "x")
        InputSpec(shape=(2, 3), dtype=paddle.float64, name=x, stop_gradient=False)
        """
        if not isinstance(ndarray, np.ndarray | np.generic):
            raise ValueError(f"InputSpec.from_numpy: {type(ndarray).__name__} is not a ndarray")
        return cls(list(ndarray.shape), ndarray.dtype, name)

    def batch(self, batch_size: int | str | Sequence[int] | Array) -> Self:
        """Insert a batch axis at the front of the shape, in place.

        Parameters
        ----------
        batch_size : int, Dim or str, or a list with one of them
            -1 for a dynamic size; a Dim or its name for one with a name.

        Returns
        -------
        InputSpec
            The same object.

        Raises
        ------
        TypeError
            If `batch_size` has another type.
        ValueError
            If the list does not have one element.

        Examples
        --------
        >>> paddle.static.InputSpec([3], "float32", "x").batch("batch")
        InputSpec(shape=('batch', 3), dtype=paddle.float32, name=x, stop_gradient=False)
        """
        if isinstance(batch_size, list | tuple):
            if len(batch_size) != 1:
                raise ValueError(
                    f"InputSpec.batch: batch_size should be one int, not {len(batch_size)}"
                )
            (batch_size,) = batch_size
        if not isinstance(batch_size, int | np.integer | str | Dim):
            raise TypeError(
                f"InputSpec.batch: batch_size should be an int, not {type(batch_size).__name__}"
            )
        self.shape = (batch_size, *self.shape_with_dims())
        return self

    def unbatch(self) -> Self:
        """Remove the first axis of the shape, in place.

        Returns
        -------
        InputSpec
            The same object.

        Raises
        ------
        ValueError
            If the shape has no axis.

        Examples
        --------
        >>> paddle.static.InputSpec([-1, 3], "float32", "x").unbatch()
        InputSpec(shape=(3,), dtype=paddle.float32, name=x, stop_gradient=False)
        """
        if not self.shape:
            raise ValueError("InputSpec.unbatch: the shape has no axis to remove")
        self.shape = self.shape_with_dims()[1:]
        return self

    def __repr__(self) -> str:
        shape = tuple(
            d.name if isinstance(d, Dim) and d == Dim(d.name) else d for d in self.shape_with_dims()
        )
        return (
            f"InputSpec(shape={shape}, dtype={self.dtype}, name={self.name}, "
            f"stop_gradient={self.stop_gradient})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InputSpec):
            return NotImplemented
        return self._comparison_key() == other._comparison_key()

    def _comparison_key(self) -> tuple[Any, ...]:
        return (self.shape_with_dims(), self.dtype.name, self.name, self.stop_gradient)

    def __hash__(self) -> int:
        return hash((self.shape_with_dims(), self.dtype.name, self.stop_gradient))


pytree.register_tensor_type(InputSpec)


def to_input_spec(given: Any) -> InputSpec:
    """Convert an InputSpec, Tensor or ndarray to an InputSpec."""
    if isinstance(given, InputSpec):
        return given
    if isinstance(given, Tensor):
        # a name that Oarlock generated for a tensor is not used as the name of the input
        return InputSpec(given.meta.shape, given.dtype, given._name)
    if isinstance(given, np.ndarray):
        return InputSpec.from_numpy(given)
    raise OpError(f"input_spec: {type(given).__name__} is not one of InputSpec, Tensor, ndarray")
