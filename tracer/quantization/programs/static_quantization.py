"""Rewrite a program so that layers compute with quantized weights and activations: with thresholds
of activations that are known (static) or determined in each run (dynamic).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...ir.program import Attr, AttrType, OpDesc
from .activations import (
    ActivationFormat,
    select_activation_formats,
    select_outputs_computed_in_eight_bits,
    select_quantized_op_indices,
)
from .layers import QuantizableLayer
from .model import Dataflow, ProgramWithValues, make_op

WEIGHT_STORAGES = ("int8", "float32")
MAX_WEIGHT_LEVEL = 127
MIN_SCALE = 1e-25  # tensors with a smaller largest absolute value are treated as 0
_UNFUSED_BIAS_TYPES = ("conv2d_transpose", "fc")  # engines add their bias in float32
# The largest allowed level of a bias: engines store a bias as int32 multiples of input_step *
# weight_step, and only half of the range of int32 is used.
_MAX_BIAS_LEVEL = 2.0**30


class QuantizedProgramBuilder:
    """Quantizes weights and activations of a copy of a model.

    weight_storage: the dtype in which levels of weights are stored: 'int8', or 'float32' as in
    files of Paddle.
    """

    def __init__(self, base: ProgramWithValues, weight_storage: str = "int8") -> None:
        self.model = base.copy()
        self._flow = Dataflow(base.program)  # indices and names are those of the base
        self._ops = list(self.model.program.block.ops)
        self._before: dict[int, list[OpDesc]] = {}
        self._after: dict[int, list[OpDesc]] = {}
        self._weight_storage = weight_storage
        self._zero_points: dict[int, str] = {}
        self._dynamic_results: dict[str, str] = {}
        self._weight_ops: dict[tuple[str, int, bool, bytes], tuple[int, OpDesc]] = {}

    def insert_ops_and_take_model(self) -> ProgramWithValues:
        """Insert the quantize and dequantize ops, and return the model."""
        self.model.program.block.ops = [
            op
            for i, at in enumerate(self._ops)
            for op in (*self._before.get(i, ()), at, *self._after.get(i, ()))
        ]
        self.model.drop_unused_variables()
        return self.model

    def quantize_weight(self, layer: QuantizableLayer, min_scales: Any = 0.0) -> Any:
        """Replace the weights of a layer by levels with one scale per output channel or row.

        min_scales: lower limits of the scales. Returns the scales, the absolute values of the level
        127.
        """
        op = self._ops[layer.index]
        weight = np.asarray(self.model.values[layer.weight])
        is_transposed = False
        for transpose in ("trans_y", "transpose_Y"):
            if op.attr(transpose, False):  # engines fuse only weights that are not transposed
                weight, is_transposed = np.ascontiguousarray(weight.T), True
                op.attrs[transpose] = Attr(AttrType.BOOLEAN, False)
        axis = layer.channel_axis
        others = tuple(i for i in range(weight.ndim) if i != axis)
        scales = np.maximum(np.abs(weight).max(others), min_scales).astype(np.float32)
        scales[scales < MIN_SCALE] = 1.0  # channels of zeros
        key = layer.weight, axis, is_transposed, scales.tobytes()  # layers may share weights
        if key not in self._weight_ops:
            self._weight_ops[key] = (
                layer.index,
                self._add_quantized_weight_and_dequantize_op(layer, weight, scales),
            )
        index, weight_op = self._weight_ops[key]
        if layer.index < index:
            self._before[index].remove(weight_op)
            self._before.setdefault(layer.index, []).append(weight_op)
            self._weight_ops[key] = layer.index, weight_op
        slot, result = layer.weight_slot, weight_op.outputs["Y"][0]
        op.inputs[slot] = [result if name == layer.weight else name for name in op.inputs[slot]]
        return scales

    def _add_quantized_weight_and_dequantize_op(
        self, layer: QuantizableLayer, weight: Any, scales: Any
    ) -> OpDesc:
        """Store the levels of weights, and return the op that dequantizes them before the layer."""
        axis = layer.channel_axis
        shape = [-1 if i == axis else 1 for i in range(weight.ndim)]
        levels = np.rint(weight / scales.reshape(shape) * MAX_WEIGHT_LEVEL)
        levels = levels.clip(-MAX_WEIGHT_LEVEL, MAX_WEIGHT_LEVEL)
        dtype = "int8" if self._weight_storage == "int8" else "float32"
        quantized = self.model.add_constant(layer.weight + ".quantized", levels.astype(dtype))
        scale = self.model.add_constant(layer.weight + ".scale", scales)
        result = self.model.add_variable(layer.weight + ".dequantized", quantized)
        op = self._make_linear_quantization_op(
            "dequantize_linear", quantized, scale, result, axis, 8
        )
        self._before.setdefault(layer.index, []).append(op)
        return op

    def round_bias(self, layer: QuantizableLayer, weight_scales: Any, input_step: float) -> None:
        """Round a bias to multiples of input_step * weight_step, as engines do when they store it
        as int32, so that all of them add the same bias.
        """
        old = np.asarray(self.model.values[layer.bias])
        steps = weight_scales.astype(np.float64) / MAX_WEIGHT_LEVEL * input_step
        rounded = np.rint(old.ravel() / steps) * steps
        name = self.model.add_constant(
            layer.bias + ".rounded", rounded.astype(np.float32).reshape(old.shape)
        )
        for i in self._flow.readers[layer.bias]:
            if self._reads_bias_of(i, layer):
                _rename_variable_in_slots(self._ops[i].inputs, layer.bias, name)

    def _reads_bias_of(self, index: int, layer: QuantizableLayer) -> bool:
        """Whether an op adds the bias of a layer, or reshapes it only for that addition."""
        op = self._ops[index]
        if op.type == "elementwise_add":
            return op.inputs["X"][0] == layer.op_output
        if op.type not in ("reshape2", "unsqueeze2"):
            return False
        reader = self._flow.only_reader_index(op.outputs["Out"][0])
        return reader is not None and self._ops[reader].inputs.get("X") == [layer.op_output]

    def quantize_activation(
        self, name: str, scale: str, bit_length: int, readers: Collection[int] | None
    ) -> None:
        """Add a quantize and a dequantize op after the op that writes a variable.

        readers: the indices of the ops that read the result instead; None: all ops that read the
        variable.
        """
        index = self._flow.writers[name]
        writer = self._ops[index]
        levels = self.model.add_variable(name + ".quantized", name)
        if readers is not None or writer.type == "feed":
            source, result = name, self.model.add_variable(name + ".dequantized", name)
            for i in self._flow.readers.get(name, ()) if readers is None else readers:
                _rename_variable_in_slots(self._ops[i].inputs, name, result)
        else:
            source, result = self.model.add_variable(name + ".float", name), name
            _rename_variable_in_slots(writer.outputs, name, source)
        self._after.setdefault(index, []).extend(
            [
                self._make_linear_quantization_op(
                    "quantize_linear", source, scale, levels, -1, bit_length
                ),
                self._make_linear_quantization_op(
                    "dequantize_linear", levels, scale, result, -1, bit_length
                ),
            ]
        )

    def quantize_activation_at_run_time(self, layer: QuantizableLayer) -> None:
        """Add an op that quantizes and dequantizes the input of a layer with its largest absolute
        value.
        """
        name = layer.input
        if name not in self._dynamic_results:
            result = self.model.add_variable(name + ".dequantized", name)
            scale = self.model.add_variable(name + ".scale", name)
            self.model.program.block.vars[scale].shape = (1,)
            op = make_op(
                "fake_quantize_dequantize_abs_max",
                {"X": name},
                {"Out": result, "OutScale": scale},
                bit_length=8,
            )
            self._before.setdefault(layer.index, []).append(op)
            self._dynamic_results[name] = result
        self._ops[layer.index].inputs[layer.input_slot] = [self._dynamic_results[name]]

    def _make_linear_quantization_op(
        self, type: str, x: str, scale: str, y: str, axis: int, bit_length: int
    ) -> OpDesc:
        count = int(np.asarray(self.model.values[scale]).size)
        if count not in self._zero_points:
            self._zero_points[count] = self.model.add_constant(
                f"quantization.zero_point_{count}", np.zeros(count, np.float32)
            )
        return make_op(
            type,
            {"X": x, "Scale": scale, "ZeroPoint": self._zero_points[count]},
            {"Y": y},
            quant_axis=axis,
            bit_length=bit_length,
            round_type=0,
            is_test=True,
            only_observer=False,
        )


def quantize_static(
    base: ProgramWithValues,
    layers: Sequence[QuantizableLayer],
    weight_layers: Collection[QuantizableLayer],
    thresholds: Mapping[str, float],
    *,
    weight_storage: str = "int8",
    has_symmetric_activations: bool = False,
) -> ProgramWithValues:
    """Return a model in which `layers` have quantized weights and activations, and `weight_layers`
    quantized weights.

    thresholds: the absolute values at which activations are clipped, by variable; activations
    without one remain in float32.
    """
    builder = QuantizedProgramBuilder(base, weight_storage)
    formats = {
        name: form
        for name, form in select_activation_formats(base, layers, has_symmetric_activations).items()
        if form.threshold_source in thresholds
    }
    for layer in layers:
        step = input_quantization_step_or_none(formats, thresholds, layer)
        if layer.bias and step is not None and layer.type not in _UNFUSED_BIAS_TYPES:
            bias = np.abs(np.asarray(base.values[layer.bias], np.float64)).ravel()
            min_scales = bias * MAX_WEIGHT_LEVEL / (step * _MAX_BIAS_LEVEL)
            builder.round_bias(layer, builder.quantize_weight(layer, min_scales), step)
        else:
            builder.quantize_weight(layer)
    for layer in weight_layers:
        builder.quantize_weight(layer)
    quantized_ops = select_quantized_op_indices(base, layers, formats)
    quantized_outputs = select_outputs_computed_in_eight_bits(base, layers, quantized_ops)
    flow = Dataflow(base.program)
    scales: dict[str, str] = {}
    for name, form in formats.items():
        origin = form.threshold_source
        if origin not in scales:
            threshold = np.array([thresholds[origin]], np.float32)
            scales[origin] = builder.model.add_constant(origin + ".scale", threshold)
        readers = None
        if name not in quantized_outputs:  # ops that compute in float32 read the exact values
            readers = quantized_ops.intersection(flow.readers.get(name, ()))
        builder.quantize_activation(name, scales[origin], form.bit_length, readers)
    return builder.insert_ops_and_take_model()


def _rename_variable_in_slots(slots: dict[str, list[str]], old: str, new: str) -> None:
    """Replace the name of a variable in the slots of an op, in place."""
    for slot, names in slots.items():
        slots[slot] = [new if name == old else name for name in names]


def input_quantization_step_or_none(
    formats: Mapping[str, ActivationFormat],
    thresholds: Mapping[str, float],
    layer: QuantizableLayer,
) -> float | None:
    """Return the step between two levels of the input of a layer; None if it is not quantized."""
    form = formats.get(layer.input)
    if form is None:
        return None
    return float(np.float32(float(np.float32(thresholds[form.threshold_source])) / form.max_level))


def quantize_dynamic(
    base: ProgramWithValues,
    layers: Collection[QuantizableLayer],
    weight_layers: Collection[QuantizableLayer],
    weight_storage: str = "int8",
) -> ProgramWithValues:
    """Return a model in which `layers` have quantized weights, and quantize their inputs by the
    largest absolute value of each run; `weight_layers` have quantized weights.
    """
    builder = QuantizedProgramBuilder(base, weight_storage)
    for layer in layers:
        builder.quantize_weight(layer)
        builder.quantize_activation_at_run_time(layer)
    for layer in weight_layers:
        builder.quantize_weight(layer)
    return builder.insert_ops_and_take_model()
