"""Nested results of branches and loops: taken apart into leaves, compared, put together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

DIFFERENT = object()  # what `pairwise` gives for values that are not containers of the same shape


def flatten(value: Any) -> tuple[list[Any], Any]:
    """The leaves of tuples, lists and dicts, and their nesting: a leaf is its number."""
    leaves: list[Any] = []

    def walk(node: Any) -> Any:
        if type(node) in (list, tuple) or _is_named_tuple(node):
            return (type(node), [walk(v) for v in node])
        if isinstance(node, dict):
            return (dict, {k: walk(v) for k, v in node.items()})
        leaves.append(node)
        return len(leaves) - 1

    nesting = walk(value)
    return leaves, nesting


def build(nesting: Any, leaves: list[Any]) -> Any:
    """The value with other leaves."""
    if isinstance(nesting, int):
        return leaves[nesting]
    kind, inner = nesting
    if kind is dict:
        return {k: build(v, leaves) for k, v in inner.items()}
    items = [build(v, leaves) for v in inner]
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def pairwise(name: str, a: Any, b: Any, choose: Callable[[str, Any, Any], Any]) -> Any:
    """`choose` on the leaves of two containers of the same shape; DIFFERENT where they are not."""
    one, first = flatten(a)
    two, second = flatten(b)
    if first != second or isinstance(first, int):
        return DIFFERENT
    labels = [f"{name}{path}" for path in paths(first)]
    return build(first, [choose(n, x, y) for n, x, y in zip(labels, one, two, strict=True)])


def paths(nesting: Any) -> list[str]:
    """Where each leaf is: `[0]['key']`."""
    if isinstance(nesting, int):
        return [""]
    kind, inner = nesting
    items = inner.items() if kind is dict else enumerate(inner)
    return [f"[{key!r}]{rest}" for key, v in items for rest in paths(v)]


def shown(nesting: Any) -> str:
    """A nesting for an error."""
    if isinstance(nesting, int):
        return "a value"
    kind, inner = nesting
    return f"{kind.__name__} of {len(inner)}"


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")
