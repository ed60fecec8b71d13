"""Cast the ops of a program to half precision by inserting cast ops.

Each float32 output keeps its name: it becomes a cast of the half-precision output, so the declared
dtype of a loss, a block or a fetched variable does not change. Half-precision ops read the
half-precision variable directly.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from copy import deepcopy
from typing import Any

from ...core.dtype import float16, parse_dtype
from ...core.op import OPS
from ...ir.block_captures import EMPTY_NAME
from ...ir.passes.shape_inference import set_inferred_output_metas
from ...ir.program import Attr, AttrType, OpDesc
from ..graph.default_programs import name_scope
from ..graph.program import Program
from .lists import AutoMixedPrecisionLists

FP16_GUARD_SCOPE = "__use_fp16__"
FLOAT32_NAME = "float32"


def fp16_guard() -> AbstractContextManager[None]:
    """Context manager that marks the ops of its body. With use_fp16_guard, only marked ops are cast
    to half precision.
    """
    return name_scope(FP16_GUARD_SCOPE)


class AmpPass:
    """Inserts cast ops into the global block of a program, so that its ops run in half precision.

    half_outputs: by name, the half-precision variable of a float32 output
    half_casts: by name, the half-precision cast of a variable that is computed in float32
    """

    def __init__(
        self,
        program: Program,
        lists: AutoMixedPrecisionLists,
        level: str,
        use_guard: bool,
        promote: bool,
        dtype: str,
    ) -> None:
        self.program, self.lists, self.level = program, lists, level
        self.use_guard, self.promote, self.dtype = use_guard, promote, dtype
        self.black_list = lists.black_list_for_level(level)
        self.block = program.raw.block
        self.rewritten_ops: list[OpDesc] = []
        self.half_outputs: dict[str, str] = {}
        self.half_casts: dict[str, str] = {}

    def run(self) -> None:
        """Rewrite the global block of the program; ops of sub-blocks stay in float32."""
        for op in self.block.ops:
            cast_op = self._emit_half_precision_op(op) if self._should_run_in_half(op) else None
            if cast_op is None:
                self.rewritten_ops.append(op)
                self._forget_casts_of_outputs(op)
        self.block.ops[:] = self.rewritten_ops
        self.program.mark_changed()

    def _forget_casts_of_outputs(self, op: OpDesc) -> None:
        for name in op.output_names():
            self.half_outputs.pop(name, None)
            self.half_casts.pop(name, None)

    # -- selection of ops
    # ----------------------------------------------------------------------------------------------

    def _should_run_in_half(self, op: OpDesc) -> bool:
        if op.type not in OPS or op.type == "cast" or op.attr("op_role", 0) not in (0, 256):
            return False
        if self.lists.black_varnames.intersection((*op.input_names(), *op.output_names())):
            return False
        if self.use_guard and FP16_GUARD_SCOPE not in op.attr("op_namescope", ""):
            return False
        names = self._float32_inputs_to_cast(op)
        if not names or op.type in self.black_list or OPS[op.type].traits.no_half_reason:
            return op.type in self.lists.white_list and bool(names)
        if op.type in self.lists.white_list:
            return True
        needs_half_inputs = self.promote or self.level != "O2"
        return self.level != "OD" and not (
            needs_half_inputs and any(n not in self.half_outputs for n in names)
        )

    def _float32_inputs_to_cast(self, op: OpDesc) -> list[str]:
        """Return the names of those float32 inputs of an op that would be cast to half
        precision.
        """
        slots = OPS[op.type].ins[:1] if OPS[op.type].traits.amp_casts_only_x else OPS[op.type].ins
        names = [n for s in slots for n in op.inputs.get(s.name, []) if n != EMPTY_NAME]
        return [n for n in names if self.block.vars[n].dtype == FLOAT32_NAME]

    # -- rewriting of an op
    # --------------------------------------------------------------------------

    def _emit_half_precision_op(self, op: OpDesc) -> OpDesc:
        """Emit an op in half precision, with casts of its inputs and outputs, and return the
        emitted op.
        """
        halves = {
            name: self._get_or_emit_half_precision_input(name)
            for name in self._float32_inputs_to_cast(op)
        }
        cast_slot = OPS[op.type].ins[0].name if OPS[op.type].traits.amp_casts_only_x else None
        inputs = {
            slot: [halves.get(n, n) if cast_slot in (None, slot) else n for n in names]
            for slot, names in op.inputs.items()
        }
        results = {n: n for n in op.output_names()}
        for name in results:
            var = self.block.vars.get(name)
            if var is not None and var.dtype == FLOAT32_NAME and not var.persistable:
                results[name] = self._declare_cast_result_like(name, FLOAT32_NAME)
        outputs = {slot: [results[n] for n in names] for slot, names in op.outputs.items()}
        half_op = OpDesc(op.type, inputs, outputs, deepcopy(op.attrs), op.user_line, op.layer_path)
        set_inferred_output_metas(half_op, self.block.vars)
        self.rewritten_ops.append(half_op)
        self._forget_casts_of_outputs(op)
        for name, result in results.items():
            if result != name:
                self._cast_or_rename_output(name, result, half_op)
        return half_op

    def _cast_or_rename_output(self, name: str, result: str, op: OpDesc) -> None:
        """Write the half-precision output `result` of an op to the variable `name`, by a cast op or
        by renaming the output.
        """
        if self.block.vars[result].dtype == self.dtype:
            self.half_outputs[name] = result
            self._emit_cast_to_variable(result, name, op)
            return
        del self.block.vars[result]
        for names in op.outputs.values():
            names[:] = [name if n == result else n for n in names]

    def _get_or_emit_half_precision_input(self, name: str) -> str:
        half = self.half_outputs.get(name) or self.half_casts.get(name)
        if half is None:
            half = self.half_casts[name] = self._declare_cast_result_like(name, self.dtype)
            self._emit_cast_to_variable(name, half, None)
        return half

    def _declare_cast_result_like(self, like: str, dtype: str) -> str:
        var = deepcopy(self.block.vars[like])
        var.name = self.program.recorder.namer.generate_temporary_name("cast")
        var.dtype, var.persistable, var.is_parameter, var.checks_feed = dtype, False, False, False
        self.block.vars[var.name] = var
        return var.name

    def _emit_cast_to_variable(self, source: str, target: str, op: OpDesc | None) -> None:
        types = (parse_dtype(self.block.vars[n].dtype).proto for n in (source, target))
        attrs = {
            n: Attr(AttrType.INT, proto)
            for n, proto in zip(("in_dtype", "out_dtype"), types, strict=True)
        }
        where = op.user_line if op is not None else ""
        self.rewritten_ops.append(OpDesc("cast", {"X": [source]}, {"Out": [target]}, attrs, where))


def cast_model_to_fp16(
    program: Program,
    amp_lists: AutoMixedPrecisionLists | None = None,
    use_fp16_guard: bool = True,
    dest_type: Any = float16,
    level: str = "O2",
    use_promote: bool = False,
) -> set[str]:
    """Cast the ops of a program to half precision according to the lists, by changing the program.

    Parameters stay float32 and are cast where they are used.

    Returns the names of parameters converted to half precision, which are none.
    """
    dtype = parse_dtype(dest_type).name
    lists = amp_lists or AutoMixedPrecisionLists(dtype=dtype)
    AmpPass(program, lists, level, use_fp16_guard, use_promote, dtype).run()
    return set()


def cast_parameters_to_fp16(
    place: Any,
    program: Program,
    scope: Any = None,
    to_fp16_var_names: Any = None,
    dest_type: Any = float16,
    rewrite_master_weight: bool = False,
    master_weights: Any = None,
) -> None:
    """Do nothing, because parameters stay float32 and are cast where they are used. (Paddle keeps
    float32 copies of half parameters.)
    """
