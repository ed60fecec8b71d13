"""Nested outputs of a program. A program returns a flat list of tensors, from which the nested
lists, tuples and dicts are rebuilt after a run.

The structure is stored as JSON. An output is its index, None is null, a list is a list, a tuple is
{"tuple": [..]}, a dict is {"dict": {..}}, a number or string is {"value": ..}.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core import pytree
from ..core.errors import TraceError, VerifyError, append_user_line
from ..core.tensor import Tensor
from .control.tensor_arrays import TensorArray

PLAIN_TYPES = (bool, int, float, str)


def flatten(value: Any, single: str) -> tuple[list[tuple[str, Tensor]], str]:
    """Return the tensors in nested containers with their paths, and the nesting as JSON.

    single: the path of the tensor if `value` is a tensor.

    The tensors of a dict are in the order of its sorted keys, as in Paddle's files. Keys become
    strings; raises TraceError for keys that are not different as strings.
    """
    leaves, spec = pytree.flatten(value)
    outputs: list[tuple[str, Tensor]] = []

    def node_to_json(node: Any, path: str) -> Any:
        if isinstance(node, int):
            return leaf_to_json(leaves[node], path)
        kind, inner = node
        below = f"{path}." if path else ""
        if isinstance(inner, dict):
            if len({str(k) for k in inner}) < len(inner):
                why = f"two of the keys {list(inner)} of a result are the same string"
                raise TraceError(append_user_line(why))
            items = {
                k: node_to_json(inner[k], f"{below}{k}")
                for k in pytree.sorted_keys_or_insertion_order(inner)
            }
            return {"dict": {str(k): items[k] for k in inner}}
        listed = [node_to_json(v, f"{below or f'{single}_'}{i}") for i, v in enumerate(inner)]
        return listed if kind is list else {"tuple": listed}

    def leaf_to_json(value: Any, path: str) -> Any:
        if value is None:
            return None
        if isinstance(value, np.generic):
            value = value.item()
        if type(value) in PLAIN_TYPES:
            return {"value": value}
        _require_tensor_leaf(value)
        outputs.append((path or single, value))
        return len(outputs) - 1

    return outputs, json.dumps(node_to_json(spec, ""), separators=(",", ":"))


def _require_tensor_leaf(leaf: Any) -> None:
    """Raise TraceError for a leaf that is not a tensor."""
    if isinstance(leaf, TensorArray):
        why = (
            f"a list whose length is known only at run time ('{leaf.name}') cannot be returned; "
            f"stack or concatenate its elements"
        )
        raise TraceError(append_user_line(why))
    if not isinstance(leaf, Tensor):
        what = "tensors, numbers, strings, None, and lists, tuples and dicts of them"
        why = f"a model returns {what}, not {type(leaf).__name__}"
        raise TraceError(append_user_line(why))


def make_result_unflattener(tree: str, count: int) -> Callable[[Sequence[Any]], Any]:
    """Return a function that rebuilds the nested result from a flat list of `count` outputs. If the
    JSON structure `tree` is empty, the function returns a single output as a tensor and several
    outputs as a list.
    """
    if not tree:
        return (lambda flat: flat[0]) if count == 1 else list
    constants: list[Any] = [None]
    spec = _json_to_spec_collecting_constants(json.loads(tree), count, constants)
    if spec == 0 and count:
        return lambda flat: flat[0]
    return lambda flat: pytree.unflatten(spec, [*flat, *constants])


def _json_to_spec_collecting_constants(node: Any, count: int, constants: list[Any]) -> Any:
    """Convert a nesting from JSON to the spec of a pytree.

    constants: the leaves after the `count` outputs, starting with None; the constants of the
    structure are appended.
    """
    if node is None or isinstance(node, int):
        return count if node is None else node
    if isinstance(node, list):
        return list, [_json_to_spec_collecting_constants(n, count, constants) for n in node]
    if "tuple" in node:
        return tuple, [
            _json_to_spec_collecting_constants(n, count, constants) for n in node["tuple"]
        ]
    if "value" in node:
        constants.append(node["value"])
        return count + len(constants) - 1
    return dict, {
        k: _json_to_spec_collecting_constants(n, count, constants) for k, n in node["dict"].items()
    }


def require_structure_of_output_tree(tree: str, value: Any) -> None:
    """Raise StructureError if the structure of `value` differs from `tree`: different keys, lengths
    or containers, or None instead of a tensor.
    """
    recorded, found = json.loads(tree), json.loads(flatten(value, "out")[1])
    why = _describe_difference(recorded, found, "")
    if why:
        raise StructureError(
            f"the program returns {_format_structure(recorded)}, Python returns "
            f"{_format_structure(found)}{why}"
        )


class StructureError(VerifyError):
    """Raised if the function in Python and the program return different nestings."""


def _describe_difference(recorded: Any, found: Any, path: str) -> str:
    """Return a text that says where two nestings differ; an empty string if they are equal."""
    one, two = _container_kind_and_items(recorded), _container_kind_and_items(found)
    if one is None or two is None:
        alike = one is two and (recorded is None) == (found is None)
        return "" if alike else f" (at {path or 'the result'})"
    if one[0] != two[0] or list(one[1]) != list(two[1]):
        return f" (at {path or 'the result'})"
    inner = (_describe_difference(one[1][key], two[1][key], f"{path}[{key!r}]") for key in one[1])
    return next(filter(None, inner), "")


def _container_kind_and_items(node: Any) -> tuple[str, dict[Any, Any]] | None:
    """Return the kind of a container ("list", "tuple" or "dict") and its items; None for a leaf."""
    if isinstance(node, list):
        return "list", dict(enumerate(node))
    if not isinstance(node, dict) or "value" in node:
        return None
    return ("tuple", dict(enumerate(node["tuple"]))) if "tuple" in node else ("dict", node["dict"])


def _format_structure(node: Any) -> str:
    """Format a nesting in Python syntax, with `...` for values."""
    container = _container_kind_and_items(node)
    if container is None:
        return "None" if node is None else "..."
    inner = [
        f"{key!r}: {_format_structure(v)}" if container[0] == "dict" else _format_structure(v)
        for key, v in container[1].items()
    ]
    left, right = {"list": ("[", "]"), "tuple": ("(", ")"), "dict": ("{", "}")}[container[0]]
    comma = "," if container[0] == "tuple" and len(inner) == 1 else ""
    return f"{left}{', '.join(inner)}{comma}{right}"


def select_outputs_checking_constants(tree: str, leaves: Sequence[Any]) -> list[Any]:
    """Return those of `leaves` that are outputs of the program, in the order of the outputs.

    Raises VerifyError if a constant differs from the recorded one.
    """
    outputs = {}
    for node, leaf in zip(_iter_leaf_nodes(json.loads(tree)), leaves, strict=True):
        if isinstance(node, int):
            outputs[node] = leaf
        elif node is not None and not _is_equal_or_both_nan(leaf, node["value"]):
            raise VerifyError(
                f"the function returned the Python value {node['value']!r} during recording, "
                f"but is now {leaf!r}"
            )
    return [outputs[mark] for mark in sorted(outputs)]


def _is_equal_or_both_nan(a: Any, b: Any) -> bool:
    are_floats = isinstance(a, float) and isinstance(b, float)
    return bool(a == b) or (are_floats and math.isnan(a) and math.isnan(b))


def _iter_leaf_nodes(node: Any) -> Iterator[Any]:
    """Yield the JSON nodes that are leaves of a nesting: outputs, constants and null."""
    if node is None or isinstance(node, int) or "value" in node:
        yield node
        return
    inner = (
        node
        if isinstance(node, list)
        else node["tuple"]
        if "tuple" in node
        else node["dict"].values()
    )
    for item in inner:
        yield from _iter_leaf_nodes(item)
