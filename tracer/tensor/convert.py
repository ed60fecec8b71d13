"""Conversion of user arguments to inputs and attributes of ops: tensors, dtypes, axes, lists that
may contain tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core import cuda
from ..core.dtype import DTYPE_BY_NP, default_float_np_dtype, parse_dtype
from ..core.errors import OperandError, OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import (
    axis_out_of_range_error,
    called_function_name,
    not_a_tensor_error,
)
from ..core.place import parse_place, require_usable_gpu_index_unless_cpu
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike, PlaceLike, TensorLike
from ..ops.creation import VALUES_ATTR_BY_DTYPE

# If NumPy converts a list to one of these dtypes, the list becomes a tensor of int64, of the
# default float dtype or of the corresponding complex dtype. Lists of smaller integer dtypes keep
# their dtype.
_DEFAULTED_DTYPES = (np.int32, np.float16, np.float32, np.float64, np.complex64, np.complex128)


def to_array(data: Any, dtype: Any = None) -> Any:
    """Convert `data` to an ndarray. Lists and Python numbers become the default float dtype or
    int64.
    """
    if isinstance(data, Tensor):
        data = cuda.to_host(data._guard_or_reject_read_and_get_array("to_tensor()"))
    if isinstance(data, list | tuple) and any(isinstance(d, Tensor) for d in data):
        data = [to_array(d) for d in data]
    from_python = not isinstance(data, np.ndarray | np.generic)
    try:
        array = np.array(data)
    except ValueError as error:
        raise OpError(
            append_user_line(
                "to_tensor: the nested lists have different lengths; pad them to one length"
            )
        ) from error
    except TypeError:  # raised by CuPy for implicit conversion
        if cuda.gpu_index_of(data) is None:
            raise
        return to_array(cuda.to_host(data), dtype)
    if dtype is not None:
        return array.astype(parse_dtype(dtype).np, copy=False)
    if from_python and array.dtype in _DEFAULTED_DTYPES:
        default_dtype = (
            np.result_type(default_float_np_dtype(), np.complex64)
            if array.dtype.kind == "c"
            else default_float_np_dtype()
        )
        return array.astype(np.int64 if array.dtype.kind == "i" else default_dtype)
    if array.dtype not in DTYPE_BY_NP:
        content = {"U": "text", "S": "bytes", "O": "Python objects"}.get(array.dtype.kind, "this")
        raise OperandError(
            append_user_line(f"to_tensor: a tensor cannot contain {content} (dtype {array.dtype})")
        )
    return array


def to_tensor(
    data: TensorLike,
    dtype: DTypeLike | None = None,
    place: PlaceLike | None = None,
    stop_gradient: bool = True,
) -> Tensor:
    """Create a tensor from numbers, nested lists, an ndarray or a Tensor.

    The data are copied.

    Parameters
    ----------
    data : bool, int, float, complex, list, tuple, ndarray or Tensor
        Lists may be nested and may contain tensors; all lists of a level have the same length.
    dtype : dtype or str, optional
        Default: the dtype of an ndarray or Tensor; int64 for ints, the default float dtype for
        floats (and the complex dtype of the same precision), bool for bools.
    place : Place or str, optional
        Device of the tensor, such as "cpu" or "gpu:0"; by default that of `set_device`.
    stop_gradient : bool, default True
        False: gradients with respect to the tensor are computed.

    Returns
    -------
    Tensor

    Raises
    ------
    OpError
        If nested lists have different lengths.
    OperandError
        If the data or `dtype` have a dtype that tensors do not have.
    OarlockError
        If the device cannot be used.

    Notes
    -----
    While a program is recorded, the result is a constant of the program, or computed from the
    tensors in `data`; `place` and `stop_gradient` have no effect.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> x.shape, x.dtype
    ([2, 2], paddle.float32)
    >>> paddle.to_tensor([1, 2], dtype="float16").dtype
    paddle.float16
    >>> paddle.to_tensor(np.array([1.0])).dtype
    paddle.float64
    """
    # a list of dynamic length
    if type(data) is not np.ndarray and hasattr(data, "concat_or_stack_elements"):
        stacked: Tensor = data.concat_or_stack_elements(0, True)
        return stacked if dtype is None else cast(stacked, dtype)
    if not state.mode.is_eager:
        return _to_symbolic(data, dtype)
    array = to_array(data, dtype)
    if place is not None:
        array = cuda.to_device(array, device_index(place))
    elif cuda.cupy_state.default_index is not None:
        array = cuda.to_default_device(array)
    return Tensor(array, stop_gradient=stop_gradient)


def _to_symbolic(data: Any, dtype: Any) -> Tensor:
    """Convert `data` to a tensor while a program is recorded."""
    if isinstance(data, Tensor) or _has_tensors(data):
        out = (data if isinstance(data, Tensor) else _stack_nested(data)).detach()
        return out if dtype is None else cast(out, dtype)
    return array_to_constant_tensor(to_array(data, dtype))


def device_index(place: Any, op: str = "to_tensor") -> int | None:
    """Return the index of the GPU that a Place or string names; None for the CPU.

    Raises OarlockError if it cannot be used.
    """
    parsed = parse_place(place, op)
    return require_usable_gpu_index_unless_cpu(parsed, f"{type(parsed).__name__}({parsed.index})")


def array_to_tensor_on_device_of(x: Tensor, array: Any) -> Tensor:
    """Return a NumPy array as a tensor on the device of x."""
    return (
        Tensor(cuda.to_device(array, cuda.gpu_index_of(x.array)))
        if state.mode.is_eager
        else array_to_constant_tensor(array)
    )


def _has_tensors(data: Any) -> bool:
    """Return whether nested lists contain tensors."""
    return isinstance(data, list | tuple) and any(
        isinstance(d, Tensor) or _has_tensors(d) for d in data
    )


def _stack_nested(data: Any) -> Tensor:
    """Stack nested lists that contain symbolic tensors. Numbers in the lists get the dtype of the
    tensors.
    """
    items = [_stack_nested(d) if _has_tensors(d) else d for d in data]
    dtype = np.result_type(*(item.meta.dtype for item in items if isinstance(item, Tensor)))
    tensors = [
        cast(item, dtype)
        if isinstance(item, Tensor)
        else array_to_constant_tensor(np.asarray(item, dtype))
        for item in items
    ]
    out: Tensor = OPS["stack"](tensors, axis=0)
    return out


def array_to_constant_tensor(array: Any) -> Tensor:
    """Record `array` as an op assign_value."""
    dtype = parse_dtype(array.dtype)
    attr = VALUES_ATTR_BY_DTYPE.get(dtype.name)
    if attr is None:
        supported = array_to_constant_tensor(
            array.astype(np.int32 if array.dtype.kind in "iu" else np.float32)
        )
        return cast(supported, array.dtype)
    values = array.reshape(-1).tolist()
    values = [int(v) for v in values] if dtype.name == "bool" else values
    out: Tensor = OPS["assign_value"](shape=list(array.shape), dtype=dtype.proto, **{attr: values})
    return out


def cast(x: Tensor, dtype: Any) -> Tensor:
    """Cast x to another dtype; returns x itself if it has that dtype."""
    target = parse_dtype(dtype)
    if not isinstance(x, Tensor):
        raise not_a_tensor_error(x)
    current = x.meta.dtype
    if current == target.np:
        return x
    out: Tensor = OPS["cast"](x, in_dtype=parse_dtype(current).proto, out_dtype=target.proto)
    return out


def full(shape: Sequence[int], value: Any, dtype: Any) -> Tensor:
    """Create a constant tensor, exact for every dtype.

    -> [*shape]
    """
    if isinstance(value, int):
        value = int(value)  # repr of an enum member is not a number
    text = repr(value) if isinstance(value, int | float) else str(value)
    out: Tensor = OPS["fill_constant"](
        shape=list(shape),
        value=float(value),
        str_value=text.replace("np.", ""),
        dtype=parse_dtype(dtype).proto,
    )
    return out


def set_vector_length_if_symbolic(vector: Tensor, length: int) -> Tensor:
    """Declare in a program that `vector` has this length, which is known from Python numbers but
    not to shape inference; returns `vector`.
    """
    declared = getattr(vector, "raw", None)
    if declared is not None:
        declared.shape = (length,)
    return vector


def as_operand(value: Any, like: Tensor, op: str) -> Tensor:
    """Convert an operand to a tensor on the device of `like`. A Python number becomes a 0-D tensor
    of its dtype.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, complex | np.complexfloating):
        dtype = np.dtype(
            np.float64 if like.meta.dtype in (np.float64, np.complex128) else np.float32
        )
        out: Tensor = OPS["complex"](full([], value.real, dtype), full([], value.imag, dtype))
        return out
    if isinstance(value, bool | int | float | np.generic):
        dtype = like.meta.dtype
        if isinstance(value, float | np.floating) and dtype.kind in "iub":
            dtype = default_float_np_dtype()
        return full([], value.item() if isinstance(value, np.generic) else value, dtype)
    if isinstance(value, np.ndarray | list | tuple):
        return array_to_tensor_on_device_of(like, to_array(value))
    # A maybe-undefined variable of converted code: `use` raises an error that names it.
    if getattr(type(value), "_has_no_value", False):
        value.raise_error()
    raise OpError(
        append_user_line(f"{op}: expected a tensor or number, got {type(value).__name__}")
    )


def axis_list(axis: Any) -> list[int]:
    """Return an axis argument as a list: None -> [], int -> [int]."""
    if axis is None:
        return []
    if isinstance(axis, Tensor):
        return [int(a) for a in np.asarray(axis.tolist()).reshape(-1)]
    try:
        return [int(axis)] if isinstance(axis, int | np.integer) else [int(a) for a in axis]
    except (TypeError, ValueError):
        problem = f"axis={axis!r} is not an int or a list of int"
        raise OperandError(append_user_line(f"{called_function_name()}: {problem}")) from None


def call_with_possibly_symbolic_axis(axis: Any, count: int, function: Callable[[int], Any]) -> Any:
    """Return `function(axis)`. If `axis` is a symbolic value, record `function` for every axis and
    select a result at run time.

    count: the number of axes; an axis out of range is a run-time error.
    """
    if not isinstance(axis, Tensor):
        return function(axis)
    if not state.mode.static:
        return function(int(axis.item()))
    axis_table = array_to_constant_tensor(
        np.tile(np.arange(max(count, 1), dtype=np.int32), 2)
    )  # maps negative and non-negative axes to an index
    position = OPS["scale"](
        OPS["reshape2"](cast(axis, "int32"), shape=[]), scale=1.0, bias=float(max(count, 1))
    )
    index = OPS["gather"](axis_table, position)
    return state.mode.run_or_record_switch_case(
        index, [partial(function, i) for i in range(max(count, 1))]
    )


def unwrap_single_tensor_axis(axis: Any) -> Any:
    """Unwrap a one-element list of a tensor; return any other axis argument unchanged."""
    is_single_tensor = (
        isinstance(axis, list | tuple) and len(axis) == 1 and isinstance(axis[0], Tensor)
    )
    return axis[0] if is_single_tensor else axis


def guard_and_get_size_or_minus_one(x: Tensor, axis: int) -> int:
    """Return the size of an axis as an int. A trace records a guard on the size; in a static
    capture, a dynamic size is returned as -1.
    """
    try:
        return x.meta.shape[axis] if state.mode.static else int(x.shape[axis])
    except IndexError:
        raise axis_out_of_range_error(x, axis) from None


def normalize_axis(axis: Any, x: Tensor, op: str) -> int:
    """Return a non-negative axis; some of Paddle's ops are wrong for negative ones."""
    index = int(axis.item() if isinstance(axis, Tensor) else axis)
    try:
        rank = x.ndim
    except AttributeError:
        raise not_a_tensor_error(x, op) from None
    limit = max(rank, 1)
    if not -limit <= index < limit:
        why = f"axis={index} is outside of [{-limit}, {limit - 1}]"
        raise OpError(append_user_line(f"{op}: {why} (X={x.meta})"))
    return index % rank if rank else 0


def split_shape_into_ints_and_tensors(shape: Any, op: str) -> tuple[list[int], list[Tensor] | None]:
    """Convert a shape argument to a list of ints, which has -1 for symbolic tensors. If there are
    symbolic tensors, also return the whole shape as a list of int32 0-D tensors, else None.
    """
    if isinstance(shape, Tensor):
        if not shape.ndim:
            shape = OPS["reshape2"](shape, shape=[1])
        if not state.mode.static:
            return [int(d) for d in shape.tolist()], None
        return [-1] * shape.meta.shape[0], list(OPS["unbind"](shape, axis=0))
    items: list[Any] = [shape] if isinstance(shape, int | np.integer) else list(shape)
    if set(map(type, items)) <= {int}:
        return items, None
    if not any(isinstance(d, Tensor) for d in items):
        return [_require_int_size(d, op) for d in items], None
    if not state.mode.static:
        return [int(d) for d in items], None
    tensors = [
        cast(d, "int32") if isinstance(d, Tensor) else full([], _require_int_size(d, op), "int32")
        for d in items
    ]
    return [-1 if isinstance(d, Tensor) else _require_int_size(d, op) for d in items], tensors


def split_into_ints_and_tensors(
    values: Iterable[Any], dtype: str = "int32"
) -> tuple[list[int], list[Tensor] | None]:
    """Convert a list of ints and tensors to a list of ints, which has -1 for symbolic tensors. If
    there are symbolic tensors, also return the whole list as 0-D tensors, else None.
    """
    items = list(values)
    if state.mode.static and any(isinstance(v, Tensor) for v in items):
        tensors = [cast(v, dtype) if isinstance(v, Tensor) else full([], v, dtype) for v in items]
        return [-1 if isinstance(v, Tensor) else int(v) for v in items], tensors
    return [int(v) for v in items], None


def tensor_of_symbolic_ints_or_none(values: Iterable[Any]) -> Tensor | None:
    """Return a list of ints that contains symbolic tensors as one int32 tensor; None if all are
    ints.
    """
    tensors = split_into_ints_and_tensors(values)[1]
    return (
        None
        if tensors is None
        else OPS["concat"]([OPS["reshape2"](t, shape=[-1]) for t in tensors], axis=0)
    )


def _require_int_size(d: Any, op: str) -> int:
    if isinstance(d, int | np.integer) and not isinstance(d, bool):
        return int(d)
    raise OpError(append_user_line(f"{op}: a size must be an int, got {d!r}"))
