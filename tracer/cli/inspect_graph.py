"""What `oarlock inspect` shows of an `.onnx` or `.ort` file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from ..core.errors import FileError
from ..loader.regular_files import read_file
from ..onnx.ort_format import read_ort
from ..utils.terminal import console

MAX_BYTES = 1 << 31  # of a FlatBuffer, and of what protobuf reads

Spec = tuple[str, str, list[int | str]]


class Shown(NamedTuple):
    """What is shown of either form."""

    made_by: str
    opsets: dict[str, int]
    inputs: list[Spec]
    outputs: list[Spec]
    ops: Counter[str]
    weights: str


def show_graph(path: str) -> None:
    """Print inputs, outputs, opsets, ops and where the weights are."""
    if not Path(path).is_file():
        raise FileError(f"inspect: there is no {path}")
    shown = _ort(path) if path.endswith(".ort") else _onnx(path)
    out = console(soft_wrap=True)
    out.print(_ends(Path(path).name, shown))
    opsets = ", ".join(
        f"{domain or 'ai.onnx'} {version}" for domain, version in sorted(shown.opsets.items())
    )
    out.print(
        _text(f"{shown.made_by}; opsets {opsets}; {shown.weights}"), highlight=False, markup=False
    )
    table = Table("op", "count", title=f"{sum(shown.ops.values())} nodes")
    for name, count in sorted(shown.ops.items()):
        table.add_row(Text(_text(name)), str(count))
    out.print(table)


def _text(value: str | bytes) -> str:
    """What a file holds as text that a terminal may get: what is no UTF-8 or controls it is written
    out.
    """
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _ends(title: str, shown: Shown) -> Table:
    table = Table("", "name", "type", title=Text(_text(title)))
    for what, specs in (("input", shown.inputs), ("output", shown.outputs)):
        for name, dtype, shape in specs:
            sizes = ",".join(str(d) for d in shape)
            table.add_row(what, Text(_text(name)), Text(_text(f"{dtype}[{sizes}]")))
    return table


def _ort(path: str) -> Shown:
    model = read_ort(read_file(path, MAX_BYTES, ".ort file"), Path(path).name)
    weights = f"{model.initializers} initializers inside"
    return Shown(
        f"ORT format {model.version}", model.opsets, model.inputs, model.outputs, model.ops, weights
    )


def _onnx(path: str) -> Shown:
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        raise FileError(
            f"{Path(path).name}: reading ONNX needs the package onnx (pip install oarlock[onnx])"
        ) from None
    data = read_file(path, MAX_BYTES, ".onnx file")
    try:
        model = onnx.load_model_from_string(data)
    except Exception as error:
        raise FileError(f"{Path(path).name}: is not an ONNX model: {error}") from None
    held = {i.name for i in model.graph.initializer}
    inputs = [_spec(v, onnx) for v in model.graph.input if v.name not in held]
    opsets = {_text(o.domain): o.version for o in model.opset_import}
    made_by = f"{_text(model.producer_name) or 'ONNX'}, IR {model.ir_version}"
    outputs = [_spec(v, onnx) for v in model.graph.output]
    return Shown(
        made_by,
        opsets,
        inputs,
        outputs,
        Counter(_ops(model.graph)),
        _weights(model.graph.initializer),
    )


def _spec(value: Any, onnx: Any) -> Spec:
    tensor = value.type.tensor_type
    names = {number: name.lower() for name, number in onnx.TensorProto.DataType.items()}
    names |= {onnx.TensorProto.FLOAT: "float32", onnx.TensorProto.DOUBLE: "float64"}
    sizes = [
        _text(d.dim_param) or (d.dim_value if d.HasField("dim_value") else "?")
        for d in tensor.shape.dim
    ]
    return _text(value.name), names.get(tensor.elem_type, "?"), sizes


def _ops(graph: Any) -> Iterable[str]:
    for node in graph.node:
        yield _text(node.op_type)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _ops(inner)


def _weights(initializers: Any) -> str:
    places = Counter(
        next((_text(e.value) for e in i.external_data if e.key == "location"), "")
        for i in initializers
    )
    inside = places.pop("", 0)
    return ", ".join(
        [
            f"{inside} initializers inside",
            *[f"{count} in {name}" for name, count in sorted(places.items())],
        ]
    )
