"""Which activations are quantized, and in which format, when some layers are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ...ir.program import OpDesc, VarKind
from .layers import FUSED_ACTIVATIONS, Layer
from .model import Dataflow, ProgramWithValues

# Ops that move or select elements, so that their output has the levels of the input.
_MOVES = ("reshape2", "flatten_contiguous_range", "transpose2", "squeeze2", "unsqueeze2")
_NONNEGATIVE = ("relu", "relu6", "sigmoid", "hard_sigmoid", "softmax", "abs")
_KEEPS_NONNEGATIVE = ("pool2d", "reduce_mean", "reduce_max")
_MAX_CHAIN = 8  # the converter to ONNX follows chains of at most 16 nodes


@dataclass(frozen=True)
class Format:
    """How an activation is quantized.

    threshold_of: the variable whose threshold is used: the activation itself, or the one whose
    elements it holds.
    bit_length: of Paddle's `quantize_linear`, with 8 for the levels -128 to 127. Values that are
    never negative have 9 and the levels 0 to 255, which ONNX stores as uint8.
    """

    threshold_of: str
    bit_length: int

    @property
    def max_level(self) -> int:
        """The level of the threshold."""
        return int(2 ** (self.bit_length - 1) - 1)


def select_activation_formats(
    model: ProgramWithValues, layers: Collection[Layer], is_symmetric: bool
) -> dict[str, Format]:
    """Return the formats of the activations to quantize if `layers` are quantized, by variable
    name.

    These are the inputs of the layers; the outputs of convolutions, because engines compute a
    convolution in eight bits only if its output is quantized; the outputs of additions of which
    both inputs are quantized; and the inputs of pools and moves whose output is quantized, so that
    values stay in eight bits.

    is_symmetric: use levels -128 to 127 for all activations.
    """
    flow = Dataflow(model.program)
    names = {layer.input for layer in layers}
    names |= {layer.output for layer in layers if layer.is_convolution}
    for op in model.program.block.ops:
        if op.type == "elementwise_add" and names.issuperset(op.input_names()):
            names.add(_output_after_activation(model, flow, op))
    for op in reversed(model.program.block.ops):
        if (_is_data_movement_op(op) or op.type == "pool2d") and op.outputs["Out"][0] in names:
            names.add(op.inputs["X"][0])
    formats = {}
    for name in sorted(names):
        if can_quantize_activation(model, flow, name):
            bits = 9 if not is_symmetric and _is_nonnegative(flow, name) else 8
            formats[name] = Format(_origin(flow, name, names), bits)
    return formats


def select_quantized_op_indices(
    model: ProgramWithValues, layers: Collection[Layer], formats: Collection[str]
) -> set[int]:
    """Return the indices of the ops that compute in eight bits: layers; and pools, moves and
    additions of which all activations are quantized.
    """
    flow = Dataflow(model.program)
    quantized = {layer.index for layer in layers}
    for index, op in enumerate(model.program.block.ops):
        if _is_data_movement_op(op) or op.type in ("pool2d", "elementwise_add"):
            names = (*op.input_names(), _output_after_activation(model, flow, op))
            if all(name in formats for name in names):
                quantized.add(index)
    return quantized


def select_quantized_outputs(
    model: ProgramWithValues, layers: Collection[Layer], quantized_ops: Collection[int]
) -> set[str]:
    """Return the variables that ops compute in eight bits, so that no op can read them in float32
    without a loss of speed.
    """
    flow = Dataflow(model.program)
    others = set(quantized_ops) - {layer.index for layer in layers}
    return {layer.output for layer in layers if layer.is_convolution} | {
        _output_after_activation(model, flow, model.program.block.ops[index]) for index in others
    }


def _output_after_activation(model: ProgramWithValues, flow: Dataflow, op: OpDesc) -> str:
    """Return the output of an op, or of the activation that engines fuse with it."""
    output = op.outputs["Out"][0]
    reader = flow.only_reader_index(output)
    if reader is None or model.program.block.ops[reader].type not in FUSED_ACTIVATIONS:
        return output
    return model.program.block.ops[reader].outputs["Out"][0]


def can_quantize_activation(model: ProgramWithValues, flow: Dataflow, name: str) -> bool:
    """Whether a variable is a float32 tensor that one op of the outermost block writes."""
    var = model.program.block.vars.get(name)
    return (
        var is not None
        and var.kind == VarKind.DENSE
        and var.dtype == "float32"
        and not var.persistable
        and name in flow.writers
        and name not in flow.inner_names
    )


def _is_data_movement_op(op: OpDesc) -> bool:
    return op.type in _MOVES and len(list(op.input_names())) == 1


def _is_max_pool(op: OpDesc) -> bool:
    return op.type == "pool2d" and op.attr("pooling_type", "max") == "max"


def _is_nonnegative(flow: Dataflow, name: str) -> bool:
    for _ in range(_MAX_CHAIN):
        op = flow.writer(name)
        if op is None:
            return False
        if op.type in _NONNEGATIVE:
            return True
        if not (_is_data_movement_op(op) or op.type in _KEEPS_NONNEGATIVE):
            return False
        name = op.inputs["X"][0]
    return False


def _origin(flow: Dataflow, name: str, names: Collection[str]) -> str:
    """Return the quantized activation whose elements a variable holds."""
    op = flow.writer(name)
    while (
        op is not None
        and (_is_data_movement_op(op) or _is_max_pool(op))
        and op.inputs["X"][0] in names
    ):
        name = op.inputs["X"][0]
        op = flow.writer(name)
    return name
