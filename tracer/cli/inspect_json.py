"""`oarlock inspect --json`: a model as JSON. docs/inspect.schema.json is the schema.

`oarlock-runner inspect --json` writes the same names.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..core.dtype import DTYPE_BY_NP
from ..core.errors import OarlockError
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import Block, ContractInputOrOutput, Guard, OpDesc, VarDesc
from ..loader.model_files import ModelFileContents, read_model
from ..onnx.writer import ExportOptions, select_opset
from .inspect import has_kernel, input_and_output_specs, lowered_op_types
from .inspect_graph import TensorSpec, summarize_graph

Json = dict[str, Any]


def print_as_json(prefix: str, with_program: bool) -> None:
    """Print a model, or an .onnx or .ort file, as one JSON object.

    with_program: also print every op and variable of every block of a model.
    """
    is_graph = prefix.endswith((".onnx", ".ort"))
    content = (
        _graph_as_json(prefix) if is_graph else model_as_json(read_model(prefix), with_program)
    )
    print(json.dumps(content))


def model_as_json(files: ModelFileContents, with_program: bool) -> Json:
    """Return the content of a model as JSON values.

    with_program: also return every op and variable of every block.
    """
    program = files.program
    contract = program.contract
    inputs, outputs = input_and_output_specs(files)
    lowered = lowered_op_types()
    counts = Counter(op.type for op in program.ops() if not is_feed_or_fetch(op.type))
    result: Json = {
        "file": files.name,
        "inputs": [_tensor_json(spec) for spec in inputs],
        "outputs": [_tensor_json(spec) for spec in outputs],
        "ops": dict(sorted(counts.items())),
        "parameters": _parameters_json(files),
        "parameter_bytes": sum(array.nbytes for array in files.values.values()),
        "without_lowering": [name for name in sorted(counts) if name not in lowered],
        "without_kernel": [name for name in sorted(counts) if not has_kernel(name)],
        "onnx": _conversion_json(files),
        "guards": [_guard_json(guard) for guard in contract.guards] if contract else [],
        "producer": contract.producer if contract else "",
        "verified": contract.verified if contract else "",
    }
    if with_program:
        result["blocks"] = [_block_json(block) for block in program.blocks]
    return result


def _graph_as_json(path: str) -> Json:
    graph = summarize_graph(path)

    def tensors(specs: Sequence[TensorSpec]) -> list[Json]:
        return [{"name": name, "dtype": dtype, "shape": shape} for name, dtype, shape in specs]

    return {
        "file": os.path.basename(path),
        "inputs": tensors(graph.inputs),
        "outputs": tensors(graph.outputs),
        "ops": dict(sorted(graph.ops.items())),
        "opsets": graph.opsets,
        "producer": graph.producer,
    }


def _tensor_json(spec: ContractInputOrOutput) -> Json:
    dims = [
        {
            "axis": axis,
            "name": dim.name,
            "min": dim.min,
            "max": dim.max,
            "multiple": dim.multiple,
        }
        for axis, (_, dim) in enumerate(spec.iter_sizes_and_dims())
        if dim is not None
    ]
    tensor: Json = {"name": spec.name, "dtype": spec.dtype, "shape": list(spec.shape)}
    if dims:
        tensor["dims"] = dims
    if spec.path:
        tensor["path"] = spec.path
    return tensor


def _parameters_json(files: ModelFileContents) -> list[Json]:
    rows = []
    for name, array in files.values.items():
        row: Json = {
            "name": name,
            "dtype": DTYPE_BY_NP[array.dtype].name,
            "shape": list(array.shape),
            "bytes": array.nbytes,
        }
        info = (files.info or {}).get(name)
        if info is not None and info.structured_name:
            row["layer_name"] = info.structured_name
        rows.append(row)
    return rows


def _conversion_json(files: ModelFileContents) -> Json:
    try:
        return {"opset": select_opset(files, ExportOptions(None, "", True))}
    except OarlockError as error:
        return {"error": str(error)}


def _guard_json(guard: Guard) -> Json:
    names = ("kind", "var", "axis", "expected", "reader", "where", "text")
    return {name: getattr(guard, name) for name in names}


def _block_json(block: Block) -> Json:
    return {
        "index": block.idx,
        "parent": block.parent,
        "variables": [_variable_json(variable) for variable in block.vars.values()],
        "ops": [_op_json(op) for op in block.ops],
    }


def _variable_json(variable: VarDesc) -> Json:
    return {
        "name": variable.name,
        "kind": variable.kind.name.lower(),
        "dtype": variable.dtype,
        "shape": list(variable.shape),
        "persistable": variable.persistable,
        "parameter": variable.is_parameter,
    }


def _op_json(op: OpDesc) -> Json:
    return {
        "type": op.type,
        "inputs": op.inputs,
        "outputs": op.outputs,
        "attributes": {
            name: {"type": attr.type.name, "value": _attribute_value(attr.value)}
            for name, attr in op.attrs.items()
        },
        "source": op.user_line,
        "layer": op.layer_path,
    }


def _attribute_value(value: Any) -> Any:
    """Return the value of an attribute as JSON. NaN, infinity and complex numbers become text,
    because JSON lacks them.
    """
    if isinstance(value, (list, tuple)):
        return [_attribute_value(element) for element in value]
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return value
