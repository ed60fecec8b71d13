"""Creation of tensors, casts and copies, triangles of matrices, argmax, argmin and argsort."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import parse_dtype
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor import creation
from ...tensor.convert import cast as _cast_float_tensor_if_needed
from ...tensor.convert import to_tensor
from .layer_utils import assign_to, deprecated_layer, set_stop_gradient

__all__ = [
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "assign",
    "cast",
    "diag",
    "eye",
    "fill_constant",
    "fill_constant_batch_size_like",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "range",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


@deprecated_layer("paddle.cast")
def cast(x: Any, dtype: Any) -> Any:
    """Cast x.

    Programs contain the op even if x is declared with this dtype, because fed values may have
    another one.
    """
    if state.mode.program_builder is None or not isinstance(x, Tensor):
        return _cast_float_tensor_if_needed(x, dtype)
    return OPS["cast"](
        x, in_dtype=parse_dtype(x.meta.dtype).proto, out_dtype=parse_dtype(dtype).proto
    )


@deprecated_layer("paddle.assign")
def assign(input: Any, output: Any = None) -> Any:
    """Copy a variable or an array; assign it to `output` if given."""
    if not isinstance(input, Tensor):
        array = np.asarray(input)
        builder = state.mode.program_builder
        value = to_tensor(array) if builder is None else OPS["assign"](to_tensor(array))
        return assign_to(value, output)
    return assign_to(OPS["assign"](input), output)


@deprecated_layer("paddle.full")
def fill_constant(
    shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None
) -> Any:
    """Return a tensor [*shape] filled with a value, with stop_gradient.

    shape: a list of ints and variables, or one variable
    """
    return set_stop_gradient(assign_to(creation.full(shape, value, dtype), out))


@deprecated_layer("paddle.full")
def full(
    shape: Any,
    fill_value: Any,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """Return a tensor [*shape] filled with a value.

    shape: a list of ints and variables, or one variable
    """
    result = assign_to(creation.full(shape, fill_value, "float32" if dtype is None else dtype), out)
    result.stop_gradient = stop_gradient
    return result


@deprecated_layer("paddle.full_like")
def full_like(
    input: Any,
    fill_value: Any,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """Return a tensor with the shape of input, filled with a value."""
    result = assign_to(creation.full_like(input, fill_value, dtype), out)
    result.stop_gradient = stop_gradient
    return result


@deprecated_layer("paddle.full")
def fill_constant_batch_size_like(
    input: Any,
    shape: Any,
    dtype: Any,
    value: Any,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    force_cpu: bool = False,
) -> Any:
    """Return a tensor [*shape] filled with a value; axis output_dim_idx has the size of input's
    axis input_dim_idx.
    """
    out_dtype = parse_dtype(dtype)
    text = str(int(value)) if out_dtype.name in ("int32", "int64") else str(float(value))
    return set_stop_gradient(
        OPS["fill_constant_batch_size_like"](
            input,
            shape=[int(d) for d in shape],
            dtype=out_dtype.proto,
            value=float(value),
            str_value=text,
            input_dim_idx=input_dim_idx,
            output_dim_idx=output_dim_idx,
        )
    )


@deprecated_layer("paddle.ones")
def ones(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """Return ones [*shape]."""
    return set_stop_gradient(creation.full(shape, 1.0, dtype))


@deprecated_layer("paddle.zeros")
def zeros(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """Return zeros [*shape]."""
    return set_stop_gradient(creation.full(shape, 0.0, dtype))


@deprecated_layer("paddle.ones_like")
def ones_like(x: Any, out: Any = None) -> Any:
    """Return ones with the shape of x."""
    return set_stop_gradient(assign_to(creation.full_like(x, 1.0), out))


@deprecated_layer("paddle.zeros_like")
def zeros_like(x: Any, out: Any = None) -> Any:
    """Return zeros with the shape of x."""
    return set_stop_gradient(assign_to(creation.full_like(x, 0.0), out))


@deprecated_layer("paddle.arange")
def range(start: Any, end: Any, step: Any, dtype: Any) -> Any:
    """Return start, start + step, ... below end."""
    return set_stop_gradient(creation.arange(start, end, step, dtype))


@deprecated_layer("paddle.arange")
def arange(start: Any, end: Any, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """Return start, start + step, ... below end."""
    return set_stop_gradient(creation.arange(start, end, step, "int64" if dtype is None else dtype))


@deprecated_layer("paddle.linspace")
def linspace(start: Any, stop: Any, num: Any, dtype: Any) -> Any:
    """Return num evenly spaced values from start to stop, both included."""
    return creation.linspace(start, stop, num, dtype)


@deprecated_layer("paddle.eye")
def eye(
    num_rows: int, num_columns: int | None = None, batch_shape: Any = None, dtype: Any = "float32"
) -> Any:
    """Return identity matrices, [*batch_shape, num_rows, num_columns]."""
    matrix = creation.eye(num_rows, num_columns, dtype)
    if batch_shape:
        columns = num_rows if num_columns is None else num_columns
        batch = [int(d) for d in batch_shape]
        unsqueezed = OPS["reshape2"](matrix, shape=[*(1 for _ in batch), num_rows, columns])
        matrix = OPS["expand"](unsqueezed, expand_times=[*batch, 1, 1])
    return set_stop_gradient(matrix)


@deprecated_layer("paddle.diag")
def diag(diagonal: Any) -> Any:
    """Return a matrix with this diagonal: a variable or array [N] -> [N, N]."""
    return set_stop_gradient(
        OPS["diag"](diagonal if isinstance(diagonal, Tensor) else assign(diagonal))
    )


@deprecated_layer("paddle.tril")
def tril(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """Return the lower triangle, with zeros above it."""
    return OPS["tril_triu"](input, diagonal=diagonal, lower=True)


@deprecated_layer("paddle.triu")
def triu(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """Return the upper triangle, with zeros below it."""
    return OPS["tril_triu"](input, diagonal=diagonal, lower=False)


@deprecated_layer("paddle.meshgrid")
def meshgrid(input: Any, name: str | None = None) -> Any:
    """Return coordinate grids: [N], [M], ... -> [N, M, ...] each."""
    return OPS["meshgrid"](list(input))


@deprecated_layer("paddle.argmax")
def argmax(x: Any, axis: int = 0) -> Any:
    """Return the index of the maximum along an axis, int64, without that axis."""
    return set_stop_gradient(OPS["arg_max"](x, axis=axis))


@deprecated_layer("paddle.argmin")
def argmin(x: Any, axis: int = 0) -> Any:
    """Return the index of the minimum along an axis, int64, without that axis."""
    return set_stop_gradient(OPS["arg_min"](x, axis=axis))


@deprecated_layer("paddle.argsort")
def argsort(input: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """Sort along an axis; returns the sorted elements and their indices, int64."""
    return OPS["argsort"](input, axis=axis, descending=descending)
