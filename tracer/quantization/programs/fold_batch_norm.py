"""Fold batch normalization into the convolution before it, as engines do for float weights; and
fold ops that only reshape the weights of a convolution.
"""

from __future__ import annotations

import numpy as np

from ...ir.program import OpDesc
from .layers import CONV_OPS, find_channel_bias
from .model import Dataflow, ProgramWithValues, make_op

_WEIGHT_RESHAPE_OPS = ("assign", "unsqueeze2")


def fold_weight_reshapes(model: ProgramWithValues) -> ProgramWithValues:
    """Return a model in which weights of convolutions are stored in the shape that the convolutions
    read, without the `assign` and `unsqueeze2` ops that Conv1D applies to its weights.
    """
    model = model.copy()
    flow = Dataflow(model.program)
    ops = model.program.block.ops
    folded: dict[str, str] = {}  # results of the removed ops -> constants
    constants: dict[tuple[str, tuple[int, ...]], str] = {}  # of weights with several readers
    remaining = []
    for op in ops:
        remaining.append(op)
        if op.type not in _WEIGHT_RESHAPE_OPS or len(list(op.input_names())) != 1:
            continue
        x, out = op.inputs["X"][0], op.outputs["Out"][0]
        axes = op.attr("axes", []) if op.type == "unsqueeze2" else []
        is_constant = x in folded or flow.is_constant(x, model.values)
        if not is_constant or len(axes) > 1 or not _is_read_only_as_conv_filter(flow, op, out):
            continue
        name = folded.get(x, x)
        array = np.asarray(model.values[name])
        if axes:
            array = np.expand_dims(array, axes[0])
        if flow.only_reader_index(x) is None:
            key = name, tuple(axes)
            if key not in constants:
                constants[key] = model.add_constant(name + ".reshaped", array)
            name = constants[key]
        model.values[name] = array
        model.program.block.vars[name].shape = array.shape
        folded[out] = name
        remaining.pop()
    model.program.block.ops = remaining
    for op in remaining:
        for slot, names in op.inputs.items():
            op.inputs[slot] = [folded.get(name, name) for name in names]
    model.drop_unused_variables()
    return model


def _is_read_only_as_conv_filter(flow: Dataflow, op: OpDesc, out: str) -> bool:
    """Whether only convolutions read the output of an op as weights, directly or reshaped again."""
    others = [name for name in op.output_names() if name != out]
    if out not in flow.writers or any(map(flow.inner_names.__contains__, (out, *others))):
        return False
    if any(flow.readers.get(name) for name in others):
        return False
    readers = [flow.program.block.ops[i] for i in flow.readers.get(out, ())]
    return bool(readers) and all(
        reader.type in _WEIGHT_RESHAPE_OPS
        or (reader.type in CONV_OPS and reader.inputs["Filter"] == [out])
        for reader in readers
    )


def fold_batch_norms(model: ProgramWithValues) -> ProgramWithValues:
    """Return a model in which `conv -> [+ bias] -> batch_norm` is `conv -> + bias`.

    With g = Scale / sqrt(Variance + epsilon): Filter' = Filter * g per output channel, and
    bias' = (bias - Mean) * g + Bias.
    """
    model = fold_weight_reshapes(model)
    flow = Dataflow(model.program)
    ops = model.program.block.ops
    replacements: dict[int, OpDesc | None] = {}
    for index, op in enumerate(ops):
        if op.type == "batch_norm":
            replacements |= _fold_norm_into_weights(model, flow, index)
    model.program.block.ops = [
        new for i, op in enumerate(ops) if (new := replacements.get(i, op)) is not None
    ]
    model.drop_unused_variables()
    return model


def _fold_norm_into_weights(
    model: ProgramWithValues, flow: Dataflow, index: int
) -> dict[int, OpDesc | None]:
    """Fold a normalization into the weights of the model, and return the ops that replace others,
    by index, with None for ops to remove; empty if it cannot be folded.
    """
    ops = model.program.block.ops
    norm = ops[index]
    parameters = [norm.inputs[slot][0] for slot in ("Scale", "Bias", "Mean", "Variance")]
    source = _find_foldable_convolution_before_norm(model, flow, index)
    if source is None or not _is_norm_foldable(model, flow, index, parameters):
        return {}
    conv, x, bias, add_index = source
    weight = conv.inputs["Filter"][0]
    scale, shift, mean, variance = (np.asarray(model.values[p], np.float64) for p in parameters)
    filters = np.asarray(model.values[weight])
    if filters.dtype != np.float32 or len(filters) != scale.size or filters.ndim != 4:
        return {}
    old_bias = np.asarray(model.values[bias], np.float64).ravel() if bias else 0.0
    factor = scale / np.sqrt(variance + norm.attr("epsilon", 1e-5))
    new_filter = (filters * factor.reshape(-1, 1, 1, 1)).astype(np.float32)
    new_bias = ((old_bias - mean) * factor + shift).astype(np.float32)
    if flow.only_reader_index(weight) is not None:
        model.values[weight] = new_filter
    else:
        conv.inputs["Filter"] = [model.add_constant(weight + ".folded", new_filter)]
    y = model.add_constant(norm.inputs["Bias"][0] + ".folded", new_bias)
    add = make_op("elementwise_add", {"X": x, "Y": y}, {"Out": norm.outputs["Y"][0]}, axis=1)
    add.user_line, add.layer_path = norm.user_line, norm.layer_path
    return {index: add} | ({} if add_index is None else {add_index: None})


def _is_norm_foldable(
    model: ProgramWithValues, flow: Dataflow, index: int, parameters: list[str]
) -> bool:
    """Whether a normalization uses constant statistics, and channels are axis 1."""
    norm = model.program.block.ops[index]
    is_inference = norm.attr("is_test", False) or norm.attr("use_global_stats", False)
    is_channels_first = norm.attr("data_layout", "NCHW") == "NCHW"
    are_constant = all(
        p in model.values and flow.all_writers.get(p, [index]) == [index] for p in parameters
    )
    return bool(is_inference and is_channels_first and are_constant)


def _find_foldable_convolution_before_norm(
    model: ProgramWithValues, flow: Dataflow, index: int
) -> tuple[OpDesc, str, str, int | None] | None:
    """Return the convolution before a normalization, its output, the parameter that is added to
    it or '', and the index of the addition.
    """
    ops = model.program.block.ops
    x = ops[index].inputs["X"][0]
    if flow.only_reader_index(x) != index:
        return None
    add_index, bias = flow.writers.get(x), ""
    if add_index is not None and ops[add_index].type == "elementwise_add":
        x = ops[add_index].inputs["X"][0]
        bias = find_channel_bias(model, flow, ops[add_index], x, is_convolution=True)
        if not bias or flow.only_reader_index(x) != add_index:
            return None
    else:
        add_index = None
    conv = flow.only_writer_or_none(x)
    if conv is None or conv.type not in ("conv2d", "depthwise_conv2d"):
        return None
    is_channels_first = conv.attr("data_format", "NCHW") in ("NCHW", "AnyLayout")
    is_constant = flow.is_constant(conv.inputs["Filter"][0], model.values)
    return (conv, x, bias, add_index) if is_channels_first and is_constant else None
