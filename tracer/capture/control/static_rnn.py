"""`StaticRNN` of Paddle 1.x: a step function that runs for each slice of its input sequences along
their first axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ...core.dtype import is_inexact, parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.block_captures import outer_names_read_by_block, outer_names_written_by_block
from ...ir.program import Block
from ..modes import Static
from ..recorder import OpenBlock, Recorder
from ..variable import Variable
from .block_ops import emit_recurrent
from .branch import rebind_tensor_to_declaration
from .with_blocks import require_static_mode

BEFORE, INSIDE, AFTER = "before", "inside", "after"


@dataclass
class StepMemory:
    """A value that is carried from step to step.

    initial_name: the variable before the first step.
    step_variable: the variable in a step.
    next_value: the value for the next step.
    """

    initial_name: str
    step_variable: Variable
    next_value: Tensor | None = None


@dataclass
class SequenceInputs:
    """The input sequences of a StaticRNN, by name. The object holds each whole sequence, the
    variable of its slice in a step, and the name under which a step can read the whole sequence.
    """

    sequence_by_name: dict[str, Tensor] = field(default_factory=dict)
    step_variable_by_name: dict[str, Variable] = field(default_factory=dict)
    alias_by_name: dict[str, str] = field(default_factory=dict)


class StaticRNN:
    """A recurrent network: `with rnn.step():` defines one step, `rnn()` returns the outputs, [T,
    ...] each.

    In the step, `step_input` returns the element of a sequence, and `memory` a value from the
    previous step, which `update_memory` sets for the next step; `step_output` and `output` define
    outputs. These methods raise OpError outside of the step, and for arguments whose shape or dtype
    does not fit.
    """

    def __init__(self, name: str | None = None) -> None:
        if not isinstance(name, str | None):
            raise TypeError(
                append_user_line(f"StaticRNN: name should be a str, not {type(name).__name__}")
            )
        self._name = name or "static_rnn"
        self._definition_stage = BEFORE
        self._mode: Static | None = None
        self._outer_block: OpenBlock | None = None  # the block around the step
        self._step_block: Block | None = None
        self._num_steps = -1
        self._sequence_inputs = SequenceInputs()
        self._memories: list[StepMemory] = []
        self._output_names: list[str] = []
        self._output_variables: list[Variable] = []

    # -- the step
    # --------------------------------------------------------------------------

    @contextmanager
    def step(self) -> Iterator[None]:
        """Return the context manager whose `with` body defines the step.

        Raises OpError at the end of the body if a memory is not updated, or if there is no input or
        no output.
        """
        mode = require_static_mode("StaticRNN")
        if self._definition_stage != BEFORE:
            _raise_misuse_error(
                "step", "the step is defined already; define another step in another StaticRNN"
            )
        recorder = mode.recorder
        self._mode, self._outer_block = mode, recorder.open_blocks[-1]
        mark = recorder.checkpoint()
        try:
            with recorder.enter_new_block() as inner:
                self._step_block, self._definition_stage = inner.block, INSIDE
                yield
                self._check_step_definition(inner)
                memories = [
                    self._emit_next_value_copy_and_get_memory_names(memory)
                    for memory in self._memories
                ]
        except BaseException:
            self._restore_sequence_names()
            recorder.rewind(mark)
            for tensor, before in inner.inplace_writes.values():
                rebind_tensor_to_declaration(mode, tensor, before)
            raise
        self._restore_sequence_names()
        self._emit_copies_of_whole_sequences(inner.block, mark[1])
        emit_recurrent(
            recorder,
            inner.block,
            list(self._sequence_inputs.sequence_by_name),
            memories,
            self._output_names,
        )
        self._output_variables = [
            self._declare_sequence_output(name) for name in self._output_names
        ]

    def step_input(self, x: Tensor) -> Variable:
        """Make `x` an input sequence, and return the Variable of its slice in the current step.

        x: [T, ...], created before the step; the result has the shape [...].
        """
        recorder = self._require_recorder_in_step("step_input")
        self._check_is_outer_variable("step_input", "x", x)
        meta = x.meta
        if not meta.shape:
            _raise_misuse_error("step_input", f"a sequence needs an axis for its steps (x={meta})")
        if self._num_steps >= 0 and meta.shape[0] >= 0 and meta.shape[0] != self._num_steps:
            _raise_misuse_error(
                "step_input", f"the previous inputs have {self._num_steps} steps (x={meta})"
            )
        self._num_steps = max(self._num_steps, meta.shape[0])
        name = self._find_or_declare_name_in_outer_block(x)
        if name not in self._sequence_inputs.step_variable_by_name:
            self._rename_whole_sequence_in_step(name, x)
            desc = recorder.declare(
                name, Meta(meta.shape[1:], meta.dtype), stop_gradient=x.stop_gradient
            )
            (
                self._sequence_inputs.sequence_by_name[name],
                self._sequence_inputs.step_variable_by_name[name],
            ) = x, recorder.create_variable(desc)
        return self._sequence_inputs.step_variable_by_name[name]

    def memory(
        self,
        init: Tensor | None = None,
        shape: Sequence[int] | None = None,
        batch_ref: Tensor | None = None,
        init_value: float = 0.0,
        init_batch_dim_idx: int = 0,
        ref_batch_dim_idx: int = 1,
    ) -> Variable:
        """Return a memory: a value that is carried from step to step. The initial value of the
        memory is `init`, or a tensor of `shape` filled with `init_value`.

        Axis `init_batch_dim_idx` of `shape` gets the size of axis `ref_batch_dim_idx` of
        `batch_ref`. If `batch_ref` is a step input, axes are counted in the whole sequence: axis 1
        is the first axis of the slice.
        """
        recorder = self._require_recorder_in_step("memory")
        if init is None:
            init = self._emit_initial_memory(
                shape, batch_ref, init_value, init_batch_dim_idx, ref_batch_dim_idx
            )
        self._check_is_outer_variable("memory", "init", init)
        first = self._find_or_declare_name_in_outer_block(init)
        name = recorder.namer.unique_name(f"{self._name}@mem")
        desc = recorder.declare(name, init.meta, stop_gradient=not is_inexact(init.meta.dtype))
        self._memories.append(StepMemory(first, recorder.create_variable(desc)))
        return self._memories[-1].step_variable

    def update_memory(self, mem: Variable, var: Tensor) -> None:
        """Set the value of a memory for the next step.

        mem: a result of `memory`.
        var: a value of its shape and dtype.
        """
        self._require_recorder_in_step("update_memory")
        memory = next((m for m in self._memories if m.step_variable is mem), None)
        if memory is None:
            _raise_misuse_error("update_memory", "mem should be a result of `memory` in this step")
        if not isinstance(var, Tensor):
            _raise_misuse_error(
                "update_memory", f"var should be a variable, not {type(var).__name__}"
            )
        if memory.next_value is not None:
            _raise_misuse_error(
                "update_memory",
                f"the value of '{mem.name}' for the next step is defined already (var={var.meta})",
            )
        if not _are_compatible_metas(mem.meta, var.meta):
            _raise_misuse_error(
                "update_memory",
                f"a memory cannot change its shape or dtype (mem={mem.meta}, var={var.meta})",
            )
        memory.next_value = var

    def step_output(self, o: Tensor) -> None:
        """Define the value `o` of each step as an output of the network."""
        recorder = self._require_recorder_in_step("step_output")
        if not isinstance(o, Tensor):
            _raise_misuse_error(
                "step_output", f"an output should be a variable, not {type(o).__name__}"
            )
        self._output_names.append(self._emit_copy_to_new_variable(recorder, o))

    def output(self, *outputs: Tensor) -> None:
        """Call `step_output` for each argument."""
        for each in outputs:
            self.step_output(each)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the stacked outputs [T, ...]: one Variable, or a list."""
        if not self._output_variables:
            _raise_misuse_error("", "the outputs exist only after the step is defined")
        return (
            self._output_variables[0]
            if len(self._output_variables) == 1
            else self._output_variables
        )

    # -- checks
    # --------------------------------------------------------------------------

    def _require_recorder_in_step(self, what: str) -> Recorder:
        if self._definition_stage != INSIDE or self._mode is None:
            _raise_misuse_error(what, "call it in the body of `with rnn.step()`")
        if self._mode.recorder.block is not self._step_block:
            _raise_misuse_error(
                what, "call it in the step itself, not in a branch or loop of the step"
            )
        return self._mode.recorder

    def _check_is_outer_variable(self, what: str, label: str, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(
                append_user_line(
                    f"StaticRNN.{what}: {label} should be a variable, not {type(value).__name__}"
                )
            )
        assert self._step_block is not None
        if isinstance(value, Variable) and self._step_block.vars.get(value.raw.name) is value.raw:
            _raise_misuse_error(
                what, f"{label} should be made before the step, not in it ({label}={value.meta})"
            )

    def _check_step_definition(self, inner: OpenBlock) -> None:
        assert self._mode is not None
        recorder = self._mode.recorder
        if not self._sequence_inputs.step_variable_by_name:
            _raise_misuse_error("step", "there is no step_input, so the number of steps is unknown")
        for memory in self._memories:
            if memory.next_value is None:
                _raise_misuse_error(
                    "step",
                    f"the memory '{memory.step_variable.name}' is not updated; use update_memory",
                )
        if not self._output_names:
            _raise_misuse_error("step", "there is no output; use step_output")
        befores = (
            before
            for _, before in inner.inplace_writes.values()
            if inner.block.vars.get(before.name) is not before
        )
        written = (
            recorder.var(name)
            for name in outer_names_written_by_block(recorder.program, inner.block)
        )
        names = [v.name for v in befores] + [
            v.name for v in written if v is not None and not v.persistable
        ]
        if names:
            _raise_misuse_error(
                "step",
                f"its body assigns the outer variable '{names[0]}'; carry values from step to "
                "step by a memory",
            )

    # -- names
    # --------------------------------------------------------------------------

    def _rename_whole_sequence_in_step(self, name: str, x: Tensor) -> None:
        """Give the whole sequence `x` another name in the block of the step, because `name` denotes
        a slice of it there.
        """
        assert self._mode is not None
        assert self._outer_block is not None
        recorder = self._mode.recorder
        alias_name = self._sequence_inputs.alias_by_name[name] = recorder.namer.unique_name(
            f"{name}@WHOLE"
        )
        recorder.declare(alias_name, x.meta, self._outer_block.block, stop_gradient=x.stop_gradient)
        recorder.rebind_tensors_of_variable(name, alias_name)

    def _find_or_declare_name_in_outer_block(self, value: Tensor) -> str:
        """Return the name that a value has in the block around the step; a tensor that the program
        does not contain yet is declared there.
        """
        assert self._mode is not None
        with self.record_in_outer_block():
            name = self._mode.recorder.find_name_or_declare_persistable(value)
        return next(
            (
                plain
                for plain, alias_name in self._sequence_inputs.alias_by_name.items()
                if alias_name == name
            ),
            name,
        )

    def _restore_sequence_names(self) -> None:
        """Undo `_rename_whole_sequence_in_step` after the step."""
        assert self._mode is not None
        self._definition_stage = AFTER
        for name, alias_name in self._sequence_inputs.alias_by_name.items():
            self._mode.recorder.rebind_tensors_of_variable(name, f"{name}@STEP")
            self._mode.recorder.rebind_tensors_of_variable(alias_name, name)

    def _emit_copies_of_whole_sequences(self, block: Block, start: int) -> None:
        """Emit copies, in the block around the step, of the whole sequences that the step reads
        under another name. Ops before the step read the original sequences.
        """
        assert self._mode is not None
        recorder = self._mode.recorder
        plain = {
            alias_name: name for name, alias_name in self._sequence_inputs.alias_by_name.items()
        }
        for op in recorder.block.ops[start:]:
            op.inputs = {
                slot: [plain.get(n, n) for n in names] for slot, names in op.inputs.items()
            }
        reads = set(outer_names_read_by_block(recorder.program, block))
        for alias_name, name in plain.items():
            if alias_name in reads:
                recorder.append_op("assign", {"X": [name]}, {"Out": [alias_name]})
            else:
                del recorder.block.vars[alias_name]

    # -- writing the ops
    # ---------------------------------------------------------------------------------------------

    @contextmanager
    def record_in_outer_block(self) -> Iterator[None]:
        """Context manager: ops recorded in the `with` body are written to the block around the
        step.
        """
        assert self._mode is not None
        assert self._outer_block is not None
        with self._mode.recorder.enter_block(self._outer_block):
            yield

    def _emit_initial_memory(
        self, shape: Any, batch_ref: Any, value: float, axis: int, ref_axis: int
    ) -> Tensor:
        if shape is None or batch_ref is None:
            _raise_misuse_error("memory", "without init it needs shape and batch_ref")
        for name, step in self._sequence_inputs.step_variable_by_name.items():
            if step is batch_ref:
                batch_ref = self._sequence_inputs.sequence_by_name[name]
        self._check_is_outer_variable("memory", "batch_ref", batch_ref)
        with self.record_in_outer_block():
            result: Tensor = OPS["fill_constant_batch_size_like"](
                batch_ref,
                shape=[int(d) for d in shape],
                value=float(value),
                dtype=batch_ref.dtype.proto,
                input_dim_idx=ref_axis,
                output_dim_idx=axis,
            )
        return result

    def _emit_next_value_copy_and_get_memory_names(
        self, memory: StepMemory
    ) -> tuple[str, str, str]:
        assert self._mode is not None
        assert memory.next_value is not None
        return (
            memory.initial_name,
            memory.step_variable.name,
            self._emit_copy_to_new_variable(self._mode.recorder, memory.next_value),
        )

    def _emit_copy_to_new_variable(self, recorder: Recorder, value: Tensor) -> str:
        """Emit an op that copies `value` to a new variable of the step; return its name."""
        desc = recorder.declare(
            recorder.namer.generate_temporary_name(self._name),
            value.meta,
            stop_gradient=value.stop_gradient,
        )
        recorder.create_variable(desc)
        recorder.append_op(
            "assign",
            {"X": [recorder.find_name_or_declare_persistable(value)]},
            {"Out": [desc.name]},
        )
        return desc.name

    def _declare_sequence_output(self, name: str) -> Variable:
        """Declare the variable of an output sequence, in the block around the step, and return
        it.
        """
        assert self._mode is not None
        assert self._step_block is not None
        recorder, one = self._mode.recorder, self._step_block.vars[name]
        meta = Meta((self._num_steps, *one.shape), parse_dtype(one.dtype).np)
        result = recorder.create_variable(
            recorder.declare(name, meta, stop_gradient=one.stop_gradient)
        )
        result.user_line = recorder.block.ops[-1].user_line
        return result


def _are_compatible_metas(mem: Meta, var: Meta) -> bool:
    """Whether a memory declared like `mem` can hold a value declared like `var`: dtypes and sizes
    fit.
    """
    sizes = zip(mem.shape, var.shape, strict=False)
    return (
        mem.dtype == var.dtype
        and len(mem.shape) == len(var.shape)
        and all(a == b or -1 in (a, b) for a, b in sizes)
    )


def _raise_misuse_error(what: str, why: str) -> NoReturn:
    raise OpError(append_user_line(f"StaticRNN{'.' if what else ''}{what}: {why}"))
