"""CompiledProgram: a program compiled to one Python function on bare arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from ..autodiff.decompose import decompose_gradients
from ..core import cuda, native
from ..core._tape import limited
from ..core.errors import OpError, with_user_line
from ..core.errstate import IGNORE_ALL, errstate_variable
from ..core.tensor import Tensor
from ..ir.block_captures import paddle_control_flow_grads
from ..ir.op_traits import is_feed_or_fetch
from ..ir.passes.upgrade_ops import upgrade_program
from ..ir.program import Kind, Program
from .codegen import Function, FunctionSource
from .error_mapping import raise_explained
from .error_wrapping import errors_as_op_error
from .feeds import FEED
from .fusion import fuse_elementwise
from .instructions import Instruction, LoweredProgram, all_writes
from .liveness import eliminate_dead_code, mark_dead_registers
from .lod_propagation import LodArray, as_levels
from .lowering import RULES, SEQUENCE_RULES, Lowering
from .unsupported_ops import check_supported

MIN_LARGE_SIZE = 4096  # elements; smaller arrays stay until the function returns


class CompiledFunction:
    """Instructions compiled to a function that returns a tuple. It has no state, so threads may
    share it.

    inputs, outputs: registers, in the order of arguments and results.
    tensors, on_gpu, on_iteration: see FunctionSource.
    """

    def __init__(
        self,
        lowered: LoweredProgram,
        instructions: Sequence[Instruction],
        inputs: Sequence[str],
        outputs: Sequence[str],
        tensors: bool = False,
        on_iteration: Callable[[], None] | None = None,
        on_gpu: bool = False,
    ) -> None:
        with errors_as_op_error():
            kept = (
                list(instructions) if tensors else eliminate_dead_code(instructions, set(outputs))
            )
            kept = kept if tensors or on_gpu else fuse_elementwise(kept, lowered.declared)
        big = _large_registers(lowered)
        live = mark_dead_registers(kept, set(outputs), lambda register: register.rstrip("r") in big)
        self._source = FunctionSource(tensors, on_iteration, on_gpu)
        self.function: Function = self._source.function(
            inputs, sorted(live - set(inputs)), kept, outputs
        )

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """Run the function. Raises OpError that names the op which failed."""
        try:
            found: tuple[Any, ...] = limited(self.function, *arrays)
        except Exception as error:
            raise_explained(self.function, self._source.instructions, error)
        return found

    def run_quietly(self, *arrays: Any) -> tuple[Any, ...]:
        """Run the function without NumPy warnings about overflow."""
        token = errstate_variable.set(IGNORE_ALL)
        try:
            return self(*arrays)
        finally:
            errstate_variable.reset(token)

    @property
    def functions(self) -> list[Any]:
        """The functions that the source calls."""
        return [value for value in self._source.names.values() if callable(value)]

    @property
    def text(self) -> str:
        """The source."""
        return "\n".join(self._source.lines)


def _large_registers(lowered: LoweredProgram) -> set[str]:
    """The registers that may hold large arrays."""

    def big(register: str) -> bool:
        var = lowered.declared[register]
        size = 1
        for d in var.shape:
            size *= d if d >= 0 else MIN_LARGE_SIZE
        return size >= MIN_LARGE_SIZE or var.kind == Kind.ARRAY

    return {register for register in lowered.declared if big(register)}


def lower_program(program: Program, tensors: bool = False) -> LoweredProgram:
    """Lower a program to instructions.

    Raises Unsupported that lists everything that cannot run.
    """
    with errors_as_op_error():
        program = decompose_gradients(upgrade_program(program))
        result = Lowering(program, tensors)
        ops = [
            op
            for op in program.ops()
            if not is_feed_or_fetch(op.type) and op.type not in (*RULES, *SEQUENCE_RULES)
        ]
        foreign = [
            op
            for op in paddle_control_flow_grads(program)
            if op.attr("sub_block") not in result.grad_parents
        ]
        check_supported([op for op in ops if result.gradients.find(op) is None], foreign)
        return result.lowered()


class CompiledProgram:
    """A program compiled for certain feeds and fetches.

    on_iteration: see FunctionSource.
    A run leaves no state, so threads may share it, if they do not share a scope that the program
    writes.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str] | None = None,
        fetches: Sequence[str] | None = None,
        on_iteration: Callable[[], None] | None = None,
    ) -> None:
        self.program, self._on_iteration = program, on_iteration
        self.feeds = list(program.feeds() if feeds is None else feeds)
        self.fetches = list(program.fetches() if fetches is None else fetches)
        self._built: dict[bool, _Build] = {}
        self._build()

    def _build(self) -> _Build:
        """The compiled function; recompiled when compiled kernels are turned on or off."""
        on = native.switch.on
        found = self._built.get(on)
        if found is None:
            found = self._built[on] = _Build(
                self.program, self.feeds, self.fetches, self._on_iteration
            )
        return found

    @property
    def lod_inputs(self) -> list[str]:
        """The inputs whose LoD offsets the program reads, fed as `<name>.lod`."""
        return self._build().lods

    @property
    def functions(self) -> list[Any]:
        """The functions that the source calls."""
        return self._build().function.functions

    @property
    def text(self) -> str:
        """The source of the function."""
        return self._build().function.text

    def run(self, scope: Mapping[str, Tensor], feed: Mapping[str, Any]) -> list[Any]:
        """Run the program and return the fetched arrays.

        scope: values of persistable variables; updated by the program.
        feed: an array for each input.
        Raises OpError for a missing input or value, and for an op that fails.
        """
        built = self._build()
        missing = [name for name in self.feeds if name not in feed]
        if missing:
            raise OpError(
                with_user_line(f"run: inputs {missing} are missing; the program takes {self.feeds}")
            )
        unknown = [name for name in built.loads if name not in scope]
        if unknown:
            raise OpError(
                with_user_line(f"run: {unknown} have no values; run the startup program first")
            )
        unknown = [name for name in built.lods if name + FEED not in feed]
        if unknown:
            raise OpError(
                with_user_line(
                    f"run: {unknown} hold sequences; feed them as LoDTensors with lengths"
                )
            )
        given = [
            *(feed[name] for name in built.feeds),
            *(scope[name].array for name in built.loads),
        ]
        if cuda.cupy_state.cupy is not None:
            given = [cuda.to_host(a) for a in given]
        found = built.function.run_quietly(
            *given, *(as_levels(feed[name + FEED]) for name in built.lods)
        )
        count, end = len(self.fetches), len(self.fetches) + len(built.stores)
        for name, array in zip(built.stores, found[count:end], strict=True):
            _store_in_scope(scope, name, array)
        shared = {id(a) for a in (*given, *found[count:end])}
        result = [_own_array(array, shared) for array in found[:count]]
        for i, offsets in zip(built.fetched_lods, found[end:], strict=True):
            result[i] = LodArray(result[i], offsets) if offsets else result[i]
        return result


def _store_in_scope(scope: Mapping[str, Tensor], name: str, array: Any) -> None:
    tensor = scope.get(name)
    if tensor is not None:
        tensor.array = array
    elif isinstance(scope, MutableMapping):
        scope[name] = Tensor(array, name=name)


def _own_array(array: Any, shared: set[int]) -> Any:
    """The array, or a copy if it shares memory with another array.

    shared: ids of arrays with other owners.
    """
    if isinstance(array, list) or array is None:
        return array
    found = np.asarray(array)
    owned = found.base is None and found.flags.writeable and id(array) not in shared
    return found if owned else found.copy()


class _Build:
    """The compiled function of a program.

    feeds, loads: names of its inputs and persistables.
    stores: persistables that it returns after the fetches.
    lods: inputs whose LoD offsets it takes.
    fetched_lods: indices of fetches whose offsets it returns.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        on_iteration: Callable[[], None] | None,
    ) -> None:
        lowered = lower_program(program)
        for name in fetches:  # a fetch that no op reads or writes needs a register as well
            lowered.register_for(name)
        persistable = {v.name: lowered.register(v.name) for v in program.persistables()}
        written = set(all_writes(lowered.instructions))
        fetched = [lowered.lods.get(lowered.register_for(name)) for name in fetches]
        self.fetched_lods = [i for i, register in enumerate(fetched) if register is not None]
        self.feeds = [name for name in feeds if lowered.register(name) is not None]
        self.stores = [name for name, register in persistable.items() if register in written]
        outputs = [lowered.register_for(name) for name in (*fetches, *self.stores)] + [
            register for register in fetched if register is not None
        ]
        live = mark_dead_registers(lowered.instructions, set(outputs), lambda _: False)
        self.loads = [
            name
            for name, register in persistable.items()
            if register in live and name not in self.feeds
        ]
        self.lods = [name for name, register in lowered.fed_lods.items() if register in live]
        inputs = [lowered.register_for(name) for name in (*self.feeds, *self.loads)] + [
            lowered.fed_lods[name] for name in self.lods
        ]
        self.function = CompiledFunction(
            lowered, lowered.instructions, inputs, outputs, on_iteration=on_iteration
        )
