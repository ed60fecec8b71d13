"""Collect the public functions of this package in EXPORTS. The import of this module sets the
methods and operators of Tensor.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from ..core._tape import Operator
from ..core.errors import OpError, append_user_line
from ..core.op import OPS, Op
from ..core.operand_checks import rename_generated_function
from ..core.tensor import Tensor
from ..ops import elementwise
from . import linalg, logic, manipulation, math
from . import methods as methods_only
from .in_place_docstrings import in_place_method_docstring
from .indexing import getitem, setitem


def _make_reflected_operator(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the reflected operator (such as `__radd__`): `function` with swapped operands."""

    def operator(x: Tensor, y: Any) -> Any:
        return function(y, x)

    return operator


def _make_in_place_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the in-place variant of a function, e.g. `add_`."""
    preserves_shape = (
        function.__module__.rsplit(".", 1)[-1] in ("math", "logic", "special")
        and function.__name__ != "cumsum"
    )

    preserves_dtype = function.__name__ in ("add", "subtract", "multiply")

    def compute_checked_result(current: Tensor, args: Any, kwargs: Any) -> Tensor:
        result: Tensor = function(current, *args, **kwargs)
        if preserves_shape and result.meta.shape != current.meta.shape:
            problem = f"the shape must not change, but the result is {result.meta}"
            raise OpError(append_user_line(f"{function.__name__}_: {problem} (X={current.meta})"))
        if preserves_dtype and result.meta.dtype != current.meta.dtype:
            problem = (
                f"the result would be {result.meta.dtype.name}; cast the other operand: "
                f".astype('{current.meta.dtype.name}')"
            )
            raise OpError(append_user_line(f"{function.__name__}_: {problem} (X={current.meta})"))
        return result

    def method(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return manipulation.apply_in_place(
            x, lambda current: compute_checked_result(current, args, kwargs)
        )

    rename_generated_function(method, f"{function.__name__}_")
    method.__doc__ = in_place_method_docstring(
        function, preserves_shape=preserves_shape, preserves_dtype=preserves_dtype
    )
    method.__wrapped__ = function  # type: ignore[attr-defined]  # for its signature
    return method


def _make_tensor_operator(
    op: Op, scalar_function: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Create the function of a binary Python operator of Tensor from an op.

    scalar_function: function for a number on the right
    """

    def operator(x: Any, y: Any) -> Any:
        if scalar_function is not None and not isinstance(y, Tensor):
            return scalar_function(x, y)
        return math.apply_promoting_or_casting_right_operand(op, x, y)

    return operator


def _matmul(x: Any, y: Any) -> Any:
    """x @ y; the right operand is cast to the dtype of the left one."""
    mixed = isinstance(x, Tensor) and isinstance(y, Tensor)
    return linalg.matmul(x, math.cast_right_operand("matmul_v2", x, y) if mixed else y)


def invert(x: Tensor) -> Tensor:
    """Operator ~: logical for bool, bitwise for integers."""
    return logic.logical_not(x) if x.meta.dtype.kind == "b" else logic.bitwise_not(x)


def contains(x: Tensor, item: Any) -> bool:
    """Operator `in`: whether any element equals a number or tensor."""
    return bool(
        OPS["reduce_any"](
            math.apply_promoting_or_casting_right_operand(OPS["equal"], x, item),
            reduce_all=True,
            dim=[],
            keep_dim=False,
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
# and its function otherwise, because checking the operands in Python would cost more than a
# small op. The third argument of Operator states whether the op accepts integers, the fourth
# whether it is the reflected operator.
BINARY_OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": Operator(elementwise.add, _make_tensor_operator(elementwise.add, math.add), True),
    "__radd__": Operator(elementwise.add, math.add, True, True),
    "__sub__": Operator(
        elementwise.sub, _make_tensor_operator(elementwise.sub, math.subtract), True
    ),
    "__rsub__": Operator(elementwise.sub, math.rsubtract, True, True),
    "__mul__": Operator(
        elementwise.mul, _make_tensor_operator(elementwise.mul, math.multiply), True
    ),
    "__rmul__": Operator(elementwise.mul, math.multiply, True, True),
    "__truediv__": Operator(elementwise.div, math.true_divide, False),
    "__rtruediv__": Operator(
        elementwise.div, _make_reflected_operator(math.true_divide), False, True
    ),
    "__floordiv__": _make_tensor_operator(OPS["elementwise_floordiv"]),
    "__rfloordiv__": _make_reflected_operator(_make_tensor_operator(OPS["elementwise_floordiv"])),
    "__mod__": _make_tensor_operator(OPS["elementwise_mod"]),
    "__rmod__": _make_reflected_operator(_make_tensor_operator(OPS["elementwise_mod"])),
    "__pow__": math.power,
    "__rpow__": _make_reflected_operator(math.power),
    "__matmul__": _matmul,
    "__rmatmul__": _make_reflected_operator(_matmul),
    **{
        f"__{name}__": Operator(OPS[op], _make_tensor_operator(OPS[op]), True)
        for name, op in _COMPARISONS.items()
    },
    "__and__": logic.bitwise_and,
    "__or__": logic.bitwise_or,
    "__xor__": logic.bitwise_xor,
}
OTHER_OPERATORS: dict[str, Callable[..., Any]] = {
    "__neg__": math.neg,
    "__abs__": math.abs,
    "__invert__": invert,
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__contains__": contains,
}

MODULES = [
    import_module(f"{__package__}.{info.name}")
    for info in iter_modules([os.path.dirname(__file__)])
    if info.name != "patch"
]


def collect_public_functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the public functions of a module: those of its `__all__`, and the in-place variants
    of its `IN_PLACE`.
    """
    functions = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return functions | {
        f"{name}_": _make_in_place_function(functions[name])
        for name in getattr(module, "IN_PLACE", ())
    }


def tensor_method_names(module: ModuleType) -> set[str]:
    """Return the names of the functions that are methods of Tensor: `METHODS`, by default
    `__all__`, and all in-place variants.
    """
    names = set(getattr(module, "METHODS", getattr(module, "__all__", ())))
    return names | {f"{name}_" for name in getattr(module, "IN_PLACE", ())}


EXPORTS = {
    name: function
    for module in MODULES
    for name, function in collect_public_functions(module).items()
}


def set_tensor_operators_and_methods() -> None:
    """Set the operators and methods of Tensor."""
    for name, function in (BINARY_OPERATORS | OTHER_OPERATORS).items():
        setattr(Tensor, name, function)
    for module in MODULES:
        for name in tensor_method_names(module):
            setattr(Tensor, name, EXPORTS.get(name) or getattr(module, name))
    for name in methods_only.METHODS_ONLY:
        setattr(Tensor, name, getattr(methods_only, name))
    setattr(Tensor, "T", property(methods_only.reverse_all_axes))  # noqa: B010 - its stub is read-only


set_tensor_operators_and_methods()
