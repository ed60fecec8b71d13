"""Nested outputs: flattened for a program, which has only a list of them, and put together again after a run.

The nesting travels as JSON: an output is its number, None is null, a list a list, a tuple {"tuple": [..]}, a dict {"dict": {..}}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from ..core.errors import TraceError, with_user_line
from ..core.tensor import Tensor
from .control import nest
from .control.arrays import TensorArray


def flatten(value: Any, single: str) -> tuple[list[tuple[str, Tensor]], str]:
    """Every tensor of nested containers with its path, and the nesting.   single: the path of a tensor that stands alone."""
    leaves, nesting = nest.flatten(value)
    found: list[tuple[str, Tensor]] = []

    def written(node: Any, path: str) -> Any:
        if isinstance(node, int):
            return leaf(leaves[node], path)
        kind, inner = node
        below = f"{path}." if path else ""
        if isinstance(inner, dict):
            return {"dict": {str(k): written(v, f"{below}{k}") for k, v in inner.items()}}
        items = [written(v, f"{below or f'{single}_'}{i}") for i, v in enumerate(inner)]
        return items if kind is list else {"tuple": items}

    def leaf(value: Any, path: str) -> int | None:
        if value is None:
            return None
        _refuse_other(value)
        found.append((path or single, value))
        return len(found) - 1

    return found, json.dumps(written(nesting, ""), separators=(",", ":"))


def _refuse_other(leaf: Any) -> None:
    """Raise TraceError for what is no tensor."""
    if isinstance(leaf, TensorArray):
        why = f"a list whose length only a run knows ('{leaf.name}') is no result; stack or concat it"
        raise TraceError(with_user_line(why))
    if not isinstance(leaf, Tensor):
        why = f"a model gives tensors, None, and lists, tuples and dicts of them, not {type(leaf).__name__}"
        raise TraceError(with_user_line(why))


def builder(tree: str, count: int) -> Callable[[Sequence[Any]], Any]:
    """A function that nests a flat list of `count` outputs again; without a tree one output stands alone."""
    if not tree:
        return (lambda flat: flat[0]) if count == 1 else list
    nesting = _nesting(json.loads(tree), count)
    if nesting == 0:
        return lambda flat: flat[0]
    return lambda flat: nest.build(nesting, [*flat, None])


def _nesting(node: Any, none: int) -> Any:
    """What was written, as `nest` has it.   none: the number that stands for None."""
    if node is None or isinstance(node, int):
        return none if node is None else node
    if isinstance(node, list):
        return list, [_nesting(n, none) for n in node]
    if "tuple" in node:
        return tuple, [_nesting(n, none) for n in node["tuple"]]
    return dict, {k: _nesting(n, none) for k, n in node["dict"].items()}
