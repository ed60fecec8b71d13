"""The backward pass over the ops of a block. The pass calls the VJP rule of each op, which emits
ops, and accumulates the gradients of the op's inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any, ClassVar

from ..capture.recorder import Recorder, attrs_with_file_types
from ..capture.variable import Variable
from ..core.dtype import is_inexact
from ..core.eager import metas_of_inputs
from ..core.errors import OarlockError, OpError, append_user_line
from ..core.op import OPS, Op
from ..ir.block_captures import EMPTY_NAME
from ..ir.passes.scalar_result_predicates import reduces_to_scalar
from ..ir.program import Attr, AttrType, Block, OpDesc, VarKind
from ..ops.shared_op_rules import UnknownSizeInGradientError
from .activity_analysis import ActivityAnalysis
from .cotangents import (
    Cotangents,
    declare_variable_like,
    emit_zero_grad_like,
    reduce_and_cast_grad_like,
)
from .value_versions import ValueVersions


def apply_vjp_rule(
    op: Op, desc: OpDesc, grads: list[Any], operands: list[Any], results: dict[str, Any]
) -> Any:
    """Call the gradient rule of an op.

    desc: the op with its attributes.
    grads, operands, results: variables by slot.
    """
    assert op.vjp_rule is not None
    attrs = dict(zip(op.vjp_keyword_names, op.vjp_attr_defaults, strict=False))
    attrs |= {n: desc.attr(n) for n in attrs if n in desc.attrs}
    first = operands[0] if operands else None
    if isinstance(first, Variable) and reduces_to_scalar(op.type, attrs, len(first.meta.shape)):
        grads, results = (
            [reshape_shape_1_to_0d(g) for g in grads],
            {n: reshape_shape_1_to_0d(r) for n, r in results.items()},
        )
    return op.vjp_rule(*grads, *operands, **attrs, **results)


def reshape_shape_1_to_0d(value: Any) -> Any:
    """Reshape a value of shape [1] to 0-D and return other values unchanged. Programs written
    before Paddle 2.5 declare scalars with shape [1].
    """
    return (
        OPS["reshape2"](value, shape=[])
        if isinstance(value, Variable) and value.meta.shape == (1,)
        else value
    )


GradientRule = Callable[["ProgramBackwardPass", OpDesc, int], None]
# Gradient rules of ops with sub-blocks, side effects or TensorArrays, by op type. Each module that
# defines gradient rules adds them to this dict when it is imported.
GRADIENT_RULES: dict[str, GradientRule] = {}


class ProgramBackwardPass:
    """The backward pass over one block.

    cotangents: the gradients of the block's variables. Gradient ops are appended to the recorder's
    current block.
    """

    emit_grad_op: ClassVar[
        Callable[[ProgramBackwardPass, Op, OpDesc, int], bool]
    ]  # set by the module emit_paddle_grad_ops

    def __init__(
        self,
        recorder: Recorder,
        activity: ActivityAnalysis,
        value_versions: ValueVersions,
        wanted: Collection[str] = (),
    ) -> None:
        self.recorder, self.activity, self.value_versions = recorder, activity, value_versions
        # a dict, because it keeps the order and has a fast lookup
        self._requested_names = dict.fromkeys(wanted)
        self.gradients: dict[str, Variable] = {}  # the requested gradients
        self.block: Block = value_versions.block
        self.cotangents = Cotangents(recorder)
        loops = [inner.block for inner in recorder.open_blocks if inner.is_loop_body]
        self._loop_start_index = value_versions.first_op_index_of_block(loops[-1]) if loops else 0

    def run(self) -> None:
        """Call the gradient rules of the ops in reverse order.

        If the body of a loop is being recorded, raises OarlockError for an op before the loop. The
        gradient of such an op would be needed in each iteration, but the iterations change the
        values that the gradient depends on.
        """
        for i in range(len(self.value_versions.forward_ops) - 1, -1, -1):
            op, self.block = self.value_versions.forward_ops[i], self.value_versions.block_of_op(i)
            if op.type != "feed" and any(name in self.cotangents for name in op.output_names()):
                self._save_totals_of_requested_grads(op.output_names())
                if i < self._loop_start_index and any(map(self.needs_grad, op.input_names())):
                    why = (
                        f"backward: the loss depends on {op.type}, which is outside of the "
                        f"loop; compute it in the body of the loop"
                    )
                    raise OarlockError(append_user_line(f"{why}{recorded_at_message_suffix(op)}"))
                start = len(self.recorder.block.ops)
                GRADIENT_RULES.get(op.type, ProgramBackwardPass.differentiate_op)(self, op, i)
                for result in self.recorder.block.ops[start:]:
                    result.user_line, result.layer_path = op.user_line, op.layer_path
        self.block = self.value_versions.block
        self._save_totals_of_requested_grads(self._requested_names)

    def _save_totals_of_requested_grads(self, names: Iterable[str]) -> None:
        """Store in `gradients` those gradients of `names` that the user requested, before the pass
        removes them from `cotangents`.
        """
        for name in names:
            if (
                name in self._requested_names
                and name in self.cotangents
                and name not in self.gradients
            ):
                self.gradients[name] = self.cotangents.total(name)

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def needs_grad(self, name: str) -> bool:
        """Whether the pass must compute the gradient of the variable `name` of the current
        block.
        """
        return name != EMPTY_NAME and self.activity.needs_grad(self.block.idx, name)

    def require_variable(self, name: str) -> Variable:
        """The Variable for `name`, which the current block or an enclosing block must declare."""
        desc = self.recorder.program.var(name, self.block.idx)
        assert desc is not None
        return self.recorder.create_variable(desc)

    def value_before(self, name: str, at: int) -> Variable:
        """The value of a variable before op number `at`."""
        return self.require_variable(self.value_versions.name_or_scheduled_copy_before(name, at))

    def value_after(self, name: str, at: int) -> Variable:
        """The value of a variable after op number `at`."""
        return self.require_variable(self.value_versions.name_or_scheduled_copy_after(name, at))

    def accumulate(self, name: str, gradient: Variable) -> None:
        """Add a term to the gradient of the variable `name`."""
        self.cotangents.accumulate(name, gradient)

    def is_tensor_array(self, name: str) -> bool:
        """Whether a variable is a TensorArray."""
        var = self.recorder.program.var(name, self.block.idx)
        return var is not None and var.kind == VarKind.ARRAY

    # -- ops with kernels
    # -----------------------------------------------------------------------------------

    def differentiate_op(self, desc: OpDesc, at: int) -> None:
        """Emit ops that compute the gradients of the inputs of an op, from the op's VJP rule, and
        accumulate these gradients.
        """
        op = OPS.get(desc.type)
        if op is None:
            raise OpError(
                f"{desc.type}: the second-order gradient is not implemented"
                f"{recorded_at_message_suffix(desc)}"
            )
        if self.recorder.policy.emits_grad_ops and ProgramBackwardPass.emit_grad_op(
            self, op, desc, at
        ):
            return
        grads = self._pop_output_grads_or_zeros(op, desc, at)
        if not op.has_vjp or not any(self.needs_grad(n) for n in desc.input_names()):
            return
        mark = self.recorder.checkpoint()
        try:
            found = self._input_grads_from_rule_result(
                op, desc, at, self._apply_vjp_rule_after_adding_outputs(op, desc, at, grads)
            )
        except UnknownSizeInGradientError:
            self.recorder.rewind(mark)
            self._emit_runtime_vjp_op(op, desc, at, grads)
            return
        for name, gradient in found:
            self.accumulate(name, gradient)
        if self.recorder.policy.emits_grad_ops:
            self._mark_unread_grads_renameable(found, self.recorder.block.ops[mark.num_ops :])

    def _mark_unread_grads_renameable(
        self, found: list[tuple[str, Variable]], ops: list[OpDesc]
    ) -> None:
        """Mark the gradients that none of `ops` reads, so that `Cotangents` may give them Paddle's
        names.
        """
        makers = {
            name: op for op in ops for name in op.output_names() if name in self.recorder.block.vars
        }
        read = {name for op in ops for name in op.input_names()}
        times = Counter(gradient.name for _, gradient in found)
        for _, gradient in found:
            if gradient.name in makers and gradient.name not in read and times[gradient.name] == 1:
                self.cotangents.mark_renameable(gradient, makers[gradient.name])

    def _pop_output_grads_or_zeros(self, op: Op, desc: OpDesc, at: int) -> list[Any]:
        """Return the gradients of the op's outputs, one per differentiable output slot, and remove
        them from `cotangents`; an output without accumulated gradient gets zeros.
        """
        found: list[Any] = []
        for slot in (op.outs[i] for i in op.grad_out_indices):
            grads = [self.output_grad_or_zeros(n, at) for n in desc.outputs.get(slot.name, [])]
            found.append(grads if slot.is_list else grads[0] if grads else None)
        for name in desc.output_names():
            if name in self.cotangents:
                self.cotangents.pop(name)
        return found

    def output_grad_or_zeros(self, name: str, at: int) -> Variable | None:
        """The gradient of an output of op number `at`: zeros if no gradient was accumulated,
        None if the output cannot have one.
        """
        if name not in self.cotangents:
            if name == EMPTY_NAME or not is_inexact(self.require_variable(name).meta.dtype):
                return None
            zeros = emit_zero_grad_like(self.recorder, self.value_after(name, at))
            if not self.recorder.policy.emits_grad_ops:
                return zeros
            self.accumulate(name, zeros)
            self.cotangents.mark_renameable(zeros, self.recorder.block.ops[-1])
        return self.cotangents.total(name)

    def _forward_inputs_for_rule(self, op: Op, desc: OpDesc, at: int) -> list[Any]:
        found: list[Any] = []
        for slot in op.ins:
            names = [n for n in desc.inputs.get(slot.name, []) if n != EMPTY_NAME]
            operands = [self.value_before(n, at) for n in names]
            found.append((operands or None) if slot.is_list else operands[0] if operands else None)
        return found

    def _add_missing_and_get_forward_outputs_for_rule(
        self, op: Op, desc: OpDesc, at: int
    ) -> dict[str, Any]:
        """Return the outputs of the forward op that its VJP rule reads; outputs that the op does
        not declare are added to it first.
        """
        found: dict[str, Any] = {}
        self.add_missing_outputs(op, desc, at, [op.outs[i].name for i in op.vjp_output_indices])
        for i in op.vjp_output_indices:
            slot = op.outs[i]
            result = [self.value_after(n, at) for n in desc.outputs.get(slot.name, [])]
            found[slot.name] = result if slot.is_list else result[0] if result else None
        return found

    def add_missing_outputs(self, op: Op, desc: OpDesc, at: int, slots: Collection[str]) -> None:
        """Declare outputs for those of `slots` that have no output in the op."""
        for i, slot in enumerate(op.outs):
            if (
                slot.name in slots
                and not slot.is_list
                and not slot.values_slot_of_lod_slot
                and not desc.outputs.get(slot.name)
            ):
                self._add_missing_output(op, desc, i, at)

    def _add_missing_output(self, op: Op, desc: OpDesc, index: int, at: int) -> None:
        """Declare an output that the op omits, such as the mask of dropout in an inference
        program.
        """
        attrs = {n: a.value for n, a in desc.attrs.items() if n in op.attrs}
        meta = op.infer(
            metas_of_inputs(op, tuple(self._forward_inputs_for_rule(op, desc, at))), attrs
        )[index]
        name = self.recorder.namer.generate_temporary_name(op.type)
        self.recorder.declare(name, meta, self.block)
        desc.outputs[op.outs[index].name] = [name]

    def _apply_vjp_rule_after_adding_outputs(
        self, op: Op, desc: OpDesc, at: int, grads: list[Any]
    ) -> Any:
        return apply_vjp_rule(
            op,
            desc,
            grads,
            self._forward_inputs_for_rule(op, desc, at),
            self._add_missing_and_get_forward_outputs_for_rule(op, desc, at),
        )

    def _input_grads_from_rule_result(
        self, op: Op, desc: OpDesc, at: int, input_grads: Any
    ) -> list[tuple[str, Variable]]:
        """Pairs of the name and the gradient of each input that needs a gradient; `input_grads` is
        what the VJP rule returned.
        """
        found: list[tuple[str, Variable]] = []
        parts = input_grads if isinstance(input_grads, tuple) else (input_grads,)
        for slot, part in zip(op.ins, parts, strict=False):
            names = desc.inputs.get(slot.name, [])
            for name, one in zip(
                names, part if slot.is_list and part is not None else [part], strict=False
            ):
                if self.needs_grad(name) and one is not None:
                    gradient = one() if callable(one) else one
                    if gradient is not None:
                        like = self.value_before(name, at)
                        same = op.traits.grad_keeps_shape and gradient.meta == like.meta
                        found.append(
                            (name, gradient if same else reduce_and_cast_grad_like(gradient, like))
                        )
        return found

    # -- rules that need sizes
    # ----------------------------------------------------------------------------------

    def _emit_runtime_vjp_op(self, op: Op, desc: OpDesc, at: int, grads: list[Any]) -> None:
        """Emit an op `vjp`, which applies the gradient rule at run time, because the rule
        needs sizes that are unknown while recording.
        """
        given = {
            f"{op.outs[i].name}@GRAD": _tensor_names_of_slot(g)
            for i, g in zip(op.grad_out_indices, grads, strict=True)
        }
        operands = {
            s.name: _tensor_names_of_slot(a)
            for s, a in zip(op.ins, self._forward_inputs_for_rule(op, desc, at), strict=True)
        }
        results = {
            n: _tensor_names_of_slot(r)
            for n, r in self._add_missing_and_get_forward_outputs_for_rule(op, desc, at).items()
        }
        outs: dict[str, list[str]] = {}
        for slot in op.ins:
            names = desc.inputs.get(slot.name, [])
            if any(map(self.needs_grad, names)):
                outs[f"{slot.name}@GRAD"] = [
                    self._declare_and_accumulate_input_grad(name, at) for name in names
                ]
        attrs = attrs_with_file_types(
            op, op.attrs_with_defaults({n: a.value for n, a in desc.attrs.items() if n in op.attrs})
        )
        attrs["of"] = Attr(AttrType.STRING, op.type)
        self.recorder.append_op("vjp", {**given, **operands, **results}, outs, attrs)

    def _declare_and_accumulate_input_grad(self, name: str, at: int) -> str:
        if not self.needs_grad(name):
            return EMPTY_NAME
        like = self.value_before(name, at).raw
        result = declare_variable_like(
            self.recorder, self.recorder.namer.generate_temporary_name("vjp"), like
        )
        self.accumulate(name, result)
        return result.name


def recorded_at_message_suffix(desc: OpDesc) -> str:
    """The last line of an error message: the user's line that recorded the op; empty if the line is
    unknown.
    """
    return f"\n  recorded at {desc.user_line}" if desc.user_line else ""


def _tensor_names_of_slot(slot: Any) -> list[str]:
    if slot is None:
        return []
    return [t.name for t in slot] if isinstance(slot, list) else [slot.name]
