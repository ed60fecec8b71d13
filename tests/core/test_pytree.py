"""`core/pytree`: nested containers are flattened, mapped and rebuilt with their types."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core import pytree


class Point(NamedTuple):
    x: Any
    y: Any


class Options(dict[str, Any]):
    """A subclass of dict."""


TREES = [
    1,
    [1, (2, [3])],
    Point([1], 2),
    {"b": 1, "a": {"c": (2,)}},
    OrderedDict(b=1, a=2),
    defaultdict(list, {"a": [1, 2]}),
    [],
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_unflatten_inverts_flatten(tree: Any) -> None:
    leaves, spec = pytree.flatten(tree)
    rebuilt = pytree.unflatten(spec, leaves)
    assert rebuilt == tree
    assert type(rebuilt) is type(tree)
    assert pytree.num_leaves(spec) == len(leaves)


def test_key_order() -> None:
    tree = {"b": 1, "a": 2}
    assert pytree.flatten(tree)[0] == [1, 2]
    leaves, spec = pytree.flatten(tree, sort_keys=True)
    assert leaves == [2, 1]
    assert list(pytree.unflatten(spec, leaves)) == ["b", "a"]


def test_dict_subclass_with_tensors() -> None:
    plain = Options(a=1)
    assert pytree.flatten(plain)[0] == [plain]
    assert pytree.flatten(Options(a=np.ones(2)))[0][0].sum() == 2


def test_key_paths() -> None:
    _, spec = pytree.flatten({"x": [1, {"mask": 2}], "y": 3})
    assert pytree.subscript_paths(spec) == ["['x'][0]", "['x'][1]['mask']", "['y']"]
    assert pytree.dotted_paths(spec) == ["x.0", "x.1.mask", "y"]
    assert pytree.leaf_input_names("args", spec) == ["x_0", "mask", "y"]
    assert pytree.format_spec_root(spec) == "dict of 2"


def test_map_of_several_trees() -> None:
    mapped = pytree.map(lambda a, b: a + b, Point(1, [2]), Point(10, [20]))
    assert mapped == Point(11, [22])
    with pytest.raises(ValueError, match="zip"):
        pytree.map(lambda a, b: a, [1, 2], [1])


def test_map_rejects_different_structures() -> None:
    paths: list[str] = []

    def add(path: str, a: int, b: int) -> int:
        paths.append(path)
        return a + b

    assert pytree.map_pair_with_path(add, "v", [1, {"k": 2}], [3, {"k": 4}]) == [4, {"k": 6}]
    assert paths == ["v[0]", "v[1]['k']"]
    assert pytree.map_pair_with_path(add, "v", [1], (1,)) is pytree.STRUCTURE_MISMATCH
    assert pytree.map_pair_with_path(add, "v", 1, 2) is pytree.STRUCTURE_MISMATCH


def test_is_tensor_container() -> None:
    assert not pytree.is_dict_or_sequence_holding_tensors([[1.0, 2.0], [3.0, 4.0]])
    assert pytree.is_dict_or_sequence_holding_tensors([1, [paddle.ones([1])]])
    assert pytree.is_dict_or_sequence_holding_tensors({})
