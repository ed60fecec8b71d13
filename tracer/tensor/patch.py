"""The methods and operators of Tensor, from one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.dtype import dtype_of
from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS, Op
from ..core.tensor import Tensor
from ..ops import elementwise
from . import creation, linalg, logic, manipulation, math, search
from .convert import cast
from .indexing import getitem, setitem


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(x: Tensor, y: Any) -> Any:
        return function(y, x)

    return operator


def _quick(op: Op, function: Callable[..., Any], kinds: str = "fiubc") -> Callable[..., Any]:
    """An operator that goes straight to `op` for two eager tensors of one dtype, and through `function` for all else.

    A small op costs less than what it takes to find out that nothing has to be converted.
    """

    def operator(x: Tensor, y: Any) -> Any:
        mode = state.mode
        if mode.silent and isinstance(y, Tensor):
            dtype = x.array.dtype
            if dtype is y.array.dtype and dtype.kind in kinds:
                return mode.binary(op, x, y)
        return function(x, y)

    operator.__doc__ = function.__doc__
    return operator


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return manipulation.in_place(x, lambda now: function(now, *args, **kwargs))

    method.__doc__ = f"In place: {function.__doc__}"
    return method


def astype(x: Tensor, dtype: Any) -> Tensor:
    """x with another dtype.   x [*] -> [*]"""
    return cast(x, dtype)


def to(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """x with another dtype; the only device is the CPU."""
    for value in (*args, *kwargs.values()):
        if value is None or isinstance(value, bool) or value == "cpu" or type(value).__name__ == "CPUPlace":
            continue
        x = cast(x, dtype_of(value))
    return x


def cpu(x: Tensor) -> Tensor:
    """Itself: it is on the CPU."""
    return x


def element_size(x: Tensor) -> int:
    """Bytes of one element."""
    return int(x.meta.dtype.itemsize)


def transposed(x: Tensor) -> Tensor:
    """x with its axes reversed."""
    return linalg.transpose(x, list(range(x.ndim))[::-1])


def fill_(x: Tensor, value: Any) -> Tensor:
    """Every element set to `value`."""
    return manipulation.in_place(x, lambda now: creation.full_like(now, value))


def zero_(x: Tensor) -> Tensor:
    """Every element set to zero."""
    return fill_(x, 0)


def invert(x: Tensor) -> Tensor:
    """~x: logical for bool, bitwise for integers."""
    return logic.logical_not(x) if x.meta.dtype.kind == "b" else logic.bitwise_not(x)


def _refuse_contains(x: Tensor, item: Any) -> bool:
    raise OpError(with_user_line(f"in: ask (x == value).any() instead (X={x.meta})"))


OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": _quick(elementwise.add, math.add), "__radd__": math.add,
    "__sub__": _quick(elementwise.sub, math.subtract), "__rsub__": math.rsubtract,
    "__mul__": _quick(elementwise.mul, math.multiply), "__rmul__": math.multiply,
    "__truediv__": _quick(elementwise.div, math.divide, "fc"), "__rtruediv__": _swapped(math.divide),
    "__floordiv__": math.floor_divide, "__rfloordiv__": _swapped(math.floor_divide), "__mod__": math.mod, "__rmod__": _swapped(math.mod),
    "__pow__": math.pow, "__rpow__": _swapped(lambda x, y: math.binary(OPS["elementwise_pow"], x, y)),
    "__matmul__": linalg.matmul, "__rmatmul__": _swapped(linalg.matmul), "__neg__": math.neg, "__abs__": math.abs, "__invert__": invert,
    "__eq__": logic.equal, "__ne__": logic.not_equal, "__lt__": logic.less_than, "__le__": logic.less_equal,
    "__gt__": logic.greater_than, "__ge__": logic.greater_equal, "__and__": logic.bitwise_and, "__or__": logic.bitwise_or,
    "__xor__": logic.bitwise_xor, "__getitem__": getitem, "__setitem__": setitem, "__contains__": _refuse_contains,
}  # fmt: skip

FUNCTIONS: dict[Any, str] = {
    math: """add subtract multiply divide floor_divide mod remainder floor_mod pow maximum minimum scale clip cumsum exp expm1 log log2
        log10 log1p sqrt rsqrt square reciprocal abs sign floor ceil round sin cos tan asin acos atan sinh cosh tanh erf isnan isinf
        isfinite neg sum mean max min prod any all logsumexp var std""",
    logic: """equal not_equal less_than less_equal greater_than greater_equal logical_and logical_or logical_xor logical_not bitwise_and
        bitwise_or bitwise_xor bitwise_not equal_all isclose allclose is_empty""",
    manipulation: """reshape flatten squeeze unsqueeze split chunk unbind unstack expand broadcast_to expand_as tile repeat_interleave flip
        roll slice strided_slice gather gather_nd scatter scatter_nd_add index_select index_sample take_along_axis put_along_axis
        masked_select where numel rank moveaxis concat stack cast""",
    linalg: "matmul mm bmm dot mv addmm norm t transpose",
    search: "argmax argmin argsort sort topk nonzero",
    creation: "clone tril triu diag bernoulli",
}

IN_PLACE = {
    "add_": math.add, "subtract_": math.subtract, "multiply_": math.multiply, "scale_": math.scale, "clip_": math.clip,
    "exp_": math.exp, "sqrt_": math.sqrt, "tanh_": math.tanh, "floor_": math.floor, "ceil_": math.ceil, "round_": math.round,
    "reciprocal_": math.reciprocal, "reshape_": manipulation.reshape, "squeeze_": manipulation.squeeze,
    "unsqueeze_": manipulation.unsqueeze, "flatten_": manipulation.flatten,
}  # fmt: skip


def patch() -> None:
    """Give Tensor its operators and methods."""
    for name, function in OPERATORS.items():
        setattr(Tensor, name, function)
    for module, names in FUNCTIONS.items():
        for name in names.split():
            setattr(Tensor, name, getattr(module, name))
    for name, function in IN_PLACE.items():
        setattr(Tensor, name, _in_place(function))
    for function in (astype, to, cpu, element_size, fill_, zero_):
        setattr(Tensor, function.__name__, function)
    Tensor.T = property(transposed)  # type: ignore[attr-defined]


patch()
