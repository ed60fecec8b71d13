"""Rewrite a program so that its weights are stored in half precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.dtype import parse_dtype
from ...core.op import OPS
from ...ir.program import OpDesc
from .model import Dataflow, ProgramWithValues, make_op

_FLOAT32 = "float32"
# The largest value on the data with which an op still computes in float16: half of the largest
# float16, because other inputs may lead to larger values.
MAX_FLOAT16_ACTIVATION = float(np.finfo(np.float16).max) / 2
# Ops whose inputs are not cast to float16: normalizations have float32 statistics in Paddle, and
# the other ops have attributes with dtypes, which would have to change too.
_FLOAT32_OPS = frozenset(
    {"feed", "fetch", "cast", "batch_norm", "instance_norm", "sync_batch_norm"}
)


def store_weights_in_bfloat16(base: ProgramWithValues) -> ProgramWithValues:
    """Return a model whose float32 weights are stored in bfloat16 and cast to float32 before use.

    It computes in float32, because engines have no bfloat16 kernels for CPUs.
    """
    model = base.copy()
    flow = Dataflow(model.program)
    halves = {
        name: model.add_constant(name + ".bfloat16", _round_to_dtype(np.asarray(array), "bfloat16"))
        for name, array in sorted(base.values.items())
        if np.asarray(array).dtype == np.float32
        and flow.is_constant(name, base.values)
        and (name in flow.readers or name in flow.inner_names)
    }
    _replace_weights_by_casts_of_half_constants(model, halves, "bfloat16")
    return model


def _replace_weights_by_casts_of_half_constants(
    model: ProgramWithValues, halves: Mapping[str, str], dtype: str
) -> None:
    """Compute float32 weights from constants in half precision, at the start of the program.

    halves: the constant of each weight.
    """
    for name in halves:
        var = model.program.block.vars[name]
        var.persistable = var.is_parameter = False
        del model.values[name]
    ops = model.program.block.ops
    at = sum(op.type == "feed" for op in ops)
    ops[at:at] = [_make_cast(half, name, dtype, _FLOAT32) for name, half in halves.items()]


class HalfPrecisionRewriter:
    """Rewrites the outermost block of a program so that convolutions and matrix multiplications
    compute in float16.

    As with automatic mixed precision at level O1: ops of the class 'allow' compute in float16, ops
    of the class 'deny' (softmax, normalization, reductions, losses, exp, log, pow) in float32, and
    others in float16 if all of their floating inputs are float16. Ops with activations that exceed
    the range of float16 compute in float32, too. Inputs and outputs of the model keep their dtypes.
    All weights with at least two axes are stored in float16; those of ops in float32 are cast
    before use.

    max_abs: the largest absolute values of activations, by name.
    problems: why some ops compute in float32, by the variable that float16 cannot represent.
    """

    def __init__(self, base: ProgramWithValues, max_abs: Mapping[str, float]) -> None:
        self.model = base.copy()
        self._max_abs = max_abs
        self._flow = Dataflow(base.program)
        self._ops: list[OpDesc] = []
        self._half_by_name: dict[str, str] = {}
        self._float_by_half: dict[str, str] = {}
        self._float32_results = {*base.program.fetch_names(), *self._flow.inner_names}
        self.problems: dict[str, str] = {}

    def rewrite(self) -> ProgramWithValues:
        """Return the rewritten model."""
        for op in self.model.program.block.ops:
            if self._runs_in_half(op):
                self._add_op_computing_in_float16(op)
            else:
                self._add_op_with_float32_inputs(op)
        self.model.program.block.ops = self._ops
        self.model.drop_unused_variables()
        self._store_remaining_weights_in_float16()
        return self.model

    def _store_remaining_weights_in_float16(self) -> None:
        names = [
            name
            for name, array in self.model.values.items()
            if np.ndim(array) > 1
            and self._is_float32(name)
            and self._is_weight(name)
            and self._fits_float16_range(name)
        ]
        halves = {name: self._get_or_add_float16_variable(name) for name in names}
        _replace_weights_by_casts_of_half_constants(self.model, halves, "float16")

    def _is_float32(self, name: str) -> bool:
        var = self.model.program.var(name)
        return var is not None and var.dtype == _FLOAT32

    def _is_half(self, name: str) -> bool:
        var = self.model.program.var(name)
        return var is not None and var.dtype == "float16"

    def _is_weight(self, name: str) -> bool:
        return name in self.model.values and self._flow.is_constant(name, self.model.values)

    def _runs_in_half(self, op: OpDesc) -> bool:
        definition = OPS.get(op.type)
        if definition is None or op.type in _FLOAT32_OPS or "dtype" in op.attrs:
            return False
        traits = definition.traits
        inputs = [self.model.program.var(name) for name in op.input_names()]
        if (
            traits.no_half_reason
            or traits.amp_class in ("deny", "deny_at_o2")
            or any(name not in self._flow.writers for name in op.output_names())
            or any(var is not None and var.dtype == "float64" for var in inputs)
        ):
            return False
        activations = [n for n in op.input_names() if not self._is_weight(n)]
        floating = [n for n in activations if self._is_float32(n) or self._is_half(n)]
        has_half_inputs = bool(floating) and all(self._is_half(n) for n in floating)
        if traits.amp_class != "allow" and not has_half_inputs:
            return False
        return self._do_values_fit_or_record_problem(op)

    def _do_values_fit_or_record_problem(self, op: OpDesc) -> bool:
        """Whether float16 has the range of the operands of an op; records those that exceed it."""
        for name in (*op.input_names(), *op.output_names()):
            if not self._is_float32(name):
                continue
            if self._is_weight(name) and not self._fits_float16_range(name):
                self.problems[name] = f"op {op.type}: '{name}' exceeds the range of float16"
                return False
            if not self._max_abs.get(name, 0.0) <= MAX_FLOAT16_ACTIVATION:
                self.problems[name] = (
                    f"op {op.type}: '{name}' reaches {self._max_abs[name]:.3g}, which is too large "
                    "for float16"
                )
                return False
        return True

    def _fits_float16_range(self, name: str) -> bool:
        array = np.asarray(self.model.values[name])
        return not array.size or float(np.abs(array).max()) <= float(np.finfo(np.float16).max)

    def _add_op_computing_in_float16(self, op: OpDesc) -> None:
        op.inputs = {
            slot: [
                self._get_or_add_float16_variable(n) if self._is_float32(n) else n for n in names
            ]
            for slot, names in op.inputs.items()
        }
        self._ops.append(op)
        for slot, names in op.outputs.items():
            for i, name in enumerate(names):
                if not self._is_float32(name):
                    continue
                if name in self._float32_results:
                    half = self.model.add_variable(name + ".float16", name, "float16")
                    op.outputs[slot][i] = half
                    self._half_by_name[name] = half
                    self._ops.append(_make_cast(half, name, "float16", _FLOAT32))
                else:
                    self.model.program.block.vars[name].dtype = "float16"

    def _add_op_with_float32_inputs(self, op: OpDesc) -> None:
        op.inputs = {
            slot: [self._get_or_add_float32_variable(n) if self._is_half(n) else n for n in names]
            for slot, names in op.inputs.items()
        }
        self._ops.append(op)

    def _get_or_add_float16_variable(self, name: str) -> str:
        if name not in self._half_by_name:
            if self._is_weight(name):
                array = _round_to_dtype(np.asarray(self.model.values[name]), "float16")
                half = self.model.add_constant(name + ".float16", array)
            else:
                half = self.model.add_variable(name + ".float16", name, "float16")
                self._ops.append(_make_cast(name, half, _FLOAT32, "float16"))
            self._half_by_name[name] = half
        return self._half_by_name[name]

    def _get_or_add_float32_variable(self, name: str) -> str:
        if name not in self._float_by_half:
            result = self.model.add_variable(name + ".float32", name)
            self._ops.append(_make_cast(name, result, "float16", _FLOAT32))
            self._float_by_half[name] = result
        return self._float_by_half[name]


def _round_to_dtype(array: Any, dtype: str) -> Any:
    return array.astype(parse_dtype(dtype).np)


def _make_cast(x: str, out: str, source: str, target: str) -> OpDesc:
    return make_op(
        "cast",
        {"X": x},
        {"Out": out},
        in_dtype=parse_dtype(source).proto,
        out_dtype=parse_dtype(target).proto,
        use_mkldnn=False,  # jit.load of Paddle 2.6 requires it
    )
