"""Find the op that produces each input of each op. A program may write a variable several times."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .graph import GraphBlock, GraphOp, ModelGraph

MAX_NESTED_BLOCKS = 20  # levels that are followed; a file may nest blocks arbitrarily


class Source(NamedTuple):
    """The origin of a value.

    kind: "op", "input" and "parameter" of the model, "block input" for a formal parameter of a
    subgraph, or "" if unknown.
    op: the number of the op that produces the value; -1 for other kinds.
    slot: the output slot; for other kinds than "op" the name.
    position: the position in the slot, or of the input.
    loop_variable: in a loop of Paddle, the position of the variable in the outputs of the loop: the
    source is that of the first iteration. -1 for other values.
    """

    kind: str
    op: int = -1
    slot: str = ""
    position: int = 0
    loop_variable: int = -1


@dataclass
class DataFlow:
    """The sources of all inputs. Ops are numbered block by block.

    first_op: the number of the first op of each block.
    inputs: for each op, the sources by input slot.
    outputs: the sources of the outputs of the model.
    sub_blocks: the indices of the blocks of each op that has some.
    block_results: for each sub-block, the sources of what it returns: the outputs of a subgraph of
    ONNX, or the values at its end of the variables that the op of the block writes.
    """

    first_op: list[int]
    inputs: list[dict[str, list[Source]]]
    outputs: list[Source] = field(default_factory=list)
    sub_blocks: dict[int, list[int]] = field(default_factory=dict)
    block_results: dict[int, list[Source]] = field(default_factory=dict)


def find_data_flow(graph: ModelGraph) -> DataFlow:
    """Return the data flow of a model."""
    first_op = [0]
    for block in graph.blocks:
        first_op.append(first_op[-1] + len(block.ops))
    flow = DataFlow(first_op[:-1], [{} for _ in range(first_op[-1])])
    values = {name: Source("parameter", slot=name) for name in graph.parameters}
    for i, arg in enumerate(graph.inputs):
        values[arg.name] = Source("input", slot=arg.name, position=i)
    _follow_block(graph, flow, 0, values, {0}, 0)
    flow.outputs = [values.get(arg.name, Source("")) for arg in graph.outputs]
    return flow


def _follow_block(
    graph: ModelGraph,
    flow: DataFlow,
    index: int,
    values: MutableMapping[str, Source],
    visited: set[int],
    depth: int,
) -> None:
    """Record the sources of the ops of a block; update `values`, the current source of each
    variable. Each block is followed once.
    """
    for number, op in enumerate(graph.blocks[index].ops, flow.first_op[index]):
        flow.inputs[number] = {
            slot: [values.get(name, Source("", slot=name)) for name in names]
            for slot, names in op.inputs.items()
        }
        for inner in op.blocks:
            if inner in visited or inner >= len(graph.blocks) or depth == MAX_NESTED_BLOCKS:
                continue
            visited.add(inner)
            flow.sub_blocks.setdefault(number, []).append(inner)
            block = graph.blocks[inner]
            local = _local_values(op, block, values)
            inner_values = local if block.is_function else ChainMap(local, values)
            _follow_block(graph, flow, inner, inner_values, visited, depth + 1)
            flow.block_results[inner] = [
                inner_values.get(name, Source("", slot=name))
                for name in block.outputs or op.output_names()
            ]
        for slot, names in op.outputs.items():
            for position, name in enumerate(names):
                values[name] = Source("op", number, slot, position)


def _local_values(
    op: GraphOp, block: GraphBlock, values: Mapping[str, Source]
) -> dict[str, Source]:
    """Return the sources of the formal parameters of a block, or of the variables of a loop."""
    local = {
        name: Source("block input", slot=name, position=k) for k, name in enumerate(block.inputs)
    }
    if op.type == "while":  # of Paddle
        for k, name in enumerate(op.output_names()):
            if name in values:
                local[name] = values[name]._replace(loop_variable=k)
    return local
