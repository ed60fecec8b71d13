"""A recorded program that eager code calls. A call runs the compiled forward function and records
one node on the tape. When the backward pass reaches the node, it runs the compiled backward
function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from ..autodiff import append_gradient_ops
from ..autodiff.activity_analysis import ActivityAnalysis, has_differentiable_type
from ..autodiff.overwritten_feeds import with_overwritten_feeds_renamed_and_copied
from ..autodiff.shape_widening import widen_shapes_if_program_has_loops
from ..capture.inline import has_control_flow, inline_program
from ..capture.modes import Static, find_static_base_mode
from ..capture.recorder import Recorder
from ..capture.undefined_checks import replace_checks_by_asserts
from ..capture.variable import Variable
from ..core import cuda
from ..core._tape import Node, arrays_of, record_program_call, stop_gradients_of, wrap_arrays
from ..core.backward_pass import BARE_ARRAY_MODE
from ..core.device_dispatch import require_single_device
from ..core.errors import DeviceMismatchError, OpError, append_user_line
from ..core.garbage_collection import without_full_collections
from ..core.mode import state, use_mode
from ..core.numerics_check import is_enabled as checks_numerics
from ..core.op import AttrSpec, Op, OpTraits, Slot, kernel_selection
from ..core.tensor import Tensor
from ..ir.block_captures import program_draws_random
from ..ir.kernelless_op_traits import is_feed_or_fetch, kernelless_op_traits_or_default
from ..ir.passes.prune import make_feed_op, make_fetch_op
from ..ir.program import Program
from . import CompiledInstructions, lower_to_instructions
from .instructions import Instruction, LoweredProgram
from .interpreter import Interpreter
from .liveness import eliminate_dead_code, mark_dead_and_get_live_registers

StopGradients = tuple[bool, ...]


# What a call saves for its backward pass: a plain tuple (residual registers, outputs, inputs),
# because each call creates one.
Residuals = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]


class PartialProgram:
    """A program as a differentiable function of tensors.

    scope: the values of the program's persistable variables, by name.
    stores: whether a call writes the variables that the program updates back to the scope.
    training: whether the program was recorded in training mode. Threads may share a PartialProgram
    if the program updates no variables.
    """

    def __init__(
        self,
        program: Program,
        scope: Mapping[str, Tensor],
        stores: bool = True,
        training: bool = True,
    ) -> None:
        self.training = training
        self.program, self.scope = (
            with_overwritten_feeds_renamed_and_copied(replace_checks_by_asserts(program)),
            scope,
        )
        self._original_program = program
        self.feeds, self.fetches = self.program.feed_names(), self.program.fetch_names()
        self.state_names = [name for name in self.scope if self.program.var(name) is not None]
        self._state_tensors = [self.scope[name] for name in self.state_names]
        written = program.written_names()
        self.updated_names = (
            [name for name in self.state_names if name in written] if stores else []
        )
        self._updated_tensors = [self.scope[name] for name in self.updated_names]
        self._specializations: dict[
            tuple[StopGradients | None, bool, bool], GradientSpecialization
        ] = {}

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Call the program with one tensor per input.

        Raises OpError for a wrong number of inputs and for an op that fails.
        """
        return self.call_given_stop_gradients(
            inputs, self.stop_gradients_of_inputs_and_state(inputs)
        )

    def stop_gradients_of_inputs_and_state(self, inputs: Sequence[Tensor]) -> StopGradients | None:
        """The value of `stop_gradient` of each input and of each state tensor; None if the current
        mode records no tape.
        """
        return stop_gradients_of([*inputs, *self._state_tensors]) if state.mode.tape else None

    def call_given_stop_gradients(
        self, inputs: Sequence[Tensor], stops: StopGradients | None
    ) -> list[Tensor]:
        """Call the program. `stops` states which inputs do not require gradients."""
        if len(inputs) != len(self.feeds):
            raise OpError(
                append_user_line(
                    f"the program takes {len(self.feeds)} inputs {self.feeds}, got {len(inputs)}"
                )
            )
        if not state.mode.allows_bare_arrays or checks_numerics():
            return self._run_op_by_op(inputs)
        operands = [*inputs, *self._state_tensors]
        arrays = arrays_of(operands)
        device = None if cuda.cupy_state.cupy is None else self._require_common_device(arrays)
        on_gpu = device is not None
        specialization = self._specializations.get(
            (stops, kernel_selection.native_enabled, on_gpu)
        ) or self._create_gradient_specialization(stops, on_gpu)
        if on_gpu:
            with cuda.use_device(device):
                found = specialization.forward.run_without_numpy_warnings(*arrays)
        else:
            found = specialization.forward.run_without_numpy_warnings(*arrays)
        count, end = specialization.output_split_indices
        if end > count:
            for tensor, array in zip(self._updated_tensors, found[count:end], strict=True):
                tensor.array = array
        outs = found[:count]
        if specialization.tape_op is None:
            return wrap_arrays(outs)
        attrs = {
            "residuals": (found[end:], outs, arrays[: len(inputs)]),
            "materialize_grads": False,
        }
        return record_program_call(
            specialization.tape_op,
            operands,
            specialization.differentiated_positions,
            attrs,
            outs,
            specialization.differentiable_outputs,
        )

    def _require_common_device(self, arrays: Sequence[Any]) -> int | None:
        """The device of all arrays. Raises DeviceMismatchError if they are on different devices."""
        try:
            return require_single_device(arrays)
        except DeviceMismatchError as error:
            names = [*self.feeds, *self.state_names]
            shown = ", ".join(
                f"{n} on {cuda.format_device(cuda.gpu_index_of(a))}"
                for n, a in zip(names, arrays, strict=True)
            )
            raise DeviceMismatchError(append_user_line(f"a program: {error} ({shown})")) from None

    def _run_op_by_op(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run the program op by op in the current dispatch mode. Used if the mode records ops, or
        if outputs are checked for NaN and infinity.
        """
        feed = dict(zip(self.feeds, inputs, strict=True))
        mode = find_static_base_mode(state.mode)
        if mode is not None and has_control_flow(self._original_program):
            return inline_program(mode, self._original_program, feed, self.scope)
        return Interpreter(self._original_program, self.scope).run(feed)

    def _create_gradient_specialization(
        self, stops: StopGradients | None, on_gpu: bool
    ) -> GradientSpecialization:
        names = [*self.feeds, *self.state_names]
        differentiated_indices = (
            [] if stops is None else [i for i, stop in enumerate(stops) if not stop]
        )
        with without_full_collections():
            result = GradientSpecialization(
                self,
                names,
                [i for i in differentiated_indices if self._has_differentiable_type(names[i])],
                on_gpu,
            )
        self._specializations[stops, kernel_selection.native_enabled, on_gpu] = result
        return result

    def _has_differentiable_type(self, name: str) -> bool:
        var = self.program.var(name)
        return var is not None and has_differentiable_type(var)


class GradientSpecialization:
    """A program compiled for a certain set of inputs that require gradients.

    differentiated_positions: indices of the inputs that require gradients.
    on_gpu: whether arrays are on a GPU.
    tape_op: the op of the node on the tape; None if nothing is differentiable.
    """

    def __init__(
        self,
        partial: PartialProgram,
        names: list[str],
        differentiated_positions: list[int],
        on_gpu: bool,
    ) -> None:
        self.partial_program, self.input_names, self.differentiated_positions, self.on_gpu = (
            partial,
            names,
            differentiated_positions,
            on_gpu,
        )
        self.differentiated_names = [names[i] for i in differentiated_positions]
        self.output_split_indices = (
            len(partial.fetches),
            len(partial.fetches) + len(partial.updated_names),
        )
        activity = ActivityAnalysis(partial.program, self.differentiated_names)
        self.differentiable_outputs = [
            i
            for i, name in enumerate(partial.fetches)
            if differentiated_positions and activity.needs_grad(0, name)
        ]
        self.tape_op: Op | None = None
        self._backward_functions: dict[tuple[bool, ...], DifferentiatedProgram] = {}
        if not self.differentiable_outputs:
            lowered = lower_to_instructions(partial.program)
            outputs = [
                lowered.get_or_create_outermost_variable_register(n)
                for n in (*partial.fetches, *partial.updated_names)
            ]
            self.forward = CompiledInstructions(
                lowered,
                lowered.instructions,
                [lowered.get_or_create_outermost_variable_register(n) for n in names],
                outputs,
                on_gpu=on_gpu,
            )
            return
        self.has_grad_everywhere = tuple(
            i in self.differentiable_outputs for i in range(len(partial.fetches))
        )
        backward = self._backward_functions[self.has_grad_everywhere] = DifferentiatedProgram(
            self, self.has_grad_everywhere, None
        )
        self.residual_keys = backward.residual_keys
        self.forward = backward.compile_forward()
        self.tape_op = _make_tape_node_op(self)

    def backward(self, has_grad: tuple[bool, ...]) -> DifferentiatedProgram | None:
        """The backward function for a call in which the outputs `has_grad` have gradients.
        Returns None if such a backward function needs residuals that the forward function did not
        save.
        """
        found = self._backward_functions.get(has_grad)
        if found is None:
            try:
                found = DifferentiatedProgram(self, has_grad, self.residual_keys)
            except KeyError:
                return None
            self._backward_functions[has_grad] = found
        return found

    def gradients(
        self, grads: Sequence[Any], operands: Sequence[Any], residuals: Residuals
    ) -> list[Any]:
        """Compute the gradients of the inputs that require gradients, as bare arrays, with the
        compiled backward function.

        grads: the gradients of the outputs, None for outputs without gradient.
        """
        backward = self.backward(tuple([g is not None for g in grads]))
        if backward is None:
            backward = self._backward_functions[self.has_grad_everywhere]
            grads = [
                cuda.zeros_like(o) if g is None and w else g
                for g, o, w in zip(grads, residuals[1], self.has_grad_everywhere, strict=True)
            ]
        return self.run_backward(
            backward,
            residuals,
            [g for g, w in zip(grads, backward.output_has_grad, strict=True) if w],
        )

    @staticmethod
    def run_backward(
        backward: DifferentiatedProgram, residuals: Residuals, given: Sequence[Any]
    ) -> list[Any]:
        """Run a backward function.

        given: the gradients of the outputs that have one.
        """
        found = backward.compiled_function.run_without_numpy_warnings(*residuals[0], *given)
        return [None if i < 0 else found[i] for i in backward.input_grad_positions]

    def gradients_for_create_graph(
        self, grads: Sequence[Any], operands: Sequence[Any], residuals: Residuals
    ) -> list[Any]:
        """Compute the gradients of the inputs with a PartialProgram of forward and backward pass,
        so that the gradients can be differentiated again.
        """
        if program_draws_random(self.partial_program.program):
            why = "create_graph=True runs the program again, but the program draws random numbers"
            raise OpError(append_user_line(f"grad: {why}"))
        backward = DifferentiatedProgram(self, tuple([g is not None for g in grads]), None)
        again = PartialProgram(
            backward.rewrite_in_place_to_feed_initial_grads_and_fetch_grads(),
            self.partial_program.scope,
            stores=False,
        )
        given = dict(zip(self.partial_program.feeds, map(Tensor, residuals[2]), strict=True))
        given |= dict(zip(self.differentiated_names, operands, strict=True))
        result = again(
            [*(given[n] for n in self.partial_program.feeds), *(g for g in grads if g is not None)]
        )
        return [None if i < 0 else result[i] for i in backward.input_grad_positions]


class DifferentiatedProgram:
    """A copy of the forward program with its backward pass appended.

    output_has_grad: for each output, whether the backward pass receives a gradient of it.
    residual_keys: the residuals, by block and name.
    """

    def __init__(
        self,
        specialization: GradientSpecialization,
        has_grad: tuple[bool, ...],
        saved: list[tuple[int, str]] | None,
    ) -> None:
        self._specialization, self.output_has_grad = specialization, has_grad
        self.program = deepcopy(specialization.partial_program.program)
        widen_shapes_if_program_has_loops(self.program)
        self.initial_grad_names, gradients = self._append_backward()
        found = [name for name in specialization.differentiated_names if name in gradients]
        positions = {name: i for i, name in enumerate(found)}
        self.input_grad_positions = [
            positions.get(name, -1) for name in specialization.differentiated_names
        ]
        self.grad_names = [gradients[name].name for name in found]
        self._lowered_program: LoweredProgram = lower_to_instructions(self.program)
        at = _first_backward_instruction_index(self._lowered_program.instructions)
        outputs = [
            self._lowered_program.get_or_create_outermost_variable_register(name)
            for name in self.grad_names
        ]
        self._forward_instructions, behind = (
            self._lowered_program.instructions[:at],
            eliminate_dead_code(self._lowered_program.instructions[at:], set(outputs)),
        )
        given = [
            self._lowered_program.get_or_create_outermost_variable_register(name)
            for name in self.initial_grad_names
        ]
        live = mark_dead_and_get_live_registers(behind, set(outputs), lambda _: False) - set(given)
        known = {register: key for key, register in self._lowered_program.registers.items()}
        if saved is None:
            saved = [known[register] for register in sorted(live)]
        elif not {known[register] for register in live} <= set(saved) or any(
            kernelless_op_traits_or_default(op.type).forward_scopes_slot
            for op in self.program.ops()
        ):
            raise KeyError
        self.residual_keys = saved
        registers = [self._lowered_program.registers[key] for key in saved]
        self.compiled_function = CompiledInstructions(
            self._lowered_program,
            behind,
            [*registers, *given],
            outputs,
            on_gpu=specialization.on_gpu,
        )

    def _append_backward(self) -> tuple[list[str], dict[str, Variable]]:
        """Append the backward pass to the program. Return the names of the variables for the
        gradients of the outputs, and the gradients of the inputs by name.
        """
        recorder = Recorder.for_existing_program(self.program)
        targets: dict[str, Variable | None] = {}
        for name, has_grad in zip(
            self._specialization.partial_program.fetches, self.output_has_grad, strict=True
        ):
            if has_grad:
                var = self.program.block.vars[name]
                grad_name = recorder.namer.unique_name(f"{name}@GRAD")
                targets[name] = recorder.create_variable(
                    recorder.declare(grad_name, Variable(var).meta, checks_feed=True)
                )
        with use_mode(Static(recorder)):
            found = append_gradient_ops(
                recorder, targets, self._specialization.differentiated_names
            )
        return [v.name for v in targets.values() if v is not None], found

    def compile_forward(self) -> CompiledInstructions:
        """Compile the forward function, which returns outputs, updated variables and residuals."""
        partial, lowered = self._specialization.partial_program, self._lowered_program
        outputs = [
            lowered.get_or_create_outermost_variable_register(n)
            for n in (*partial.fetches, *partial.updated_names)
        ]
        registers = [lowered.registers[key] for key in self.residual_keys]
        ins = [
            lowered.get_or_create_outermost_variable_register(n)
            for n in self._specialization.input_names
        ]
        return CompiledInstructions(
            lowered,
            self._forward_instructions,
            ins,
            [*outputs, *registers],
            on_gpu=self._specialization.on_gpu,
        )

    def rewrite_in_place_to_feed_initial_grads_and_fetch_grads(self) -> Program:
        """Make this a program that runs forward and backward pass: its inputs are those of the
        forward program and the gradients of the outputs, its outputs are the gradients of the
        inputs.
        """
        block = self.program.block
        rest = [op for op in block.ops if not is_feed_or_fetch(op.type)]
        for op in rest:
            op.attrs.pop("op_role", None)  # the rewritten program consists of forward ops only
        feeds = [
            make_feed_op(name, i)
            for i, name in enumerate(
                (*self._specialization.partial_program.feeds, *self.initial_grad_names)
            )
        ]
        block.ops = [
            *feeds,
            *rest,
            *(make_fetch_op(name, i) for i, name in enumerate(self.grad_names)),
        ]
        return self.program


def _first_backward_instruction_index(instructions: Sequence[Instruction]) -> int:
    """The index of the first instruction that was lowered from an op of the backward pass."""
    for i, instruction in enumerate(instructions):
        if instruction.desc.attr("op_role", 0) & 1:
            return i
    return len(instructions)


def _make_tape_node_op(specialization: GradientSpecialization) -> Op:
    """The op of the node that a call records on the tape."""
    op = Op(
        "program",
        [Slot("X", is_list=True)],
        [Slot("Out", is_list=True)],
        _raise_no_kernel,
        OpTraits(internal=True),
        None,
    )
    op.attrs["residuals"] = AttrSpec("RAW", None)

    def vjp_rule(grads: list[Any], operands: list[Any], *, residuals: Residuals) -> list[Any]:
        return (
            specialization.gradients
            if state.mode is BARE_ARRAY_MODE
            else specialization.gradients_for_create_graph
        )(grads, operands, residuals)

    full_backward = specialization.backward(specialization.has_grad_everywhere)
    assert full_backward is not None

    def backward_from_one_output_grad(node: Node, index: int, gradient: Any) -> list[Any]:
        residuals = node.attrs["residuals"]
        if len(residuals[1]) == 1:
            return specialization.run_backward(full_backward, residuals, (gradient,))
        grads: list[Any] = [None] * len(residuals[1])
        grads[index] = gradient
        return specialization.gradients(grads, node.args[0], residuals)

    op.vjp(vjp_rule)
    op.backward_from_one_output_grad = backward_from_one_output_grad
    return op


def _raise_no_kernel(x: Any) -> Any:
    raise AssertionError(
        "the op of a PartialProgram has no kernel; call the PartialProgram instead"
    )
