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

MAX_DISPLAYED_ITEMS = 4  # how many elements of a container an error message shows


class Undefined:
    """Stands for the value of a name that no path to this point has assigned.

    why: the reason in error messages.
    meta: the Meta of the value on another path, if known.
    """

    # modules that cannot import this class recognize its instances by this attribute
    _has_no_value = True

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
    """Return the Meta of the 0-D tensor that represents a Python scalar in a program: int64, bool
    or float64.
    """
    if isinstance(value, bool | np.bool_):
        return Meta((), np.dtype(bool))
    return Meta((), np.dtype(np.int64 if isinstance(value, int | np.integer) else np.float64))


def emit_scalar_constant(value: Any, dtype: np.dtype[Any] | None = None) -> Tensor:
    """Emit a constant with the value of a Python scalar, and return it as a 0-D tensor."""
    return emit_filled_tensor((), value, dtype or scalar_meta(value).dtype)


def emit_filled_tensor(shape: Sequence[int], value: Any, dtype: np.dtype[Any]) -> Tensor:
    """Emit a tensor filled with `value`, and return it. For a size of -1 in `shape`, the tensor has
    size 1.
    """
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
    """Emit a tensor of zeros as a placeholder that no run reads, and return it. For a dynamic size
    in `meta`, the tensor has size 1.
    """
    return emit_filled_tensor(meta.shape, False if meta.dtype == bool else 0, meta.dtype)


def emit_nan_or_zero_placeholder(meta: Meta) -> Tensor:
    """Emit the initial value of a loop-carried variable that has no value before the loop, and
    return it: NaN for floating dtypes, otherwise zeros. For a dynamic size in `meta`, the tensor
    has size 1.
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
    """Whether a branch may use either of two Python values in place of the other: they are the same
    object, equal plain values, or lists or tuples of the same type whose items are interchangeable.
    """
    if type(a) is type(b) and isinstance(a, tuple | list) and len(a) == len(b):
        return a is b or all(
            are_recursively_interchangeable(x, y) for x, y in zip(a, b, strict=True)
        )
    return are_interchangeable(a, b)


def require_common_meta_of_values(name: str, a: Any, b: Any, sides: tuple[str, str]) -> Meta:
    """Return a Meta that both values have; sizes that differ become -1. Raises TraceError if dtypes
    or ranks differ, or if a value is no tensor or number.

    sides: descriptions of the paths for error messages.
    """
    one, two = find_meta_of_value(a), find_meta_of_value(b)
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        raise_merge_error(
            name,
            a,
            b,
            sides,
            "the values of the dicts differ in type, or their keys are in different orders; use "
            "one order",
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
        # the text of Paddle's message, which user programs compare with
        if name.startswith("the value returned"):
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
    """Return the common dtype of two values. A tensor and a scalar have the dtype of the tensor in
    common, if this dtype can represent the type of the scalar. Returns None if there is no common
    dtype.
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
    """Whether a value is a Python number, or a Variable that stands for one on all paths."""
    kind = scalar_kind(value)
    return kind is not None and Tensor not in kind.types


def raise_merge_error(name: str, a: Any, b: Any, sides: tuple[str, str], why: str) -> NoReturn:
    """Raise TraceError that shows both values with the lines that assigned them."""
    lines = "".join(
        f"\n  {side}: {describe_value(v)}" for side, v in zip(sides, (a, b), strict=True)
    )
    raise TraceError(append_user_line(f"'{name}': {why}{lines}"))


def describe_value(value: Any) -> str:
    """Return a short text that describes a value in an error message; for a Variable, with the line
    that created it.
    """
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
    """Return a short text that describes a list, tuple or dict by its length and first items."""
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
    """Return a tensor cast to the dtype of `meta`; for a scalar, return a tensor with the shape and
    dtype of `meta` that is filled with it.
    """
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
    """Cast a Variable to bool as `if` does: numbers are true unless they are 0. Values that are not
    Variables are returned unchanged.
    """
    if isinstance(value, Variable) and value.meta.dtype != bool:
        proto = parse_dtype(value.meta.dtype).proto
        return OPS["cast"](value, in_dtype=proto, out_dtype=0)
    return value


def axis_size_or_one(shape: tuple[int, ...], axis: int) -> int:
    """Return the size of `axis`, or 1 if `shape` has no such axis. As in Paddle, these sizes are
    the output OutIndex of `tensor_array_to_tensor`.
    """
    return shape[axis] if -len(shape) <= axis < len(shape) else 1
