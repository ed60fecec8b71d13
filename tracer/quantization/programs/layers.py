"""Find the layers of a program that can be quantized: convolutions and matrix multiplications with
constant weights, each with its bias and ReLU; and embeddings and recurrent layers, whose weights
can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...export.pdiparams_info import VarInfo
from ...ir.program import OpDesc
from .model import Dataflow, ProgramWithValues

CONV_OPS = ("conv2d", "depthwise_conv2d", "conv2d_transpose")
MATMUL_OPS = ("matmul_v2", "matmul", "mul", "fc")
EMBEDDING_OPS = ("lookup_table_v2", "lookup_table")
# Ops without integer kernels: only their weights are quantized.
WEIGHT_ONLY_OPS = (*EMBEDDING_OPS, "rnn")
_SLOTS = {
    **dict.fromkeys(CONV_OPS, ("Input", "Filter", "Output")),
    **dict.fromkeys(MATMUL_OPS, ("X", "Y", "Out")),
    **dict.fromkeys(EMBEDDING_OPS, ("Ids", "W", "Out")),
    "fc": ("Input", "W", "Out"),
    "rnn": ("Input", "WeightList", "Out"),
}
FUSED_ACTIVATIONS = ("relu", "relu6")


@dataclass
class QuantizableLayer:
    """A layer that may be quantized: an op with constant weights. A recurrent op has several such
    layers, one per weight matrix.

    name: the structured name of the layer in Python if the model records it, else its output.
    index: of the op in the outermost block.
    input, weight, op_output: the variables that the op reads and writes.
    bias: the parameter that is added to `op_output`; '' if there is none.
    output: the variable after bias and ReLU; `op_output` if there are none.
    problem: why the layer cannot be quantized; '' if it can.
    """

    name: str
    type: str
    index: int
    input: str
    weight: str
    op_output: str
    bias: str
    output: str
    problem: str = ""

    @property
    def weight_slot(self) -> str:
        """The input slot of the op that holds the weights."""
        return _SLOTS[self.type][1]

    @property
    def input_slot(self) -> str:
        """The input slot of the op that holds the activation."""
        return _SLOTS[self.type][0]

    @property
    def is_convolution(self) -> bool:
        """Whether the op is a convolution."""
        return self.type in CONV_OPS

    @property
    def channel_axis(self) -> int:
        """The axis of the weights with one scale per index: that of the output channels (after
        the transposition that `trans_y` requests), or the rows of an embedding and of a recurrent
        layer.
        """
        return 0 if self.type in ("conv2d", "depthwise_conv2d", *WEIGHT_ONLY_OPS) else 1


def find_layers_with_constant_weights(
    model: ProgramWithValues, info: Mapping[str, VarInfo] | None = None
) -> list[QuantizableLayer]:
    """Return the layers with constant weights in the outermost block, in the order of the program,
    also those that cannot be quantized (`problem`).

    info: the rows of `.pdiparams.info` by parameter, which hold the names of layers in Python.
    """
    flow = Dataflow(model.program)
    return [
        _make_layer(model, flow, index, weight, (info or {}).get(weight))
        for index, op in enumerate(model.program.block.ops)
        if op.type in _SLOTS
        for weight in _find_constant_weights(model, flow, op)
    ]


def _find_constant_weights(model: ProgramWithValues, flow: Dataflow, op: OpDesc) -> list[str]:
    """The constant weights of an op; of a recurrent op the matrices, not the biases."""
    names = op.inputs.get(_SLOTS[op.type][1], [])
    constants = [name for name in names if flow.is_constant(name, model.values)]
    if op.type == "rnn":
        return [name for name in constants if np.ndim(model.values[name]) == 2]
    return constants[:1]


def _make_layer(
    model: ProgramWithValues, flow: Dataflow, index: int, weight: str, info: VarInfo | None
) -> QuantizableLayer:
    op = model.program.block.ops[index]
    input_slot, _, output_slot = _SLOTS[op.type]
    op_output = op.outputs[output_slot][0]
    bias, output, problem = "", op_output, _find_weight_problem(model.values[weight])
    if op.type not in WEIGHT_ONLY_OPS:
        bias, output = _find_bias_and_layer_output(model, flow, op, op_output)
        problem = problem or _reason_not_quantizable(model, flow, op, weight, op_output)
    structured_name = info.structured_name.removesuffix(".weight") if info else ""
    return QuantizableLayer(
        structured_name or (weight if op.type == "rnn" else output),
        op.type,
        index,
        op.inputs[input_slot][0],
        weight,
        op_output,
        bias,
        output,
        problem,
    )


def _find_weight_problem(values: Any) -> str:
    array = np.asarray(values)
    if array.dtype != np.float32:
        return f"the weights are {array.dtype}, not float32"
    if not array.size or not np.isfinite(array).all():
        return "the weights are empty or contain NaN or infinity"
    return ""


def _reason_not_quantizable(
    model: ProgramWithValues, flow: Dataflow, op: OpDesc, weight: str, op_output: str
) -> str:
    array = np.asarray(model.values[weight])
    is_convolution = op.type in CONV_OPS
    layout = op.attr("data_format", "NCHW")
    problem = ""
    if not is_convolution and array.ndim != 2:
        problem = f"the weights have {array.ndim} axes, not 2"
    elif is_convolution and layout not in ("NCHW", "AnyLayout"):
        problem = f"its layout is {layout}, not NCHW"
    elif op.attr("trans_x", False) or op.attr("transpose_X", False):
        problem = "the activation is transposed"
    elif op.type == "mul" and op.attr("y_num_col_dims", 1) != 1:
        problem = "the weights are flattened"
    elif op_output not in flow.writers:
        problem = "another op writes the same output"
    return problem


def _find_bias_and_layer_output(
    model: ProgramWithValues, flow: Dataflow, op: OpDesc, op_output: str
) -> tuple[str, str]:
    """Return the parameter that is added to the output of an op, or '', and the output of the
    layer.
    """
    ops = model.program.block.ops
    bias, output = op.inputs.get("Bias", [""])[0] if op.type == "fc" else "", op_output
    reader = flow.only_reader_index(output)
    if reader is not None:
        parameter = find_channel_bias(model, flow, ops[reader], op_output, op.type in CONV_OPS)
        if parameter:
            bias, output = parameter, ops[reader].outputs["Out"][0]
            reader = flow.only_reader_index(output)
    if reader is not None and ops[reader].type in FUSED_ACTIVATIONS:
        output = ops[reader].outputs["Out"][0]
    return bias, output


def find_channel_bias(
    model: ProgramWithValues, flow: Dataflow, op: OpDesc, op_output: str, is_convolution: bool
) -> str:
    """Return the parameter that `op` adds to each output channel of `op_output`, also if it is
    reshaped before; '' if `op` does something else.
    """
    if op.type != "elementwise_add" or op.inputs["X"][0] != op_output:
        return ""
    addend = op.inputs["Y"][0]
    output_var, addend_var = model.program.var(op_output), model.program.var(addend)
    if output_var is None or addend_var is None:
        return ""
    rank, axis = len(output_var.shape), op.attr("axis", -1)
    start = rank - len(addend_var.shape) if axis == -1 else axis
    channel = 1 if is_convolution else rank - 1
    other_sizes = [size for i, size in enumerate(addend_var.shape) if start + i != channel]
    if start < 0 or not start <= channel < min(start + len(addend_var.shape), rank):
        return ""
    if any(size != 1 for size in other_sizes):
        return ""
    writer = flow.only_writer_or_none(addend)
    if writer is not None and writer.type in ("reshape2", "unsqueeze2"):
        addend = writer.inputs["X"][0]
    if not flow.is_constant(addend, model.values):
        return ""
    has_all_channels = np.size(model.values[addend]) == output_var.shape[channel]
    return addend if has_all_channels else ""
