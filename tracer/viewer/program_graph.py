"""The graph of a program of Paddle."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.dtype import DTYPE_BY_NP, DTYPE_BY_PROTO, float32, float64
from ..core.op import OPS
from ..ir.attr_types import REFERENCE_ATTR_TYPES, referenced_block_indices, referenced_var_names
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import Attr, AttrType, Block, ContractInputOrOutput, OpDesc, Program
from ..loader.model_files import ModelFileContents
from .graph import (
    GraphBlock,
    GraphGuard,
    GraphInputOrOutput,
    GraphOp,
    GraphParameter,
    ModelGraph,
    TensorType,
)
from .layer_paths import complete_layer_paths, split_layer_path

# Attributes that select a kernel of Paddle, and attributes for automatic differentiation.
_KERNEL_SELECTION_ATTRS = frozenset(
    {
        *("exhaustive_search", "mkldnn_data_type", "op_device", "op_role", "op_role_var"),
        *("use_cudnn", "use_mkldnn", "use_quantizer", "with_quant_attr", "workspace_size_MB"),
    }
)


def graph_of_model(files: ModelFileContents) -> ModelGraph:
    """Return the graph of a model of Paddle."""
    rows = files.info or {}
    parameters = {
        name: GraphParameter(
            TensorType(DTYPE_BY_NP[np.dtype(array.dtype)].name, tuple(array.shape)),
            int(array.nbytes),
            rows[name].structured_name if name in rows else "",
        )
        for name, array in files.values.items()
    }
    return graph_of_program(files.program, files.name, parameters, files.values)


def graph_of_program(
    program: Program,
    name: str,
    parameters: dict[str, GraphParameter],
    values: Mapping[str, Any],
) -> ModelGraph:
    """Return the graph of a program, given its parameters by name."""
    contract = program.contract
    facts = {"Paddle version": _format_version(program.version)} if program.version else {}
    if contract is not None:
        facts["producer"] = contract.producer
        facts["verification"] = contract.verified or "not verified"
    graph = ModelGraph(
        name,
        [_graph_block(program, block) for block in program.blocks],
        _inputs_or_outputs(program, program.feed_names(), contract.inputs if contract else []),
        _inputs_or_outputs(program, program.fetch_names(), contract.outputs if contract else []),
        parameters,
        values,
        facts,
        [
            GraphGuard(
                guard.var, f"{guard.reader} == {guard.expected}", f"{guard.where}: {guard.text}"
            )
            for guard in (contract.guards if contract else [])
        ],
    )
    layer_names = {name: parameter.layer_name for name, parameter in parameters.items()}
    for block in graph.blocks:
        complete_layer_paths(block.ops, layer_names)
    return graph


def _format_version(version: int) -> str:
    """Return a Paddle version such as 2006002 as text, 2.6.2."""
    return f"{version // 1_000_000}.{version // 1000 % 1000}.{version % 1000}"


def _inputs_or_outputs(
    program: Program, names: list[str], declared: list[ContractInputOrOutput]
) -> list[GraphInputOrOutput]:
    if declared:
        return [
            GraphInputOrOutput(
                arg.name,
                TensorType(
                    arg.dtype,
                    tuple(
                        size if dim is None else dim.name for size, dim in arg.iter_sizes_and_dims()
                    ),
                ),
                arg.path,
            )
            for arg in declared
        ]
    types = _graph_block(program, program.block).types
    return [GraphInputOrOutput(name, types[name]) for name in names]


def _graph_block(program: Program, block: Block) -> GraphBlock:
    return GraphBlock(
        [_graph_op(op) for op in block.ops if not is_feed_or_fetch(op.type)],
        {
            var.name: TensorType(var.dtype or var.kind.name.lower(), var.shape)
            for var in block.vars.values()
        },
    )


def _graph_op(op: OpDesc) -> GraphOp:
    inputs = {slot: list(names) for slot, names in op.inputs.items() if names}
    blocks, attrs = [], {}
    for name, attr in sorted(op.attrs.items()):
        blocks += referenced_block_indices(attr)
        if names := referenced_var_names(attr):  # variables as attributes are inputs
            inputs[name] = names
        if attr.type not in REFERENCE_ATTR_TYPES:
            attrs[name] = _attribute_value(attr)
    outputs = {slot: list(names) for slot, names in op.outputs.items() if names}
    layer = split_layer_path(op.layer_path)
    significant = {
        name: value
        for name, value in _normalized_attrs(op.type, attrs).items()
        if _is_significant(op, name, value)
    }
    return GraphOp(op.type, inputs, outputs, attrs, "", layer, op.user_line, blocks, significant)


def _attribute_value(attr: Attr) -> Any:
    """Return the value of an attribute, numbers of double precision as np.float64."""
    if attr.type is AttrType.FLOAT64:
        return np.float64(attr.value)
    if attr.type is AttrType.FLOAT64S:
        return [np.float64(number) for number in attr.value]
    return attr.value


def _normalized_attrs(type: str, attrs: dict[str, Any]) -> dict[str, Any]:
    """Return attributes in which different ways to write the same value are replaced by one."""
    if type == "fill_constant":
        return {**attrs, **_normalized_constant(attrs)}
    if type.startswith("reduce_") and attrs.get("dim") == []:  # all axes
        return {**attrs, "reduce_all": True}
    return attrs


def _normalized_constant(attrs: dict[str, Any]) -> dict[str, Any]:
    """Return the value of a constant in the precision of its dtype. Programs store it as text, as a
    float, or both.
    """
    number: Any = attrs.get("str_value") or attrs.get("value")
    dtype = DTYPE_BY_PROTO.get(attrs.get("dtype", float32.proto), float32)
    try:
        if dtype.np.kind in "iub":
            value = (
                int(number) if isinstance(number, str) and _is_integer(number) else float(number)
            )
            value = int(value) if value == int(value) else value
        else:
            value = (np.float64 if dtype is float64 else float)(number)
    except (TypeError, ValueError, OverflowError):  # neither text nor a number, or not finite
        return {}
    return {"str_value": "", "value": value}


def _is_integer(text: str) -> bool:
    return text.strip().lstrip("+-").isdecimal()


def _is_significant(op: OpDesc, name: str, value: Any) -> bool:
    """Whether an attribute affects results, and has another value than the default."""
    if name in _KERNEL_SELECTION_ATTRS:
        return False
    definition = OPS.get(op.type)
    spec = definition.attrs.get(name) if definition is not None else None
    if spec is None or spec.default is inspect.Parameter.empty:
        return True
    if isinstance(value, float) and isinstance(spec.default, float):
        return bool(np.float32(value) != np.float32(spec.default))
    return bool(value != spec.default)
