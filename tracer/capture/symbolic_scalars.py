"""Symbolic scalars: Variables for which eager execution has a Python int, float or bool, on all or
some paths.

Their operators return what those of Python numbers return. Operations that need the number itself,
such as hash() and str(), raise an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.dtype import default_float_dtype, dtype_of, is_float
from ..core.errors import TraceError, with_user_line
from ..core.mode import base_mode, state
from ..core.op import OPS
from ..core.tensor import Tensor

SCALAR_TYPES = (bool, int, float, np.bool_, np.integer, np.floating)


@dataclass(frozen=True)
class ScalarKind:
    """The Python types that a variable stands for.

    types: the types; contains Tensor if eager execution has a tensor on some path.
    is_nonnegative: whether it is an int that is never negative.
    """

    types: frozenset[type]
    is_nonnegative: bool = False

    @property
    def is_integer(self) -> bool:
        """Whether it is an int on all paths."""
        return all(issubclass(t, int | np.integer) for t in self.types)

    def __str__(self) -> str:
        return " or ".join(sorted(t.__name__ for t in self.types))


INT, NONNEGATIVE_INT, FLOAT, BOOL = (
    ScalarKind(frozenset({int})),
    ScalarKind(frozenset({int}), True),
    ScalarKind(frozenset({float})),
    ScalarKind(frozenset({bool}), True),
)


def scalar_kind(value: Any) -> ScalarKind | None:
    """Return the kind of a number or of a symbolic scalar; None for tensors and other values."""
    if isinstance(value, Tensor):
        found: ScalarKind | None = getattr(value, "python", None)
        return found
    if not isinstance(value, SCALAR_TYPES):
        return None
    return ScalarKind(
        frozenset({type(value)}),
        isinstance(value, int | np.integer | np.bool_) and bool(value >= 0),
    )


def merged_kind(values: Iterable[Any]) -> ScalarKind | None:
    """Return the kind of a variable that is one of several values, depending on the path."""
    return merge_kinds(map(scalar_kind, values))


def merge_kinds(ways: Iterable[ScalarKind | None]) -> ScalarKind | None:
    """Return the kind of a variable that has one of these kinds, depending on the path."""
    types: set[type] = set()
    natural = True
    for found in ways:
        types |= {Tensor} if found is None else found.types
        natural = natural and found is not None and found.is_nonnegative
    return None if types <= {Tensor} else ScalarKind(frozenset(types), natural)


def mark_scalar(value: Any, stands: ScalarKind | None) -> Any:
    """Mark a value of the program as a symbolic scalar."""
    if stands is not None and hasattr(value, "raw"):
        value.raw.python_scalars = stands
    return value


def scalar_error(value: Any, what: str, fix: str) -> TraceError:
    """Return the error for an operation that needs the number itself."""
    at = getattr(value, "creation_site", "")
    why = f"{what}: this stands for a number ({scalar_kind(value)}) that is known only at run time"
    return TraceError(with_user_line(f"{why} (X={value.meta}{at}); {fix}"))


def reject_scalar(value: Any, what: str, fix: str, replacement: Any) -> Any:
    """Report the error of `scalar_error`. While `oarlock explain` runs, return `replacement`,
    the value with which the capture continues.
    """
    return report_error(scalar_error(value, what, fix), replacement)


def report_error(error: TraceError, replacement: Any) -> Any:
    """Let the current mode raise an error, or collect it and return `replacement`."""
    mode = base_mode(state.mode)
    if not mode.static:
        raise error
    return mode.report_error(error, replacement)


# -- operators
# ------------------------------------------------------------------------------

SIGN_PRESERVING = frozenset(
    {"add", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift", "pow"}
)
COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
BOOLEAN = COMPARISONS | {
    "and",
    "or",
    "xor",
}  # operators on two bools that need no conversion to int
INTEGER_ONLY = frozenset({"lshift", "rshift", "and", "or", "xor"})


def _result_kind(name: str, a: ScalarKind, b: ScalarKind) -> ScalarKind | None:
    """Return the kind of the result of an operator on two numbers; None if one of the operands may
    be a tensor.
    """
    types = a.types | b.types
    if Tensor in types:
        return ScalarKind(types) if a.types != {Tensor} and b.types != {Tensor} else None
    if name in COMPARISONS:
        return BOOL
    if name in BOOLEAN and types == {bool}:
        return BOOL
    if name == "truediv":
        return FLOAT
    plain = {float if issubclass(t, float | np.floating) else int for t in types}
    made = {float} if {float} in (a.types, b.types) else plain
    return ScalarKind(
        frozenset(made), a.is_nonnegative and b.is_nonnegative and name in SIGN_PRESERVING
    )


def _binary(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    method = f"__{'r' if reflected else ''}{name}__"

    def operator(self: Any, other: Any) -> Any:
        mine, others = self.python, scalar_kind(other)
        if name == "mul" and isinstance(other, list | tuple | str | bytes):
            _reject_repeat(self)
        if mine is None or others is None:
            unlike = mine is not None and not isinstance(other, Tensor | np.ndarray)
            if unlike and name in ("eq", "ne"):
                return name == "ne"
            x, y = promote_with(self, other), promote_with(other, self)
            if mine is not None or others is not None:
                x, y = _promote_to_floating(x, y)
            return _tensor_operator(x, y, method)
        if name in INTEGER_ONLY and not (mine.is_integer and others.is_integer):
            raise scalar_error(self, name, "only ints have it: have an int on all paths")
        x, y, a, b = (other, self, others, mine) if reflected else (self, other, mine, others)
        return _apply_to_scalars(name, x, y, a, b)

    operator.__name__ = method
    return operator


def promote_with(value: Any, tensor: Any) -> Any:
    """Cast a symbolic scalar to the dtype of a tensor operand, as for a Python number; return other
    values unchanged.
    """
    stands = scalar_kind(value) if isinstance(value, Tensor) else None
    if (
        stands is None
        or Tensor in stands.types
        or not isinstance(tensor, Tensor)
        or is_always_scalar(scalar_kind(tensor))
    ):
        return value
    mine, other = value.meta.dtype, tensor.meta.dtype
    kinds = "biufc"
    if kinds.index(mine.kind) <= kinds.index(other.kind) if other.kind in kinds else True:
        return _cast(value, other)
    return _cast(value, default_float_dtype()) if mine.kind == "f" else value


def _promote_to_floating(x: Any, y: Any) -> tuple[Any, Any]:
    """Cast an integer or bool operand to the dtype of the floating one, if one of the two is a
    symbolic scalar.
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        if x.meta.dtype.kind in "biu" and is_float(y.meta.dtype):
            return _cast(x, y.meta.dtype), y
        if y.meta.dtype.kind in "biu" and is_float(x.meta.dtype):
            return x, _cast(y, x.meta.dtype)
    return x, y


def is_always_scalar(stands: ScalarKind | None) -> bool:
    """Whether a variable of this kind is a number on all paths."""
    return stands is not None and Tensor not in stands.types


def as_default_float(value: Any) -> Any:
    """Cast a symbolic float to the default dtype, as tensor functions do for a Python float; return
    other values unchanged.
    """
    stands = scalar_kind(value) if isinstance(value, Tensor) else None
    if stands is None or stands.types != {float} or value.meta.dtype == default_float_dtype():
        return value
    return mark_scalar(_cast(value, default_float_dtype()), stands)


def _cast(value: Any, wanted: np.dtype[Any]) -> Any:
    proto = dtype_of(value.meta.dtype).proto
    return (
        value
        if value.meta.dtype == wanted
        else OPS["cast"](value, in_dtype=proto, out_dtype=dtype_of(wanted).proto)
    )


def _reject_repeat(count: Any) -> None:
    """Raise TraceError for a list times a symbolic int, which repeats the list in eager mode."""
    if count.python is not None or (not count.raw.shape and "int" in count.raw.dtype):
        why = (
            f"a list whose length is known only at run time (times{count.creation_site}); use "
            f"paddle.full, paddle.tile or a loop"
        )
        raise TraceError(with_user_line(why))


def _apply_to_scalars(name: str, x: Any, y: Any, a: ScalarKind, b: ScalarKind) -> Any:
    result = _result_kind(name, a, b)
    if name not in BOOLEAN or a.types | b.types != {bool}:
        x, y = _bool_to_int(x), _bool_to_int(y)
    if is_always_scalar(a) and is_always_scalar(b):  # an attribute of an op would be float32
        x, y = (_as_float(v) if name == "truediv" or isinstance(v, float) else v for v in (x, y))
    else:
        x, y = promote_with(x, y), promote_with(y, x)
    x, y = _promote_to_floating(x, y)
    if name in INTEGER_OPERATORS and a.is_integer and b.is_integer:
        return INTEGER_OPERATORS[name](x, y, a, b)
    if isinstance(x, Tensor):
        return mark_scalar(_tensor_operator(x, y, f"__{name}__"), result)
    if name in ("and", "or", "xor"):  # Tensor has no reflected versions
        return mark_scalar(_tensor_operator(y, x, f"__{name}__"), result)
    return mark_scalar(_tensor_operator(y, x, f"__r{name}__"), result)


def _bool_to_int(value: Any) -> Any:
    """Cast a bool Variable to int, because Python's arithmetic on bools returns ints."""
    if isinstance(value, bool) or not isinstance(value, Tensor) or value.meta.dtype != bool:
        return int(value) if isinstance(value, bool) else value
    result = OPS["cast"](value, in_dtype=dtype_of("bool").proto, out_dtype=dtype_of("int64").proto)
    return mark_scalar(result, NONNEGATIVE_INT)


def _tensor_operator(self: Any, other: Any, method: str) -> Any:
    function = getattr(Tensor, method, None)
    return NotImplemented if function is None else _call_operator(function, self, other)


def _call_operator(function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Call an operator. In static-graph programs its result is named `tmp_0` as in Paddle, not
    after the op.
    """
    recorder = getattr(state.mode, "recorder", None)
    if recorder is None or not recorder.policy.names_operator_results:
        return function(*operands, **options)
    with recorder.in_operator():
        return function(*operands, **options)


def _power(x: Any, y: Any, a: ScalarKind, b: ScalarKind) -> Any:
    """Return a power of integers. In Python it is a float if the exponent is negative."""
    if b.is_nonnegative:
        result = Tensor.__pow__(x, y) if isinstance(x, Tensor) else Tensor.__rpow__(y, x)  # type: ignore[operator, attr-defined]
        return mark_scalar(result, ScalarKind(frozenset({int}), a.is_nonnegative))
    types = frozenset({float}) if not isinstance(y, Tensor) else frozenset({int, float})
    return mark_scalar(OPS["elementwise_pow"](_as_float(x), _as_float(y)), ScalarKind(types))


def _as_float(value: Any) -> Any:
    wanted = dtype_of("float64")
    if not isinstance(value, Tensor):
        return OPS["fill_constant"](
            shape=[], value=float(value), str_value=repr(float(value)), dtype=wanted.proto
        )
    return OPS["cast"](value, in_dtype=dtype_of(value.meta.dtype).proto, out_dtype=wanted.proto)


def _shift(left: bool) -> Callable[[Any, Any, ScalarKind, ScalarKind], Any]:
    def shift(x: Any, y: Any, a: ScalarKind, b: ScalarKind) -> Any:
        if not b.is_nonnegative:
            number = y if isinstance(y, Tensor) else x
            raise scalar_error(
                number, "shift", "the count may be negative: shift by a number that is not"
            )
        factor = 2**y
        return x * factor if left else x // factor

    return shift


INTEGER_OPERATORS: dict[str, Callable[[Any, Any, ScalarKind, ScalarKind], Any]] = {
    "pow": _power,
    "lshift": _shift(True),
    "rshift": _shift(False),
}


def _unary(name: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        mine = self.python
        if mine is None:
            return _call_operator(getattr(Tensor, name), self)
        if name == "__invert__" and not mine.is_integer:
            raise scalar_error(self, "~", "only ints have it: have an int on all paths")
        result = getattr(Tensor, name)(_bool_to_int(self))
        return mark_scalar(
            result, _result_kind("add" if name == "__abs__" else "sub", mine, NONNEGATIVE_INT)
        )

    return operator


def _tensor_method(name: str) -> Callable[..., Any]:
    def method(self: Any, *given: Any, **options: Any) -> Any:
        return _call_operator(getattr(Tensor, name), self, *given, **options)

    method.__name__ = name
    return method


def _getitem(self: Any, index: Any) -> Any:
    recorder = getattr(state.mode, "recorder", None)
    if recorder is None or not recorder.policy.names_operator_results:
        return Tensor.__getitem__(self, index)
    with recorder.in_getitem(self):
        return Tensor.__getitem__(self, index)


def _hash(self: Any) -> int:
    if self.python is not None:
        fix = (
            "compare it (`==`, `in` a tuple, if/elif), or keep values in a list and take positions"
        )
        reject_scalar(
            self, "hash() (a key of a dict, a member of a set, an argument of a cache)", fix, None
        )
    return id(self)


def _round(self: Any, digits: Any = None) -> Any:
    mine = self.python
    if mine is None:
        return NotImplemented
    if mine.is_integer and (digits is None or digits >= 0):
        return self + 0
    if digits is not None:
        raise scalar_error(self, "round()", "use paddle.round of what it is computed from")
    result = _round_half_to_even(self)
    return mark_scalar(
        OPS["cast"](
            result, in_dtype=dtype_of(result.meta.dtype).proto, out_dtype=dtype_of("int64").proto
        ),
        INT,
    )


def _round_half_to_even(x: Any) -> Any:
    half = OPS["equal"](Tensor.__sub__(x, OPS["floor"](x)), _as_float(0.5))
    return OPS["where"](
        half, Tensor.__mul__(OPS["round"](Tensor.__mul__(x, 0.5)), 2.0), OPS["round"](x)
    )


def _deep_copy(self: Any, memo: dict[int, Any]) -> Any:
    return Tensor.__deepcopy__(self, memo) if self.python is None else self


def _divmod(self: Any, other: Any) -> Any:
    return (self // other, self % other)


def _rdivmod(self: Any, other: Any) -> Any:
    return (other // self, other % self)


def _pos(self: Any) -> Any:
    mine = self.python
    if mine is None:
        raise TypeError(with_user_line(f"bad operand type for unary +: 'Tensor' (X={self.meta})"))
    return self + 0


def _round_to_int(op: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        if self.python is None:
            raise TypeError(
                with_user_line(f"math.{op}: this is a tensor; use paddle.{op} (X={self.meta})")
            )
        if self.python.is_integer:
            return self + 0
        result = OPS[op](self) if op != "trunc" else self
        wanted = dtype_of("int64").proto
        return mark_scalar(
            OPS["cast"](result, in_dtype=dtype_of(result.meta.dtype).proto, out_dtype=wanted), INT
        )

    return operator


def _index(self: Any) -> int:
    mine = self.python
    if mine is not None and self.meta.dtype.kind == "f":
        raise scalar_error(self, "index", "have an int on all paths")
    return Tensor.__index__(self)


def _scalar_attribute(name: str, give: Callable[[Any], Any]) -> property:
    """Return a property for an attribute that tensors and numbers define differently."""

    def read(self: Any) -> Any:
        return getattr(Tensor, name).__get__(self) if self.python is None else give(self)

    return property(read)


def _is_tensor(self: Any) -> bool:
    mine = self.python
    if mine is not None and Tensor in mine.types:
        raise scalar_error(self, "is_tensor()", "have a tensor on all paths")
    return mine is None


def _reject_attribute(self: Any) -> Any:
    raise scalar_error(self, ".is_integer", "compare it with its floor")


def _getattr(self: Any, name: str) -> Any:
    """Raise an error for an attribute that numbers have and tensors lack."""
    mine = self.__dict__["raw"].python_scalars if "raw" in self.__dict__ else None
    if mine is not None and not name.startswith("__") and any(hasattr(t, name) for t in mine.types):
        raise scalar_error(self, f".{name}", "compute it with paddle's functions")
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def install_operators(variable: type) -> None:
    """Give Variable the operators of Python numbers."""
    for name in (
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "lshift",
        "rshift",
        "and",
        "or",
        "xor",
    ):
        setattr(variable, f"__{name}__", _binary(name, False))
        setattr(variable, f"__r{name}__", _binary(name, True))
    for name in COMPARISONS:
        setattr(variable, f"__{name}__", _binary(name, False))
    for name in ("__neg__", "__abs__", "__invert__"):
        setattr(variable, name, _unary(name))
    for name in ("__matmul__", "__rmatmul__", "astype"):
        setattr(variable, name, _tensor_method(name))
    result = {
        "__getitem__": _getitem,
        "__hash__": _hash,
        "__deepcopy__": _deep_copy,
        "__round__": _round,
        "is_tensor": _is_tensor,
        "__divmod__": _divmod,
        "__rdivmod__": _rdivmod,
        "__pos__": _pos,
        "__getattr__": _getattr,
        "__index__": _index,
        "real": _scalar_attribute("real", _bool_to_int),
        "imag": _scalar_attribute("imag", lambda v: v * 0),
        "is_integer": _scalar_attribute("is_integer", _reject_attribute),
        "__floor__": _round_to_int("floor"),
        "__ceil__": _round_to_int("ceil"),
        "__trunc__": _round_to_int("trunc"),
    }
    for name, function in result.items():
        setattr(variable, name, function)
