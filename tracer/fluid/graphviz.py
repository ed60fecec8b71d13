"""`fluid.graphviz`: build a graph of nodes, edges and ranks, and write it in the language of
Graphviz's `dot`. The caller adds the nodes; the classes of this module do not read programs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["Edge", "Graph", "GraphPreviewGenerator", "Node", "Rank", "crepr"]


def crepr(v: Any) -> str:
    """Return a value in the syntax of dot, with quotes for a str."""
    return f'"{v}"' if isinstance(v, str) else str(v)


def _format_dot_attrs(attrs: dict[str, Any]) -> str:
    return ",".join(f"{key}={crepr(value)}" for key, value in sorted(attrs.items()))


class Rank:
    """Nodes on one level. kind: source, sink, same, min or max"""

    def __init__(self, kind: str, name: str, priority: int) -> None:
        self.kind, self.name, self.priority = kind, name, priority
        self.nodes: list[Node] = []

    def __str__(self) -> str:
        names = ",".join(node.name for node in self.nodes)
        return f"{{rank={self.kind};{names}}}" if self.nodes else ""


class Node:
    """A node. prefix: start of its name"""

    counter = 1

    def __init__(self, label: Any, prefix: str, description: str = "", **attrs: Any) -> None:
        self.label, self.description, self.attrs = label, description, attrs
        self.name = f"{prefix}_{Node.counter}"
        Node.counter += 1

    def __str__(self) -> str:
        return f"{self.name} [label={self.label} {_format_dot_attrs(self.attrs)}];"


class Edge:
    """A directed edge."""

    def __init__(self, source: Node, target: Node, **attrs: Any) -> None:
        self.source, self.target, self.attrs = source, target, attrs

    def __str__(self) -> str:
        return f"{self.source.name}->{self.target.name} [{_format_dot_attrs(self.attrs)}]"


class Graph:
    """A graph of nodes, edges and levels."""

    rank_counter = 0

    def __init__(self, title: str, **attrs: Any) -> None:
        self.title, self.attrs = title, attrs
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.rank_groups: dict[str, Rank] = {}

    def code(self) -> str:
        """Return the graph as text in the syntax of Graphviz's `dot`."""
        return str(self)

    def rank_group(self, kind: str, priority: int) -> str:
        """Add a group of nodes that are drawn on the same level (rank), and return its name."""
        name = f"rankgroup-{Graph.rank_counter}"
        Graph.rank_counter += 1
        self.rank_groups[name] = Rank(kind, name, priority)
        return name

    def node(self, label: Any, prefix: str, description: str = "", **attrs: Any) -> Node:
        """Add a node."""
        node = Node(label, prefix, description, **attrs)
        if "rank" in attrs:
            self.rank_groups[node.attrs.pop("rank")].nodes.append(node)
        self.nodes.append(node)
        return node

    def edge(self, source: Node, target: Node, **attrs: Any) -> Edge:
        """Add an edge."""
        edge = Edge(source, target, **attrs)
        self.edges.append(edge)
        return edge

    def compile(self, dot_path: str) -> str:
        """Write the graph to the file `dot_path`, and convert it to PDF if `dot` is installed.
        Returns the path of the PDF file.
        """
        Path(dot_path).write_text(str(self), encoding="utf-8")
        pdf_path = str(Path(dot_path).with_suffix(".pdf"))
        if shutil.which("dot"):
            subprocess.run(["dot", "-Tpdf", dot_path, "-o", pdf_path], check=False)
        return pdf_path

    show = compile

    def __str__(self) -> str:
        lines = ["digraph G {", f"title = {crepr(self.title)}"]
        lines += [f"{key}={crepr(value)};" for key, value in self.attrs.items()]
        lines += [str(rank) for rank in sorted(self.rank_groups.values(), key=lambda r: r.priority)]
        lines += [str(node) for node in sorted(self.nodes, key=lambda n: n.name)] + [
            str(edge) for edge in self.edges
        ]
        return "\n".join([*lines, "}"])


class GraphPreviewGenerator:
    """Builder of a graph with three kinds of nodes: parameters, ops and other variables."""

    def __init__(self, title: str) -> None:
        self.graph = Graph(title, layout="dot", concentrate="true", rankdir="TB")
        self.op_rank = self.graph.rank_group("same", 2)
        self.param_rank = self.graph.rank_group("same", 1)
        self.arg_rank = self.graph.rank_group("same", 0)

    def __call__(self, path: str = "temp.dot", show: bool = False) -> None:
        """Write the graph to `path`, and convert it to PDF if `dot` is installed."""
        self.graph.compile(path)

    def add_param(self, name: str, data_type: Any, highlight: bool = False) -> Node:
        """Add a node for a parameter."""
        color = "#00CED1" if highlight else "#EED2EE"
        return self.graph.node(
            crepr(f"{name}\\n{data_type}"),
            "param",
            name,
            shape="box",
            style="filled",
            fillcolor=color,
        )

    def add_op(self, opType: str, **kwargs: Any) -> Node:
        """Add a node for an op."""
        kwargs.pop("highlight", None)
        return self.graph.node(
            crepr(opType),
            "op",
            opType,
            shape="box",
            style="rounded, filled, bold",
            color="#303A3A",
            **kwargs,
        )

    def add_arg(self, name: str, highlight: bool = False) -> Node:
        """Add a node for a variable that is not a parameter."""
        color = "#FF7F00" if highlight else "#ADD8E6"
        return self.graph.node(
            crepr(name), "arg", name, shape="box", style="rounded,filled,bold", color=color
        )

    def add_edge(self, source: Node, target: Node, **kwargs: Any) -> Edge:
        """Add an edge."""
        kwargs.pop("highlight", None)
        return self.graph.edge(source, target, **kwargs)
