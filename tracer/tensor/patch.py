"""The functions on tensors that the modules of this folder list in `__all__`, gathered; the methods
and operators of Tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from ..core._tape import Operator
from ..core.errors import OpError, with_user_line
from ..core.op import OPS, Op
from ..core.operand_checks import set_function_name
from ..core.tensor import Tensor
from ..ops import elementwise
from . import linalg, logic, manipulation, math
from . import methods as methods_only
from .indexing import getitem, setitem


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(x: Tensor, y: Any) -> Any:
        return function(y, x)

    return operator


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    fixed = (
        function.__module__.rsplit(".", 1)[-1] in ("math", "logic", "special")
        and function.__name__ != "cumsum"
    )

    def changed(now: Tensor, args: Any, kwargs: Any) -> Tensor:
        made: Tensor = function(now, *args, **kwargs)
        if fixed and made.meta.shape != now.meta.shape:
            why = f"the result {made.meta} does not fit into what is changed"
            raise OpError(with_user_line(f"{function.__name__}_: {why} (X={now.meta})"))
        if (
            function.__name__ in ("add", "subtract", "multiply")
            and made.meta.dtype != now.meta.dtype
        ):
            why = (
                f"the result would be {made.meta.dtype.name}; cast the other operand: "
                f".astype('{now.meta.dtype.name}')"
            )
            raise OpError(with_user_line(f"{function.__name__}_: {why} (X={now.meta})"))
        return made

    def method(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return manipulation.in_place(x, lambda now: changed(now, args, kwargs))

    set_function_name(method, f"{function.__name__}_")
    method.__doc__ = f"In place: {function.__doc__}"
    method.__wrapped__ = function  # type: ignore[attr-defined]  # whose signature it has
    return method


def _operator(op: Op, scaled: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Make a Python operator.

    scaled: the function for a number on the right
    """

    def operator(x: Any, y: Any) -> Any:
        if scaled is not None and not isinstance(y, Tensor):
            return scaled(x, y)
        return math.operator(op, x, y)

    return operator


def _matmul(x: Any, y: Any) -> Any:
    """x @ y; the right operand is cast to the dtype of the left one."""
    mixed = isinstance(x, Tensor) and isinstance(y, Tensor)
    return linalg.matmul(x, math.cast_right("matmul_v2", x, y) if mixed else y)


def invert(x: Tensor) -> Tensor:
    """~x: logical for bool, bitwise for integers."""
    return logic.logical_not(x) if x.meta.dtype.kind == "b" else logic.bitwise_not(x)


def contains(x: Tensor, item: Any) -> bool:
    """item in x: whether any element equals a number or tensor."""
    return bool(
        OPS["reduce_any"](
            math.operator(OPS["equal"], x, item), reduce_all=True, dim=[], keep_dim=False
        )
    )


_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less_than",
    "le": "less_equal",
    "gt": "greater_than",
    "ge": "greater_equal",
}
# An Operator calls its op directly for two eager tensors of one dtype, or a tensor and a number,
# and its function otherwise: finding out that nothing must be converted would cost more than a
# small op. Third item: whether the op accepts integers; fourth: whether it is the reflected
# operator.
OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": Operator(elementwise.add, _operator(elementwise.add, math.add), True),
    "__radd__": Operator(elementwise.add, math.add, True, True),
    "__sub__": Operator(elementwise.sub, _operator(elementwise.sub, math.subtract), True),
    "__rsub__": Operator(elementwise.sub, math.rsubtract, True, True),
    "__mul__": Operator(elementwise.mul, _operator(elementwise.mul, math.multiply), True),
    "__rmul__": Operator(elementwise.mul, math.multiply, True, True),
    "__truediv__": Operator(elementwise.div, math.quotient, False),
    "__rtruediv__": Operator(elementwise.div, _swapped(math.quotient), False, True),
    "__floordiv__": _operator(OPS["elementwise_floordiv"]),
    "__rfloordiv__": _swapped(_operator(OPS["elementwise_floordiv"])),
    "__mod__": _operator(OPS["elementwise_mod"]),
    "__rmod__": _swapped(_operator(OPS["elementwise_mod"])),
    "__pow__": math.power,
    "__rpow__": _swapped(math.power),
    "__matmul__": _matmul,
    "__rmatmul__": _swapped(_matmul),
    "__neg__": math.neg,
    "__abs__": math.abs,
    "__invert__": invert,
    **{
        f"__{name}__": Operator(OPS[op], _operator(OPS[op]), True)
        for name, op in _COMPARISONS.items()
    },
    "__and__": logic.bitwise_and,
    "__or__": logic.bitwise_or,
    "__xor__": logic.bitwise_xor,
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__contains__": contains,
}

MODULES = [
    import_module(f"{__package__}.{found.name}")
    for found in iter_modules([str(Path(__file__).parent)])
    if found.name != "patch"
]


def public(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions that a module offers under `oarlock.*`: its `__all__`, and the twins in place
    of its `IN_PLACE`.
    """
    found = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return found | {f"{name}_": _in_place(found[name]) for name in getattr(module, "IN_PLACE", ())}


def methods(module: ModuleType) -> set[str]:
    """The names of its functions that are methods of Tensor: its `METHODS`, its `__all__` where it
    has none, and all twins.
    """
    names = set(getattr(module, "METHODS", getattr(module, "__all__", ())))
    return names | {f"{name}_" for name in getattr(module, "IN_PLACE", ())}


EXPORTS = {name: function for module in MODULES for name, function in public(module).items()}


def patch() -> None:
    """Give Tensor its operators and methods."""
    for name, function in OPERATORS.items():
        setattr(Tensor, name, function)
    for module in MODULES:
        for name in methods(module):
            setattr(Tensor, name, EXPORTS.get(name) or getattr(module, name))
    for name in methods_only.METHODS_ONLY:
        setattr(Tensor, name, getattr(methods_only, name))
    Tensor.T = property(methods_only.transposed)  # type: ignore[attr-defined]


patch()
