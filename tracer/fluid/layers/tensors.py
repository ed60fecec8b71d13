"""Variables that are made from nothing, from numbers, or like others; casts and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import dtype_of
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor import creation
from ...tensor.convert import cast as _cast
from ...tensor.convert import to_tensor
from .helper import into, stopped, today

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


@today("paddle.cast")
def cast(x: Any, dtype: Any) -> Any:
    """x in another dtype.   x [*] -> [*]

    The program has the op even where x is declared with that dtype: what a run feeds may have
    another one.
    """
    if state.mode.builder is None or not isinstance(x, Tensor):
        return _cast(x, dtype)
    return OPS["cast"](x, in_dtype=dtype_of(x.meta.dtype).proto, out_dtype=dtype_of(dtype).proto)


@today("paddle.assign")
def assign(input: Any, output: Any = None) -> Any:
    """A copy of a variable or an array, put into `output` where that is given.

    input [*] -> [*]
    """
    if not isinstance(input, Tensor):
        array = np.asarray(input)
        builder = state.mode.builder
        made = to_tensor(array) if builder is None else OPS["assign"](to_tensor(array))
        return into(made, output)
    return into(OPS["assign"](input), output)


@today("paddle.full")
def fill_constant(
    shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None
) -> Any:
    """One value everywhere; no gradient flows through it.

    shape: ints or variables, or a variable -> [*shape]
    """
    return stopped(into(creation.full(shape, value, dtype), out))


@today("paddle.full")
def full(
    shape: Any,
    fill_value: Any,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """One value everywhere.   shape: ints or variables, or a variable -> [*shape]"""
    made = into(creation.full(shape, fill_value, "float32" if dtype is None else dtype), out)
    made.stop_gradient = stop_gradient
    return made


@today("paddle.full_like")
def full_like(
    input: Any,
    fill_value: Any,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """One value everywhere, shaped like input.   input [*] -> [*]"""
    made = into(creation.full_like(input, fill_value, dtype), out)
    made.stop_gradient = stop_gradient
    return made


@today("paddle.full")
def fill_constant_batch_size_like(
    input: Any,
    shape: Any,
    dtype: Any,
    value: Any,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    force_cpu: bool = False,
) -> Any:
    """One value everywhere; one axis is as long as an axis of input.

    input [*] -> [*shape] with that axis
    """
    kind = dtype_of(dtype)
    text = str(int(value)) if kind.name in ("int32", "int64") else str(float(value))
    return stopped(
        OPS["fill_constant_batch_size_like"](
            input,
            shape=[int(d) for d in shape],
            dtype=kind.proto,
            value=float(value),
            str_value=text,
            input_dim_idx=input_dim_idx,
            output_dim_idx=output_dim_idx,
        )
    )


@today("paddle.ones")
def ones(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """Ones.   -> [*shape]"""
    return stopped(creation.full(shape, 1.0, dtype))


@today("paddle.zeros")
def zeros(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """Zeros.   -> [*shape]"""
    return stopped(creation.full(shape, 0.0, dtype))


@today("paddle.ones_like")
def ones_like(x: Any, out: Any = None) -> Any:
    """Ones shaped like x.   x [*] -> [*]"""
    return stopped(into(creation.full_like(x, 1.0), out))


@today("paddle.zeros_like")
def zeros_like(x: Any, out: Any = None) -> Any:
    """Zeros shaped like x.   x [*] -> [*]"""
    return stopped(into(creation.full_like(x, 0.0), out))


@today("paddle.arange")
def range(start: Any, end: Any, step: Any, dtype: Any) -> Any:
    """start, start + step, ... below end.   -> [ceil((end - start) / step)]"""
    return stopped(creation.arange(start, end, step, dtype))


@today("paddle.arange")
def arange(start: Any, end: Any, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """start, start + step, ... below end.   -> [ceil((end - start) / step)]"""
    return stopped(creation.arange(start, end, step, "int64" if dtype is None else dtype))


@today("paddle.linspace")
def linspace(start: Any, stop: Any, num: Any, dtype: Any) -> Any:
    """num values evenly from start to stop, both included.   -> [num]"""
    return creation.linspace(start, stop, num, dtype)


@today("paddle.eye")
def eye(
    num_rows: int, num_columns: int | None = None, batch_shape: Any = None, dtype: Any = "float32"
) -> Any:
    """Ones on the diagonal, as often as batch_shape says.

    -> [*batch_shape, num_rows, num_columns]
    """
    made = creation.eye(num_rows, num_columns, dtype)
    if batch_shape:
        columns = num_rows if num_columns is None else num_columns
        batch = [int(d) for d in batch_shape]
        apart = OPS["reshape2"](made, shape=[*(1 for _ in batch), num_rows, columns])
        made = OPS["expand"](apart, expand_times=[*batch, 1, 1])
    return stopped(made)


@today("paddle.diag")
def diag(diagonal: Any) -> Any:
    """A matrix with this diagonal, zeros elsewhere.

    diagonal: a variable or an array [N] -> [N, N]
    """
    return stopped(OPS["diag"](diagonal if isinstance(diagonal, Tensor) else assign(diagonal)))


@today("paddle.tril")
def tril(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The lower triangle, zeros above it.   input [*, N, M] -> [*, N, M]"""
    return OPS["tril_triu"](input, diagonal=diagonal, lower=True)


@today("paddle.triu")
def triu(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The upper triangle, zeros below it.   input [*, N, M] -> [*, N, M]"""
    return OPS["tril_triu"](input, diagonal=diagonal, lower=False)


@today("paddle.meshgrid")
def meshgrid(input: Any, name: str | None = None) -> Any:
    """Coordinate grids.   [N], [M], ... -> [N, M, ...] each"""
    return OPS["meshgrid"](list(input))


@today("paddle.argmax")
def argmax(x: Any, axis: int = 0) -> Any:
    """Where the largest element along an axis is.   x [*] -> int64 [*] without that axis"""
    return stopped(OPS["arg_max"](x, axis=axis))


@today("paddle.argmin")
def argmin(x: Any, axis: int = 0) -> Any:
    """Where the smallest element along an axis is.   x [*] -> int64 [*] without that axis"""
    return stopped(OPS["arg_min"](x, axis=axis))


@today("paddle.argsort")
def argsort(input: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """The elements along an axis in order, and where they were.   input [*] -> [*], int64 [*]"""
    return OPS["argsort"](input, axis=axis, descending=descending)
