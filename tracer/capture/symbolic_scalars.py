"""Variables that stand for Python's numbers: eagerly an int, a float or a bool is in their place,
on some ways through the code or on all.

Their operators give what those of the numbers give, and what would ask them for what only the
numbers have - a hash, a text - is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.dtype import default_float, dtype_of, is_float
from ..core.errors import TraceError, with_user_line
from ..core.mode import base_mode, state
from ..core.op import OPS
from ..core.tensor import Tensor

NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


@dataclass(frozen=True)
class Stands:
    """What a variable stands for.

    types: of Python, Tensor among them where it is one on some way; natural: an int that is never
    negative.
    """

    types: frozenset[type]
    natural: bool = False

    @property
    def whole(self) -> bool:
        """Whether it is an int on all ways."""
        return all(issubclass(t, int | np.integer) for t in self.types)

    def __str__(self) -> str:
        return " or ".join(sorted(t.__name__ for t in self.types))


INT, NATURAL, FLOAT, BOOL = (
    Stands(frozenset({int})),
    Stands(frozenset({int}), True),
    Stands(frozenset({float})),
    Stands(frozenset({bool}), True),
)


def stands_for(value: Any) -> Stands | None:
    """What a number is, or what a variable stands for; None for tensors, and for what is
    no number.
    """
    if isinstance(value, Tensor):
        found: Stands | None = getattr(value, "python", None)
        return found
    if not isinstance(value, NUMBERS):
        return None
    return Stands(
        frozenset({type(value)}),
        isinstance(value, int | np.integer | np.bool_) and bool(value >= 0),
    )


def either_of(values: Iterable[Any]) -> Stands | None:
    """What a variable stands for that is one of several values, on one way each."""
    return together(map(stands_for, values))


def together(ways: Iterable[Stands | None]) -> Stands | None:
    """What a variable stands for that is what each of these does on one way."""
    types: set[type] = set()
    natural = True
    for found in ways:
        types |= {Tensor} if found is None else found.types
        natural = natural and found is not None and found.natural
    return None if types <= {Tensor} else Stands(frozenset(types), natural)


def marked(value: Any, stands: Stands | None) -> Any:
    """A value of the program that stands for a number from now on."""
    if stands is not None and hasattr(value, "raw"):
        value.raw.python = stands
    return value


def number_error(value: Any, what: str, fix: str) -> TraceError:
    """The error for Python that asks a variable for what only the number has that it stands for."""
    at = getattr(value, "made_at", "")
    why = f"{what}: this stands for a number ({stands_for(value)}) that only a run knows"
    return TraceError(with_user_line(f"{why} (X={value.meta}{at}); {fix}"))


def refused(value: Any, what: str, fix: str, instead: Any) -> Any:
    """Raise that error; where all problems are listed (`oarlock explain`), note it and go on with
    `instead`.
    """
    return troubled(number_error(value, what, fix), instead)


def troubled(error: TraceError, instead: Any) -> Any:
    """Let the mode in force raise an error, or note it and go on with something else."""
    mode = base_mode(state.mode)
    if not mode.static:
        raise error
    return mode.trouble(error, instead)


# -- operators
# ------------------------------------------------------------------------------

KEEP_SIGN = frozenset(
    {"add", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift", "pow"}
)
COMPARED = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
BOOLEAN = COMPARED | {"and", "or", "xor"}  # what two truth values need not be ints for
OF_INTS = frozenset({"lshift", "rshift", "and", "or", "xor"})


def _of_two(name: str, a: Stands, b: Stands) -> Stands | None:
    """What an operator of Python gives for two numbers; None where one of them may be a tensor."""
    types = a.types | b.types
    if Tensor in types:
        return Stands(types) if a.types != {Tensor} and b.types != {Tensor} else None
    if name in COMPARED:
        return BOOL
    if name in BOOLEAN and types == {bool}:
        return BOOL
    if name == "truediv":
        return FLOAT
    plain = {float if issubclass(t, float | np.floating) else int for t in types}
    made = {float} if {float} in (a.types, b.types) else plain
    return Stands(frozenset(made), a.natural and b.natural and name in KEEP_SIGN)


def _binary(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    method = f"__{'r' if reflected else ''}{name}__"

    def operator(self: Any, other: Any) -> Any:
        mine, others = self.python, stands_for(other)
        if name == "mul" and isinstance(other, list | tuple | str | bytes):
            _refuse_repeated(self)
        if mine is None or others is None:
            unlike = mine is not None and not isinstance(other, Tensor | np.ndarray)
            if unlike and name in ("eq", "ne"):
                return name == "ne"
            x, y = beside(self, other), beside(other, self)
            if mine is not None or others is not None:
                x, y = _promote_to_floating(x, y)
            return _plain(x, y, method)
        if name in OF_INTS and not (mine.whole and others.whole):
            raise number_error(self, name, "only ints have it: have an int on all ways")
        x, y, a, b = (other, self, others, mine) if reflected else (self, other, mine, others)
        return _of_numbers(name, x, y, a, b)

    operator.__name__ = method
    return operator


def beside(value: Any, tensor: Any) -> Any:
    """A variable that stands for a number, as it meets a tensor: in the dtype of that, as the
    number would; anything else itself.
    """
    stands = stands_for(value) if isinstance(value, Tensor) else None
    if (
        stands is None
        or Tensor in stands.types
        or not isinstance(tensor, Tensor)
        or is_pure(stands_for(tensor))
    ):
        return value
    mine, other = value.meta.dtype, tensor.meta.dtype
    kinds = "biufc"
    if kinds.index(mine.kind) <= kinds.index(other.kind) if other.kind in kinds else True:
        return _cast(value, other)
    return _cast(value, default_float()) if mine.kind == "f" else value


def _promote_to_floating(x: Any, y: Any) -> tuple[Any, Any]:
    """Cast an integer or bool operand to the dtype of the floating one, if one of the two is a
    symbolic Python number.
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        if x.meta.dtype.kind in "biu" and is_float(y.meta.dtype):
            return _cast(x, y.meta.dtype), y
        if y.meta.dtype.kind in "biu" and is_float(x.meta.dtype):
            return x, _cast(y, x.meta.dtype)
    return x, y


def is_pure(stands: Stands | None) -> bool:
    """Whether something is a number on all ways."""
    return stands is not None and Tensor not in stands.types


def as_default(value: Any) -> Any:
    """A variable that stands for a float in the dtype that functions of tensors make of one;
    anything else itself.
    """
    stands = stands_for(value) if isinstance(value, Tensor) else None
    if stands is None or stands.types != {float} or value.meta.dtype == default_float():
        return value
    return marked(_cast(value, default_float()), stands)


def _cast(value: Any, wanted: np.dtype[Any]) -> Any:
    proto = dtype_of(value.meta.dtype).proto
    return (
        value
        if value.meta.dtype == wanted
        else OPS["cast"](value, in_dtype=proto, out_dtype=dtype_of(wanted).proto)
    )


def _refuse_repeated(count: Any) -> None:
    """Raise TraceError for a list times a number that only a run knows: eagerly a size is an int,
    and the list repeated.
    """
    if count.python is not None or (not count.raw.shape and "int" in count.raw.dtype):
        why = (
            f"a list as long as only a run knows (times{count.made_at}); take paddle.full or "
            f"paddle.tile, or a loop"
        )
        raise TraceError(with_user_line(why))


def _of_numbers(name: str, x: Any, y: Any, a: Stands, b: Stands) -> Any:
    made = _of_two(name, a, b)
    if name not in BOOLEAN or a.types | b.types != {bool}:
        x, y = _as_int(x), _as_int(y)
    if is_pure(a) and is_pure(b):  # an attribute of an op would be float32
        x, y = (_as_float(v) if name == "truediv" or isinstance(v, float) else v for v in (x, y))
    else:
        x, y = beside(x, y), beside(y, x)
    x, y = _promote_to_floating(x, y)
    if name in EXACT and a.whole and b.whole:
        return EXACT[name](x, y, a, b)
    if isinstance(x, Tensor):
        return marked(_plain(x, y, f"__{name}__"), made)
    if name in ("and", "or", "xor"):  # tensors have none that are reflected
        return marked(_plain(y, x, f"__{name}__"), made)
    return marked(_plain(y, x, f"__r{name}__"), made)


def _as_int(value: Any) -> Any:
    """A truth value as the 0 or 1 that Python computes with."""
    if isinstance(value, bool) or not isinstance(value, Tensor) or value.meta.dtype != bool:
        return int(value) if isinstance(value, bool) else value
    made = OPS["cast"](value, in_dtype=dtype_of("bool").proto, out_dtype=dtype_of("int64").proto)
    return marked(made, NATURAL)


def _plain(self: Any, other: Any, method: str) -> Any:
    function = getattr(Tensor, method, None)
    return NotImplemented if function is None else _by_operator(function, self, other)


def _by_operator(function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """What an operator gives.

    In programs that users see it is named after no op, `tmp_0`, as in Paddle.
    """
    recorder = getattr(state.mode, "recorder", None)
    if recorder is None or not recorder.by_hand:
        return function(*operands, **options)
    with recorder.by_operator():
        return function(*operands, **options)


def _power(x: Any, y: Any, a: Stands, b: Stands) -> Any:
    """Integers: Python's answer is a float where the exponent is negative."""
    if b.natural:
        made = Tensor.__pow__(x, y) if isinstance(x, Tensor) else Tensor.__rpow__(y, x)  # type: ignore[operator, attr-defined]
        return marked(made, Stands(frozenset({int}), a.natural))
    types = frozenset({float}) if not isinstance(y, Tensor) else frozenset({int, float})
    return marked(OPS["elementwise_pow"](_as_float(x), _as_float(y)), Stands(types))


def _as_float(value: Any) -> Any:
    wanted = dtype_of("float64")
    if not isinstance(value, Tensor):
        return OPS["fill_constant"](
            shape=[], value=float(value), str_value=repr(float(value)), dtype=wanted.proto
        )
    return OPS["cast"](value, in_dtype=dtype_of(value.meta.dtype).proto, out_dtype=wanted.proto)


def _shifted(left: bool) -> Callable[[Any, Any, Stands, Stands], Any]:
    def shift(x: Any, y: Any, a: Stands, b: Stands) -> Any:
        if not b.natural:
            number = y if isinstance(y, Tensor) else x
            raise number_error(
                number, "shift", "the count may be negative: shift by a number that is not"
            )
        factor = 2**y
        return x * factor if left else x // factor

    return shift


EXACT: dict[str, Callable[[Any, Any, Stands, Stands], Any]] = {
    "pow": _power,
    "lshift": _shifted(True),
    "rshift": _shifted(False),
}


def _unary(name: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        mine = self.python
        if mine is None:
            return _by_operator(getattr(Tensor, name), self)
        if name == "__invert__" and not mine.whole:
            raise number_error(self, "~", "only ints have it: have an int on all ways")
        made = getattr(Tensor, name)(_as_int(self))
        return marked(made, _of_two("add" if name == "__abs__" else "sub", mine, NATURAL))

    return operator


def _named(name: str) -> Callable[..., Any]:
    def method(self: Any, *given: Any, **options: Any) -> Any:
        return _by_operator(getattr(Tensor, name), self, *given, **options)

    method.__name__ = name
    return method


def _part(self: Any, index: Any) -> Any:
    recorder = getattr(state.mode, "recorder", None)
    if recorder is None or not recorder.by_hand:
        return Tensor.__getitem__(self, index)
    with recorder.by_index(self):
        return Tensor.__getitem__(self, index)


def _hash(self: Any) -> int:
    if self.python is not None:
        fix = (
            "compare it (`==`, `in` a tuple, if/elif), or keep values in a list and take positions"
        )
        refused(
            self, "hash() (a key of a dict, a member of a set, an argument of a cache)", fix, None
        )
    return id(self)


def _round(self: Any, digits: Any = None) -> Any:
    mine = self.python
    if mine is None:
        return NotImplemented
    if mine.whole and (digits is None or digits >= 0):
        return self + 0
    if digits is not None:
        raise number_error(self, "round()", "use paddle.round of what it is computed from")
    made = _half_to_even(self)
    return marked(
        OPS["cast"](
            made, in_dtype=dtype_of(made.meta.dtype).proto, out_dtype=dtype_of("int64").proto
        ),
        INT,
    )


def _half_to_even(x: Any) -> Any:
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


def _rounded(op: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        if self.python is None:
            raise TypeError(
                with_user_line(f"math.{op}: this is a tensor; use paddle.{op} (X={self.meta})")
            )
        if self.python.whole:
            return self + 0
        made = OPS[op](self) if op != "trunc" else self
        wanted = dtype_of("int64").proto
        return marked(
            OPS["cast"](made, in_dtype=dtype_of(made.meta.dtype).proto, out_dtype=wanted), INT
        )

    return operator


def _index(self: Any) -> int:
    mine = self.python
    if mine is not None and self.meta.dtype.kind == "f":
        raise number_error(self, "index", "have an int on all ways")
    return Tensor.__index__(self)


def _of_number(name: str, give: Callable[[Any], Any]) -> property:
    """An attribute that tensors have as well as numbers, which means something else of a number."""

    def read(self: Any) -> Any:
        return getattr(Tensor, name).__get__(self) if self.python is None else give(self)

    return property(read)


def _is_tensor(self: Any) -> bool:
    mine = self.python
    if mine is not None and Tensor in mine.types:
        raise number_error(self, "is_tensor()", "have a tensor on all ways")
    return mine is None


def _refuse_attribute(self: Any) -> Any:
    raise number_error(self, ".is_integer", "compare it with its floor")


def _missing(self: Any, name: str) -> Any:
    """An attribute that only numbers have."""
    mine = self.__dict__["raw"].python if "raw" in self.__dict__ else None
    if mine is not None and not name.startswith("__") and any(hasattr(t, name) for t in mine.types):
        raise number_error(self, f".{name}", "compute it with paddle's functions")
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def teach(variable: type) -> None:
    """Give variables the operators of numbers."""
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
    for name in COMPARED:
        setattr(variable, f"__{name}__", _binary(name, False))
    for name in ("__neg__", "__abs__", "__invert__"):
        setattr(variable, name, _unary(name))
    for name in ("__matmul__", "__rmatmul__", "astype"):
        setattr(variable, name, _named(name))
    made = {
        "__getitem__": _part,
        "__hash__": _hash,
        "__deepcopy__": _deep_copy,
        "__round__": _round,
        "is_tensor": _is_tensor,
        "__divmod__": _divmod,
        "__rdivmod__": _rdivmod,
        "__pos__": _pos,
        "__getattr__": _missing,
        "__index__": _index,
        "real": _of_number("real", _as_int),
        "imag": _of_number("imag", lambda v: v * 0),
        "is_integer": _of_number("is_integer", _refuse_attribute),
        "__floor__": _rounded("floor"),
        "__ceil__": _rounded("ceil"),
        "__trunc__": _rounded("trunc"),
    }
    for name, function in made.items():
        setattr(variable, name, function)
