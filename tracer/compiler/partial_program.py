"""A recorded program that eager code calls. A call runs one forward function and records one
node on the tape; the backward pass runs one backward function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from ..autodiff import differentiate
from ..autodiff.activity_analysis import ActivityAnalysis, differentiable
from ..autodiff.overwritten_inputs import copy_overwritten_inputs
from ..autodiff.shape_widening import widen_shapes
from ..capture.inline import has_control_flow, inline_program
from ..capture.modes import Static, static_mode
from ..capture.recorder import Recorder
from ..capture.undefined_checks import checks_to_asserts
from ..capture.variable import Variable
from ..core import cuda, native
from ..core._tape import Node, arrays_of, record_program, stop_gradients_of, tensors_of
from ..core.backward_pass import BARE_ARRAYS
from ..core.device_dispatch import common_device
from ..core.errors import OpError, PlaceError, with_user_line
from ..core.mode import state, use_mode
from ..core.numerics_check import is_enabled as checks_numerics
from ..core.op import AttrSpec, Op, OpTraits, Slot
from ..core.tensor import Tensor
from ..ir.block_captures import draws_random
from ..ir.op_traits import is_feed_or_fetch, traits_of
from ..ir.passes.prune import feed_op, fetch_op
from ..ir.program import Program
from . import CompiledFunction, lower_program
from .instructions import Instruction, LoweredProgram
from .interpreter import Interpreter
from .liveness import eliminate_dead_code, mark_dead_registers

StopGradients = tuple[bool, ...]


# What a call saves for its backward pass: a plain tuple (residual registers, outputs, inputs),
# because each call creates one.
Residuals = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]


class PartialProgram:
    """A program as a differentiable function of tensors.

    scope: values of its variables by name; updated by the program.
    training: whether it was recorded in training mode.
    Threads may share it if the program updates nothing.
    """

    def __init__(
        self,
        program: Program,
        scope: Mapping[str, Tensor],
        stores: bool = True,
        training: bool = True,
    ) -> None:
        self.training = training
        self.program, self.scope = copy_overwritten_inputs(checks_to_asserts(program)), scope
        self._original = program
        self.feeds, self.fetches = self.program.feeds(), self.program.fetches()
        self.state_names = [name for name in self.scope if self.program.var(name) is not None]
        self._state_tensors = [self.scope[name] for name in self.state_names]
        written = program.written()
        self.updated_names = (
            [name for name in self.state_names if name in written] if stores else []
        )
        self._stored_tensors = [self.scope[name] for name in self.updated_names]
        self._specializations: dict[tuple[StopGradients | None, bool, bool], Specialization] = {}

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Call the program with one tensor per input.

        Raises OpError for a wrong number of inputs and for an op that fails.
        """
        return self.call(inputs, self.stops(inputs))

    def stops(self, inputs: Sequence[Tensor]) -> StopGradients | None:
        """The `stop_gradient` of each input; None if no gradients are recorded."""
        return stop_gradients_of([*inputs, *self._state_tensors]) if state.mode.tape else None

    def call(self, inputs: Sequence[Tensor], stops: StopGradients | None) -> list[Tensor]:
        """Call the program. `stops` states which inputs do not require gradients."""
        if len(inputs) != len(self.feeds):
            raise OpError(
                with_user_line(
                    f"the program takes {len(self.feeds)} inputs {self.feeds}, got {len(inputs)}"
                )
            )
        if not state.mode.bare or checks_numerics():
            return self._recorded(inputs)
        operands = [*inputs, *self._state_tensors]
        arrays = arrays_of(operands)
        device = None if cuda.cupy_state.cupy is None else self._device(arrays)
        on_gpu = device is not None
        specialization = self._specializations.get(
            (stops, native.switch.on, on_gpu)
        ) or self._specialize(stops, on_gpu)
        if on_gpu:
            with cuda.use_device(device):
                found = specialization.forward.run_quietly(*arrays)
        else:
            found = specialization.forward.run_quietly(*arrays)
        count, end = specialization.output_ends
        if end > count:
            for tensor, array in zip(self._stored_tensors, found[count:end], strict=True):
                tensor.array = array
        outs = found[:count]
        if specialization.op is None:
            return tensors_of(outs)
        attrs = {
            "residuals": (found[end:], outs, arrays[: len(inputs)]),
            "materialize_grads": False,
        }
        return record_program(
            specialization.op,
            operands,
            specialization.differentiated_positions,
            attrs,
            outs,
            specialization.differentiable,
        )

    def _device(self, arrays: Sequence[Any]) -> int | None:
        """The device of all inputs. Raises PlaceError if there are two."""
        try:
            return common_device(arrays)
        except PlaceError as error:
            names = [*self.feeds, *self.state_names]
            shown = ", ".join(
                f"{n} on {cuda.device_name(cuda.index_of(a))}"
                for n, a in zip(names, arrays, strict=True)
            )
            raise PlaceError(with_user_line(f"a program: {error} ({shown})")) from None

    def _recorded(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run the program op by op in the current mode, which records it."""
        feed = dict(zip(self.feeds, inputs, strict=True))
        mode = static_mode(state.mode)
        if mode is not None and has_control_flow(self._original):
            return inline_program(mode, self._original, feed, self.scope)
        return Interpreter(self._original, self.scope).run(feed)

    def _specialize(self, stops: StopGradients | None, on_gpu: bool) -> Specialization:
        names = [*self.feeds, *self.state_names]
        wants = [] if stops is None else [i for i, stop in enumerate(stops) if not stop]
        result = Specialization(
            self, names, [i for i in wants if self._is_differentiable(names[i])], on_gpu
        )
        self._specializations[stops, native.switch.on, on_gpu] = result
        return result

    def _is_differentiable(self, name: str) -> bool:
        var = self.program.var(name)
        return var is not None and differentiable(var)


class Specialization:
    """A program compiled for a certain set of inputs that require gradients.

    differentiated_positions: indices of these inputs.
    on_gpu: whether arrays are on a GPU.
    op: the op of the node on the tape; None if nothing is differentiable.
    """

    def __init__(
        self,
        partial: PartialProgram,
        names: list[str],
        differentiated_positions: list[int],
        on_gpu: bool,
    ) -> None:
        self.partial, self.names, self.differentiated_positions, self.on_gpu = (
            partial,
            names,
            differentiated_positions,
            on_gpu,
        )
        self.differentiated = [names[i] for i in differentiated_positions]
        self.output_ends = len(partial.fetches), len(partial.fetches) + len(partial.updated_names)
        activity = ActivityAnalysis(partial.program, self.differentiated)
        self.differentiable = [
            i
            for i, name in enumerate(partial.fetches)
            if differentiated_positions and activity.needs_grad(0, name)
        ]
        self.op: Op | None = None
        self._backward_functions: dict[tuple[bool, ...], BackwardFunction] = {}
        if not self.differentiable:
            lowered = lower_program(partial.program)
            outputs = [lowered.register_for(n) for n in (*partial.fetches, *partial.updated_names)]
            self.forward = CompiledFunction(
                lowered,
                lowered.instructions,
                [lowered.register_for(n) for n in names],
                outputs,
                on_gpu=on_gpu,
            )
            return
        self.full = tuple(i in self.differentiable for i in range(len(partial.fetches)))
        backward = self._backward_functions[self.full] = BackwardFunction(self, self.full, None)
        self.saved = backward.saved
        self.forward = backward.forward()
        self.op = _make_node_op(self)

    def backward(self, has_grad: tuple[bool, ...]) -> BackwardFunction | None:
        """The backward function for a call in which the outputs `has_grad` have gradients.
        None if it needs residuals that the forward function did not save.
        """
        found = self._backward_functions.get(has_grad)
        if found is None:
            try:
                found = BackwardFunction(self, has_grad, self.saved)
            except KeyError:
                return None
            self._backward_functions[has_grad] = found
        return found

    def gradients(
        self, grads: Sequence[Any], operands: Sequence[Any], residuals: Residuals
    ) -> list[Any]:
        """The gradients of the inputs that require them, on bare arrays.

        grads: the gradients of the outputs, None for outputs without gradient.
        """
        backward = self.backward(tuple([g is not None for g in grads]))
        if backward is None:
            backward = self._backward_functions[self.full]
            grads = [
                cuda.zeros_like(o) if g is None and w else g
                for g, o, w in zip(grads, residuals[1], self.full, strict=True)
            ]
        return self.run(
            backward, residuals, [g for g, w in zip(grads, backward.has_grad, strict=True) if w]
        )

    @staticmethod
    def run(backward: BackwardFunction, residuals: Residuals, given: Sequence[Any]) -> list[Any]:
        """Run a backward function.

        given: its initial gradients.
        """
        found = backward.function.run_quietly(*residuals[0], *given)
        return [None if i < 0 else found[i] for i in backward.grad_positions]

    def differentiable_gradients(
        self, grads: Sequence[Any], operands: Sequence[Any], residuals: Residuals
    ) -> list[Any]:
        """The gradients, computed by another PartialProgram, so that they can be
        differentiated again.
        """
        if draws_random(self.partial.program):
            why = "create_graph=True runs a program again, and this one draws random numbers"
            raise OpError(with_user_line(f"grad: {why}"))
        backward = BackwardFunction(self, tuple([g is not None for g in grads]), None)
        again = PartialProgram(backward.as_program(), self.partial.scope, stores=False)
        given = dict(zip(self.partial.feeds, map(Tensor, residuals[2]), strict=True))
        given |= dict(zip(self.differentiated, operands, strict=True))
        result = again(
            [*(given[n] for n in self.partial.feeds), *(g for g in grads if g is not None)]
        )
        return [None if i < 0 else result[i] for i in backward.grad_positions]


class BackwardFunction:
    """A copy of the forward program with its backward pass appended.

    has_grad: which outputs have a gradient.
    saved: the residuals, by block and name.
    """

    def __init__(
        self,
        specialization: Specialization,
        has_grad: tuple[bool, ...],
        saved: list[tuple[int, str]] | None,
    ) -> None:
        self._specialization, self.has_grad = specialization, has_grad
        self.program = deepcopy(specialization.partial.program)
        widen_shapes(self.program)
        self.grads, gradients = self._differentiated()
        found = [name for name in specialization.differentiated if name in gradients]
        self.grad_positions = [
            found.index(name) if name in gradients else -1 for name in specialization.differentiated
        ]
        self.results = [gradients[name].name for name in found]
        self._lowered: LoweredProgram = lower_program(self.program)
        at = _first_backward_index(self._lowered.instructions)
        outputs = [self._lowered.register_for(name) for name in self.results]
        self._forward_instructions, behind = (
            self._lowered.instructions[:at],
            eliminate_dead_code(self._lowered.instructions[at:], set(outputs)),
        )
        given = [self._lowered.register_for(name) for name in self.grads]
        live = mark_dead_registers(behind, set(outputs), lambda _: False) - set(given)
        known = {register: key for key, register in self._lowered.registers.items()}
        if saved is None:
            saved = [known[register] for register in sorted(live)]
        elif not {known[register] for register in live} <= set(saved) or any(
            traits_of(op.type).forward_scopes for op in self.program.ops()
        ):
            raise KeyError
        self.saved = saved
        registers = [self._lowered.registers[key] for key in saved]
        self.function = CompiledFunction(
            self._lowered, behind, [*registers, *given], outputs, on_gpu=specialization.on_gpu
        )

    def _differentiated(self) -> tuple[list[str], dict[str, Variable]]:
        """Append the backward pass; return the names of its initial gradients and the gradients
        that it computes.
        """
        recorder = Recorder.append_to(self.program)
        targets: dict[str, Variable | None] = {}
        for name, has_grad in zip(self._specialization.partial.fetches, self.has_grad, strict=True):
            if has_grad:
                var = self.program.block.vars[name]
                fresh = recorder.namer.fresh(f"{name}@GRAD")
                targets[name] = recorder.create_variable(
                    recorder.declare(fresh, Variable(var).meta, checks_feed=True)
                )
        with use_mode(Static(recorder)):
            found = differentiate(recorder, targets, self._specialization.differentiated)
        return [v.name for v in targets.values() if v is not None], found

    def forward(self) -> CompiledFunction:
        """The forward function. It returns outputs, updated variables and residuals."""
        partial, lowered = self._specialization.partial, self._lowered
        outputs = [lowered.register_for(n) for n in (*partial.fetches, *partial.updated_names)]
        registers = [lowered.registers[key] for key in self.saved]
        ins = [lowered.register_for(n) for n in self._specialization.names]
        return CompiledFunction(
            lowered,
            self._forward_instructions,
            ins,
            [*outputs, *registers],
            on_gpu=self._specialization.on_gpu,
        )

    def as_program(self) -> Program:
        """Forward and backward pass as one program from inputs and initial gradients to
        gradients.
        """
        block = self.program.block
        rest = [op for op in block.ops if not is_feed_or_fetch(op.type)]
        for op in rest:
            op.attrs.pop("op_role", None)  # in the new program all ops are forward ops
        feeds = [
            feed_op(name, i)
            for i, name in enumerate((*self._specialization.partial.feeds, *self.grads))
        ]
        block.ops = [*feeds, *rest, *(fetch_op(name, i) for i, name in enumerate(self.results))]
        return self.program


def _first_backward_index(instructions: Sequence[Instruction]) -> int:
    """The index of the first instruction of the backward pass."""
    for i, instruction in enumerate(instructions):
        if instruction.desc.attr("op_role", 0) & 1:
            return i
    return len(instructions)


def _make_node_op(specialization: Specialization) -> Op:
    """The op of the node that a call records on the tape."""
    op = Op(
        "program",
        [Slot("X", many=True)],
        [Slot("Out", many=True)],
        _no_kernel,
        OpTraits(internal=True),
        None,
    )
    op.attrs["residuals"] = AttrSpec("RAW", None)

    def rule(grads: list[Any], operands: list[Any], *, residuals: Residuals) -> list[Any]:
        return (
            specialization.gradients
            if state.mode is BARE_ARRAYS
            else specialization.differentiable_gradients
        )(grads, operands, residuals)

    full = specialization.backward(specialization.full)
    assert full is not None

    def backward_direct(node: Node, index: int, gradient: Any) -> list[Any]:
        residuals = node.attrs["residuals"]
        if len(residuals[1]) == 1:
            return specialization.run(full, residuals, (gradient,))
        grads: list[Any] = [None] * len(residuals[1])
        grads[index] = gradient
        return specialization.gradients(grads, node.args[0], residuals)

    op.vjp(rule)
    op.program_backward = backward_direct
    return op


def _no_kernel(x: Any) -> Any:
    raise AssertionError("a program is run by its function")
