"""Symbolic scalars: Variables for which eager execution has a Python int, float or bool, on all or
some paths.

The operators of a symbolic scalar follow Python's rules for numbers. Operations that need the value
of the number while recording, such as hash() and str(), raise an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.dtype import default_float_np_dtype, is_inexact, is_real, numeric_type_rank, parse_dtype
from ..core.errors import TraceError, append_user_line
from ..core.mode import base_mode_of, state
from ..core.op import OPS
from ..core.tensor import Tensor

SCALAR_TYPES = (bool, int, float, np.bool_, np.integer, np.floating)


@dataclass(frozen=True)
class PossibleScalarTypes:
    """The Python number types that a symbolic scalar may have in eager execution.

    types: the types; contains Tensor if eager execution has a tensor on some path.
    is_nonnegative: whether the scalar is an int that is never negative.
    dim_name: if the scalar is the size of a named dimension, the name of the dimension, for
    messages; otherwise ''.
    """

    types: frozenset[type]
    is_nonnegative: bool = False
    dim_name: str = field(default="", compare=False)

    @property
    def is_integer(self) -> bool:
        """Whether the scalar is an int on all paths."""
        return all(issubclass(t, int | np.integer) for t in self.types)

    def __str__(self) -> str:
        size = f", the size of the dimension '{self.dim_name}'" if self.dim_name else ""
        return " or ".join(sorted(t.__name__ for t in self.types)) + size


INT, NONNEGATIVE_INT, FLOAT, BOOL = (
    PossibleScalarTypes(frozenset({int})),
    PossibleScalarTypes(frozenset({int}), True),
    PossibleScalarTypes(frozenset({float})),
    PossibleScalarTypes(frozenset({bool}), True),
)


def scalar_kind(value: Any) -> PossibleScalarTypes | None:
    """Return the PossibleScalarTypes of a Python number or of a symbolic scalar; None for tensors
    and other values.
    """
    if isinstance(value, Tensor):
        kind: PossibleScalarTypes | None = getattr(value, "scalar_kind", None)
        return kind
    if not isinstance(value, SCALAR_TYPES):
        return None
    return PossibleScalarTypes(
        frozenset({type(value)}),
        isinstance(value, int | np.integer | np.bool_) and bool(value >= 0),
    )


def merge_scalar_kinds_of_values(values: Iterable[Any]) -> PossibleScalarTypes | None:
    """Return the PossibleScalarTypes of a variable that is one of `values`, depending on the path;
    None if all of them are tensors.
    """
    return merge_scalar_kinds(map(scalar_kind, values))


def merge_scalar_kinds(
    kinds: Iterable[PossibleScalarTypes | None],
) -> PossibleScalarTypes | None:
    """Return the PossibleScalarTypes of a variable that has one of `kinds`, depending on the path;
    the kind None stands for a tensor.
    """
    types: set[type] = set()
    is_nonnegative = True
    for kind in kinds:
        types |= {Tensor} if kind is None else kind.types
        is_nonnegative = is_nonnegative and kind is not None and kind.is_nonnegative
    return None if types <= {Tensor} else PossibleScalarTypes(frozenset(types), is_nonnegative)


def mark_symbolic_scalar(value: Any, kind: PossibleScalarTypes | None) -> Any:
    """Mark the Variable `value` as a symbolic scalar with the given types, and return it; a `kind`
    of None leaves it unmarked.
    """
    if kind is not None and hasattr(value, "raw"):
        value.raw.python_scalars = kind
    return value


def make_concrete_number_error(value: Any, what: str, fix: str) -> TraceError:
    """Return a TraceError for the operation `what`, which needs the number that a symbolic scalar
    has only at run time.
    """
    at = getattr(value, "creation_site_message_suffix", "")
    why = f"{what}: this stands for a number ({scalar_kind(value)}) that is known only at run time"
    return TraceError(append_user_line(f"{why} (X={value.meta}{at}); {fix}"))


def raise_or_collect_concrete_number_error(
    value: Any, what: str, fix: str, replacement: Any
) -> Any:
    """Raise the error of `make_concrete_number_error`. While `oarlock explain` runs, collect the
    error instead, and return `replacement`, with which the capture continues.
    """
    return raise_or_collect_error(make_concrete_number_error(value, what, fix), replacement)


def raise_or_collect_error(error: TraceError, replacement: Any) -> Any:
    """Let the current mode raise an error, or collect it and return `replacement`."""
    mode = base_mode_of(state.mode)
    if not mode.static:
        raise error
    return mode.raise_error_unless_collecting(error, replacement)


# -- operators
# ------------------------------------------------------------------------------

SIGN_PRESERVING_OPERATORS = frozenset(
    {"add", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift", "pow"}
)
COMPARISON_OPERATORS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
BOOLEAN_OPERATORS = COMPARISON_OPERATORS | {
    "and",
    "or",
    "xor",
}  # if both operands are bool, these operators do not convert them to int
INTEGER_ONLY_OPERATORS = frozenset({"lshift", "rshift", "and", "or", "xor"})


def _binary_result_scalar_kind(
    name: str, a: PossibleScalarTypes, b: PossibleScalarTypes
) -> PossibleScalarTypes | None:
    """Return the PossibleScalarTypes of the result of a binary operator on operands of the kinds
    `a` and `b`; None if one operand is a tensor on all paths.
    """
    types = a.types | b.types
    if Tensor in types:
        return PossibleScalarTypes(types) if a.types != {Tensor} and b.types != {Tensor} else None
    if name in COMPARISON_OPERATORS:
        return BOOL
    if name in BOOLEAN_OPERATORS and types == {bool}:
        return BOOL
    if name == "truediv":
        return FLOAT
    plain_types = {float if issubclass(t, float | np.floating) else int for t in types}
    result_types = {float} if {float} in (a.types, b.types) else plain_types
    return PossibleScalarTypes(
        frozenset(result_types),
        a.is_nonnegative and b.is_nonnegative and name in SIGN_PRESERVING_OPERATORS,
    )


def _make_binary_operator(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    method = f"__{'r' if reflected else ''}{name}__"

    def operator(self: Any, other: Any) -> Any:
        mine, others = self.scalar_kind, scalar_kind(other)
        if name == "mul" and isinstance(other, list | tuple | str | bytes):
            _reject_list_repeat(self)
        if mine is None or others is None:
            unlike = mine is not None and not isinstance(other, Tensor | np.ndarray)
            if unlike and name in ("eq", "ne"):
                return name == "ne"
            x, y = (
                cast_symbolic_scalar_to_operand_dtype(self, other),
                cast_symbolic_scalar_to_operand_dtype(other, self),
            )
            if mine is not None or others is not None:
                x, y = _cast_integer_to_floating_operand_dtype(x, y)
            return _call_tensor_operator(x, y, method)
        if name in INTEGER_ONLY_OPERATORS and not (mine.is_integer and others.is_integer):
            raise make_concrete_number_error(
                self, name, "both operands must be ints; use values that are ints on all paths"
            )
        x, y, a, b = (other, self, others, mine) if reflected else (self, other, mine, others)
        return _apply_scalar_operator(name, x, y, a, b)

    operator.__name__ = method
    return operator


def cast_symbolic_scalar_to_operand_dtype(value: Any, tensor: Any) -> Any:
    """Cast a symbolic scalar to the dtype of the tensor that it is combined with, as the op does
    with a Python number; return other values unchanged.
    """
    kind = scalar_kind(value) if isinstance(value, Tensor) else None
    if (
        kind is None
        or Tensor in kind.types
        or not isinstance(tensor, Tensor)
        or is_always_scalar(scalar_kind(tensor))
    ):
        return value
    mine, other = value.meta.dtype, tensor.meta.dtype
    if numeric_type_rank(mine) <= numeric_type_rank(other):
        return _cast_to_dtype(value, other)
    return _cast_to_dtype(value, default_float_np_dtype()) if is_real(mine) else value


def _cast_integer_to_floating_operand_dtype(x: Any, y: Any) -> tuple[Any, Any]:
    """If one of two tensors is integer or bool and the other is floating, cast the former to the
    dtype of the latter. Returns both tensors.
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        if x.meta.dtype.kind in "biu" and is_inexact(y.meta.dtype):
            return _cast_to_dtype(x, y.meta.dtype), y
        if y.meta.dtype.kind in "biu" and is_inexact(x.meta.dtype):
            return x, _cast_to_dtype(y, x.meta.dtype)
    return x, y


def is_always_scalar(kind: PossibleScalarTypes | None) -> bool:
    """Whether a value of this kind is a Python number on all paths."""
    return kind is not None and Tensor not in kind.types


def cast_symbolic_float_to_default_dtype(value: Any) -> Any:
    """Cast a symbolic float to the default dtype, as tensor functions do for a Python float; return
    other values unchanged.
    """
    kind = scalar_kind(value) if isinstance(value, Tensor) else None
    if kind is None or kind.types != {float} or value.meta.dtype == default_float_np_dtype():
        return value
    return mark_symbolic_scalar(_cast_to_dtype(value, default_float_np_dtype()), kind)


def _cast_to_dtype(value: Any, dtype: np.dtype[Any]) -> Any:
    proto = parse_dtype(value.meta.dtype).proto
    return (
        value
        if value.meta.dtype == dtype
        else OPS["cast"](value, in_dtype=proto, out_dtype=parse_dtype(dtype).proto)
    )


def _reject_list_repeat(count: Any) -> None:
    """Raise TraceError if `count`, by which a Python list is multiplied, is a symbolic int: the
    length of the result would be known only at run time.
    """
    if count.scalar_kind is not None or (not count.raw.shape and "int" in count.raw.dtype):
        why = (
            f"a list whose length is known only at run time cannot be created by `*` "
            f"(times{count.creation_site_message_suffix}); use paddle.full, paddle.tile or a loop"
        )
        raise TraceError(append_user_line(why))


def _apply_scalar_operator(
    name: str, x: Any, y: Any, a: PossibleScalarTypes, b: PossibleScalarTypes
) -> Any:
    result = _binary_result_scalar_kind(name, a, b)
    if name not in BOOLEAN_OPERATORS or a.types | b.types != {bool}:
        x, y = _bool_to_int(x), _bool_to_int(y)
    # constants become float64 tensors: as an attribute of an op they would be float32
    if is_always_scalar(a) and is_always_scalar(b):
        x, y = (_to_float64(v) if name == "truediv" or isinstance(v, float) else v for v in (x, y))
    else:
        x, y = (
            cast_symbolic_scalar_to_operand_dtype(x, y),
            cast_symbolic_scalar_to_operand_dtype(y, x),
        )
    x, y = _cast_integer_to_floating_operand_dtype(x, y)
    if name in INTEGER_IMPLEMENTATIONS and a.is_integer and b.is_integer:
        return INTEGER_IMPLEMENTATIONS[name](x, y, a, b)
    if isinstance(x, Tensor):
        return mark_symbolic_scalar(_call_tensor_operator(x, y, f"__{name}__"), result)
    if name in ("and", "or", "xor"):  # Tensor has no `__rand__`, `__ror__` and `__rxor__`
        return mark_symbolic_scalar(_call_tensor_operator(y, x, f"__{name}__"), result)
    return mark_symbolic_scalar(_call_tensor_operator(y, x, f"__r{name}__"), result)


def _bool_to_int(value: Any) -> Any:
    """Cast a bool, or a bool Variable to int64, because Python's arithmetic on bools returns ints;
    return other values unchanged.
    """
    if isinstance(value, bool) or not isinstance(value, Tensor) or value.meta.dtype != bool:
        return int(value) if isinstance(value, bool) else value
    result = OPS["cast"](
        value, in_dtype=parse_dtype("bool").proto, out_dtype=parse_dtype("int64").proto
    )
    return mark_symbolic_scalar(result, NONNEGATIVE_INT)


def _call_tensor_operator(self: Any, other: Any, method: str) -> Any:
    function = getattr(Tensor, method, None)
    return NotImplemented if function is None else _call_and_name_result(function, self, other)


def _call_and_name_result(function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Call the function of an operator. In static-graph programs, the result is named `tmp_0`, as
    Paddle names the results of operators.
    """
    recorder = getattr(state.mode, "recorder", None)
    if recorder is None or not recorder.policy.names_operator_results:
        return function(*operands, **options)
    with recorder.naming_outputs_as_operator():
        return function(*operands, **options)


def _integer_power(x: Any, y: Any, a: PossibleScalarTypes, b: PossibleScalarTypes) -> Any:
    """Return `x ** y` of integers. If `y` may be negative, the result is a float64, because Python
    returns a float for a negative exponent.
    """
    if b.is_nonnegative:
        result = Tensor.__pow__(x, y) if isinstance(x, Tensor) else Tensor.__rpow__(y, x)
        return mark_symbolic_scalar(result, PossibleScalarTypes(frozenset({int}), a.is_nonnegative))
    types = frozenset({float}) if not isinstance(y, Tensor) else frozenset({int, float})
    return mark_symbolic_scalar(
        OPS["elementwise_pow"](_to_float64(x), _to_float64(y)), PossibleScalarTypes(types)
    )


def _to_float64(value: Any) -> Any:
    wanted = parse_dtype("float64")
    if not isinstance(value, Tensor):
        return OPS["fill_constant"](
            shape=[], value=float(value), str_value=repr(float(value)), dtype=wanted.proto
        )
    return OPS["cast"](value, in_dtype=parse_dtype(value.meta.dtype).proto, out_dtype=wanted.proto)


def _make_shift_operator(
    left: bool,
) -> Callable[[Any, Any, PossibleScalarTypes, PossibleScalarTypes], Any]:
    def shift(x: Any, y: Any, a: PossibleScalarTypes, b: PossibleScalarTypes) -> Any:
        if not b.is_nonnegative:
            number = y if isinstance(y, Tensor) else x
            raise make_concrete_number_error(
                number,
                "shift",
                "the count may be negative; shift by a number that cannot be negative",
            )
        factor = 2**y
        return x * factor if left else x // factor

    return shift


INTEGER_IMPLEMENTATIONS: dict[
    str, Callable[[Any, Any, PossibleScalarTypes, PossibleScalarTypes], Any]
] = {
    "pow": _integer_power,
    "lshift": _make_shift_operator(True),
    "rshift": _make_shift_operator(False),
}


def _make_unary_operator(name: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        mine = self.scalar_kind
        if mine is None:
            return _call_and_name_result(getattr(Tensor, name), self)
        if name == "__invert__" and not mine.is_integer:
            raise make_concrete_number_error(
                self, "~", "only an int can be inverted; use a value that is an int on all paths"
            )
        result = getattr(Tensor, name)(_bool_to_int(self))
        return mark_symbolic_scalar(
            result,
            _binary_result_scalar_kind(
                "add" if name == "__abs__" else "sub", mine, NONNEGATIVE_INT
            ),
        )

    return operator


def _make_result_naming_method(name: str) -> Callable[..., Any]:
    def method(self: Any, *given: Any, **options: Any) -> Any:
        return _call_and_name_result(getattr(Tensor, name), self, *given, **options)

    method.__name__ = name
    return method


def _getitem_and_name_result(self: Any, index: Any) -> Any:
    recorder = getattr(state.mode, "recorder", None)
    if recorder is None or not recorder.policy.names_operator_results:
        return Tensor.__getitem__(self, index)
    with recorder.naming_outputs_as_getitem(self):
        return Tensor.__getitem__(self, index)


def _hash_variable(self: Any) -> int:
    if self.scalar_kind is not None:
        fix = (
            "compare it (`==`, `in` a tuple, if/elif), or keep values in a list and take positions"
        )
        raise_or_collect_concrete_number_error(
            self, "hash() (a key of a dict, a member of a set, an argument of a cache)", fix, None
        )
    return id(self)


def _round_scalar(self: Any, digits: Any = None) -> Any:
    mine = self.scalar_kind
    if mine is None:
        return NotImplemented
    if mine.is_integer and (digits is None or digits >= 0):
        return self + 0
    if digits is not None:
        raise make_concrete_number_error(
            self, "round()", "apply paddle.round to the tensor from which the number is computed"
        )
    result = _round_half_to_even(self)
    return mark_symbolic_scalar(
        OPS["cast"](
            result,
            in_dtype=parse_dtype(result.meta.dtype).proto,
            out_dtype=parse_dtype("int64").proto,
        ),
        INT,
    )


def _round_half_to_even(x: Any) -> Any:
    half = OPS["equal"](Tensor.__sub__(x, OPS["floor"](x)), _to_float64(0.5))
    return OPS["where"](
        half, Tensor.__mul__(OPS["round"](Tensor.__mul__(x, 0.5)), 2.0), OPS["round"](x)
    )


def _deep_copy(self: Any, memo: dict[int, Any]) -> Any:
    return Tensor.__deepcopy__(self, memo) if self.scalar_kind is None else self


def _divmod(self: Any, other: Any) -> Any:
    return (self // other, self % other)


def _rdivmod(self: Any, other: Any) -> Any:
    return (other // self, other % self)


def _unary_plus(self: Any) -> Any:
    mine = self.scalar_kind
    if mine is None:
        raise TypeError(append_user_line(f"bad operand type for unary +: 'Tensor' (X={self.meta})"))
    return self + 0


def _make_rounding_operator(op: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        if self.scalar_kind is None:
            raise TypeError(
                append_user_line(f"math.{op}: this is a tensor; use paddle.{op} (X={self.meta})")
            )
        if self.scalar_kind.is_integer:
            return self + 0
        result = OPS[op](self) if op != "trunc" else self
        wanted = parse_dtype("int64").proto
        return mark_symbolic_scalar(
            OPS["cast"](result, in_dtype=parse_dtype(result.meta.dtype).proto, out_dtype=wanted),
            INT,
        )

    return operator


def _dunder_index(self: Any) -> int:
    mine = self.scalar_kind
    if mine is not None and self.meta.dtype.kind == "f":
        raise make_concrete_number_error(self, "index", "use a value that is an int on all paths")
    return Tensor.__index__(self)


def _make_scalar_property(name: str, scalar_value: Callable[[Any], Any]) -> property:
    """Return a property for an attribute that tensors and numbers define differently."""

    def read_attribute(self: Any) -> Any:
        return (
            getattr(Tensor, name).__get__(self) if self.scalar_kind is None else scalar_value(self)
        )

    return property(read_attribute)


def _would_be_tensor_in_eager_mode(self: Any) -> bool:
    mine = self.scalar_kind
    if mine is not None and Tensor in mine.types:
        raise make_concrete_number_error(
            self, "is_tensor()", "use a value that is a tensor on all paths"
        )
    return mine is None


def _reject_is_integer_attribute(self: Any) -> Any:
    raise make_concrete_number_error(self, ".is_integer", "compare the number with its floor")


def _reject_python_number_member(self: Any, name: str) -> Any:
    """Raise TraceError if `name` is an attribute of the Python number that the Variable stands for,
    otherwise AttributeError.
    """
    mine = self.__dict__["raw"].python_scalars if "raw" in self.__dict__ else None
    if mine is not None and not name.startswith("__") and any(hasattr(t, name) for t in mine.types):
        raise make_concrete_number_error(
            self, f".{name}", "compute the result with paddle's functions"
        )
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def install_number_operators(variable: type) -> None:
    """Define the operators of Python numbers on the class `variable`, for its instances that are
    symbolic scalars.
    """
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
        setattr(variable, f"__{name}__", _make_binary_operator(name, False))
        setattr(variable, f"__r{name}__", _make_binary_operator(name, True))
    for name in COMPARISON_OPERATORS:
        setattr(variable, f"__{name}__", _make_binary_operator(name, False))
    for name in ("__neg__", "__abs__", "__invert__"):
        setattr(variable, name, _make_unary_operator(name))
    for name in ("__matmul__", "__rmatmul__", "astype"):
        setattr(variable, name, _make_result_naming_method(name))
    result = {
        "__getitem__": _getitem_and_name_result,
        "__hash__": _hash_variable,
        "__deepcopy__": _deep_copy,
        "__round__": _round_scalar,
        "is_tensor": _would_be_tensor_in_eager_mode,
        "__divmod__": _divmod,
        "__rdivmod__": _rdivmod,
        "__pos__": _unary_plus,
        "__getattr__": _reject_python_number_member,
        "__index__": _dunder_index,
        "real": _make_scalar_property("real", _bool_to_int),
        "imag": _make_scalar_property("imag", lambda v: v * 0),
        "is_integer": _make_scalar_property("is_integer", _reject_is_integer_attribute),
        "__floor__": _make_rounding_operator("floor"),
        "__ceil__": _make_rounding_operator("ceil"),
        "__trunc__": _make_rounding_operator("trunc"),
    }
    for name, function in result.items():
        setattr(variable, name, function)
