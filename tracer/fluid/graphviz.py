"""Pictures of graphs as text for Graphviz's `dot`: fluid.graphviz."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

__all__ = ["Edge", "Graph", "GraphPreviewGenerator", "Node", "Rank", "crepr"]


def crepr(v: Any) -> str:
    """A value as dot writes it: texts in quotes."""
    return f'"{v}"' if isinstance(v, str) else str(v)


def _listed(attrs: dict[str, Any]) -> str:
    return ",".join(f"{key}={crepr(value)}" for key, value in sorted(attrs.items()))


class Rank:
    """Nodes on one level.   kind: source, sink, same, min or max"""

    def __init__(self, kind: str, name: str, priority: int) -> None:
        self.kind, self.name, self.priority = kind, name, priority
        self.nodes: list[Node] = []

    def __str__(self) -> str:
        names = ",".join(node.name for node in self.nodes)
        return f"{{rank={self.kind};{names}}}" if self.nodes else ""


class Node:
    """A node.   prefix: what its name begins with"""

    counter = 1

    def __init__(self, label: Any, prefix: str, description: str = "", **attrs: Any) -> None:
        self.label, self.description, self.attrs = label, description, attrs
        self.name = f"{prefix}_{Node.counter}"
        Node.counter += 1

    def __str__(self) -> str:
        return f"{self.name} [label={self.label} {_listed(self.attrs)}];"


class Edge:
    """An arrow from one node to another."""

    def __init__(self, source: Node, target: Node, **attrs: Any) -> None:
        self.source, self.target, self.attrs = source, target, attrs

    def __str__(self) -> str:
        return f"{self.source.name}->{self.target.name} [{_listed(self.attrs)}]"


class Graph:
    """Nodes, edges and levels."""

    rank_counter = 0

    def __init__(self, title: str, **attrs: Any) -> None:
        self.title, self.attrs = title, attrs
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.rank_groups: dict[str, Rank] = {}

    def code(self) -> str:
        """The text."""
        return str(self)

    def rank_group(self, kind: str, priority: int) -> str:
        """A new level; gives its name."""
        name = f"rankgroup-{Graph.rank_counter}"
        Graph.rank_counter += 1
        self.rank_groups[name] = Rank(kind, name, priority)
        return name

    def node(self, label: Any, prefix: str, description: str = "", **attrs: Any) -> Node:
        """A new node."""
        made = Node(label, prefix, description, **attrs)
        if "rank" in attrs:
            self.rank_groups[made.attrs.pop("rank")].nodes.append(made)
        self.nodes.append(made)
        return made

    def edge(self, source: Node, target: Node, **attrs: Any) -> Edge:
        """A new arrow."""
        made = Edge(source, target, **attrs)
        self.edges.append(made)
        return made

    def compile(self, dot_path: str) -> str:
        """Write the text, and let `dot` draw it, where that is installed; gives the path of the
        picture.
        """
        Path(dot_path).write_text(str(self), encoding="utf-8")
        picture = str(Path(dot_path).with_suffix(".pdf"))
        subprocess.run(["dot", "-Tpdf", dot_path, "-o", picture], check=False)
        return picture

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
    """A graph of parameters, ops and other values."""

    def __init__(self, title: str) -> None:
        self.graph = Graph(title, layout="dot", concentrate="true", rankdir="TB")
        self.op_rank = self.graph.rank_group("same", 2)
        self.param_rank = self.graph.rank_group("same", 1)
        self.arg_rank = self.graph.rank_group("same", 0)

    def __call__(self, path: str = "temp.dot", show: bool = False) -> None:
        """Draw it."""
        self.graph.compile(path)

    def add_param(self, name: str, data_type: Any, highlight: bool = False) -> Node:
        """A parameter."""
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
        """An op."""
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
        """Another value."""
        color = "#FF7F00" if highlight else "#ADD8E6"
        return self.graph.node(
            crepr(name), "arg", name, shape="box", style="rounded,filled,bold", color=color
        )

    def add_edge(self, source: Node, target: Node, **kwargs: Any) -> Edge:
        """An arrow."""
        kwargs.pop("highlight", None)
        return self.graph.edge(source, target, **kwargs)
