"""Write and read `.ort` files (ONNX Runtime's FlatBuffers format for minimal and mobile builds),
and write the list of operators that such a build needs.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import FileError
from ..export.atomic_files import adding_missing_error_filename, write_files_atomically
from ..loader.model_files import ModelFileContents
from ..loader.runtime import EngineError
from .writer import (
    ExportOptions,
    ExportResult,
    check_output_is_not_model_file,
    compare_with_model_and_report,
    onnx_bytes,
    select_opset,
    session_options,
)

Operators = dict[tuple[str, int], set[str]]  # (domain, opset) -> operators


def write_ort_and_operator_config(
    files: ModelFileContents, output: Path, options: ExportOptions
) -> ExportResult:
    """Write the model with its weights in ORT format (at most 2 GB), and the operator list
    `<stem>.required_operators.config` in the same folder.
    """
    check_output_is_not_model_file(files, output)
    opset = select_opset(files, options)
    with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
        onnx_path, ort_path = Path(folder, "model.onnx"), Path(folder, output.name)
        with adding_missing_error_filename(onnx_path):
            onnx_path.write_bytes(onnx_bytes(files, onnx_path, True, opset))
        convert_to_ort(onnx_path, ort_path)
        data = ort_path.read_bytes()
        report = compare_with_model_and_report(files, ort_path) if options.check else "not checked"
    operators = read_ort_summary(data, output.name).operators
    write_files_atomically(
        {
            str(output): data,
            str(operator_config_path(output)): format_operator_config(operators).encode(),
        }
    )
    return ExportResult(
        output, len(data), opset, f"{report}; needs {sum(map(len, operators.values()))} operators"
    )


def operator_config_path(output: Path) -> Path:
    """Return the path of the operator list of an `.ort` file."""
    return output.with_name(f"{output.stem}.required_operators.config")


def convert_to_ort(onnx_path: Path, ort_path: Path) -> None:
    """Convert ONNX to ORT format with ONNX Runtime and its hardware-independent optimizations."""
    import onnxruntime  # noqa: PLC0415

    options = session_options()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(ort_path)
    options.add_session_config_entry("session.save_model_format", "ORT")
    try:
        onnxruntime.InferenceSession(str(onnx_path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EngineError(f"{ort_path.name}: ONNX Runtime cannot write the file: {error}") from None


def format_operator_config(operators: Operators) -> str:
    """Format the operator list for ONNX Runtime's build script: `domain;opset;operators` lines."""
    lines = [
        f"{domain or 'ai.onnx'};{opset};{','.join(sorted(names))}"
        for (domain, opset), names in sorted(operators.items())
    ]
    return "\n".join(["# what a build of ONNX Runtime needs for this model", *lines, ""])


class OrtModelSummary(NamedTuple):
    """The properties of an `.ort` file that `read_ort_summary` returns.

    inputs, outputs: (name, dtype, shape).
    ops: the number of nodes of each operator.
    operators: the operators of each domain and opset.
    initializers: their number.
    """

    version: str
    opsets: dict[str, int]
    inputs: list[tuple[str, str, list[int | str]]]
    outputs: list[tuple[str, str, list[int | str]]]
    ops: Counter[str]
    operators: Operators
    initializers: int


def read_ort_summary(data: bytes, name: str) -> OrtModelSummary:
    """Parse an `.ort` file with the schema that ONNX Runtime ships.

    Raises FileError if `data` is not a valid `.ort` file.
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
        return _BudgetedModelReader(len(data)).model(
            root.GetRootAsInferenceSession(bytearray(data), 0)
        )
    except Exception as error:  # offsets outside of the file
        raise FileError(f"{name}: is damaged: {type(error).__name__}: {error}") from None


class _BudgetedModelReader:
    """Reads tables of one `.ort` file within a work budget.

    A FlatBuffer may reference the same table any number of times. A budget in proportion to the
    size of the file bounds the work.
    """

    def __init__(self, size: int) -> None:
        self._budget = 8 * size + 4096

    def consume_budget(self, count: int) -> None:
        """Subtract a number of entries or bytes from the work budget. Raises ValueError if the
        budget is exhausted.
        """
        self._budget -= count
        if self._budget < 0:
            raise ValueError("the file references the same tables too often")

    def decode_text(self, value: bytes | None) -> str:
        """Decode a string."""
        self.consume_budget(len(value or b""))
        return (value or b"").decode()

    def iter_vector(self, item: Callable[[int], Any], count: int) -> Iterator[Any]:
        """Yield the entries of a FlatBuffers vector, and subtract each from the work budget."""
        for index in range(count):
            self.consume_budget(1)
            yield item(index)

    def model(self, session: Any) -> OrtModelSummary:
        """Read the whole file."""
        model, decode_text = session.Model(), self.decode_text
        graph = model.Graph()
        opsets = {
            decode_text(o.Domain()): o.Version()
            for o in self.iter_vector(model.OpsetImport, model.OpsetImportLength())
        }
        ops: Counter[str] = Counter()
        operators: Operators = {}
        self.add_operators(graph, ops, operators)
        types = {
            decode_text(a.Name()): a
            for a in self.iter_vector(graph.NodeArgs, graph.NodeArgsLength())
        }
        inputs = [
            self.tensor_spec(types, decode_text(name))
            for name in self.iter_vector(graph.Inputs, graph.InputsLength())
        ]
        outputs = [
            self.tensor_spec(types, decode_text(name))
            for name in self.iter_vector(graph.Outputs, graph.OutputsLength())
        ]
        return OrtModelSummary(
            decode_text(session.OrtVersion()),
            opsets,
            inputs,
            outputs,
            ops,
            operators,
            graph.InitializersLength(),
        )

    def add_operators(self, graph: Any, ops: Counter[str], operators: Operators) -> None:
        """Add the operators of a graph and of the subgraphs of its nodes to `ops` (counts) and
        `operators` (names by domain and version).
        """
        for node in self.iter_vector(graph.Nodes, graph.NodesLength()):
            name = self.decode_text(node.OpType())
            ops[name] += 1
            operators.setdefault((self.decode_text(node.Domain()), node.SinceVersion()), set()).add(
                name
            )
            for attribute in self.iter_vector(node.Attributes, node.AttributesLength()):
                if attribute.G() is not None:
                    self.add_operators(attribute.G(), ops, operators)

    def tensor_spec(self, types: dict[str, Any], name: str) -> tuple[str, str, list[int | str]]:
        """Return name, dtype and shape of an input or output; an unknown dtype and no shape for a
        value that is not a tensor.
        """
        from onnxruntime.tools.ort_format_model import ort_model_processor  # noqa: PLC0415

        if types[name].Type().ValueType() != _TENSOR_TYPE:
            return name, "?", []
        value = types[name].Type().Value()
        tensor = ort_model_processor.fbs.TensorTypeAndShape.TensorTypeAndShape()
        tensor.Init(value.Bytes, value.Pos)
        shape = tensor.Shape()
        dims = (
            [d.Value() for d in self.iter_vector(shape.Dim, shape.DimLength())]
            if shape is not None
            else []
        )
        return name, _DTYPES.get(tensor.ElemType(), "?"), [self.size(d) for d in dims]

    def size(self, dim: Any) -> int | str:
        """Return a static size, the name of a dynamic dimension, or `?`.

        The size must not be read without its type: it is 0 if it is not set.
        """
        if dim.DimType() == _DIM_VALUE:
            return int(dim.DimValue())
        return self.decode_text(dim.DimParam()) or "?"


_DIM_VALUE = 1  # DimensionValueType.VALUE
_TENSOR_TYPE = 1  # TypeInfoValue.tensor_type

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
