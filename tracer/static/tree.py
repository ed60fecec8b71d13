"""Nested outputs: flattened for a program, which has only a list of them, and put together again after a run.

The nesting travels as JSON: an output is its number, None is null, a list a list, a tuple {"tuple": [..]}, a dict {"dict": {..}}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from ..core.errors import TraceError, with_user_line
from ..core.tensor import Tensor


def flatten(value: Any, single: str) -> tuple[list[tuple[str, Tensor]], str]:
    """Every tensor of nested containers with its path, and the nesting.   single: the path of a tensor that stands alone."""
    found: list[tuple[str, Tensor]] = []

    def walk(node: Any, path: str) -> Any:
        if node is None:
            return None
        if isinstance(node, Tensor):
            found.append((path or single, node))
            return len(found) - 1
        below = f"{path}." if path else ""
        if isinstance(node, dict):
            return {"dict": {str(k): walk(v, f"{below}{k}") for k, v in node.items()}}
        if isinstance(node, list | tuple):
            prefix = below or f"{single}_"
            items = [walk(v, f"{prefix}{i}") for i, v in enumerate(node)]
            return items if isinstance(node, list) else {"tuple": items}
        if hasattr(node, "joined"):
            why = f"a list whose length only a run knows ('{node.name}') is no result; stack or concat it"
            raise TraceError(with_user_line(why))
        raise TraceError(
            with_user_line(
                f"a model gives tensors, None, and lists, tuples and dicts of them, not {type(node).__name__}"
            )
        )

    tree = walk(value, "")
    return found, json.dumps(tree, separators=(",", ":"))


def builder(tree: str, count: int) -> Callable[[Sequence[Any]], Any]:
    """A function that nests a flat list of `count` outputs again; without a tree one output stands alone."""
    if not tree:
        return (lambda flat: flat[0]) if count == 1 else list
    shape = json.loads(tree)
    if shape == 0:
        return lambda flat: flat[0]

    def build(node: Any, flat: Sequence[Any]) -> Any:
        if node is None:
            return None
        if isinstance(node, int):
            return flat[node]
        if isinstance(node, list):
            return [build(n, flat) for n in node]
        if "tuple" in node:
            return tuple(build(n, flat) for n in node["tuple"])
        return {k: build(n, flat) for k, n in node["dict"].items()}

    return lambda flat: build(shape, flat)
