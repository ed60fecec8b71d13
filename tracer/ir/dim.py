"""Dim: a dynamic dimension with a name and the sizes that it may have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..core.errors import OpError, append_user_line
from ..core.op import Meta

# largest value of min, max and multiple, because it is the largest size in TensorRT
MAX_DIM_SIZE = (1 << 31) - 1
MAX_DIM_NAME_LENGTH = 64
# The names of dimensions become `dim_param` in ONNX, which has to be an identifier of C.
_DIM_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_]{{0,{MAX_DIM_NAME_LENGTH - 1}}}")


@dataclass(frozen=True, repr=False)
class Dim:
    """A dynamic dimension with a name and a range of sizes, for the shapes of `InputSpec` and
    `static.data`.

    The allowed sizes are the multiples of `multiple` from `min` to `max`. Two dimensions with the
    same name have the same size in each call; their ranges must be equal.

    A string in a shape is a `Dim` with the default range: `"batch"` means `Dim("batch")`.

    Parameters
    ----------
    name : str
        An identifier: up to 64 ASCII letters, digits and underscores, not beginning with a digit.
    min : int, default 1
        The smallest size. 0 allows empty tensors.
    max : int, optional
        The largest size. By default there is none.
    multiple : int, default 1
        Each size is a multiple of this number.

    Raises
    ------
    OpError
        If the name is not an identifier, a number is out of range (`min` from 0, `max` and
        `multiple` from 1, all up to 2**31 - 1), or the range contains no multiple.
    TypeError
        If the name is not a str, or a number is not an int.

    Notes
    -----
    Files of `jit.save` and `onnx.export` contain names and ranges. Each call of a loaded model
    checks them. Paddle has no such class; its `InputSpec.shape` contains -1 for each dynamic
    dimension, as Oarlock's does for a `Dim`.

    Examples
    --------
    >>> height = paddle.static.Dim("height", 32, 1280, multiple=32)
    >>> spec = paddle.static.InputSpec(["batch", 3, height, None], "float32", "image")
    >>> spec.shape
    (-1, 3, -1, -1)
    >>> spec.dims[2]
    Dim('height', 32, 1280, multiple=32)
    >>> 64 in height, 65 in height
    (True, False)
    >>> net = paddle.jit.to_static(paddle.nn.Conv2D(3, 8, 3), input_spec=[spec])
    >>> net(paddle.ones([1, 3, 64, 65])).shape
    [1, 8, 62, 63]
    >>> net(paddle.ones([1, 3, 30, 64]))
    Traceback (most recent call last):
    oarlock.core.errors.OpError: ...dimension 2 ('height') is 30; it must be a multiple of 32...
    """

    name: str
    min: int = 1
    max: int | None = None
    multiple: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            kind = type(self.name).__name__
            raise TypeError(append_user_line(f"Dim: name should be a str, not {kind}"))
        if not _DIM_NAME.fullmatch(self.name):
            why = (
                f"name={self.name!r:.80} should be an identifier: up to {MAX_DIM_NAME_LENGTH} "
                f"ASCII letters, digits and underscores, not starting with a digit"
            )
            raise OpError(append_user_line(f"Dim: {why}"))
        for what, least in (("min", 0), ("max", 1), ("multiple", 1)):
            value = getattr(self, what)
            if value is None and what == "max":
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                kind = type(value).__name__
                raise TypeError(
                    append_user_line(f"Dim {self.name!r}: {what} should be an int, not {kind}")
                )
            if not least <= value <= MAX_DIM_SIZE:
                raise OpError(
                    append_user_line(
                        f"Dim {self.name!r}: {what}={value} must be from {least} to {MAX_DIM_SIZE}"
                    )
                )
            object.__setattr__(self, what, int(value))
        if self.max is not None and self.max < self.min:
            raise OpError(
                append_user_line(f"Dim {self.name!r}: max={self.max} is less than min={self.min}")
            )
        largest = self.largest_size
        if self.smallest_size > (MAX_DIM_SIZE if largest is None else largest):
            end = MAX_DIM_SIZE if self.max is None else self.max
            raise OpError(
                append_user_line(
                    f"Dim {self.name!r}: no multiple of {self.multiple} lies in the range "
                    f"{self.min} to {end}"
                )
            )

    @property
    def smallest_size(self) -> int:
        """The smallest allowed size, an int: the first multiple that is not less than `min`.

        Examples
        --------
        >>> paddle.static.Dim("height", 20, 100, multiple=32).smallest_size
        32
        """
        return -(-self.min // self.multiple) * self.multiple

    @property
    def largest_size(self) -> int | None:
        """The largest allowed size, an int; None if there is no maximum.

        Examples
        --------
        >>> paddle.static.Dim("height", 20, 100, multiple=32).largest_size
        96
        """
        return None if self.max is None else self.max // self.multiple * self.multiple

    def __contains__(self, size: int) -> bool:
        return (
            size >= self.min and (self.max is None or size <= self.max) and not size % self.multiple
        )

    def allows_all_sizes_of(self, other: Dim) -> bool:
        """Whether this dimension allows each size that another dimension allows.

        Parameters
        ----------
        other : Dim

        Returns
        -------
        bool

        Examples
        --------
        >>> height = paddle.static.Dim("height", 32, 96, multiple=32)
        >>> paddle.static.Dim("any").allows_all_sizes_of(height)
        True
        >>> height.allows_all_sizes_of(paddle.static.Dim("any"))
        False
        """
        largest = other.largest_size
        return (
            other.smallest_size >= self.min
            and (self.max is None or (largest is not None and largest <= self.max))
            and (other.multiple % self.multiple == 0 or other.smallest_size == largest)
            and other.smallest_size in self
        )

    def describe_sizes(self) -> str:
        """Return the allowed sizes as text.

        Returns
        -------
        str

        Examples
        --------
        >>> paddle.static.Dim("height", 32, 96, multiple=32).describe_sizes()
        'a multiple of 32 from 32 to 96'
        """
        return str(self.min) if self.min == self.max else self._describe_range()

    def _describe_range(self) -> str:
        sizes = f"at least {self.min}" if self.max is None else f"from {self.min} to {self.max}"
        return sizes if self.multiple == 1 else f"a multiple of {self.multiple} {sizes}"

    def __repr__(self) -> str:
        numbers = "" if (self.min, self.max) == (1, None) else f", {self.min}"
        numbers += "" if self.max is None else f", {self.max}"
        numbers += "" if self.multiple == 1 else f", multiple={self.multiple}"
        return f"Dim({self.name!r}{numbers})"

    def _reject_arithmetic(self, *_: Any) -> NoReturn:
        why = (
            "sizes that are computed from another dimension are not supported; use a second Dim "
            f"with its own name instead, for example Dim('{self.name}2', multiple=2)"
        )
        raise TypeError(append_user_line(f"Dim {self.name!r}: {why}"))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _reject_arithmetic
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = _reject_arithmetic
    __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = _reject_arithmetic


# The Dims of a shape: for each dimension its Dim, or None for a dimension without a name; () if no
# dimension has a name.
Dims = tuple[Dim | None, ...]


def split_sizes_and_dims(shape: Sequence[Any]) -> tuple[list[Any], Dims]:
    """Return a shape with None in place of names and Dims, and separately the Dim of each
    dimension.

    Raises OpError if a string is not the name of a Dim.
    """
    dims = tuple(Dim(d) if isinstance(d, str) else d if isinstance(d, Dim) else None for d in shape)
    sizes = [d if dim is None else None for d, dim in zip(shape, dims, strict=True)]
    return sizes, dims if any(dims) else ()


def replace_static_dims_by_none(dims: Dims, shape: Sequence[int]) -> Dims:
    """Return `dims` with None for the dimensions that are static in `shape`; () if no Dim
    remains.
    """
    if not dims or len(dims) != len(shape):
        return ()
    remaining = tuple(dim if size < 0 else None for dim, size in zip(dims, shape, strict=True))
    return remaining if any(remaining) else ()


def format_shape(shape: Sequence[int], dims: Dims = ()) -> str:
    """Format a shape as text such as `[batch,3,?]`, with names of dimensions, and `?` for a dynamic
    dimension without a name.
    """
    names = [dim.name if dim else "?" for dim in dims] or ["?"] * len(shape)
    return f"[{','.join(n if d < 0 else str(d) for n, d in zip(names, shape, strict=True))}]"


@dataclass(frozen=True)
class NamedDimension:
    """A dimension of an input that has a name."""

    input_index: int
    input_name: str
    axis: int
    dim: Dim

    def __str__(self) -> str:
        return f"dimension {self.axis} of input '{self.input_name}'"


class NamedDimensions:
    """The named dimensions of several inputs, with a check of the sizes of a call. An instance is
    false if no dimension has a name. `runtime/named_dimensions.cpp` has the same checks in C++.

    inputs: the name and the Dims of each input.

    Raises OpError if two Dims of one name have different ranges.
    """

    def __init__(self, inputs: Iterable[tuple[str, Dims]]) -> None:
        self._dimensions = [
            NamedDimension(index, name, axis, dim)
            for index, (name, dims) in enumerate(inputs)
            for axis, dim in enumerate(dims)
            if dim is not None
        ]
        self._first_by_name: dict[str, NamedDimension] = {}
        for d in self._dimensions:
            first = self._first_by_name.setdefault(d.dim.name, d)
            if first.dim != d.dim:
                why = (
                    f"{d} is {d.dim!r}, but {first} is {first.dim!r}; dimensions with the same "
                    f"name must have the same range"
                )
                raise OpError(append_user_line(why))

    def __bool__(self) -> bool:
        return bool(self._dimensions)

    @property
    def dims(self) -> list[Dim]:
        """The Dims of the inputs, one for each name, in the order of the inputs."""
        return [d.dim for d in self._first_by_name.values()]

    def iter_dims_with_first_of_same_name(self) -> Iterator[tuple[NamedDimension, NamedDimension]]:
        """Yield pairs of a named dimension and the first dimension with the same name."""
        for d in self._dimensions:
            yield d, self._first_by_name[d.dim.name]

    def describe_violation(self, metas: Sequence[Meta]) -> str:
        """Return a message that says why the sizes of a call are not allowed; empty if they are
        allowed. Unknown sizes (-1) are not checked.

        metas: the Metas of the inputs, in order, with the declared ranks.
        """
        for d in self._dimensions:
            meta, first = metas[d.input_index], self._first_by_name[d.dim.name]
            size = meta.shape[d.axis]
            if size < 0:
                continue
            if size not in d.dim:
                return (
                    f"input '{d.input_name}': dimension {d.axis} ('{d.dim.name}') is {size}; it "
                    f"must be {d.dim.describe_sizes()} ({d.input_name}={meta})"
                )
            other = metas[first.input_index].shape[first.axis]
            if size != other and other >= 0:
                metas_text = f"{d.input_name}={meta}"
                if first.input_index != d.input_index:
                    metas_text = f"{first.input_name}={metas[first.input_index]}, {metas_text}"
                return (
                    f"input '{d.input_name}': dimension {d.axis} ('{d.dim.name}') is {size}, but "
                    f"{first} is {other}; they must be equal ({metas_text})"
                )
        return ""
