"""`.ort` files: ONNX Runtime's FlatBuffers form for minimal and mobile builds, and the list of
operators that such a build needs.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import FileError
from ..export.save import atomic_write, named
from ..loader.engine import EngineError
from ..loader.model_files import ModelFiles
from .writer import Wanted, Written, compared, not_an_input, onnx_bytes, opset_for, session_options

Operators = dict[tuple[str, int], set[str]]  # (domain, opset) -> operators


def write_ort(files: ModelFiles, output: Path, wanted: Wanted) -> Written:
    """Write the model in ORT format, weights inside, and `output`.required_operators.config beside
    it.

    2 GB at most.
    """
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
    return Written(
        output, len(data), opset, f"{checked}; needs {sum(map(len, operators.values()))} operators"
    )


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
    """Read an `.ort` file with the schema that ONNX Runtime ships.

    Raises FileError for anything else.
    """
    try:
        from onnxruntime.tools.ort_format_model import ort_model_processor  # noqa: PLC0415
    except ImportError as error:
        raise EngineError(
            f"{name}: reading .ort files needs the package flatbuffers ({error})"
        ) from None
    root = ort_model_processor.fbs.InferenceSession.InferenceSession
    if len(data) < 8 or not root.InferenceSessionBufferHasIdentifier(bytearray(data), 0):
        raise FileError(f"{name}: is not an ORT format model")
    try:
        return _Reader(len(data)).model(root.GetRootAsInferenceSession(bytearray(data), 0))
    except Exception as error:  # offsets that lead out of the file
        raise FileError(f"{name}: is damaged: {type(error).__name__}: {error}") from None


class _Reader:
    """Reads one file.

    Its tables and texts may lie in each other any number of times: all that is read stays in
    proportion to its size.
    """

    def __init__(self, size: int) -> None:
        self._left = 8 * size + 4096

    def spend(self, count: int) -> None:
        """Count entries or bytes that are read."""
        self._left -= count
        if self._left < 0:
            raise ValueError("its parts are used over and over")

    def text(self, value: bytes | None) -> str:
        """A name."""
        self.spend(len(value or b""))
        return (value or b"").decode()

    def all(self, item: Callable[[int], Any], count: int) -> Iterator[Any]:
        """The entries of a list."""
        for index in range(count):
            self.spend(1)
            yield item(index)

    def model(self, session: Any) -> OrtModel:
        """What the file holds."""
        model, text = session.Model(), self.text
        graph = model.Graph()
        opsets = {
            text(o.Domain()): o.Version()
            for o in self.all(model.OpsetImport, model.OpsetImportLength())
        }
        ops: Counter[str] = Counter()
        operators: Operators = {}
        self.count(graph, ops, operators)
        types = {text(a.Name()): a for a in self.all(graph.NodeArgs, graph.NodeArgsLength())}
        inputs = [
            self.spec(types, text(name)) for name in self.all(graph.Inputs, graph.InputsLength())
        ]
        outputs = [
            self.spec(types, text(name)) for name in self.all(graph.Outputs, graph.OutputsLength())
        ]
        return OrtModel(
            text(session.OrtVersion()),
            opsets,
            inputs,
            outputs,
            ops,
            operators,
            graph.InitializersLength(),
        )

    def count(self, graph: Any, ops: Counter[str], operators: Operators) -> None:
        """Operators of a graph and of the graphs inside its nodes."""
        for node in self.all(graph.Nodes, graph.NodesLength()):
            name = self.text(node.OpType())
            ops[name] += 1
            operators.setdefault((self.text(node.Domain()), node.SinceVersion()), set()).add(name)
            for attribute in self.all(node.Attributes, node.AttributesLength()):
                if attribute.G() is not None:
                    self.count(attribute.G(), ops, operators)

    def spec(self, types: dict[str, Any], name: str) -> tuple[str, str, list[int | str]]:
        """Name, dtype and shape of an input or output."""
        from onnxruntime.tools.ort_format_model import ort_model_processor  # noqa: PLC0415

        value = types[name].Type().Value()
        tensor = ort_model_processor.fbs.TensorTypeAndShape.TensorTypeAndShape()
        tensor.Init(value.Bytes, value.Pos)
        shape = tensor.Shape()
        dims = (
            [d.Value() for d in self.all(shape.Dim, shape.DimLength())] if shape is not None else []
        )
        return name, _DTYPES.get(tensor.ElemType(), "?"), [self.size(d) for d in dims]

    def size(self, dim: Any) -> int | str:
        """A number, the name of one that is free, or `?`: every kind of size has the number 0 where
        it is not set.
        """
        if dim.DimType() == _NUMBER:
            return int(dim.DimValue())
        return self.text(dim.DimParam()) or "?"


_NUMBER = 1  # DimensionValueType.VALUE

_DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    16: "bfloat16",
}
