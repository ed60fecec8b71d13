"""Pytrees: nested lists, tuples, named tuples and dicts, flattened to leaves and a spec.

A spec describes the structure. The spec of a leaf is its index. The spec of a container is a pair:
a factory that constructs the container, and the specs of its children (a list or a dict). Two specs
are equal if the structures are equal.

A function decides which values are containers. It maps a value to its factory and children, or to
None for a leaf:

- `flatten_one_level_builtin_or_tensor_dict` (the default of `flatten`): `list`, `tuple`, named
  tuples, `dict`, `OrderedDict` and `defaultdict`, without subclasses. An instance of another
  subclass of dict is a container only if it holds a tensor, as in Paddle.
- `flatten_one_level_with_subclasses`: instances of list, tuple and dict, including subclasses.
- `flatten_one_level_any_sequence`: any dict, and any sequence except strings.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

FactoryAndChildren = tuple[Any, list[Any] | dict[Any, Any]]
STRUCTURE_MISMATCH = object()  # `map_pair_with_path` returns it for trees of different structures
_TENSOR_TYPES: list[type] = [np.ndarray]  # `Tensor` registers itself
_UNWRAP_BY_PROXY_TYPE: dict[type, Callable[[Any], Any]] = {}


@dataclass(frozen=True)
class DefaultDictFactory:
    """A factory that constructs a defaultdict with the same default factory as another one."""

    default_factory: Any
    __name__ = "defaultdict"

    def __call__(self, items: Mapping[Any, Any]) -> Any:
        """Return a defaultdict with these items and the stored default factory."""
        return defaultdict(self.default_factory, items)


def register_tensor_type(kind: type) -> None:
    """Register a tensor class: `flatten` treats a subclass of dict as a container if it holds an
    instance of `kind`.
    """
    _TENSOR_TYPES.append(kind)


def register_unwrapped_proxy_type(kind: type, unwrap: Callable[[Any], Any]) -> None:
    """Register a proxy class: `flatten` replaces each value whose type is exactly `kind` by
    `unwrap(value)`.
    """
    _UNWRAP_BY_PROXY_TYPE[kind] = unwrap


def flatten_one_level_builtin_or_tensor_dict(value: Any) -> FactoryAndChildren | None:
    """Split a container into a factory, which rebuilds it, and its children. Containers are the
    built-in ones, and dict subclasses that contain a tensor. Return None for a leaf.
    """
    kind = type(value)
    if kind in (list, tuple) or _is_named_tuple(value):
        return kind, list(value)
    if kind is defaultdict:
        return DefaultDictFactory(value.default_factory), {k: value[k] for k in value}
    if kind in (dict, OrderedDict) or (isinstance(value, dict) and _contains_tensor(value)):
        return kind, {k: value[k] for k in value}
    return None


def flatten_one_level_with_subclasses(value: Any) -> FactoryAndChildren | None:
    """Split a list, tuple or dict of any subclass into a factory, which rebuilds it, and its
    children. Return None for a leaf. The factory of every dict is `dict`, also for subclasses.
    """
    if isinstance(value, list | tuple):
        return type(value), list(value)
    return (dict, dict(value.items())) if isinstance(value, dict) else None


def flatten_one_level_any_sequence(value: Any) -> FactoryAndChildren | None:
    """Split any dict or sequence other than a string into a factory, which rebuilds it, and its
    children. `paddle.utils.map_structure` and `fluid.layers.utils` define containers in this way.
    """
    if isinstance(value, dict):
        return type(value), {key: value[key] for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return type(value), list(value)
    return None


def flatten(
    tree: Any,
    sort_keys: bool = False,
    children_of: Callable[
        [Any], FactoryAndChildren | None
    ] = flatten_one_level_builtin_or_tensor_dict,
) -> tuple[list[Any], Any]:
    """Return the leaves and the spec of a tree.

    sort_keys: number the leaves of a dict in the order of its sorted keys, as Paddle orders the
    inputs and outputs of a program. The spec keeps the insertion order in both cases.
    """
    leaves: list[Any] = []

    def visit(node: Any) -> Any:
        unwrap = _UNWRAP_BY_PROXY_TYPE.get(type(node))
        if unwrap is not None:
            node = unwrap(node)
        found = children_of(node)
        if found is None:
            leaves.append(node)
            return len(leaves) - 1
        factory, children = found
        if isinstance(children, list):
            return factory, [visit(child) for child in children]
        keys = sorted_keys_or_insertion_order(children) if sort_keys else children
        specs = {key: visit(children[key]) for key in keys}
        return factory, {key: specs[key] for key in children}

    spec = visit(tree)
    return leaves, spec


def unflatten(spec: Any, leaves: Sequence[Any]) -> Any:
    """Return the tree with the structure of `spec` and the given leaves; the inverse of
    `flatten`.
    """
    if isinstance(spec, int):
        return leaves[spec]
    factory, children = spec
    if isinstance(children, dict):
        return factory({key: unflatten(child, leaves) for key, child in children.items()})
    return construct_sequence(factory, [unflatten(child, leaves) for child in children])


def construct_sequence(factory: Any, items: list[Any]) -> Any:
    """Construct a list, tuple or named tuple from `items` with its factory."""
    return factory(*items) if hasattr(factory, "_fields") else factory(items)


def leaves(tree: Any) -> list[Any]:
    """Return the leaves of nested lists, tuples and dicts. Subclasses of list, tuple and dict are
    containers, too.
    """
    return flatten(tree, children_of=flatten_one_level_with_subclasses)[0]


def map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Apply a function to the leaves of nested lists, tuples and dicts, and return the results in
    the same structure. Subclasses of list, tuple and dict are containers, too.

    others: trees with at least the structure of `tree`; the function receives their items as
    further arguments.
    """
    found = flatten_one_level_with_subclasses(tree)
    if found is None:
        return function(tree, *others)
    factory, children = found
    if isinstance(children, dict):
        return {
            key: map(function, child, *(other[key] for other in others))
            for key, child in children.items()
        }
    return construct_sequence(
        factory, [map(function, *items) for items in zip(children, *others, strict=True)]
    )


def map_pair_with_path(function: Callable[[str, Any, Any], Any], name: str, a: Any, b: Any) -> Any:
    """Apply `function(path, leaf of a, leaf of b)` to two containers of the same structure.

    name: the prefix of the paths.

    Returns STRUCTURE_MISMATCH if the structures differ or `a` and `b` are leaves.
    """
    leaves_a, spec = flatten(a)
    leaves_b, spec_b = flatten(b)
    if spec != spec_b or isinstance(spec, int):
        return STRUCTURE_MISMATCH
    paths = [f"{name}{path}" for path in subscript_paths(spec)]
    pairs = zip(paths, leaves_a, leaves_b, strict=True)
    return unflatten(spec, [function(*pair) for pair in pairs])


def sorted_keys_or_insertion_order(items: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of a dict in sorted order, or in insertion order if they cannot be
    compared.
    """
    try:
        return sorted(items)
    except TypeError:
        return list(items)


def num_leaves(spec: Any) -> int:
    """Count the leaves of a spec."""
    return len(subscript_paths(spec))


def subscript_paths(spec: Any) -> list[str]:
    """Return the path of each leaf in Python syntax: `[0]['key']`.

    The paths are in the order of the containers. Those of `dotted_paths` and `leaf_input_names` are
    in the order of the leaf indices, which differs if `flatten` sorted the keys.
    """
    if isinstance(spec, int):
        return [""]
    return [
        f"[{key!r}]{path}"
        for key, child in _iter_keys_and_child_specs(spec)
        for path in subscript_paths(child)
    ]


def leaf_input_names(name: str, spec: Any) -> list[str]:
    """Return a name for each leaf of a tree called `name`. An item of a list gets the name of the
    list with the suffix `_<index>`; an item of a dict gets its key as name.
    """
    return _names_in_leaf_index_order(_iter_index_and_leaf_name(name, spec))


def dotted_paths(spec: Any) -> list[str]:
    """Return the path of each leaf in the form that model contracts use: `extra.mask.0`."""
    return _names_in_leaf_index_order(iter_index_and_dotted_path(spec))


def iter_index_and_dotted_path(spec: Any, prefix: str = "") -> Iterator[tuple[int, str]]:
    """Yield the index and the dotted path of each leaf."""
    if isinstance(spec, int):
        yield spec, prefix
        return
    for key, child in _iter_keys_and_child_specs(spec):
        yield from iter_index_and_dotted_path(child, f"{prefix}.{key}" if prefix else str(key))


def is_dict_or_sequence_holding_tensors(value: Any) -> bool:
    """Whether a value is a dict, or a list or tuple that contains tensors, arrays or dicts at any
    depth. Return False for a list of numbers, because it may be the data of an array.
    """
    if isinstance(value, dict):
        return True
    if not isinstance(value, list | tuple):
        return False
    # there are few types, even in a list of a million numbers
    kinds = {type(item) for item in value}
    if any(issubclass(kind, (*_TENSOR_TYPES, dict)) for kind in kinds):
        return True
    has_sequences = any(issubclass(kind, (list, tuple)) for kind in kinds)
    return has_sequences and any(is_dict_or_sequence_holding_tensors(item) for item in value)


def format_spec_root(spec: Any) -> str:
    """Format a spec for an error message."""
    if isinstance(spec, int):
        return "a value"
    factory, children = spec
    return f"{factory.__name__} of {len(children)}"


def _iter_keys_and_child_specs(spec: Any) -> Iterable[tuple[Any, Any]]:
    """Return pairs of the key or index of a child and the spec of the child, for the spec of a
    container.
    """
    children = spec[1]
    return children.items() if isinstance(children, dict) else enumerate(children)


def _iter_index_and_leaf_name(name: str, spec: Any) -> Iterator[tuple[int, str]]:
    if isinstance(spec, int):
        yield spec, name
        return
    is_dict = isinstance(spec[1], dict)
    for key, child in _iter_keys_and_child_specs(spec):
        yield from _iter_index_and_leaf_name(str(key) if is_dict else f"{name}_{key}", child)


def _names_in_leaf_index_order(indexed: Iterable[tuple[int, str]]) -> list[str]:
    return [name for _, name in sorted(indexed, key=itemgetter(0))]


def _contains_tensor(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        return any(
            _contains_tensor(v) for v in (value.values() if isinstance(value, dict) else value)
        )
    return isinstance(value, tuple(_TENSOR_TYPES))


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")
