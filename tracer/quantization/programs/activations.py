"""Select the activations to quantize, and their formats, for a set of quantized layers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ...ir.program import OpDesc, VarKind
from .layers import FUSED_ACTIVATIONS, QuantizableLayer
from .model import Dataflow, ProgramWithValues

# Ops that move or select elements, so that their output has the levels of the input.
_DATA_MOVEMENT_OPS = (
    "reshape2",
    "flatten_contiguous_range",
    "transpose2",
    "squeeze2",
    "unsqueeze2",
)
_NONNEGATIVE_OPS = ("relu", "relu6", "sigmoid", "hard_sigmoid", "softmax", "abs")
_SIGN_PRESERVING_OPS = ("pool2d", "reduce_mean", "reduce_max")
# Ops that are followed backwards to the one that makes a value non-negative. The converter to ONNX
# must come to the same result, and follows at most 16 nodes, of which one op may emit several.
_MAX_TRACED_OPS = 8


@dataclass(frozen=True)
class ActivationFormat:
    """How an activation is quantized.

    threshold_source: the variable whose threshold is used: the activation itself, or the one whose
    elements it holds, for example before a reshape.
    bit_length: the attribute of Paddle's `quantize_linear`, whose levels are signed. 8: the levels
    -128 to 127. 9: for values that are never negative, of which only the levels 0 to 255 occur,
    which ONNX stores as uint8.
    """

    threshold_source: str
    bit_length: int

    @property
    def max_level(self) -> int:
        """The level that represents the threshold, which is the largest one."""
        return int(2 ** (self.bit_length - 1) - 1)


def select_activation_formats(
    model: ProgramWithValues, layers: Collection[QuantizableLayer], has_symmetric_activations: bool
) -> dict[str, ActivationFormat]:
    """Return the formats of the activations to quantize if `layers` are quantized, by variable
    name.

    These are the inputs of the layers; the outputs of convolutions, because engines compute a
    convolution in eight bits only if its output is quantized; the outputs of additions of which
    both inputs are quantized; and the inputs of pools and data movement ops that follow such a
    convolution or addition and whose output is quantized, so that these ops compute in eight bits,
    too. After an op that computes in float32, a value is quantized behind the pool, where it has
    fewer elements.

    has_symmetric_activations: use the levels -128 to 127 for all activations.
    """
    flow = Dataflow(model.program)
    computed_in_eight_bits = {layer.output for layer in layers if layer.is_convolution}
    names = {layer.input for layer in layers} | computed_in_eight_bits
    for op in model.program.block.ops:
        if op.type == "elementwise_add" and names.issuperset(op.input_names()):
            computed_in_eight_bits.add(_output_after_fused_activation_op(model, flow, op))
            names |= computed_in_eight_bits
    for op in model.program.block.ops:
        if _is_pool_or_data_movement_op(op) and op.inputs["X"][0] in computed_in_eight_bits:
            computed_in_eight_bits.add(op.outputs["Out"][0])
    for op in reversed(model.program.block.ops):
        if _is_pool_or_data_movement_op(op) and op.outputs["Out"][0] in names:
            names |= {op.inputs["X"][0]} & computed_in_eight_bits
    formats = {}
    for name in sorted(names):
        if is_float32_tensor_with_one_outer_writer(model, flow, name):
            bits = 9 if not has_symmetric_activations and _is_nonnegative(flow, name) else 8
            formats[name] = ActivationFormat(
                _find_activation_with_same_scale(flow, name, names), bits
            )
    return formats


def select_quantized_op_indices(
    model: ProgramWithValues, layers: Collection[QuantizableLayer], formats: Collection[str]
) -> set[int]:
    """Return the indices of the ops that compute in eight bits: layers; and pools, data movement
    ops and additions of which all activations are quantized.
    """
    flow = Dataflow(model.program)
    quantized = {layer.index for layer in layers}
    for index, op in enumerate(model.program.block.ops):
        if _is_pool_or_data_movement_op(op) or op.type == "elementwise_add":
            names = (*op.input_names(), _output_after_fused_activation_op(model, flow, op))
            if all(name in formats for name in names):
                quantized.add(index)
    return quantized


def select_outputs_computed_in_eight_bits(
    model: ProgramWithValues, layers: Collection[QuantizableLayer], quantized_ops: Collection[int]
) -> set[str]:
    """Return the outputs that engines compute only in eight bits: those of convolutions, pools,
    data movement ops and additions. Outputs of matrix multiplications are not included, because
    engines can also return these in float32.
    """
    flow = Dataflow(model.program)
    others = set(quantized_ops) - {layer.index for layer in layers}
    return {layer.output for layer in layers if layer.is_convolution} | {
        _output_after_fused_activation_op(model, flow, model.program.block.ops[index])
        for index in others
    }


def _output_after_fused_activation_op(model: ProgramWithValues, flow: Dataflow, op: OpDesc) -> str:
    """Return the output of an op, or of the ReLU after it, which engines fuse with it."""
    output = op.outputs["Out"][0]
    reader = flow.only_reader_index(output)
    if reader is None or model.program.block.ops[reader].type not in FUSED_ACTIVATIONS:
        return output
    return model.program.block.ops[reader].outputs["Out"][0]


def is_float32_tensor_with_one_outer_writer(
    model: ProgramWithValues, flow: Dataflow, name: str
) -> bool:
    """Whether a variable is a float32 tensor, no parameter, that one op of the outermost block
    writes and no inner block uses.
    """
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
    return op.type in _DATA_MOVEMENT_OPS and len(list(op.input_names())) == 1


def _is_pool_or_data_movement_op(op: OpDesc) -> bool:
    return op.type == "pool2d" or _is_data_movement_op(op)


def _is_max_pool(op: OpDesc) -> bool:
    return op.type == "pool2d" and op.attr("pooling_type", "max") == "max"


def _is_nonnegative(flow: Dataflow, name: str) -> bool:
    for _ in range(_MAX_TRACED_OPS):
        op = flow.only_writer_or_none(name)
        if op is None:
            return False
        if op.type in _NONNEGATIVE_OPS:
            return True
        if not (_is_data_movement_op(op) or op.type in _SIGN_PRESERVING_OPS):
            return False
        name = op.inputs["X"][0]
    return False


def _find_activation_with_same_scale(flow: Dataflow, name: str, names: Collection[str]) -> str:
    """If max pools or data movement ops compute variable `name` from a quantized activation, return
    that activation, because both must have the same scale.
    """
    op = flow.only_writer_or_none(name)
    while (
        op is not None
        and (_is_data_movement_op(op) or _is_max_pool(op))
        and op.inputs["X"][0] in names
    ):
        name = op.inputs["X"][0]
        op = flow.only_writer_or_none(name)
    return name
