"""`StaticRNN`: a step that runs for each element of sequences along their first axis, as programs
for Paddle 1.x have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ...core.dtype import dtype_of, is_float
from ...core.errors import OpError, with_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.block_captures import block_reads, block_writes
from ...ir.program import Block
from ..modes import Static
from ..recorder import Inner, Recorder
from ..variable import Variable
from .block_ops import emit_recurrent
from .branch import put_back
from .with_blocks import writing_mode

BEFORE, INSIDE, AFTER = "before", "inside", "after"


@dataclass
class Memory:
    """What goes from step to step.

    first: before the first step; held: in a step; after: for the next one.
    """

    first: str
    held: Variable
    after: Tensor | None = None


@dataclass
class Sequences:
    """The inputs of all steps, by name: the whole, a step of it, and the name under which a step
    sees the whole.
    """

    outer: dict[str, Tensor] = field(default_factory=dict)
    inner: dict[str, Variable] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)


class StaticRNN:
    """`with rnn.step():` says what is done with each step of the inputs; `rnn()` gives the outputs,
    [T, ...] each.

    In the step: `step_input` gives a step of a sequence, `memory` what the step before has left,
    `update_memory` says what this one leaves,
    `step_output` and `output` what it gives.
    Raises OpError where these are called elsewhere, or do not fit.
    """

    def __init__(self, name: str | None = None) -> None:
        if not isinstance(name, str | None):
            raise TypeError(
                with_user_line(f"StaticRNN: name should be a str, not {type(name).__name__}")
            )
        self._name = name or "static_rnn"
        self._stage = BEFORE
        self._mode: Static | None = None
        self._around: Inner | None = None  # the block around the step
        self._block: Block | None = None
        self._length = -1
        self._inputs = Sequences()
        self._memories: list[Memory] = []
        self._given: list[str] = []
        self._results: list[Variable] = []

    # -- the step
    # --------------------------------------------------------------------------

    @contextmanager
    def step(self) -> Iterator[None]:
        """The body of a `with`: one step.

        Raises OpError at its end for a memory that is not updated, no input, no output.
        """
        mode = writing_mode("StaticRNN")
        if self._stage != BEFORE:
            _refuse("step", "there is one already; another step belongs to another StaticRNN")
        recorder = mode.recorder
        self._mode, self._around = mode, recorder.open[-1]
        mark = recorder.mark()
        try:
            with recorder.inner_block() as inner:
                self._block, self._stage = inner.block, INSIDE
                yield
                self._check(inner)
                memories = [self._finished(memory) for memory in self._memories]
        except BaseException:
            self._uncover()
            recorder.rewind(mark)
            for tensor, before in inner.changed.values():
                put_back(mode, tensor, before)
            raise
        self._uncover()
        self._keep_wholes(inner.block, mark[1])
        emit_recurrent(recorder, inner.block, list(self._inputs.outer), memories, self._given)
        self._results = [self._declared(name) for name in self._given]

    def step_input(self, x: Tensor) -> Variable:
        """The part of a sequence that a step sees.   x: [T, ...] from outside -> [...]"""
        recorder = self._recorder("step_input")
        self._check_outside("step_input", "x", x)
        meta = x.meta
        if not meta.shape:
            _refuse("step_input", f"a sequence has an axis for its steps (x={meta})")
        if self._length >= 0 and meta.shape[0] >= 0 and meta.shape[0] != self._length:
            _refuse("step_input", f"the inputs before have {self._length} steps (x={meta})")
        self._length = max(self._length, meta.shape[0])
        name = self._name_outside(x)
        if name not in self._inputs.inner:
            self._cover(name, x)
            desc = recorder.declare(
                name, Meta(meta.shape[1:], meta.dtype), stop_gradient=x.stop_gradient
            )
            self._inputs.outer[name], self._inputs.inner[name] = x, recorder.variable(desc)
        return self._inputs.inner[name]

    def memory(
        self,
        init: Tensor | None = None,
        shape: Sequence[int] | None = None,
        batch_ref: Tensor | None = None,
        init_value: float = 0.0,
        init_batch_dim_idx: int = 0,
        ref_batch_dim_idx: int = 1,
    ) -> Variable:
        """What the step before has left; before the first one `init`, or `shape` filled with
        `init_value`.

        Axis init_batch_dim_idx of `shape` is as long as axis ref_batch_dim_idx of `batch_ref`; of a
        step's input its whole sequence counts, so that 1 is the first axis of a step.
        """
        recorder = self._recorder("memory")
        if init is None:
            init = self._boot(shape, batch_ref, init_value, init_batch_dim_idx, ref_batch_dim_idx)
        self._check_outside("memory", "init", init)
        first = self._name_outside(init)
        name = recorder.namer.fresh(f"{self._name}@mem")
        desc = recorder.declare(name, init.meta, stop_gradient=not is_float(init.meta.dtype))
        self._memories.append(Memory(first, recorder.variable(desc)))
        return self._memories[-1].held

    def update_memory(self, mem: Variable, var: Tensor) -> None:
        """Let the next step find `var` in `mem`.   mem: of `memory`; var: like it."""
        self._recorder("update_memory")
        found = next((m for m in self._memories if m.held is mem), None)
        if found is None:
            _refuse("update_memory", "mem should be what `memory` gave in this step")
        if not isinstance(var, Tensor):
            _refuse("update_memory", f"var should be a variable, not {type(var).__name__}")
        if found.after is not None:
            _refuse(
                "update_memory",
                f"'{mem.name}' has its value for the next step already (var={var.meta})",
            )
        if not _fits(mem.meta, var.meta):
            _refuse(
                "update_memory",
                f"a memory keeps its shape and dtype (mem={mem.meta}, var={var.meta})",
            )
        found.after = var

    def step_output(self, o: Tensor) -> None:
        """Let `o`, of each step, be an output."""
        recorder = self._recorder("step_output")
        if not isinstance(o, Tensor):
            _refuse("step_output", f"an output should be a variable, not {type(o).__name__}")
        self._given.append(self._copied(recorder, o))

    def output(self, *outputs: Tensor) -> None:
        """`step_output` of each."""
        for each in outputs:
            self.step_output(each)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs [T, ...]: one, or a list."""
        if not self._results:
            _refuse("", "the outputs are there after the step")
        return self._results[0] if len(self._results) == 1 else self._results

    # -- checks
    # --------------------------------------------------------------------------

    def _recorder(self, what: str) -> Recorder:
        if self._stage != INSIDE or self._mode is None:
            _refuse(what, "belongs into the `with` of `step`")
        if self._mode.recorder.block is not self._block:
            _refuse(what, "belongs into the step itself, not into a branch or loop in it")
        return self._mode.recorder

    def _check_outside(self, what: str, label: str, given: Any) -> None:
        if not isinstance(given, Tensor):
            raise TypeError(
                with_user_line(
                    f"StaticRNN.{what}: {label} should be a variable, not {type(given).__name__}"
                )
            )
        assert self._block is not None
        if isinstance(given, Variable) and self._block.vars.get(given.raw.name) is given.raw:
            _refuse(
                what, f"{label} should be made before the step, not in it ({label}={given.meta})"
            )

    def _check(self, inner: Inner) -> None:
        assert self._mode is not None
        recorder = self._mode.recorder
        if not self._inputs.inner:
            _refuse("step", "there is no step_input, so nobody knows how many steps there are")
        for memory in self._memories:
            if memory.after is None:
                _refuse(
                    "step", f"the memory '{memory.held.name}' is not updated; use update_memory"
                )
        if not self._given:
            _refuse("step", "there is no output; use step_output")
        befores = (
            before
            for _, before in inner.changed.values()
            if inner.block.vars.get(before.name) is not before
        )
        written = (recorder.var(name) for name in block_writes(recorder.program, inner.block))
        names = [v.name for v in befores] + [
            v.name for v in written if v is not None and not v.persistable
        ]
        if names:
            _refuse(
                "step",
                f"it changes '{names[0]}' from outside; what goes from step to step is a memory",
            )

    # -- names
    # --------------------------------------------------------------------------

    def _cover(self, name: str, x: Tensor) -> None:
        """Let the step see a whole sequence under another name, as a step of it has this one."""
        assert self._mode is not None
        assert self._around is not None
        recorder = self._mode.recorder
        aside = self._inputs.aside[name] = recorder.namer.fresh(f"{name}@WHOLE")
        recorder.declare(aside, x.meta, self._around.block, stop_gradient=x.stop_gradient)
        recorder.rebind(name, aside)

    def _name_outside(self, value: Tensor) -> str:
        """What a variable is called around the step."""
        assert self._mode is not None
        with self.outside():
            name = self._mode.recorder.name_of(value)
        return next((plain for plain, aside in self._inputs.aside.items() if aside == name), name)

    def _uncover(self) -> None:
        """After the step the whole has its name again, and a step of it none."""
        assert self._mode is not None
        self._stage = AFTER
        for name, aside in self._inputs.aside.items():
            self._mode.recorder.rebind(name, f"{name}@STEP")
            self._mode.recorder.rebind(aside, name)

    def _keep_wholes(self, block: Block, start: int) -> None:
        """Write the copies of whole sequences that the step looks at; ops before it take the
        sequences themselves.
        """
        assert self._mode is not None
        recorder = self._mode.recorder
        plain = {aside: name for name, aside in self._inputs.aside.items()}
        for op in recorder.block.ops[start:]:
            op.inputs = {
                slot: [plain.get(n, n) for n in names] for slot, names in op.inputs.items()
            }
        reads = set(block_reads(recorder.program, block))
        for aside, name in plain.items():
            if aside in reads:
                recorder.emit("assign", {"X": [name]}, {"Out": [aside]})
            else:
                del recorder.block.vars[aside]

    # -- writing it
    # ---------------------------------------------------------------------------------------------

    @contextmanager
    def outside(self) -> Iterator[None]:
        """What the body writes goes to the block around the step."""
        assert self._mode is not None
        assert self._around is not None
        with self._mode.recorder.writing(self._around):
            yield

    def _boot(self, shape: Any, batch_ref: Any, value: float, axis: int, ref_axis: int) -> Tensor:
        if shape is None or batch_ref is None:
            _refuse("memory", "without init it needs shape and batch_ref")
        for name, step in self._inputs.inner.items():
            if step is batch_ref:
                batch_ref = self._inputs.outer[name]
        self._check_outside("memory", "batch_ref", batch_ref)
        with self.outside():
            made: Tensor = OPS["fill_constant_batch_size_like"](
                batch_ref,
                shape=[int(d) for d in shape],
                value=float(value),
                dtype=batch_ref.dtype.proto,
                input_dim_idx=ref_axis,
                output_dim_idx=axis,
            )
        return made

    def _finished(self, memory: Memory) -> tuple[str, str, str]:
        assert self._mode is not None
        assert memory.after is not None
        return memory.first, memory.held.name, self._copied(self._mode.recorder, memory.after)

    def _copied(self, recorder: Recorder, value: Tensor) -> str:
        """A variable of the step's own that is `value`."""
        desc = recorder.declare(
            recorder.namer.temporary(self._name), value.meta, stop_gradient=value.stop_gradient
        )
        recorder.variable(desc)
        recorder.emit("assign", {"X": [recorder.name_of(value)]}, {"Out": [desc.name]})
        return desc.name

    def _declared(self, name: str) -> Variable:
        """The sequence of what the steps gave as `name`."""
        assert self._mode is not None
        assert self._block is not None
        recorder, one = self._mode.recorder, self._block.vars[name]
        meta = Meta((self._length, *one.shape), dtype_of(one.dtype).np)
        made = recorder.variable(recorder.declare(name, meta, stop_gradient=one.stop_gradient))
        made.where = recorder.block.ops[-1].where
        return made


def _fits(mem: Meta, var: Meta) -> bool:
    """Whether a memory can hold a value."""
    sizes = zip(mem.shape, var.shape, strict=False)
    return (
        mem.dtype == var.dtype
        and len(mem.shape) == len(var.shape)
        and all(a == b or -1 in (a, b) for a, b in sizes)
    )


def _refuse(what: str, why: str) -> NoReturn:
    raise OpError(with_user_line(f"StaticRNN{'.' if what else ''}{what}: {why}"))
