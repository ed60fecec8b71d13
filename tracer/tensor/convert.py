"""From what a user passes to what an op takes: tensors, dtypes, axes, and lists that may hold
tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core import cuda
from ..core.dtype import BY_NP, default_float, dtype_of
from ..core.errors import OperandError, OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import no_axis_error, not_a_tensor_error
from ..core.place import check_gpu_index, parse_place
from ..core.tensor import Tensor

_BY_DEFAULT = (
    np.int32,
    np.float16,
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
)  # dtypes of lists that become a default dtype; smaller integers keep their dtype
_VALUES = {
    "b": "bool_values",
    "i": "int32_values",
    "l": "int64_values",
    "f": "fp32_values",
    "d": "fp64_values",
}


def to_array(data: Any, dtype: Any = None) -> Any:
    """`data` as an ndarray. Lists and Python numbers become the default float dtype or int64."""
    if isinstance(data, Tensor):
        data = cuda.to_host(data._read("to_tensor()"))
    if isinstance(data, list | tuple) and any(isinstance(d, Tensor) for d in data):
        data = [to_array(d) for d in data]
    from_python = not isinstance(data, np.ndarray | np.generic)
    try:
        array = np.array(data)
    except ValueError as error:
        raise OpError(
            with_user_line(f"to_tensor: the rows do not have one length ({error})")
        ) from None
    except TypeError:  # CuPy refuses
        if cuda.index_of(data) is None:
            raise
        return to_array(cuda.to_host(data), dtype)
    if dtype is not None:
        return array.astype(dtype_of(dtype).np, copy=False)
    if from_python and array.dtype in _BY_DEFAULT:
        wide = (
            np.result_type(default_float(), np.complex64)
            if array.dtype.kind == "c"
            else default_float()
        )
        return array.astype(np.int64 if array.dtype.kind == "i" else wide)
    if array.dtype not in BY_NP:
        raise OperandError(
            with_user_line(f"to_tensor: no tensor can hold elements of {array.dtype}")
        )
    return array


def to_tensor(
    data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True
) -> Tensor:
    """A tensor of `data`: nested lists, scalars, an ndarray or a Tensor, copied.

    place: where to; where `set_device` says unless given.
    """
    # a list of dynamic length
    if type(data) is not np.ndarray and hasattr(data, "concat_elements"):
        data = data.concat_elements(0, True)
        return data if dtype is None else cast(data, dtype)
    if not state.mode.is_eager:
        return _recorded(data, dtype)
    array = to_array(data, dtype)
    if place is not None:
        array = cuda.to_device(array, device_index(place))
    elif cuda.cupy_state.index is not None:
        array = cuda.to_default_device(array)
    return Tensor(array, stop_gradient=stop_gradient)


def _recorded(data: Any, dtype: Any) -> Tensor:
    """A tensor of `data` while a program is recorded."""
    if isinstance(data, Tensor) or _has_tensors(data):
        found = (data if isinstance(data, Tensor) else _stacked(data)).detach()
        return found if dtype is None else cast(found, dtype)
    return constant(to_array(data, dtype))


def device_index(place: Any, asker: str = "to_tensor") -> int | None:
    """The number of the GPU that a Place, or a string, names; None for the processor.

    Raises OarlockError for one that cannot be used.
    """
    found = parse_place(place, asker)
    return check_gpu_index(found, f"{type(found).__name__}({found.index})")


def beside(x: Tensor, array: Any) -> Tensor:
    """`array`, of the processor, as a tensor where x is."""
    return (
        Tensor(cuda.to_device(array, cuda.index_of(x.array)))
        if state.mode.is_eager
        else constant(array)
    )


def _has_tensors(data: Any) -> bool:
    """Whether nested lists hold tensors."""
    return isinstance(data, list | tuple) and any(
        isinstance(d, Tensor) or _has_tensors(d) for d in data
    )


def _stacked(data: Any) -> Tensor:
    """Nested lists with tensors of a program in them as one tensor; numbers beside tensors take
    their dtype.
    """
    parts = [_stacked(d) if _has_tensors(d) else d for d in data]
    dtype = np.result_type(*(p.meta.dtype for p in parts if isinstance(p, Tensor)))
    tensors = [
        cast(p, dtype) if isinstance(p, Tensor) else constant(np.asarray(p, dtype)) for p in parts
    ]
    found: Tensor = OPS["stack"](tensors, axis=0)
    return found


def constant(array: Any) -> Tensor:
    """`array` as an op of the program that is being recorded: assign_value."""
    kind = {
        np.dtype(np.int32): "i",
        np.dtype(np.int64): "l",
        np.dtype(np.float32): "f",
        np.dtype(np.float64): "d",
    }
    key = "b" if array.dtype == np.bool_ else kind.get(array.dtype)
    if key is None:
        wide = constant(array.astype(np.int32 if array.dtype.kind in "iu" else np.float32))
        return cast(wide, array.dtype)
    values = array.reshape(-1).tolist()
    values = [int(v) for v in values] if key == "b" else values
    given = {_VALUES[key]: values}
    found: Tensor = OPS["assign_value"](
        shape=list(array.shape), dtype=dtype_of(array.dtype).proto, **given
    )
    return found


def cast(x: Tensor, dtype: Any) -> Tensor:
    """`x` with another dtype; itself when it has it already."""
    wanted = dtype_of(dtype)
    if not isinstance(x, Tensor):
        raise not_a_tensor_error(x)
    have = x.meta.dtype
    if have == wanted.np:
        return x
    found: Tensor = OPS["cast"](x, in_dtype=dtype_of(have).proto, out_dtype=wanted.proto)
    return found


def full(shape: Sequence[int], value: Any, dtype: Any) -> Tensor:
    """A constant of one value, exact whatever the dtype.

    shape: [*] -> [*shape]
    """
    if isinstance(value, int):
        value = int(value)  # an enumeration's numbers have texts of their own
    text = repr(value) if isinstance(value, int | float) else str(value)
    found: Tensor = OPS["fill_constant"](
        shape=list(shape),
        value=float(value),
        str_value=text.replace("np.", ""),
        dtype=dtype_of(dtype).proto,
    )
    return found


def of_length(made: Tensor, count: int) -> Tensor:
    """A vector whose length follows from numbers of Python, which no op says: what is written to a
    program is declared so.
    """
    declared = getattr(made, "raw", None)
    if declared is not None:
        declared.shape = (count,)
    return made


def tensor_like(value: Any, like: Tensor, op: str) -> Tensor:
    """The operand `value` beside the tensor `like`: a Python number becomes a 0-D tensor of its
    dtype.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, complex | np.complexfloating):
        dtype = np.dtype(
            np.float64 if like.meta.dtype in (np.float64, np.complex128) else np.float32
        )
        found: Tensor = OPS["complex"](full([], value.real, dtype), full([], value.imag, dtype))
        return found
    if isinstance(value, bool | int | float | np.generic):
        dtype = like.meta.dtype
        if isinstance(value, float | np.floating) and dtype.kind in "iub":
            dtype = default_float()
        return full([], value.item() if isinstance(value, np.generic) else value, dtype)
    if isinstance(value, np.ndarray | list | tuple):
        return beside(like, to_array(value))
    # A name of converted code; the error names it.
    if getattr(type(value), "_has_no_value", False):
        value.use()
    raise OpError(
        with_user_line(f"{op}: an operand is {type(value).__name__}, not a tensor or number")
    )


def axes_of(axis: Any) -> list[int]:
    """An axis argument as a list: None is [], an int is [int]."""
    if axis is None:
        return []
    if isinstance(axis, Tensor):
        return [int(a) for a in np.asarray(axis.tolist()).reshape(-1)]
    return [int(axis)] if isinstance(axis, int | np.integer) else [int(a) for a in axis]


def select_by_axis(axis: Any, count: int, function: Callable[[int], Any]) -> Any:
    """Return `function(axis)`. If `axis` is a symbolic value, record `function` for every axis and
    select a result at run time.

    count: the number of axes; an axis out of range is a run-time error.
    """
    if not isinstance(axis, Tensor):
        return function(axis)
    if not state.mode.static:
        return function(int(axis.item()))
    known = constant(
        np.tile(np.arange(max(count, 1), dtype=np.int32), 2)
    )  # maps negative and non-negative axes to an index
    position = OPS["scale"](
        OPS["reshape2"](cast(axis, "int32"), shape=[]), scale=1.0, bias=float(max(count, 1))
    )
    index = OPS["gather"](known, position)
    return state.mode.select(index, [partial(function, i) for i in range(max(count, 1))])


def single_axis(axis: Any) -> Any:
    """Unwrap a one-element list of a tensor; return any other axis argument unchanged."""
    alone = isinstance(axis, list | tuple) and len(axis) == 1 and isinstance(axis[0], Tensor)
    return axis[0] if alone else axis


def size_at(x: Tensor, axis: int) -> int:
    """The size of an axis, for Python to decide on: a trace notes that, and of a static program it
    is -1 where it is not known.
    """
    try:
        return x.meta.shape[axis] if state.mode.static else int(x.shape[axis])
    except IndexError:
        raise no_axis_error(x, axis) from None


def from_front(axis: Any, x: Tensor, op: str) -> int:
    """An axis counted from the front: several of real Paddle's ops go wrong on negative ones."""
    index = int(axis.item() if isinstance(axis, Tensor) else axis)
    try:
        rank = x.ndim
    except AttributeError:
        raise not_a_tensor_error(x, op) from None
    if not -max(rank, 1) <= index < max(rank, 1):
        raise OpError(
            with_user_line(f"{op}: axis={index} is not an axis of rank {rank} (X={x.meta})")
        )
    return index % rank if rank else 0


def sizes(shape: Any, op: str) -> tuple[list[int], list[Tensor] | None]:
    """A shape argument as Paddle's two forms: plain ints, and - when it holds tensors - a list of
    int32 0-D tensors, -1 in the ints.
    """
    if isinstance(shape, Tensor):
        if not shape.ndim:
            shape = OPS["reshape2"](shape, shape=[1])
        if not state.mode.static:
            return [int(d) for d in shape.tolist()], None
        return [-1] * shape.meta.shape[0], list(OPS["unbind"](shape, axis=0))
    items = [shape] if isinstance(shape, int | np.integer) else list(shape)
    if not any(isinstance(d, Tensor) for d in items):
        return [_size(d, op) for d in items], None
    if not state.mode.static:
        return [int(d) for d in items], None
    tensors = [
        cast(d, "int32") if isinstance(d, Tensor) else full([], _size(d, op), "int32")
        for d in items
    ]
    return [-1 if isinstance(d, Tensor) else _size(d, op) for d in items], tensors


def bounds(values: Iterable[Any], dtype: str = "int32") -> tuple[list[int], list[Tensor] | None]:
    """Ints for an op as Paddle's two forms: as they are, and - when a program is written and some
    are values of it - a list of 0-D tensors.
    """
    items = list(values)
    if state.mode.static and any(isinstance(v, Tensor) for v in items):
        tensors = [cast(v, dtype) if isinstance(v, Tensor) else full([], v, dtype) for v in items]
        return [-1 if isinstance(v, Tensor) else int(v) for v in items], tensors
    return [int(v) for v in items], None


def stacked_sizes(values: Iterable[Any]) -> Tensor | None:
    """Such ints as one int32 tensor for the ops that take one; None where all are plain."""
    tensors = bounds(values)[1]
    return (
        None
        if tensors is None
        else OPS["concat"]([OPS["reshape2"](t, shape=[-1]) for t in tensors], axis=0)
    )


def _size(d: Any, op: str) -> int:
    if isinstance(d, int | np.integer) and not isinstance(d, bool):
        return int(d)
    raise OpError(with_user_line(f"{op}: a size is {d!r}, not an int"))
