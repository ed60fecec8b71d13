"""`.ort` files: ONNX Runtime's FlatBuffers form for minimal and mobile builds, and the list of operators that such a build needs."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import FileError
from ..export.save import atomic_write, named
from ..loader.engine import EngineError
from ..loader.model_files import ModelFiles
from .files import Wanted, Written, compared, not_an_input, onnx_bytes, opset_for, session_options

Operators = dict[tuple[str, int], set[str]]  # (domain, opset) -> operators


def write_ort(files: ModelFiles, output: Path, wanted: Wanted) -> Written:
    """Write the model in ORT format, weights inside, and `output`.required_operators.config beside it.   2 GB at most."""
    not_an_input(files, output)
    opset = opset_for(files, wanted)
    with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
        plain, made = Path(folder, "model.onnx"), Path(folder, output.name)
        with named(plain):
            plain.write_bytes(onnx_bytes(files, plain, True, opset))
        convert(plain, made)
        data = made.read_bytes()
        checked = compared(files, made) if wanted.check else "not checked"
    operators = read_ort(data, output.name).operators
    atomic_write({str(output): data, str(config_path(output)): config_text(operators).encode()})
    return Written(output, len(data), opset, f"{checked}; needs {sum(map(len, operators.values()))} operators")


def config_path(output: Path) -> Path:
    """Where the list of operators lies."""
    return output.with_name(f"{output.stem}.required_operators.config")


def convert(plain: Path, made: Path) -> None:
    """ONNX to ORT format by ONNX Runtime itself, with optimisations that hold on every machine."""
    import onnxruntime  # noqa: PLC0415

    options = session_options()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(made)
    options.add_session_config_entry("session.save_model_format", "ORT")
    try:
        onnxruntime.InferenceSession(str(plain), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EngineError(f"{made.name}: ONNX Runtime cannot write it: {error}") from None


def config_text(operators: Operators) -> str:
    """The list in the form that ONNX Runtime's build script reads: `domain;opset;operators`."""
    lines = [
        f"{domain or 'ai.onnx'};{opset};{','.join(sorted(names))}"
        for (domain, opset), names in sorted(operators.items())
    ]
    return "\n".join(["# what a build of ONNX Runtime needs for this model", *lines, ""])


class OrtModel(NamedTuple):
    """What an `.ort` file holds.   inputs, outputs: (name, dtype, shape)"""

    version: str
    opsets: dict[str, int]
    inputs: list[tuple[str, str, list[int | str]]]
    outputs: list[tuple[str, str, list[int | str]]]
    ops: Counter[str]
    operators: Operators
    initializers: int


def read_ort(data: bytes, name: str) -> OrtModel:
    """Read an `.ort` file with the schema that ONNX Runtime ships.   Raises FileError for anything else."""
    try:
        from onnxruntime.tools.ort_format_model import ort_model_processor  # noqa: PLC0415
    except ImportError as error:
        raise EngineError(f"{name}: reading .ort files needs the package flatbuffers ({error})") from None
    root = ort_model_processor.fbs.InferenceSession.InferenceSession
    if len(data) < 8 or not root.InferenceSessionBufferHasIdentifier(bytearray(data), 0):
        raise FileError(f"{name}: is no ORT format model")
    try:
        return _read(root.GetRootAsInferenceSession(bytearray(data), 0))
    except Exception as error:  # offsets that lead out of the file
        raise FileError(f"{name}: is damaged: {type(error).__name__}: {error}") from None


def _read(session: Any) -> OrtModel:
    model = session.Model()
    graph = model.Graph()
    opsets = {_text(o.Domain()): o.Version() for o in (model.OpsetImport(i) for i in range(model.OpsetImportLength()))}
    ops: Counter[str] = Counter()
    operators: Operators = {}
    _count(graph, ops, operators)
    types = {_text(a.Name()): a for a in (graph.NodeArgs(i) for i in range(graph.NodeArgsLength()))}
    inputs = [_spec(types, _text(graph.Inputs(i))) for i in range(graph.InputsLength())]
    outputs = [_spec(types, _text(graph.Outputs(i))) for i in range(graph.OutputsLength())]
    return OrtModel(_text(session.OrtVersion()), opsets, inputs, outputs, ops, operators, graph.InitializersLength())


def _text(value: bytes | None) -> str:
    return (value or b"").decode()


def _count(graph: Any, ops: Counter[str], operators: Operators) -> None:
    """Operators of a graph and of the graphs inside its nodes."""
    for node in (graph.Nodes(i) for i in range(graph.NodesLength())):
        ops[_text(node.OpType())] += 1
        operators.setdefault((_text(node.Domain()), node.SinceVersion()), set()).add(_text(node.OpType()))
        for attribute in (node.Attributes(i) for i in range(node.AttributesLength())):
            if attribute.G() is not None:
                _count(attribute.G(), ops, operators)


def _spec(types: dict[str, Any], name: str) -> tuple[str, str, list[int | str]]:
    from onnxruntime.tools.ort_format_model import ort_model_processor  # noqa: PLC0415

    value = types[name].Type().Value()
    tensor = ort_model_processor.fbs.TensorTypeAndShape.TensorTypeAndShape()
    tensor.Init(value.Bytes, value.Pos)
    shape = tensor.Shape()
    dims = [shape.Dim(i).Value() for i in range(shape.DimLength())] if shape is not None else []
    return name, _DTYPES.get(tensor.ElemType(), "?"), [_size(d) for d in dims]


def _size(dim: Any) -> int | str:
    """A number, the name of one that is free, or `?`: every kind of size has the number 0 where it is not set."""
    if dim.DimType() == _NUMBER:
        return int(dim.DimValue())
    return _text(dim.DimParam()) or "?"


_NUMBER = 1  # DimensionValueType.VALUE

_DTYPES = {
    1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64", 16: "bfloat16",
}  # fmt: skip
