"""The layers of a program that can be quantized: a product with constant weights, its bias and its
activation; and embeddings and recurrent layers, of which only the weights can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...export.pdiparams_info import VarInfo
from ...ir.program import OpDesc
from .model import Dataflow, ProgramWithValues

CONVOLUTIONS = ("conv2d", "depthwise_conv2d", "conv2d_transpose")
PRODUCTS = ("matmul_v2", "matmul", "mul", "fc")
EMBEDDINGS = ("lookup_table_v2", "lookup_table")
# Their ops have no form with integers: only their weights are quantized.
FLOAT_TYPES = (*EMBEDDINGS, "rnn")
_SLOTS = {
    **dict.fromkeys(CONVOLUTIONS, ("Input", "Filter", "Output")),
    **dict.fromkeys(PRODUCTS, ("X", "Y", "Out")),
    **dict.fromkeys(EMBEDDINGS, ("Ids", "W", "Out")),
    "fc": ("Input", "W", "Out"),
    "rnn": ("Input", "WeightList", "Out"),
}
FUSED_ACTIVATIONS = ("relu", "relu6")


@dataclass
class Layer:
    """An op with constant weights. A recurrent op has one layer per weight matrix.

    name: of the layer in Python if the model records it, else of its output.
    index: of the op in the outermost block.
    input, weight, product: the variables that the op reads and writes.
    bias: the parameter that is added to the product; '' if there is none.
    output: the variable after bias and activation.
    problem: why the layer cannot be quantized; '' if it can.
    """

    name: str
    type: str
    index: int
    input: str
    weight: str
    product: str
    bias: str
    output: str
    problem: str = ""

    @property
    def weight_slot(self) -> str:
        """The slot of the weights."""
        return _SLOTS[self.type][1]

    @property
    def input_slot(self) -> str:
        """The slot of the activation."""
        return _SLOTS[self.type][0]

    @property
    def is_convolution(self) -> bool:
        """Whether the product is a convolution."""
        return self.type in CONVOLUTIONS

    @property
    def channel_axis(self) -> int:
        """The axis of the weights with one element per output channel; of an embedding, per row."""
        return 0 if self.type in ("conv2d", "depthwise_conv2d", *FLOAT_TYPES) else 1


def find_layers(model: ProgramWithValues, info: Mapping[str, VarInfo] | None = None) -> list[Layer]:
    """Return the convolutions and matrix products with constant weights in the outermost block, in
    the order of the program.
    """
    flow = Dataflow(model.program)
    return [
        _make_layer(model, flow, index, weight, (info or {}).get(weight))
        for index, op in enumerate(model.program.block.ops)
        if op.type in _SLOTS
        for weight in _weights_of(model, flow, op)
    ]


def _weights_of(model: ProgramWithValues, flow: Dataflow, op: OpDesc) -> list[str]:
    """The constant weights of an op; of a recurrent op the matrices, not the biases."""
    names = op.inputs.get(_SLOTS[op.type][1], [])
    constants = [name for name in names if flow.is_constant(name, model.values)]
    if op.type == "rnn":
        return [name for name in constants if np.ndim(model.values[name]) == 2]
    return constants[:1]


def _make_layer(
    model: ProgramWithValues, flow: Dataflow, index: int, weight: str, info: VarInfo | None
) -> Layer:
    op = model.program.block.ops[index]
    input_slot, _, output_slot = _SLOTS[op.type]
    product = op.outputs[output_slot][0]
    bias, output, problem = "", product, _problem_of_weight(model.values[weight])
    if op.type not in FLOAT_TYPES:
        bias, output = _find_bias_and_layer_output(model, flow, op, product)
        problem = problem or _reason_not_quantizable(model, flow, op, weight, product)
    structured_name = info.structured_name.removesuffix(".weight") if info else ""
    return Layer(
        structured_name or (weight if op.type == "rnn" else output),
        op.type,
        index,
        op.inputs[input_slot][0],
        weight,
        product,
        bias,
        output,
        problem,
    )


def _problem_of_weight(values: Any) -> str:
    array = np.asarray(values)
    if array.dtype != np.float32:
        return f"the weights are {array.dtype}, not float32"
    if not array.size or not np.isfinite(array).all():
        return "the weights are empty or contain NaN or infinity"
    return ""


def _reason_not_quantizable(
    model: ProgramWithValues, flow: Dataflow, op: OpDesc, weight: str, product: str
) -> str:
    array = np.asarray(model.values[weight])
    is_convolution = op.type in CONVOLUTIONS
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
    elif product not in flow.writers:
        problem = "another op writes the same output"
    return problem


def _find_bias_and_layer_output(
    model: ProgramWithValues, flow: Dataflow, op: OpDesc, product: str
) -> tuple[str, str]:
    """Return the parameter that is added to a product, or '', and the output of the layer."""
    ops = model.program.block.ops
    bias, output = op.inputs.get("Bias", [""])[0] if op.type == "fc" else "", product
    reader = flow.only_reader_index(output)
    if reader is not None:
        parameter = find_channel_bias(model, flow, ops[reader], product, op.type in CONVOLUTIONS)
        if parameter:
            bias, output = parameter, ops[reader].outputs["Out"][0]
            reader = flow.only_reader_index(output)
    if reader is not None and ops[reader].type in FUSED_ACTIVATIONS:
        output = ops[reader].outputs["Out"][0]
    return bias, output


def find_channel_bias(
    model: ProgramWithValues, flow: Dataflow, op: OpDesc, product: str, is_convolution: bool
) -> str:
    """Return the parameter that an op adds to each output channel of a product, also if it is
    reshaped before; '' if the op does something else.
    """
    if op.type != "elementwise_add" or op.inputs["X"][0] != product:
        return ""
    addend = op.inputs["Y"][0]
    product_var, addend_var = model.program.var(product), model.program.var(addend)
    if product_var is None or addend_var is None:
        return ""
    rank, axis = len(product_var.shape), op.attr("axis", -1)
    start = rank - len(addend_var.shape) if axis == -1 else axis
    channel = 1 if is_convolution else rank - 1
    other_sizes = [size for i, size in enumerate(addend_var.shape) if start + i != channel]
    if start < 0 or not start <= channel < min(start + len(addend_var.shape), rank):
        return ""
    if any(size != 1 for size in other_sizes):
        return ""
    writer = flow.writer(addend)
    if writer is not None and writer.type in ("reshape2", "unsqueeze2"):
        addend = writer.inputs["X"][0]
    if not flow.is_constant(addend, model.values):
        return ""
    has_all_channels = np.size(model.values[addend]) == product_var.shape[channel]
    return addend if has_all_channels else ""
