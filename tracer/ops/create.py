"""Ops that make tensors from numbers: constants, ranges, diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.op import OPS, Float64s, Floats, Ints, Long, Longs, Meta, check, op
from .meta import like_x, proto_dtype
from .shape import numbers_of, sizes_known


def constant(text: str, value: float, dtype: np.dtype[Any]) -> Any:
    """The number that a fill op is given: `str_value`, exact where a float is not, wins over `value`."""
    if not text:
        return dtype.type(value)
    if dtype.kind in "iu":
        try:
            return dtype.type(int(text))
        except ValueError:
            return dtype.type(int(float(text)))
    return dtype.type(bool(float(text)) if dtype.kind == "b" else float(text))


def filled(shape: Any, value: Any, dtype: np.dtype[Any]) -> Any:
    """An array of one number."""
    return np.full(tuple(shape), value, dtype=dtype)


def _size_meta(shape_tensor: Any, shape_tensors: Any, shape: Any, dtype: int) -> Meta:
    if shape_tensor is None and not shape_tensors:
        check(all(d >= 0 for d in shape), f"shape={list(shape)} has a negative size")
        return Meta(tuple(shape), proto_dtype(dtype))
    wanted = sizes_known(None if shape_tensors else shape_tensor, shape_tensors, shape)
    return Meta(tuple(-1 if d < 0 else d for d in wanted), proto_dtype(dtype))


@op("fill_constant", "ValueTensor?, ShapeTensor?, ShapeTensorList*? -> Out")
def fill_constant(
    value_tensor=None, shape_tensor=None, shape_tensors=None, *, dtype: int = 5, shape: Longs = [], value: float = 0.0,
    str_value: str = "", force_cpu: bool = False, place_type: int = -1,
):  # fmt: skip
    """Out = one number everywhere.   ValueTensor [1] in place of the attributes -> Out [*shape]"""
    kind = proto_dtype(dtype)
    number = constant(str_value, value, kind) if value_tensor is None else kind.type(value_tensor.reshape(()).item())
    return filled(numbers_of(shape_tensor, shape_tensors, shape), number, kind)


@fill_constant.meta
def _(value_tensor, shape_tensor, shape_tensors, *, dtype, shape, **_):
    return _size_meta(shape_tensor, shape_tensors, shape, dtype)


@op("fill_any_like", "X -> Out")
def fill_any_like(x, *, value: float = 0.0, dtype: int = -1):
    """Out = one number everywhere, shaped like X.   X [*] -> Out [*]"""
    kind = x.dtype if dtype < 0 else proto_dtype(dtype)
    return np.full_like(x, kind.type(value), dtype=kind)


@fill_any_like.meta
def _(x, *, value, dtype):
    return Meta(x.shape, x.dtype if dtype < 0 else proto_dtype(dtype))


@op("fill_constant_batch_size_like", "Input -> Out")
def fill_constant_batch_size_like(
    x, *, shape: Ints, input_dim_idx: int = 0, output_dim_idx: int = 0, dtype: int = 5, value: float = 0.0,
    str_value: str = "", force_cpu: bool = False,
):  # fmt: skip
    """Out = one number everywhere, one size of `shape` being that of Input.   Input [*] -> Out [*shape]"""
    sizes = list(shape)
    sizes[output_dim_idx] = x.shape[input_dim_idx]
    kind = proto_dtype(dtype)
    return filled(sizes, constant(str_value, value, kind), kind)


@fill_constant_batch_size_like.meta
def _(x, *, shape, input_dim_idx, output_dim_idx, dtype, **_):
    check(0 <= input_dim_idx < len(x.shape) and 0 <= output_dim_idx < len(shape), "there is no such axis")
    sizes = list(shape)
    sizes[output_dim_idx] = x.shape[input_dim_idx]
    return Meta(tuple(sizes), proto_dtype(dtype))


def _values(dtype: int, **lists: Any) -> Any:
    by_kind = {0: "bool_values", 2: "int32_values", 3: "int64_values", 5: "fp32_values", 6: "fp64_values"}
    check(dtype in by_kind, f"dtype={dtype} has no list of values")
    return lists[by_kind[dtype]]


@op("assign_value", "-> Out")
def assign_value(
    *, shape: Ints, dtype: int, bool_values: Ints = [], fp32_values: Floats = [], int32_values: Ints = [],
    int64_values: Longs = [], fp64_values: Float64s = [],
):  # fmt: skip
    """Out = the values of the list for `dtype`.   -> Out [*shape]"""
    values = _values(dtype, bool_values=bool_values, fp32_values=fp32_values, int32_values=int32_values,
                     int64_values=int64_values, fp64_values=fp64_values)  # fmt: skip
    return np.array(values, dtype=proto_dtype(dtype)).reshape(tuple(shape))


@assign_value.meta
def _(*, shape, dtype, **lists):
    count = len(_values(dtype, **lists))
    check(int(np.prod(shape, dtype=np.int64)) == count, f"{count} values do not fill shape={list(shape)}")
    return Meta(tuple(shape), proto_dtype(dtype))


@op("range", "Start, End, Step -> Out")
def arange(start, end, step):
    """Out = Start, Start + Step, ... up to, not including, End.   three [1] of one dtype -> Out [N]"""
    first, last, by = (t.reshape(()).item() for t in (start, end, step))
    check(by != 0, "Step is 0")
    count = max(int(np.ceil((last - first) / by)), 0)
    return (np.arange(count) * by + first).astype(start.dtype)


@arange.meta
def _(start, end, step):
    check(start.dtype == end.dtype == step.dtype, "the dtypes differ")
    return Meta((-1,), start.dtype)


@op("linspace", "Start, Stop, Num -> Out")
def linspace(start, stop, num, *, dtype: int):
    """Out = Num numbers from Start to Stop, both included.   three [1] -> Out [Num]"""
    count = int(num.reshape(()).item())
    check(count > 0, "Num is not positive")
    kind = proto_dtype(dtype)
    first, last = (t.reshape(()).item() for t in (start, stop))
    return np.linspace(first, last, count).astype(kind)


@linspace.meta
def _(start, stop, num, *, dtype):
    return Meta((-1,), proto_dtype(dtype))


@op("eye", "-> Out")
def eye(*, num_rows: Long, num_columns: Long = -1, dtype: int = 5):
    """Out = ones on the diagonal, zeros elsewhere.   -> Out [num_rows,num_columns]"""
    return np.eye(num_rows, num_rows if num_columns < 0 else num_columns, dtype=proto_dtype(dtype))


@eye.meta
def _(*, num_rows, num_columns, dtype):
    check(num_rows >= 0, f"num_rows={num_rows} is negative")
    return Meta((num_rows, num_rows if num_columns < 0 else num_columns), proto_dtype(dtype))


@op("empty", "ShapeTensor?, ShapeTensorList*? -> Out")
def empty(shape_tensor=None, shape_tensors=None, *, shape: Longs = [], dtype: int = 5):
    """Out = zeros: nothing depends on what an empty tensor holds, and zeros are the same every time.   -> Out [*shape]"""
    return np.zeros(tuple(numbers_of(shape_tensor, shape_tensors, shape)), dtype=proto_dtype(dtype))


@empty.meta
def _(shape_tensor, shape_tensors, *, shape, dtype):
    return _size_meta(shape_tensor, shape_tensors, shape, dtype)


@op("diag_v2", "X -> Out")
def diag(x, *, offset: int = 0, padding_value: float = 0.0):
    """Out = a matrix with X [N] on its diagonal, or the diagonal of a matrix X [M,N].   X [N] -> Out [N+|offset|,N+|offset|]"""
    if x.ndim == 2:
        return np.diagonal(x, offset)
    made = np.diag(x.reshape(-1), offset)
    if not padding_value:
        return made
    return np.where(np.eye(len(made), k=offset, dtype=bool), made, x.dtype.type(padding_value))


@diag.meta
def _(x, *, offset, padding_value):
    check(len(x.shape) in (0, 1, 2), "X needs one or two axes")
    if len(x.shape) < 2:
        n = (x.shape[0] if x.shape else 1) + abs(offset) if not x.shape or x.shape[0] >= 0 else -1
        return Meta((n, n), x.dtype)
    m, n = x.shape
    if min(m, n) < 0:
        return Meta((-1,), x.dtype)
    return Meta((max(min(m, n - offset) if offset >= 0 else min(m + offset, n), 0),), x.dtype)


@diag.vjp
def _(g, x, *, offset):
    if len(x.meta.shape) == 2:
        return OPS["diag_back"](x, g, offset=offset)
    return OPS["reshape_like"](diag(g, offset=offset), x)


@op("diag_back", "X, Out@GRAD -> X@GRAD", meta=like_x)
def diag_back(x, g, *, offset: int = 0):
    """X@GRAD = zeros like the matrix X with Out@GRAD on the diagonal.   X [M,N], Out@GRAD [K] -> X@GRAD [M,N]"""
    made = np.zeros_like(x)
    k = np.arange(g.shape[0])
    made[k - min(offset, 0), k + max(offset, 0)] = g
    return made


@diag_back.vjp
def _(gg, x, g, *, offset):
    return None, diag(gg, offset=offset)
