"""Comparisons and logical ops. Results can be assigned to an existing variable, such as the
condition of a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ..deprecated import warn_deprecated_on_first_use
from .layer_utils import assign_to, deprecated_layer, ensure_at_least_1d

_COMPARISONS = ("equal", "greater_equal", "greater_than", "less_equal", "not_equal")
_CONNECTIVES = ("logical_and", "logical_or", "logical_xor")
__all__ = [
    "allclose",
    "elementwise_equal",
    "has_inf",
    "has_nan",
    "is_empty",
    "isfinite",
    "less_than",
    "logical_not",
]
__all__ += list(_COMPARISONS + _CONNECTIVES)


def _make_comparison_layer(kind: str) -> Callable[..., Any]:
    def layer(x: Any, y: Any, cond: Any = None) -> Any:
        return assign_to(OPS[kind](x, y), cond)

    return _with_name_doc_and_deprecation(layer, kind, "cond")


def _make_logical_layer(kind: str) -> Callable[..., Any]:
    def layer(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
        return assign_to(OPS[kind](x, y), out)

    return _with_name_doc_and_deprecation(layer, kind, "out")


def _with_name_doc_and_deprecation(
    layer: Callable[..., Any], kind: str, target: str
) -> Callable[..., Any]:
    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = (
        f"{kind}(x, y) elementwise, bool [*]; also assigned to `{target}`. "
        "y: the shape of x, or [1]."
    )
    return warn_deprecated_on_first_use(f"fluid.layers.{kind}", f"paddle.{kind}")(layer)


globals().update({kind: _make_comparison_layer(kind) for kind in _COMPARISONS})
globals().update({kind: _make_logical_layer(kind) for kind in _CONNECTIVES})


@deprecated_layer("paddle.less_than")
def less_than(x: Any, y: Any, force_cpu: bool | None = None, cond: Any = None) -> Any:
    """x < y elementwise, bool [*]; also assigned to `cond`."""
    return assign_to(OPS["less_than"](x, y), cond)


@deprecated_layer("paddle.equal_all")
def elementwise_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """x == y elementwise, bool [*]."""
    return OPS["equal"](x, y)


@deprecated_layer("paddle.logical_not")
def logical_not(x: Any, out: Any = None, name: str | None = None) -> Any:
    """Elementwise negation, bool [*]; also assigned to `out`."""
    return assign_to(OPS["logical_not"](x), out)


@deprecated_layer("paddle.is_empty")
def is_empty(x: Any, cond: Any = None) -> Any:
    """Whether x has no elements, bool [1]; also assigned to `cond`."""
    return assign_to(ensure_at_least_1d(OPS["is_empty"](x)), cond)


@deprecated_layer("paddle.isinf")
def has_inf(x: Any) -> Any:
    """Whether any element is infinite, bool [1]."""
    return OPS["isinf"](x)


@deprecated_layer("paddle.isnan")
def has_nan(x: Any) -> Any:
    """Whether any element is NaN, bool [1]."""
    return OPS["isnan"](x)


@deprecated_layer("paddle.isfinite")
def isfinite(x: Any) -> Any:
    """Whether all elements are finite, bool [1]."""
    return OPS["isfinite"](x)


@deprecated_layer("paddle.allclose")
def allclose(
    input: Any,
    other: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> Any:
    """Whether |input - other| <= atol + rtol * |other| for all elements, bool [1]."""
    return ensure_at_least_1d(
        OPS["allclose"](input, other, rtol=repr(rtol), atol=repr(atol), equal_nan=equal_nan)
    )
