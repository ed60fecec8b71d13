"""Fold batch normalization into the convolution before it, as engines do with float weights only."""

from __future__ import annotations

import numpy as np

from ...ir.program import OpDesc
from .layers import find_reshaped_parameter
from .model import Dataflow, ProgramWithValues, make_op


def fold_batch_norms(model: ProgramWithValues) -> ProgramWithValues:
    """Return a model in which `conv -> [+ bias] -> batch_norm` is `conv -> + bias`.

    With g = Scale / sqrt(Variance + epsilon): Filter' = Filter * g per output channel, and
    bias' = (bias - Mean) * g + Bias.
    """
    model = model.copy()
    flow = Dataflow(model.program)
    ops = model.program.block.ops
    replacements: dict[int, OpDesc | None] = {}
    for index, op in enumerate(ops):
        if op.type == "batch_norm":
            replacements |= _fold_one(model, flow, index)
    model.program.block.ops = [
        new for i, op in enumerate(ops) if (new := replacements.get(i, op)) is not None
    ]
    model.drop_unused_variables()
    return model


def _fold_one(
    model: ProgramWithValues, flow: Dataflow, index: int
) -> dict[int, OpDesc | None]:
    """Return the ops that replace others, by index, with None for ops to remove; empty if the
    normalization cannot be folded.
    """
    ops = model.program.block.ops
    norm = ops[index]
    parameters = [norm.inputs[slot][0] for slot in ("Scale", "Bias", "Mean", "Variance")]
    x = norm.inputs["X"][0]
    written_elsewhere = {n for i, op in enumerate(ops) if i != index for n in op.output_names()}
    is_inference = norm.attr("is_test", False) or norm.attr("use_global_stats", False)
    if (
        not is_inference
        or norm.attr("data_layout", "NCHW") != "NCHW"
        or any(p not in model.values or p in written_elsewhere for p in parameters)
        or flow.only_reader(x) != index
    ):
        return {}
    add_index, bias = flow.writers.get(x), ""
    if add_index is not None and ops[add_index].type == "elementwise_add":
        bias = find_reshaped_parameter(model, flow, ops[add_index].inputs["Y"][0])
        x = ops[add_index].inputs["X"][0]
        if not bias or flow.only_reader(x) != add_index:
            return {}
    else:
        add_index = None
    conv = flow.writer(x)
    if conv is None or conv.type not in ("conv2d", "depthwise_conv2d"):
        return {}
    weight = conv.inputs["Filter"][0]
    if conv.attr("data_format", "NCHW") not in ("NCHW", "AnyLayout"):
        return {}
    if not flow.is_constant(weight, model.values):
        return {}
    scale, shift, mean, variance = (
        np.asarray(model.values[p], np.float64) for p in parameters
    )
    filters = np.asarray(model.values[weight])
    if filters.dtype != np.float32 or len(filters) != scale.size:
        return {}
    old_bias = np.asarray(model.values[bias], np.float64).ravel() if bias else 0.0
    factor = scale / np.sqrt(variance + norm.attr("epsilon", 1e-5))
    new_filter = (filters * factor.reshape(-1, 1, 1, 1)).astype(np.float32)
    new_bias = ((old_bias - mean) * factor + shift).astype(np.float32)
    if flow.only_reader(weight) is not None:
        model.values[weight] = new_filter
    else:
        conv.inputs["Filter"] = [model.add_constant(weight + ".folded", new_filter)]
    y = model.add_constant(norm.inputs["Bias"][0] + ".folded", new_bias)
    add = make_op(
        "elementwise_add", {"X": x, "Y": y}, {"Out": norm.outputs["Y"][0]}, axis=1
    )
    add.user_line, add.layer_path = norm.user_line, norm.layer_path
    return {index: add} | ({} if add_index is None else {add_index: None})
