"""Write the page of a model: one HTML file that contains the graph, a script and the layout library
dagre. The page loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..core.html import escape_html
from ..loader.escape_control_characters import escape_control_characters
from .data_flow import DataFlow, Source
from .graph import GraphBlock, GraphOp, LayerPath, ModelGraph, format_value
from .layer_paths import LayerGroup, group_by_layer
from .profile import KernelProfile, ModelProfile

FOLDER = Path(__file__).parent
PAGE_SCRIPTS = ("dom", "layer_tree", "layout", "drawing", "navigation", "search", "panel", "start")
MAX_ATTRS = 100  # of an op


def make_page(graph: ModelGraph, flow: DataFlow, profile: ModelProfile | None = None) -> str:
    """Return the HTML page of a model."""
    # `<` is escaped so that no text of the model ends the script element.
    data = json.dumps(_page_data(graph, flow, profile), ensure_ascii=True, separators=(",", ":"))
    data = data.replace("<", "\\u003c")
    style = (FOLDER / "page.css").read_text()
    dagre = (
        f"/*\n{(FOLDER / 'dagre/LICENSE').read_text()}*/\n"
        + (FOLDER / "dagre/dagre.min.js").read_text()
    )
    script = _page_script()
    policy = content_security_policy([style], [dagre, script])
    title = escape_html(escape_control_characters(graph.name))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{(FOLDER / "page.html").read_text()}
<script type="application/json" id="model">{data}</script>
<script>{dagre}</script>
<script>{script}</script>
</body>
</html>
"""


def _page_script() -> str:
    """Return the scripts of the page as one function, so that their names are not global."""
    parts = [(FOLDER / "page_scripts" / f"{name}.js").read_text() for name in PAGE_SCRIPTS]
    return "\n".join(["(() => {", '"use strict";', *parts, "})();"])


def content_security_policy(styles: Iterable[str], scripts: Iterable[str] = ()) -> str:
    """Return a policy that allows the given styles and scripts only, and no network access."""
    parts = ["default-src 'none'"]
    for directive, texts in (("style-src", styles), ("script-src", scripts)):
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
            for text in texts
        ]
        if hashes:
            parts.append(f"{directive} {' '.join(hashes)}")
    return "; ".join(parts)


def _page_data(graph: ModelGraph, flow: DataFlow, profile: ModelProfile | None) -> dict[str, Any]:
    num_parameter_bytes = sum(p.num_bytes for p in graph.parameters.values())
    return {
        "name": _text(graph.name),
        "facts": [[_text(name), _text(value, 2000)] for name, value in graph.facts.items()],
        "inputs": [[_text(a.name), _text(a.type), _text(a.path)] for a in graph.inputs],
        "outputs": [
            [_text(a.name), _text(a.type), _text(a.path), _source(source)]
            for a, source in zip(graph.outputs, flow.outputs, strict=True)
        ],
        "guards": [_text(guard, 500) for guard in graph.guards],
        "parameters": {
            _name(name): [_text(p.layer_name), _text(p.type), p.num_bytes]
            for name, p in graph.parameters.items()
        },
        "parameterBytes": num_parameter_bytes,
        "ops": _ops_data(graph, flow, profile),
        "tree": _tree_data(graph, flow, group_by_layer(op.layer for op in graph.blocks[0].ops), 0),
        "profile": profile
        and {
            "runs": profile.runs,
            "milliseconds": _rounded(profile.milliseconds),
            "inputs": [_text(text) for text in profile.inputs],
            "otherKernels": [_kernel_data(kernel) for kernel in profile.other_kernels],
        },
    }


def _name(name: str) -> str:
    return escape_control_characters(name)


def _text(value: Any, max_length: int = 300) -> str:
    text = escape_control_characters(str(value))
    return text if len(text) <= max_length else text[: max_length - 3] + "..."


def _rounded(milliseconds: float) -> float:
    return float(f"{milliseconds:.4g}")


def _source(source: Source) -> int | str | None:
    """Return the number of an op, `i` and the position of an input, "p" for a parameter."""
    match source.kind:
        case "op":
            return source.op
        case "input":
            return f"i{source.position}"
        case "parameter":
            return "p"
    return None


def _ops_data(
    graph: ModelGraph, flow: DataFlow, profile: ModelProfile | None
) -> list[dict[str, Any]]:
    kernels = profile.kernels if profile else {}
    rows = []
    types = _declared_types(graph)
    for number, (op, block) in enumerate((op, b) for b in graph.blocks for op in b.ops):

        def type_of(name: str, block: GraphBlock = block) -> str:
            if name in graph.parameters:
                return _text(graph.parameters[name].type)
            found = block.types.get(name) or types.get(name)
            return _text(found) if found is not None else ""

        row = {
            "type": _text(op.type),
            "layer": _text("/".join(op.layer)),
            "line": _text(op.line, 500),
            "inputs": [
                [
                    _text(slot),
                    [
                        [_name(name), type_of(name), _source(source)]
                        for name, source in zip(names, flow.inputs[number][slot], strict=True)
                    ],
                ]
                for slot, names in op.inputs.items()
            ],
            "outputs": [
                [_text(slot), [[_name(name), type_of(name)] for name in names]]
                for slot, names in op.outputs.items()
            ],
            "attrs": [
                [_text(name), _text(format_value(value))]
                for name, value in list(op.attrs.items())[:MAX_ATTRS]
            ],
        }
        if op.node_name:
            row["name"] = _text(op.node_name)
        if number in kernels:
            row["kernels"] = [_kernel_data(kernel) for kernel in kernels[number]]
        rows.append(row)
    return rows


def _declared_types(graph: ModelGraph) -> dict[str, Any]:
    """Return the type of each variable of any block."""
    return {name: kind for block in graph.blocks for name, kind in block.types.items()}


def _kernel_data(kernel: KernelProfile) -> list[Any]:
    return [
        _text(kernel.node),
        _text(kernel.operator),
        _rounded(kernel.milliseconds),
        round(kernel.calls, 2),
        kernel.output_bytes,
        kernel.input_bytes,
        kernel.parameter_bytes,
        _text(kernel.output_types),
    ]


def _tree_data(
    graph: ModelGraph, flow: DataFlow, group: LayerGroup, first_op: int
) -> dict[str, Any]:
    """Return a group of ops as data: its members are numbers of ops, and groups. An op with
    sub-blocks is a group that has the number of the op.

    first_op: the number of the first op of the block of the group
    """
    members: list[Any] = []
    for member in group.members:
        if isinstance(member, LayerGroup):
            members.append(_tree_data(graph, flow, member, first_op))
        elif first_op + member in flow.sub_blocks:
            members.append(_control_flow_op_data(graph, flow, group.id, first_op + member))
        else:
            members.append(first_op + member)
    return {"id": _text(group.id), "name": _text(group.name), "members": members}


def _control_flow_op_data(
    graph: ModelGraph, flow: DataFlow, prefix: str, number: int
) -> dict[str, Any]:
    """Return the group of an op with sub-blocks. Paths in the blocks are relative to the layer of
    the op.
    """
    blocks = flow.sub_blocks[number]
    id = f"{prefix}op {number}/"
    parts = []
    op = _op_of_number(graph, flow, number)
    for k, index in enumerate(blocks):
        paths = [_relative_path(inner.layer, op.layer) for inner in graph.blocks[index].ops]
        tree = group_by_layer(paths, f"{id}block {k}/" if len(blocks) > 1 else id)
        tree.name = f"block {k}"
        parts.append(_tree_data(graph, flow, tree, flow.first_op[index]))
    members = parts if len(parts) > 1 else parts[0]["members"]
    return {"id": _text(id), "name": _text(op.type), "op": number, "members": members}


def _op_of_number(graph: ModelGraph, flow: DataFlow, number: int) -> GraphOp:
    block = bisect_right(flow.first_op, number) - 1
    return graph.blocks[block].ops[number - flow.first_op[block]]


def _relative_path(path: LayerPath, parent: LayerPath) -> LayerPath:
    return path[len(parent) :] if path[: len(parent)] == parent else path
