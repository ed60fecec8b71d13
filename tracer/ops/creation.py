"""Ops that create tensors from sizes, values or the shape of another tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.arrays import np
from ..core.dtype import parse_dtype
from ..core.op import (
    NO_GRAD_VALUE_INDEPENDENT,
    OPS,
    Float64s,
    Floats,
    Ints,
    Long,
    Longs,
    Meta,
    check,
    check_dtype,
    op,
)
from ..core.result_size_limit import check_result_size
from .dynamic_sizes import (
    has_size_tensor,
    sizes_from_tensors_or_attr,
    sizes_from_tensors_or_attr_for_meta_rule,
)
from .shared_op_rules import Shape, like_x_meta, num_elements, numpy_dtype_of_proto

# By dtype: the attribute of assign_value that holds the values.
VALUES_ATTR_BY_DTYPE = {
    "bool": "bool_values",
    "int32": "int32_values",
    "int64": "int64_values",
    "float32": "fp32_values",
    "float64": "fp64_values",
}


def filled_array(shape: Sequence[int], value: Any, dtype: np.dtype[Any]) -> Any:
    """Create an array filled with one value; for integer dtypes, the value is truncated as in C."""
    if dtype.kind in "iu":
        value = int(value)
    elif dtype.kind == "b":
        value = bool(value)
    return np.full(tuple(shape), value, dtype)


def parse_fill_value(text: str, otherwise: float) -> float | int:
    """Return the number that the attribute str_value, a text, contains; return `otherwise` if the
    text is empty. Integers stay exact.
    """
    if not text:
        return otherwise
    try:
        return int(text)
    except ValueError:
        return float(text)


def check_str_value_is_number(text: str) -> None:
    """Raise OpError unless `text`, the attribute str_value, is empty or a number."""
    try:
        parse_fill_value(text, 0.0)
    except ValueError:
        check(False, f"str_value={text!r} is not a number")


def check_sizes_at_least(shape: Sequence[int], lowest: int = 0) -> None:
    """Raise OpError if a size in `shape` is less than `lowest`."""
    check(min(shape, default=0) >= lowest, f"shape={list(shape)} holds a negative size")


def new_tensor_meta(
    tensor: Meta | None, tensors: Sequence[Meta] | None, shape: Sequence[int], dtype: int
) -> Meta:
    """The Meta of a new tensor whose shape is an attribute, a tensor or a list of tensors."""
    check_sizes_at_least(shape, -1 if has_size_tensor(tensor, tensors) else 0)
    return Meta(
        sizes_from_tensors_or_attr_for_meta_rule(tensor, tensors, shape),
        numpy_dtype_of_proto(dtype),
    )


@op(
    "fill_constant",
    "ValueTensor?, ShapeTensor?, ShapeTensorList*? -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    public_name="full",
)
def fill_constant(
    value_tensor=None,
    shape_tensor=None,
    shape_tensors=None,
    *,
    dtype: int = 5,
    shape: Longs = [],
    value: float = 0.0,
    str_value: str = "",
    force_cpu: bool = False,
    place_type: int = -1,
):
    """Out = a tensor filled with one value: ValueTensor if given, else str_value if it is not
    empty, else the attribute `value`.

    ValueTensor [1] -> Out [*shape]
    """
    given = parse_fill_value(str_value, value) if value_tensor is None else value_tensor.item()
    return filled_array(
        sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape),
        given,
        numpy_dtype_of_proto(dtype),
    )


@fill_constant.meta
def _(value_tensor, shape_tensor, shape_tensors, *, dtype, shape, str_value, **_):
    check_str_value_is_number(str_value)
    return new_tensor_meta(shape_tensor, shape_tensors, shape, dtype)


@op(
    "fill_any_like",
    "X -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    older_types=("fill_zeros_like", "fill_zeros_like2"),
    public_name="full_like",
)
def fill_any_like(x, *, value: float = 0.0, dtype: int = -1):
    """Out = a tensor filled with the attribute `value`. X [*S] -> Out [*S]"""
    target = x.dtype if dtype == -1 else numpy_dtype_of_proto(dtype)
    if not value:
        return np.zeros_like(x, dtype=target)
    return np.full_like(x, value if target.kind not in "iu" else int(value), dtype=target)


@fill_any_like.meta
def _(x, *, value, dtype):
    return x if dtype == -1 else Meta(x.shape, numpy_dtype_of_proto(dtype))


@op("fill_constant_batch_size_like", "Input -> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT)
def fill_constant_batch_size_like(
    x,
    *,
    shape: Ints,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    force_cpu: bool = False,
    dtype: int = 5,
    value: float = 0.0,
    str_value: str = "",
):
    """Out = a tensor filled with the attribute `value`. The shape of Out is `shape` with one size
    replaced by a size of Input.

    Input [*] -> Out [*shape]
    """
    return filled_array(
        replace_batch_size(x.shape, shape, input_dim_idx, output_dim_idx),
        parse_fill_value(str_value, value),
        numpy_dtype_of_proto(dtype),
    )


def replace_batch_size(x: Shape, shape: Sequence[int], source: int, target: int) -> Shape:
    """`shape` with the size at index `target` replaced by that of `x` at index `source`."""
    check(-len(x) <= source < len(x), f"input_dim_idx={source} is not an axis of Input")
    check(
        -len(shape) <= target < len(shape),
        f"output_dim_idx={target} is not an axis of shape={list(shape)}",
    )
    sized = list(shape)
    sized[target] = x[source]
    return tuple(sized)


@fill_constant_batch_size_like.meta
def _(x, *, shape, input_dim_idx, output_dim_idx, dtype, str_value, **_):
    check_str_value_is_number(str_value)
    sized = replace_batch_size(x.shape, shape, input_dim_idx, output_dim_idx)
    check_sizes_at_least(sized, -1)
    return Meta(sized, numpy_dtype_of_proto(dtype))


@op("assign_value", "-> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT, public_name="assign")
def assign_value(
    *,
    shape: Ints,
    dtype: int,
    bool_values: Ints = [],
    fp32_values: Floats = [],
    int32_values: Ints = [],
    int64_values: Longs = [],
    fp64_values: Float64s = [],
):
    """Out = the values in that attribute which belongs to the dtype, such as fp32_values for
    float32.   -> Out [*shape]
    """
    given = {
        "bool_values": bool_values,
        "fp32_values": fp32_values,
        "int32_values": int32_values,
        "int64_values": int64_values,
        "fp64_values": fp64_values,
    }[VALUES_ATTR_BY_DTYPE[parse_dtype(dtype).name]]
    return np.array(given, numpy_dtype_of_proto(dtype)).reshape(shape)


@assign_value.meta
def _(*, shape, dtype, **values):
    name = parse_dtype(dtype).name
    check_dtype(
        name in VALUES_ATTR_BY_DTYPE,
        f"dtype={name} is not supported, because no attribute holds its values",
    )
    attr = VALUES_ATTR_BY_DTYPE[name]
    count = len(values[attr])
    check(
        count == num_elements(tuple(shape)),
        f"{attr} holds {count} values for shape={list(shape)}",
    )
    return Meta(tuple(shape), numpy_dtype_of_proto(dtype))


@op("empty", "ShapeTensor?, ShapeTensorList*? -> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT)
def empty(shape_tensor=None, shape_tensors=None, *, shape: Longs = [], dtype: int = 5):
    """Out = zeros, so that uninitialized elements are the same in each run.   -> Out [*shape]"""
    return np.zeros(
        tuple(sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape)),
        numpy_dtype_of_proto(dtype),
    )


@empty.meta
def _(shape_tensor, shape_tensors, *, shape, dtype):
    return new_tensor_meta(shape_tensor, shape_tensors, shape, dtype)


# -- number ranges
# --------------------------------------------------------------------------------------------


@op(
    "range",
    "Start, End, Step -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    value_dependent_shape=True,
    public_name="arange",
)
def range_(start, end, step):
    """Out = Start, Start + Step, Start + 2 * Step, ..., excluding End.

    Start, End, Step [] or [1] -> Out [N]
    """
    check_dtype(start.dtype == end.dtype == step.dtype, "the dtypes differ")
    start, end, step = (v.reshape(()) for v in (start, end, step))
    check(bool(step != 0), "Step is 0")
    check(
        bool((end - start) * np.sign(step) >= 0),
        f"Step={step} leads away from End={end}, Start={start}",
    )
    if start.dtype.kind in "iu":
        check_result_size([len(range(int(start), int(end), int(step)))], start.dtype.itemsize)
        return np.arange(int(start), int(end), int(step), dtype=start.dtype)
    # the count is computed in the dtype of the inputs, as in Paddle
    count = math.ceil((end - start) / step)
    check_result_size([count], 8)
    return (float(start) + float(step) * np.arange(count)).astype(start.dtype)


@range_.meta
def _(start, end, step):
    check_dtype(start.dtype == end.dtype == step.dtype, "the dtypes differ")
    check(
        all(num_elements(v.shape) in (1, -1) for v in (start, end, step)),
        "an operand holds more than one number",
    )
    return Meta((-1,), start.dtype)


@op(
    "linspace",
    "Start, Stop, Num -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    value_dependent_shape=True,
)
def linspace(start, stop, num, *, dtype: int):
    """Out = Num equally spaced values from Start to Stop (included), after both are cast to the
    dtype.

    Start, Stop, Num int [] or [1] -> Out [Num]
    """
    count = int(num.item())
    check(count > 0, f"Num={count} is not positive")
    check_result_size([count], 8)
    first, last = _cast_to_python_scalars(dtype, start, stop)
    return np.linspace(first, last, count).astype(numpy_dtype_of_proto(dtype))


def _cast_to_python_scalars(dtype: int, *numbers: Any) -> list[Any]:
    """Convert one-element tensors to Python numbers. As in Paddle, the tensors are first cast to
    the given dtype.
    """
    with np.errstate(all="ignore"):
        return [n.astype(numpy_dtype_of_proto(dtype)).item() for n in numbers]


@linspace.meta
def _(start, stop, num, *, dtype):
    check(
        all(num_elements(v.shape) in (1, -1) for v in (start, stop, num)),
        "an operand holds more than one number",
    )
    return Meta((-1,), numpy_dtype_of_proto(dtype))


@op(
    "logspace",
    "Start, Stop, Num, Base -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    value_dependent_shape=True,
)
def logspace(start, stop, num, base, *, dtype: int):
    """Out = Base ** e for Num equally spaced exponents e from Start to Stop (included). Start, Stop
    and Base are first cast to the dtype.

    Start, Stop, Num, Base [] or [1] -> Out [Num]
    """
    count = int(num.item())
    check(count > 0, f"Num={count} is not positive")
    check_result_size([count], 8)
    first, last, of = _cast_to_python_scalars(dtype, start, stop, base)
    return np.logspace(first, last, count, base=of).astype(numpy_dtype_of_proto(dtype))


@logspace.meta
def _(start, stop, num, base, *, dtype):
    check(
        all(num_elements(v.shape) in (1, -1) for v in (start, stop, num, base)),
        "an operand holds more than one number",
    )
    return Meta((-1,), numpy_dtype_of_proto(dtype))


@op("meshgrid", "X* -> Out*", same_dtype="X")
def meshgrid(xs):
    """Out[i] = the vector X[i], which varies along axis i, broadcast to the shape of the grid.

    X list of [Ni] or [] -> Out list of [N0, N1, ...]
    """
    check(all(x.ndim <= 1 for x in xs), "an operand has more than one axis")
    flat = [x.reshape(-1) for x in xs]
    shape = tuple(x.shape[0] for x in flat)
    return [
        np.broadcast_to(x.reshape([-1 if k == i else 1 for k in range(len(xs))]), shape)
        for i, x in enumerate(flat)
    ]


@meshgrid.meta
def _(xs):
    check(bool(xs), "X is empty")
    check(all(len(x.shape) <= 1 for x in xs), "an operand has more than one axis")
    shape = tuple(x.shape[0] if x.shape else 1 for x in xs)
    return [Meta(shape, x.dtype) for x in xs]


@meshgrid.vjp
def _(gs, xs):
    def input_grad(i: int) -> Any:
        others = [k for k in range(len(xs)) if k != i]
        return OPS["reshape_like"](OPS["reduce_sum"](gs[i], dim=others) if others else gs[i], xs[i])

    return [input_grad(i) for i in range(len(xs))]


def _count_triangle_elements(rows: int, cols: int, offset: int, lower: bool) -> int:
    """Count the elements of a matrix that are on and below a diagonal (`lower`), or on and above
    it.
    """

    def sum_row_lengths_up_to(last: int) -> int:
        """The sum of min(max(i, 0), cols) over all i <= last, where the term for i is the number of
        elements that a row of a triangle contains.
        """
        full = max(last - cols, 0)
        rising = min(max(last, 0), cols)
        return rising * (rising + 1) // 2 + full * cols

    if lower:
        return sum_row_lengths_up_to(offset + rows) - sum_row_lengths_up_to(offset)
    return (
        rows * cols - sum_row_lengths_up_to(offset + rows - 1) + sum_row_lengths_up_to(offset - 1)
    )


@op("tril_indices", "-> out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT)
def tril_indices(*, rows: int = 0, cols: int = 0, offset: int = 0, dtype: int = 3):
    """out = row and column indices of the lower triangle of a matrix.   -> out int [2, N]"""
    return np.array(np.tril_indices(rows, offset, cols)).astype(numpy_dtype_of_proto(dtype))


@tril_indices.meta
def _(*, rows, cols, offset, dtype):
    check(rows >= 0 and cols >= 0, f"rows={rows} or cols={cols} is negative")
    return Meta(
        (2, _count_triangle_elements(rows, cols, offset, True)), numpy_dtype_of_proto(dtype)
    )


@op("triu_indices", "-> out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT)
def triu_indices(*, row: int = 0, col: int = 0, offset: int = 0, dtype: int = 3):
    """out = row and column indices of the upper triangle of a matrix.   -> out int [2, N]"""
    return np.array(np.triu_indices(row, offset, col)).astype(numpy_dtype_of_proto(dtype))


@triu_indices.meta
def _(*, row, col, offset, dtype):
    check(row >= 0 and col >= 0, f"row={row} or col={col} is negative")
    return Meta((2, _count_triangle_elements(row, col, offset, False)), numpy_dtype_of_proto(dtype))


# -- diagonals
# --------------------------------------------------------------------------------------------------


@op("eye", "-> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT)
def eye(*, num_rows: Long, num_columns: Long = -1, dtype: int = 5):
    """Out = 1 on the diagonal, 0 elsewhere.

    num_columns: -1 for num_rows.

    -> Out [num_rows, num_columns]
    """
    return np.eye(
        num_rows, num_rows if num_columns == -1 else num_columns, dtype=numpy_dtype_of_proto(dtype)
    )


@eye.meta
def _(*, num_rows, num_columns, dtype):
    check(
        num_rows >= 0 and num_columns >= -1,
        f"num_rows={num_rows}, num_columns={num_columns} holds a negative size",
    )
    return Meta(
        (num_rows, num_rows if num_columns == -1 else num_columns), numpy_dtype_of_proto(dtype)
    )


@op("diag_v2", "X -> Out", public_name="diag")
def diag_v2(x, *, offset: int = 0, padding_value: float = 0.0):
    """Build a matrix with X on a diagonal and padding_value elsewhere, or extract a diagonal of a
    matrix X.

    X [N] -> Out [N + |offset|, N + |offset|]; X [N, M] -> Out [K]
    """
    if x.ndim == 2:
        check(-x.shape[0] <= offset <= x.shape[1], f"offset={offset} lies outside of X")
        return np.diagonal(x, offset)
    size = x.size + abs(offset)
    out = np.full_like(
        x, padding_value if x.dtype.kind not in "iu" else int(padding_value), shape=(size, size)
    )
    at = np.arange(x.size)
    out[at + max(-offset, 0), at + max(offset, 0)] = x
    return out


@diag_v2.meta
def _(x, *, offset, padding_value):
    check(len(x.shape) <= 2, "has more than two axes")
    if len(x.shape) < 2:
        size = num_elements(x.shape)
        return Meta((size + abs(offset) if size >= 0 else -1,) * 2, x.dtype)
    rows, columns = x.shape
    if min(rows, columns) < 0:
        return Meta((-1,), x.dtype)
    check(-rows <= offset <= columns, f"offset={offset} lies outside of X")
    return Meta((min(rows + min(offset, 0), columns - max(offset, 0)),), x.dtype)


@diag_v2.vjp
def _(g, x, *, offset):
    return diag_v2_grad(x, g, offset=offset)


@op("diag_v2_grad", "X, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
def diag_v2_grad(x, g, *, offset: int = 0):
    """The gradient of diag_v2: the diagonal of Out@GRAD if X is a vector; otherwise zeros with
    Out@GRAD on the diagonal.

    X [N] or [N, M], Out@GRAD like Out -> X@GRAD like X
    """
    if x.ndim < 2:
        return np.diagonal(g, offset).reshape(x.shape)
    out = np.zeros_like(x)
    at = np.arange(g.size)
    out[at + max(-offset, 0), at + max(offset, 0)] = g
    return out


@diag_v2_grad.vjp
def _(g, x, out_grad, *, offset):
    return None, diag_v2(g, offset=offset)
