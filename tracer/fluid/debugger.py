"""Printing and drawing of programs: `fluid.debugger`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .graphviz import GraphPreviewGenerator, Node

__all__ = ["draw_block_graphviz", "pprint_block_codes", "pprint_program_codes"]


def pprint_program_codes(program_desc: Any) -> None:
    """Print a program."""
    for block in program_desc.blocks:
        pprint_block_codes(block)


def pprint_block_codes(block_desc: Any, show_backward: bool = False) -> None:
    """Print the ops of a block."""
    print(
        "\n".join(
            [
                "",
                f"// block-{block_desc.idx}  parent-{block_desc.parent_idx}",
                *map(str, block_desc.ops),
            ]
        )
    )


def draw_block_graphviz(block: Any, highlights: Any = None, path: str = "./temp.dot") -> None:
    """Write a block's variables and ops as input of Graphviz's `dot`.

    highlights: names of variables to color
    """
    highlighted = set(highlights or ())
    graph = GraphPreviewGenerator("some graph")
    nodes: dict[str, Node] = {}
    for name, variable in block.vars.items():
        is_highlighted = name in highlighted
        nodes[name] = (
            graph.add_param(name, str(variable.type), is_highlighted)
            if variable.persistable
            else graph.add_arg(name, is_highlighted)
        )
    for op in block.ops:
        node = graph.add_op(op.type)
        for name in (*op.input_arg_names, *op.output_arg_names):
            nodes[name] = nodes.get(name) or graph.add_arg(name)  # of an enclosing block
        for name in op.input_arg_names:
            graph.add_edge(nodes[name], node)
        for name in op.output_arg_names:
            graph.add_edge(node, nodes[name])
    Path(path).write_text(graph.graph.code(), encoding="utf-8")
