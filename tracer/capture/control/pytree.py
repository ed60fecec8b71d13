"""Nested results of branches and loops: taken apart into leaves, compared, put together again.

Lists, tuples, named tuples and Python's own kinds of dicts are taken apart, and keep their type.
A class of somebody's that inherits from dict is made again of its items where these hold a tensor,
as real Paddle does; all others are leaves.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from ...core.tensor import Tensor
from ...ir.input_spec import InputSpec
from ..modes import SymbolicShape
from .may_alias import plain

DIFFERENT = object()  # what `pairwise` gives for values that are not containers of the same shape


@dataclass(frozen=True)
class Defaulting:
    """The type of a defaultdict, with what makes its values."""

    factory: Any
    __name__ = "defaultdict"

    def __call__(self, items: Mapping[Any, Any]) -> Any:
        """One with these items."""
        return defaultdict(self.factory, items)


def flatten(value: Any, sort_keys: bool = False) -> tuple[list[Any], Any]:
    """The leaves of tuples, lists and dicts, and their nesting: a leaf is its number.

    sort_keys: number the leaves of a dict in the order of its sorted keys, as Paddle orders the
    inputs and outputs of a program; keys that do not compare keep their order. The nesting keeps
    the order of insertion either way.
    """
    leaves: list[Any] = []

    def walk(node: Any) -> Any:
        if isinstance(node, SymbolicShape):
            node = node[:]  # with values of the program for sizes that only a run knows
        node = plain(node)
        if type(node) in (list, tuple) or _is_named_tuple(node):
            return (type(node), [walk(v) for v in node])
        if type(node) in (dict, OrderedDict, defaultdict) or (
            isinstance(node, dict) and _holds_tensor(node)
        ):
            kind = Defaulting(node.default_factory) if type(node) is defaultdict else type(node)
            keys = sorted_keys(node) if sort_keys else list(node)
            walked = {k: walk(node[k]) for k in keys}
            return (kind, {k: walked[k] for k in node})
        leaves.append(node)
        return len(leaves) - 1

    nesting = walk(value)
    return leaves, nesting


def sorted_keys(items: Mapping[Any, Any]) -> list[Any]:
    """The keys of a dict in sorted order, or in insertion order if they are not comparable."""
    try:
        return sorted(items)
    except TypeError:
        return list(items)


def build(nesting: Any, leaves: list[Any]) -> Any:
    """The value with other leaves."""
    if isinstance(nesting, int):
        return leaves[nesting]
    kind, inner = nesting
    if isinstance(inner, dict):
        return kind({k: build(v, leaves) for k, v in inner.items()})
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
    _, inner = nesting
    items = inner.items() if isinstance(inner, dict) else enumerate(inner)
    return [f"[{key!r}]{rest}" for key, v in items for rest in paths(v)]


def names(name: str, nesting: Any) -> list[str]:
    """What each leaf is called, of something called `name`: with a number inside of a list, the key
    inside of a dict.
    """
    return _in_order_of_leaves(_numbered_names(name, nesting))


def _numbered_names(name: str, nesting: Any) -> Iterator[tuple[int, str]]:
    if isinstance(nesting, int):
        yield nesting, name
        return
    _, inner = nesting
    if isinstance(inner, dict):
        for key, item in inner.items():
            yield from _numbered_names(str(key), item)
    else:
        for i, item in enumerate(inner):
            yield from _numbered_names(f"{name}_{i}", item)


def _in_order_of_leaves(numbered: Iterable[tuple[int, str]]) -> list[str]:
    """Names in the order of their leaves."""
    return [name for _, name in sorted(numbered, key=itemgetter(0))]


def dotted(nesting: Any, above: str = "") -> list[str]:
    """Where each leaf is, as contracts have it: `extra.mask.0`."""
    return _in_order_of_leaves(numbered_paths(nesting, above))


def numbered_paths(nesting: Any, above: str = "") -> Iterator[tuple[int, str]]:
    """The number and the path of each leaf, in the form used in contracts."""
    if isinstance(nesting, int):
        yield nesting, above
        return
    _, inner = nesting
    for key, item in inner.items() if isinstance(inner, dict) else enumerate(inner):
        yield from numbered_paths(item, f"{above}.{key}" if above else str(key))


def holds_values(value: Any) -> bool:
    """Whether a list, tuple or dict is a container of tensors or arrays, and not the numbers of
    one.
    """
    if isinstance(value, dict):
        return True
    if not isinstance(value, list | tuple):
        return False
    kinds = set(map(type, value))  # few, of a million numbers as well
    if any(issubclass(kind, (Tensor, np.ndarray, dict)) for kind in kinds):
        return True
    return any(issubclass(kind, (list, tuple)) for kind in kinds) and any(map(holds_values, value))


def shown(nesting: Any) -> str:
    """A nesting for an error."""
    if isinstance(nesting, int):
        return "a value"
    kind, inner = nesting
    return f"{kind.__name__} of {len(inner)}"


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        return any(map(_holds_tensor, value.values() if isinstance(value, dict) else value))
    return isinstance(value, Tensor | np.ndarray | InputSpec)


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")
