"""Values of branches and loops: conversion to variables of the program, and the common type of two
values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...core.dtype import is_inexact, is_real, numeric_type_rank, parse_dtype
from ...core.errors import TraceError, append_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.plain_values import are_interchangeable
from ..symbolic_scalars import SCALAR_TYPES, scalar_kind
from ..variable import Variable

MAX_DISPLAYED_ITEMS = 4  # elements of a container in an error message


class Undefined:
    """Stands for the value of a name that no path to this point has assigned.

    why: the reason in error messages.
    meta: the Meta of the value on another path, if known.
    """

    _has_no_value = True  # lets modules that cannot import this class recognize it

    def __init__(self, name: str, why: str = "", meta: Meta | None = None) -> None:
        self.__dict__.update(name=name, why=why, meta=meta)

    def raise_error(self) -> NoReturn:
        """Raise UnboundLocalError for a local variable and NameError for other names."""
        kind = UnboundLocalError if self.name.isidentifier() else NameError
        why = self.why or "was not given a value before"
        raise kind(append_user_line(f"'{self.name}' {why}"))

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__") and attribute not in RAISING_METHODS:
            raise AttributeError(attribute)
        return self.raise_error()

    def __repr__(self) -> str:
        return f"<{self.name} has no value>"


RAISING_METHODS = (
    "__add__",
    "__radd__",
    "__sub__",
    "__rsub__",
    "__mul__",
    "__rmul__",
    "__truediv__",
    "__rtruediv__",
    "__matmul__",
    "__pow__",
    "__rpow__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__eq__",
    "__ne__",
    "__bool__",
    "__getitem__",
    "__setitem__",
    "__len__",
    "__iter__",
    "__call__",
    "__neg__",
    "__float__",
    "__int__",
    "__index__",
    "__contains__",
    "__mod__",
    "__floordiv__",
    "__and__",
    "__or__",
    "__invert__",
)
for _name in RAISING_METHODS:
    setattr(Undefined, _name, lambda self, *_: self.raise_error())
Undefined.__hash__ = object.__hash__  # type: ignore[method-assign]


def is_python_or_numpy_scalar(value: Any) -> bool:
    """Whether `value` is a Python or NumPy scalar."""
    return isinstance(value, SCALAR_TYPES)


def scalar_meta(value: Any) -> Meta:
    """Return the 0-D Meta with which a Python scalar is represented: int64, bool or float64."""
    if isinstance(value, bool | np.bool_):
        return Meta((), np.dtype(bool))
    return Meta((), np.dtype(np.int64 if isinstance(value, int | np.integer) else np.float64))


def emit_scalar_constant(value: Any, dtype: np.dtype[Any] | None = None) -> Tensor:
    """Return a scalar as a 0-D value of the program."""
    return emit_filled_tensor((), value, dtype or scalar_meta(value).dtype)


def emit_filled_tensor(shape: Sequence[int], value: Any, dtype: np.dtype[Any]) -> Tensor:
    """Return a tensor filled with a value; the size of a dynamic dimension is 1."""
    plain = value.item() if isinstance(value, np.generic) else value
    text = repr(int(plain) if isinstance(plain, bool) else plain)
    value_attr = math.copysign(math.inf, plain) if abs(plain) >= 1 << 63 else float(plain)
    result: Tensor = OPS["fill_constant"](
        shape=[max(d, 1) if d < 0 else d for d in shape],
        value=value_attr,
        str_value=text,
        dtype=parse_dtype(dtype).proto,
    )
    return result


def emit_zero_placeholder(meta: Meta) -> Tensor:
    """Return a zero tensor as a placeholder that is never read; the size of a dynamic dimension is
    1.
    """
    return emit_filled_tensor(meta.shape, False if meta.dtype == bool else 0, meta.dtype)


def emit_nan_or_zero_placeholder(meta: Meta) -> Tensor:
    """Return the value of a variable that is not assigned yet: NaN for floating dtypes, otherwise
    zeros; a dynamic size becomes 1.
    """
    return (
        emit_filled_tensor(meta.shape, math.nan, meta.dtype)
        if is_inexact(meta.dtype)
        else emit_zero_placeholder(meta)
    )


def find_meta_of_value(value: Any) -> Meta | None:
    """Return the Meta of a tensor or scalar; None for other values."""
    if isinstance(value, Tensor):
        return value.meta
    if isinstance(value, np.ndarray):
        return Meta(value.shape, value.dtype)
    return scalar_meta(value) if is_python_or_numpy_scalar(value) else None


def are_recursively_interchangeable(a: Any, b: Any) -> bool:
    """Whether two Python values are the same object, interchangeable plain values, or lists or
    tuples of one type whose items are.
    """
    if type(a) is type(b) and isinstance(a, tuple | list) and len(a) == len(b):
        return a is b or all(
            are_recursively_interchangeable(x, y) for x, y in zip(a, b, strict=True)
        )
    return are_interchangeable(a, b)


def require_common_meta_of_values(name: str, a: Any, b: Any, sides: tuple[str, str]) -> Meta:
    """Return the Meta that covers the values of both paths; sizes that differ become -1.

    sides: descriptions of the paths for error messages.
    """
    one, two = find_meta_of_value(a), find_meta_of_value(b)
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        raise_merge_error(
            name,
            a,
            b,
            sides,
            "dicts whose values differ in kind, or whose keys come in another order; give "
            "them in one order",
        )
    for value in (a, b):
        if isinstance(value, Variable) and value.mixed_types:
            raise TraceError(
                append_user_line(
                    f"'{name}': the branches return different dtypes or numbers of axes"
                    f"{value.mixed_types}"
                )
            )
    if one is None or two is None:
        why = "only tensors and numbers can depend on a tensor's value"
        if name.startswith("the value returned"):  # user programs match this text
            why += ". Your if/else have different number of return value."
        raise_merge_error(name, a, b, sides, why)
    dtype = find_common_dtype_of_values(a, b)
    if dtype is None:
        raise_merge_error(name, a, b, sides, "the dtypes differ; cast one of them")
    if is_python_or_numpy_scalar(a) != is_python_or_numpy_scalar(
        b
    ):  # a scalar takes the shape of the tensor
        return Meta(two.shape if is_python_or_numpy_scalar(a) else one.shape, dtype)
    if len(one.shape) != len(two.shape):
        raise_merge_error(name, a, b, sides, "the numbers of axes differ")
    return Meta(
        tuple(p if p == q else -1 for p, q in zip(one.shape, two.shape, strict=True)), dtype
    )


def find_common_dtype_of_values(a: Any, b: Any) -> np.dtype[Any] | None:
    """Return the common dtype of two values. For a tensor and a scalar this is the dtype of the
    tensor, if it can represent the scalar's type.
    """
    one, two = find_meta_of_value(a), find_meta_of_value(b)
    assert one is not None
    assert two is not None
    if one.dtype == two.dtype:
        return one.dtype
    numbers = _is_scalar_on_all_paths(a), _is_scalar_on_all_paths(b)
    if numbers == (True, True):
        return next((m.dtype for m in (one, two) if is_real(m.dtype)), np.dtype(np.int64))
    for is_num, number, tensor in ((numbers[0], one, two), (numbers[1], two, one)):
        if is_num and numeric_type_rank(number.dtype) <= numeric_type_rank(tensor.dtype):
            return tensor.dtype
    return None


def _is_scalar_on_all_paths(value: Any) -> bool:
    """Whether a value is a scalar on all paths."""
    kind = scalar_kind(value)
    return kind is not None and Tensor not in kind.types


def raise_merge_error(name: str, a: Any, b: Any, sides: tuple[str, str], why: str) -> NoReturn:
    """Raise TraceError that shows both values with the lines that assigned them."""
    lines = "".join(
        f"\n  {side}: {describe_value(v)}" for side, v in zip(sides, (a, b), strict=True)
    )
    raise TraceError(append_user_line(f"'{name}': {why}{lines}"))


def describe_value(value: Any) -> str:
    """Describe a value for an error message, with the line that created it."""
    if isinstance(value, Variable):
        return f"{value.meta}{value.creation_site_message_suffix}"
    if isinstance(value, Tensor):
        return str(value.meta)
    if isinstance(value, Undefined):
        return "no value"
    if type(value) in (list, tuple, dict):
        return _describe_container(value)
    name = type(value).__name__
    return f"{value!r:.60}" if repr(value).startswith(name) else f"{name} {value!r:.60}"


def _describe_container(value: Any) -> str:
    """Describe a list, tuple or dict with its first items."""
    items = list(value.items()) if isinstance(value, dict) else [(None, v) for v in value]
    displayed = [
        describe_value(v) if key is None else f"{key!r}: {describe_value(v)}"
        for key, v in items[:MAX_DISPLAYED_ITEMS]
    ]
    more = ["..."] if len(items) > MAX_DISPLAYED_ITEMS else []
    return (
        f"{type(value).__name__} of {len(items)}: {', '.join([*displayed, *more])}"
        if items
        else f"an empty {type(value).__name__}"
    )


def cast_or_fill_like(value: Any, meta: Meta) -> Tensor:
    """Cast a tensor to the dtype of `meta`, or convert a scalar to a tensor like `meta`."""
    if not isinstance(value, Tensor):
        return (
            emit_filled_tensor(meta.shape, value, meta.dtype)
            if is_python_or_numpy_scalar(value)
            else Tensor(np.asarray(value, meta.dtype))
        )
    if value.meta.dtype == meta.dtype:
        return value
    proto = parse_dtype(value.meta.dtype).proto
    result: Tensor = OPS["cast"](value, in_dtype=proto, out_dtype=parse_dtype(meta.dtype).proto)
    return result


def cast_variable_to_bool(value: Any) -> Any:
    """Cast a Variable to bool as `if` does: numbers are true unless they are 0. Other values are
    returned unchanged.
    """
    if isinstance(value, Variable) and value.meta.dtype != bool:
        proto = parse_dtype(value.meta.dtype).proto
        return OPS["cast"](value, in_dtype=proto, out_dtype=0)
    return value


def axis_size_or_one(shape: tuple[int, ...], axis: int) -> int:
    """Return the size of an axis; 1 if the axis does not exist. This is the output OutIndex of
    `tensor_array_to_tensor`, as in Paddle.
    """
    return shape[axis] if -len(shape) <= axis < len(shape) else 1
