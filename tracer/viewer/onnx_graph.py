"""The graph of an `.onnx` file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import FileError
from ..loader.regular_files import read_file
from .graph import GraphBlock, GraphInputOrOutput, GraphOp, GraphParameter, ModelGraph, TensorType
from .layer_paths import complete_layer_paths, split_layer_path

MAX_BYTES = 1 << 31  # the limit of protobuf
_DTYPE_NAMES = {"FLOAT": "float32", "DOUBLE": "float64"}
MAX_NESTED_GRAPHS = 40  # levels
MAX_SPARSE_ELEMENTS = 1 << 28  # of a sparse tensor, which is compared in dense form


def graph_of_onnx_file(path: str) -> ModelGraph:
    """Read an `.onnx` file. Raises FileError if it is not a valid model, or if the package onnx is
    not installed.
    """
    name = os.path.basename(path)
    onnx, model = _load(path)
    try:
        return _GraphReader(onnx, _with_inferred_shapes(onnx, model), path).read()
    except FileError:
        raise
    except Exception as error:  # the package raises errors of several libraries
        raise FileError(f"{name}: is not an ONNX model: {error}") from None


def onnx_opset(path: str) -> int:
    """Return the opset of an `.onnx` file. Raises FileError as `graph_of_onnx_file`."""
    _, model = _load(path)
    return max((e.version for e in model.opset_import if e.domain in ("", "ai.onnx")), default=1)


def _load(path: str) -> tuple[Any, Any]:
    """Return the package onnx, and the model in a file."""
    name = os.path.basename(path)
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        raise FileError(
            f"{name}: reading ONNX requires the package onnx (pip install 'oarlock[onnx]')"
        ) from None
    data = read_file(path, MAX_BYTES, ".onnx file")
    try:
        model = onnx.load_model_from_string(data)
    except Exception as error:  # an error of protobuf
        raise FileError(f"{name}: is not an ONNX model: {error}") from None
    if not model.HasField("graph"):
        raise FileError(f"{name}: is not an ONNX model: it has no graph")
    return onnx, model


def _with_inferred_shapes(onnx: Any, model: Any) -> Any:
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception:  # larger than 2 GB, or an op of another domain
        return model


class _GraphReader:
    """Converts an ONNX model. Subgraphs and the bodies of functions become blocks."""

    def __init__(self, onnx: Any, model: Any, path: str) -> None:
        self._onnx, self._model, self._path = onnx, model, path
        self._blocks: list[GraphBlock] = []
        self._initializers: dict[str, Any] = {}
        # In the graph that is being read: the keys in _initializers of initializers whose names
        # occur in several subgraphs.
        self._renamed: dict[str, str] = {}
        self._opsets = {entry.domain: entry.version for entry in model.opset_import}
        self._functions = {(f.domain, f.name): f for f in model.functions}
        self._function_blocks: dict[tuple[str, str], int] = {}

    def read(self) -> ModelGraph:
        graph = self._model.graph
        self._read_block(graph, 0)
        block = self._blocks[0]
        parameters = {name: self._parameter(name) for name in self._initializers}
        layer_names = {name: parameter.layer_name for name, parameter in parameters.items()}
        for each in self._blocks:
            complete_layer_paths(each.ops, layer_names)
        producer = f"{self._model.producer_name} {self._model.producer_version}".strip()
        opsets = ", ".join(f"{d or 'ai.onnx'} {v}" for d, v in sorted(self._opsets.items()))
        metadata = {f"metadata {entry.key}": entry.value for entry in self._model.metadata_props}
        return ModelGraph(
            os.path.basename(self._path),
            self._blocks,
            [
                GraphInputOrOutput(value.name, block.types[value.name])
                for value in graph.input
                if value.name not in self._initializers
            ],
            [GraphInputOrOutput(value.name, block.types[value.name]) for value in graph.output],
            parameters,
            _InitializerValues(self._onnx, self._initializers, self._path),
            {"producer": producer, "opsets": opsets, **metadata},
            opsets=dict(self._opsets),
        )

    def _parameter(self, name: str) -> GraphParameter:
        tensor = self._initializers[name]
        data = tensor.values if isinstance(tensor, self._onnx.SparseTensorProto) else tensor
        kind = self._tensor_type(data.data_type, tensor.dims)
        stored = kind if data is tensor else self._tensor_type(data.data_type, data.dims)
        num_bytes = self._num_bytes(stored, data.data_type)
        return GraphParameter(kind, num_bytes, name if "." in name else "")

    def _read_block(self, graph: Any, depth: int) -> int:
        """Append the block of a graph, and return its index."""
        if depth > MAX_NESTED_GRAPHS:
            raise FileError(f"{os.path.basename(self._path)}: the subgraphs are nested too deeply")
        block = GraphBlock()
        index = len(self._blocks)
        self._blocks.append(block)
        for value in (*graph.input, *graph.value_info, *graph.output):
            block.types[value.name] = self._value_type(value)
        outer_names = self._renamed
        self._renamed = dict(outer_names)
        for tensor in graph.initializer:
            self._add_initializer(tensor.name, tensor, index)
        for tensor in graph.sparse_initializer:
            self._add_initializer(tensor.values.name, tensor, index)
        block.inputs = [value.name for value in graph.input]
        block.outputs = [self._renamed.get(value.name, value.name) for value in graph.output]
        block.ops = [self._read_node(node, depth) for node in graph.node]
        self._renamed = outer_names
        return index

    def _add_initializer(self, name: str, tensor: Any, block: int) -> None:
        """Add an initializer of a block. Two subgraphs may have initializers of the same name."""
        self._renamed.pop(name, None)
        key = name
        if key in self._initializers:
            key = self._renamed[name] = f"{name} of block {block}"
        self._initializers[key] = tensor

    def _read_function(self, key: tuple[str, str], depth: int) -> int:
        """Return the index of the block of a function, which is read once."""
        if key not in self._function_blocks:
            if depth > MAX_NESTED_GRAPHS:
                raise FileError(f"{os.path.basename(self._path)}: functions are nested too deeply")
            function = self._functions[key]
            block = GraphBlock(is_function=True)
            self._function_blocks[key] = len(self._blocks)
            self._blocks.append(block)
            block.inputs, block.outputs = list(function.input), list(function.output)
            outer = self._renamed, self._opsets
            self._renamed = {}
            self._opsets = {entry.domain: entry.version for entry in function.opset_import}
            block.ops = [self._read_node(node, depth) for node in function.node]
            self._renamed, self._opsets = outer
        return self._function_blocks[key]

    def _read_node(self, node: Any, depth: int) -> GraphOp:
        schema = self._schema(node)
        op = GraphOp(
            f"{node.domain}.{node.op_type}" if node.domain else node.op_type,
            _by_slot(
                [self._renamed.get(name, name) for name in node.input],
                [p.name for p in schema.inputs] if schema else [],
                "input",
            ),
            _by_slot(node.output, [p.name for p in schema.outputs] if schema else [], "output"),
            node_name=node.name,
            layer=split_layer_path(node.name.rpartition("/")[0]),
        )
        for attribute in sorted(node.attribute, key=lambda attribute: attribute.name):
            graphs = [attribute.g] if attribute.HasField("g") else list(attribute.graphs)
            if graphs:
                op.blocks += [self._read_block(graph, depth + 1) for graph in graphs]
            else:
                op.attrs[attribute.name] = self._attribute_value(attribute)
        if (node.domain, node.op_type) in self._functions:
            op.blocks.append(self._read_function((node.domain, node.op_type), depth + 1))
        defaults = (
            {name: a.default_value for name, a in schema.attributes.items()} if schema else {}
        )
        op.significant_attrs = {
            name: value
            for name, value in op.attrs.items()
            if name not in defaults
            or not defaults[name].type  # without a default value
            or self._attribute_value(defaults[name]) != value
        }
        return op

    def _schema(self, node: Any) -> Any:
        """Return the schema of an op; None for an op that the package does not know."""
        try:
            return self._onnx.defs.get_schema(
                node.op_type, self._opsets.get(node.domain, 1), node.domain
            )
        except self._onnx.defs.SchemaError:
            return None

    def _attribute_value(self, attribute: Any) -> Any:
        if attribute.ref_attr_name:
            return f"attribute {attribute.ref_attr_name} of the function"
        value = self._onnx.helper.get_attribute_value(attribute)
        if isinstance(value, self._onnx.TensorProto):
            return _to_array(self._onnx, value, self._path)
        if isinstance(value, bytes):
            return value.decode("utf-8", "backslashreplace")
        if isinstance(value, list | tuple) or hasattr(value, "extend"):
            return [
                item.decode("utf-8", "backslashreplace") if isinstance(item, bytes) else item
                for item in value
            ]
        return value

    def _value_type(self, value: Any) -> TensorType:
        if not value.type.HasField("tensor_type"):
            return TensorType(value.type.WhichOneof("value") or "?", None)
        tensor = value.type.tensor_type
        if not tensor.HasField("shape"):
            return self._tensor_type(tensor.elem_type, None)
        sizes = [
            d.dim_param or (d.dim_value if d.HasField("dim_value") else -1)
            for d in tensor.shape.dim
        ]
        return self._tensor_type(tensor.elem_type, sizes)

    def _tensor_type(self, number: int, sizes: Any) -> TensorType:
        try:
            name = self._onnx.TensorProto.DataType.Name(number)
        except ValueError:
            name = "?"
        shape = None if sizes is None else tuple(sizes)
        return TensorType(_DTYPE_NAMES.get(name, name.lower()), shape)

    def _num_bytes(self, kind: TensorType, number: int) -> int:
        try:
            size = self._onnx.helper.tensor_dtype_to_np_dtype(number).itemsize
        except Exception:  # an invalid dtype
            return 0
        return int(np.prod([float(d) for d in kind.shape or () if isinstance(d, int)])) * size


def _by_slot(names: Any, formal: list[str], kind: str) -> dict[str, list[str]]:
    """Return the names of a node by the name of the formal parameter; the last one may be
    variadic.
    """
    slots: dict[str, list[str]] = {}
    for i, name in enumerate(names):
        slot = formal[min(i, len(formal) - 1)] if formal else f"{kind} {i}"
        slots.setdefault(slot, []).append(name)
    return slots


def _to_array(onnx: Any, tensor: Any, path: str) -> np.ndarray[Any, Any]:
    """Return the value of a tensor; external data is in a file of the folder of the model. Raises
    FileError if it cannot be read.
    """
    try:
        if isinstance(tensor, onnx.SparseTensorProto):
            return _sparse_to_array(onnx, tensor, path)
        return _dense_to_array(onnx, tensor, path)
    except FileError:
        raise
    except Exception as error:  # the package raises errors of several libraries
        raise FileError(f"{os.path.basename(path)}: a tensor cannot be read: {error}") from None


def _sparse_to_array(onnx: Any, tensor: Any, path: str) -> np.ndarray[Any, Any]:
    values = _dense_to_array(onnx, tensor.values, path)
    indices = _dense_to_array(onnx, tensor.indices, path)
    size = math.prod(tensor.dims)
    if size > MAX_SPARSE_ELEMENTS:
        raise FileError(f"{os.path.basename(path)}: a sparse tensor has {size} elements")
    array = np.zeros(list(tensor.dims), values.dtype)
    if indices.ndim == 1:
        array.reshape(-1)[indices] = values
    else:
        array[tuple(indices.T)] = values
    return array


def _dense_to_array(onnx: Any, tensor: Any, path: str) -> np.ndarray[Any, Any]:
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        reference, tensor = tensor, onnx.TensorProto()
        tensor.CopyFrom(reference)  # to_array stores the data that it reads in its argument
    array: np.ndarray[Any, Any] = onnx.numpy_helper.to_array(
        tensor, base_dir=str(Path(path).resolve().parent)
    )
    return array


class _InitializerValues(Mapping[str, Any]):
    """The values of initializers, each of which is read when it is used."""

    def __init__(self, onnx: Any, tensors: dict[str, Any], path: str) -> None:
        self._onnx, self._tensors, self._path = onnx, tensors, path

    def __getitem__(self, name: str) -> Any:
        return _to_array(self._onnx, self._tensors[name], self._path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)
