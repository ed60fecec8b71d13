"""`oarlock inspect` of an `.onnx` or `.ort` file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from ..core.errors import FileError
from ..loader.regular_files import read_file
from ..onnx.ort_format import read_ort_summary
from ..utils.terminal import make_console, make_table

MAX_DIMS_LENGTH = 10_000  # of the printed ranges; a file may contain any text
MAX_BYTES = 1 << 31  # the limit of FlatBuffers and of protobuf

TensorSpec = tuple[str, str, list[int | str] | None]  # name, dtype, shape if it is known


class GraphSummary(NamedTuple):
    """What `oarlock inspect` prints about an `.onnx` or `.ort` file.

    ops: node counts by type.
    dims: the ranges of named dimensions, as JSON; empty if there are none.
    """

    producer: str
    opsets: dict[str, int]
    inputs: Sequence[TensorSpec]
    outputs: Sequence[TensorSpec]
    ops: Counter[str]
    weights: str
    dims: str = ""


def show_graph(path: str) -> None:
    """Print inputs, outputs, opsets, ops and the location of the weights."""
    summary = summarize_graph(path)
    out = make_console(soft_wrap=True)
    out.print(_inputs_outputs_table(Path(path).name, summary))
    opsets = ", ".join(
        f"{domain or 'ai.onnx'} {version}" for domain, version in sorted(summary.opsets.items())
    )
    out.print(
        _decode_and_escape_unprintable(f"{summary.producer}; opsets {opsets}; {summary.weights}"),
        highlight=False,
        markup=False,
    )
    if summary.dims:
        dims = _decode_and_escape_unprintable(summary.dims[:MAX_DIMS_LENGTH])
        out.print(f"dims: {dims}", highlight=False, markup=False)
    table = make_table("op", "count", title=f"{sum(summary.ops.values())} nodes")
    for name, count in sorted(summary.ops.items()):
        table.add_row(Text(_decode_and_escape_unprintable(name)), str(count))
    out.print(table)


def _decode_and_escape_unprintable(value: str | bytes) -> str:
    """Decode text of a file; escape invalid UTF-8 and unprintable characters for the terminal."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def summarize_graph(path: str) -> GraphSummary:
    """Return the content of an .onnx or .ort file.  Raises FileError."""
    if not Path(path).is_file():
        raise FileError(f"inspect: there is no file {path}")
    return _summarize_ort(path) if path.endswith(".ort") else _summarize_onnx(path)


def _inputs_outputs_table(title: str, summary: GraphSummary) -> Table:
    table = make_table("", "name", "type", title=Text(_decode_and_escape_unprintable(title)))
    for direction, specs in (("input", summary.inputs), ("output", summary.outputs)):
        for name, dtype, shape in specs:
            sizes = "" if shape is None else f"[{','.join(str(d) for d in shape)}]"
            table.add_row(
                direction,
                Text(_decode_and_escape_unprintable(name)),
                Text(_decode_and_escape_unprintable(f"{dtype}{sizes}")),
            )
    return table


def _summarize_ort(path: str) -> GraphSummary:
    model = read_ort_summary(read_file(path, MAX_BYTES, ".ort file"), Path(path).name)
    weights = f"{model.initializers} initializers in the file"
    return GraphSummary(
        f"ORT format {model.version}", model.opsets, model.inputs, model.outputs, model.ops, weights
    )


def _summarize_onnx(path: str) -> GraphSummary:
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        raise FileError(
            f"{Path(path).name}: reading ONNX requires the package onnx: "
            "pip install 'oarlock[onnx]'"
        ) from None
    data = read_file(path, MAX_BYTES, ".onnx file")
    try:
        model = onnx.load_model_from_string(data)
    except Exception as error:
        raise FileError(f"{Path(path).name}: is not an ONNX model: {error}") from None
    if not model.HasField("graph"):
        raise FileError(f"{Path(path).name}: is not an ONNX model: it has no graph")
    initializers = {i.name for i in model.graph.initializer}
    inputs = [
        _tensor_spec_of_onnx_value(v, onnx) for v in model.graph.input if v.name not in initializers
    ]
    opsets = {_decode_and_escape_unprintable(o.domain): o.version for o in model.opset_import}
    producer = (
        f"{_decode_and_escape_unprintable(model.producer_name) or 'ONNX'}, IR {model.ir_version}"
    )
    outputs = [_tensor_spec_of_onnx_value(v, onnx) for v in model.graph.output]
    return GraphSummary(
        producer,
        opsets,
        inputs,
        outputs,
        Counter(_iter_op_types_with_subgraphs(model.graph)),
        _format_initializer_counts_by_file(model.graph.initializer),
        next((entry.value for entry in model.metadata_props if entry.key == "oarlock.dims"), ""),
    )


def _tensor_spec_of_onnx_value(value: Any, onnx: Any) -> TensorSpec:
    tensor = value.type.tensor_type
    names = {number: name.lower() for name, number in onnx.TensorProto.DataType.items()}
    names |= {onnx.TensorProto.FLOAT: "float32", onnx.TensorProto.DOUBLE: "float64"}
    sizes = [
        _decode_and_escape_unprintable(d.dim_param)
        or (d.dim_value if d.HasField("dim_value") else "?")
        for d in tensor.shape.dim
    ]
    shape = sizes if tensor.HasField("shape") else None
    return _decode_and_escape_unprintable(value.name), names.get(tensor.elem_type, "?"), shape


def _iter_op_types_with_subgraphs(graph: Any) -> Iterable[str]:
    """Yield the op type of each node of an ONNX graph and of its subgraphs."""
    for node in graph.node:
        yield _decode_and_escape_unprintable(node.op_type)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _iter_op_types_with_subgraphs(inner)


def _format_initializer_counts_by_file(initializers: Any) -> str:
    """Describe how many initializers (weights) are in the `.onnx` file and in each external data
    file.
    """
    locations = Counter(
        next(
            (
                _decode_and_escape_unprintable(e.value)
                for e in i.external_data
                if e.key == "location"
            ),
            "",
        )
        for i in initializers
    )
    inside = locations.pop("", 0)
    return ", ".join(
        [
            f"{inside} initializers in the file",
            *[f"{count} in {name}" for name, count in sorted(locations.items())],
        ]
    )
