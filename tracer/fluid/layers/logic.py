"""Comparisons and truth values; what they give may be put into a variable that is there, as the
condition of a loop is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ..deprecated import instead
from .helper import into, one, today

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


def _comparison(kind: str) -> Callable[..., Any]:
    def layer(x: Any, y: Any, cond: Any = None) -> Any:
        return into(OPS[kind](x, y), cond)

    return _named(layer, kind, "cond")


def _connective(kind: str) -> Callable[..., Any]:
    def layer(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
        return into(OPS[kind](x, y), out)

    return _named(layer, kind, "out")


def _named(layer: Callable[..., Any], kind: str, target: str) -> Callable[..., Any]:
    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = (
        f"Whether x and y are {kind}, also put into `{target}`.   x [*], y the same or [1] -> "
        "bool [*]"
    )
    return instead(f"fluid.layers.{kind}", f"paddle.{kind}")(layer)


globals().update({kind: _comparison(kind) for kind in _COMPARISONS})
globals().update({kind: _connective(kind) for kind in _CONNECTIVES})


@today("paddle.less_than")
def less_than(x: Any, y: Any, force_cpu: bool | None = None, cond: Any = None) -> Any:
    """Whether x < y, also put into `cond`.   x [*], y the same or [1] -> bool [*]"""
    return into(OPS["less_than"](x, y), cond)


@today("paddle.equal_all")
def elementwise_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether x and y are equal, element by element.   x [*], y the same -> bool [*]"""
    return OPS["equal"](x, y)


@today("paddle.logical_not")
def logical_not(x: Any, out: Any = None, name: str | None = None) -> Any:
    """Whether x is not true, also put into `out`.   x bool [*] -> bool [*]"""
    return into(OPS["logical_not"](x), out)


@today("paddle.is_empty")
def is_empty(x: Any, cond: Any = None) -> Any:
    """Whether x has no element.   x [*] -> bool [1]"""
    return into(one(OPS["is_empty"](x)), cond)


@today("paddle.isinf")
def has_inf(x: Any) -> Any:
    """Whether an element is infinite.   x [*] -> bool [1]"""
    return OPS["isinf"](x)


@today("paddle.isnan")
def has_nan(x: Any) -> Any:
    """Whether an element is no number.   x [*] -> bool [1]"""
    return OPS["isnan"](x)


@today("paddle.isfinite")
def isfinite(x: Any) -> Any:
    """Whether all elements are finite.   x [*] -> bool [1]"""
    return OPS["isfinite"](x)


@today("paddle.allclose")
def allclose(
    input: Any,
    other: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> Any:
    """Whether |input - other| <= atol + rtol * |other| everywhere.

    input [*], other the same -> bool [1]
    """
    return one(OPS["allclose"](input, other, rtol=repr(rtol), atol=repr(atol), equal_nan=equal_nan))
