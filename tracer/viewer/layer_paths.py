"""The layer that each op of a graph belongs to, and the tree of layers."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .graph import GraphOp, LayerPath

# A group with more members than MAX_MEMBERS is divided into parts: a page with thousands of boxes
# at one level is slow and cannot be read.
MAX_MEMBERS = 120
PART_SIZE = 60
MAX_DEPTH = 20  # of nested layers; a file may contain any path


def split_layer_path(path: str) -> LayerPath:
    """Return the parts of a path such as `/layer1/0/conv/`."""
    return tuple(part for part in path.split("/") if part)[:MAX_DEPTH]


def complete_layer_paths(ops: Sequence[GraphOp], layer_names: Mapping[str, str]) -> None:
    """Set the layer of each op of a block that has none.

    The layer of an op with a parameter follows from the name of the parameter in the layer:
    `layer1.0.conv.weight` belongs to the layer `layer1/0/conv`. An op without parameters belongs to
    the innermost layer that contains the closest ops before and after it.

    layer_names: the names of parameters in the layer, by their names in the program
    """
    known = [op.layer or _layer_of_parameters(op, layer_names) for op in ops]
    following: list[LayerPath] = [()] * (len(ops) + 1)
    for i in reversed(range(len(ops))):
        following[i] = known[i] or following[i + 1]
    previous: LayerPath = ()
    for op, layer, after in zip(ops, known, following[1:], strict=True):
        op.layer = layer or _common_prefix(previous, after)
        previous = layer or previous


def _common_prefix(a: LayerPath, b: LayerPath) -> LayerPath:
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))
    return tuple(part for part, _ in same)


def _layer_of_parameters(op: GraphOp, layer_names: Mapping[str, str]) -> LayerPath:
    layers = [
        tuple(layer_names[name].split(".")[:-1])[:MAX_DEPTH]
        for names in op.inputs.values()
        for name in names
        if layer_names.get(name)
    ]
    return functools.reduce(_common_prefix, layers) if layers else ()


@dataclass
class LayerGroup:
    """The ops of one call of a layer.

    id: unique among the groups of a model, such as `layer1/0/`.
    members: indices of ops, and groups, in the order of execution.
    """

    id: str
    name: str
    members: list[int | LayerGroup] = field(default_factory=list)


def group_by_layer(paths: Iterable[LayerPath], prefix: str = "") -> LayerGroup:
    """Return the tree of layers of a block.

    Each group is a contiguous range of ops. So a layer that is called twice has two groups, and
    the graph of the groups has no cycle.

    paths: the layer of each op
    prefix: of the ids of the groups
    """
    root = LayerGroup(prefix, "")
    counts: dict[str, int] = {}
    stack = [root]
    open_path: LayerPath = ()
    for index, path in enumerate(paths):
        common = len(_common_prefix(open_path, path))
        del stack[common + 1 :]
        for name in path[common:]:
            parent = stack[-1]
            id = f"{parent.id}{name}"
            counts[id] = counts.get(id, 0) + 1
            number = f"#{counts[id]}" if counts[id] > 1 else ""
            group = LayerGroup(f"{id}{number}/", name)
            parent.members.append(group)
            stack.append(group)
        stack[-1].members.append(index)
        open_path = path
    _divide_large_groups(root)
    return root


def _divide_large_groups(group: LayerGroup) -> None:
    for member in group.members:
        if isinstance(member, LayerGroup):
            _divide_large_groups(member)
    while len(group.members) > MAX_MEMBERS:
        starts = range(0, len(group.members), PART_SIZE)
        group.members = [
            LayerGroup(
                f"{group.id}part {number} of {len(starts)}/",
                f"part {number} of {len(starts)}",
                group.members[start : start + PART_SIZE],
            )
            for number, start in enumerate(starts, 1)
        ]
