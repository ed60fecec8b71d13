"""Graphs of programs: `fluid.net_drawer`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .graphviz import Graph, Node

__all__ = ["draw_graph", "parse_graph"]


def parse_graph(program: Any, graph: Graph, var_dict: dict[str, Node], **kwargs: Any) -> None:
    """Add the ops of a program, with edges for the variables between them.

    var_dict: the node that writes each variable; updated
    """
    for op in program.global_block().ops:
        node = graph.node(f'"{op.type}"', "op", shape="box")
        for name in op.input_arg_names:
            if name in var_dict:
                graph.edge(var_dict[name], node, label=name)
        var_dict.update(dict.fromkeys(op.output_arg_names, node))


def draw_graph(startup_program: Any, main_program: Any, **kwargs: Any) -> Graph:
    """Return a graph of the startup program and the main program. If `filename` is given, the graph
    is also written to this file, for Graphviz's `dot`.

    kwargs: filename, graph_attr
    """
    graph = Graph("Program", **kwargs.get("graph_attr", {}))
    var_dict: dict[str, Node] = {}
    for program in (startup_program, main_program):
        parse_graph(program, graph, var_dict)
    if kwargs.get("filename"):
        Path(kwargs["filename"]).write_text(graph.code(), encoding="utf-8")
    return graph
