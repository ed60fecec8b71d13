"""CompiledProgram: a program compiled to one Python function on bare arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from ..autodiff.decompose_grad_ops import decompose_grad_ops
from ..core import cuda
from ..core._tape import limited
from ..core.errors import OpError, append_user_line
from ..core.errstate import IGNORE_ALL, errstate_variable
from ..core.op import kernel_selection
from ..core.result_size_limit import copy_array_checking_memory
from ..core.tensor import Tensor
from ..ir.block_captures import select_paddle_form_control_flow_grads
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.passes.upgrade_ops import upgrade_program
from ..ir.program import Program, VarKind
from .codegen import Function, FunctionSourceWriter
from .error_mapping import reraise_naming_failed_op
from .error_wrapping import errors_as_op_error
from .feeds import LOD_SUFFIX
from .fusion import fuse_elementwise
from .instructions import Instruction, LoweredProgram, iter_registers_written
from .liveness import eliminate_dead_code, mark_dead_and_get_live_registers
from .lod_propagation import FetchedArrayAndLodOffsets, offsets_as_level_list
from .lowering import LOWERING_RULES, MULTI_INSTRUCTION_RULES, Lowering
from .persistent_list import PersistentList
from .unsupported_ops import check_ops_supported

MIN_LARGE_SIZE = 4096  # number of elements; smaller arrays are freed only when the function returns


class CompiledInstructions:
    """Instructions compiled to a Python function that returns a tuple. The function has no state,
    so threads may share it.

    inputs, outputs: registers, in the order of arguments and results.
    tensors, on_gpu, on_iteration: see FunctionSourceWriter.
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
            kept = kept if tensors or on_gpu else fuse_elementwise(kept, lowered.variables)
        big = _possibly_large_registers(lowered)
        live = mark_dead_and_get_live_registers(
            kept, set(outputs), lambda register: register.rstrip("r") in big
        )
        self._source = FunctionSourceWriter(tensors, on_iteration, on_gpu)
        self.function: Function = self._source.write_and_compile_function(
            inputs, sorted(live - set(inputs)), kept, outputs
        )

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """Run the function. If an op fails, raise an OpError that names the op."""
        try:
            found: tuple[Any, ...] = limited(self.function, *arrays)
        except Exception as error:
            reraise_naming_failed_op(self.function, self._source.line_instructions, error)
        return found

    def run_without_numpy_warnings(self, *arrays: Any) -> tuple[Any, ...]:
        """Run the function with NumPy's warnings about floating-point errors turned off."""
        token = errstate_variable.set(IGNORE_ALL)
        try:
            return self(*arrays)
        finally:
            errstate_variable.reset(token)

    @property
    def global_callables_of_source(self) -> list[Any]:
        """The callables among the global values of the source: kernels and helpers."""
        return [value for value in self._source.global_values.values() if callable(value)]

    @property
    def source_text(self) -> str:
        """The Python source of the compiled function."""
        return "\n".join(self._source.lines)


def _possibly_large_registers(lowered: LoweredProgram) -> set[str]:
    """The registers of arrays that have or may have at least MIN_LARGE_SIZE elements, and of
    TensorArrays.
    """

    def is_large(register: str) -> bool:
        var = lowered.variables[register]
        size = 1
        for d in var.shape:
            size *= d if d >= 0 else MIN_LARGE_SIZE
        return size >= MIN_LARGE_SIZE or var.kind == VarKind.ARRAY

    return {register for register in lowered.variables if is_large(register)}


def lower_to_instructions(program: Program, tensors: bool = False) -> LoweredProgram:
    """Lower a program to instructions.

    Raises UnsupportedOpsError, with a list of all ops, slots and attributes that are not supported.
    """
    with errors_as_op_error():
        program = decompose_grad_ops(upgrade_program(program))
        result = Lowering(program, tensors)
        ops = [
            op
            for op in program.ops()
            if not is_feed_or_fetch(op.type)
            and op.type not in (*LOWERING_RULES, *MULTI_INSTRUCTION_RULES)
        ]
        foreign = [
            op
            for op in select_paddle_form_control_flow_grads(program)
            if op.attr("sub_block") not in result.grad_block_parents
        ]
        check_ops_supported(
            [op for op in ops if result.grad_op_replacements.find_replacement(op) is None], foreign
        )
        return result.lower_to_instructions()


class CompiledProgram:
    """A program compiled for certain feeds and fetches.

    on_iteration: see FunctionSourceWriter.

    A run leaves no state, so threads may share the program unless it writes to a scope that they
    share.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str] | None = None,
        fetches: Sequence[str] | None = None,
        on_iteration: Callable[[], None] | None = None,
    ) -> None:
        self.program, self._on_iteration = program, on_iteration
        self.feeds = list(program.feed_names() if feeds is None else feeds)
        self.fetches = list(program.fetch_names() if fetches is None else fetches)
        self._builds: dict[bool, _ProgramBuild] = {}
        self._get_or_create_build_for_kernel_switch_state()

    def _get_or_create_build_for_kernel_switch_state(self) -> _ProgramBuild:
        """Return the build for the current state of the switch of compiled kernels. The builds with
        and without compiled kernels are each compiled at their first use.
        """
        on = kernel_selection.native_enabled
        found = self._builds.get(on)
        if found is None:
            found = self._builds[on] = _ProgramBuild(
                self.program, self.feeds, self.fetches, self._on_iteration
            )
        return found

    @property
    def inputs_needing_row_splits(self) -> list[str]:
        """The inputs whose LoD offsets the program reads. The offsets are fed under the name
        `<input>.lod`.
        """
        return self._get_or_create_build_for_kernel_switch_state().lod_input_names

    @property
    def global_callables_of_source(self) -> list[Any]:
        """The callables among the global values of the source: kernels and helpers."""
        return (
            self._get_or_create_build_for_kernel_switch_state().function.global_callables_of_source
        )

    @property
    def source_text(self) -> str:
        """The source of the Python function that runs the program with the current setting of the
        switch for compiled kernels.
        """
        return self._get_or_create_build_for_kernel_switch_state().function.source_text

    def run(self, scope: Mapping[str, Tensor], feed: Mapping[str, Any]) -> list[Any]:
        """Run the program and return the fetched arrays.

        scope: values of persistable variables; updated by the program.
        feed: an array for each input.
        Raises OpError for a missing input or value, and for an op that fails.
        """
        built = self._get_or_create_build_for_kernel_switch_state()
        missing = [name for name in self.feeds if name not in feed]
        if missing:
            raise OpError(
                append_user_line(
                    f"run: inputs {missing} are missing; the program takes {self.feeds}"
                )
            )
        unknown = [name for name in built.loaded_names if name not in scope]
        if unknown:
            raise OpError(
                append_user_line(f"run: {unknown} have no values; run the startup program first")
            )
        unknown = [name for name in built.lod_input_names if name + LOD_SUFFIX not in feed]
        if unknown:
            raise OpError(
                append_user_line(
                    f"run: {unknown} hold sequences; feed them as LoDTensors with lengths"
                )
            )
        given = [
            *(feed[name] for name in built.feeds),
            *(scope[name].array for name in built.loaded_names),
        ]
        if cuda.cupy_state.cupy is not None:
            given = [cuda.to_host(a) for a in given]
        found = built.function.run_without_numpy_warnings(
            *given,
            *(offsets_as_level_list(feed[name + LOD_SUFFIX]) for name in built.lod_input_names),
        )
        count, end = len(self.fetches), len(self.fetches) + len(built.stored_names)
        for name, array in zip(built.stored_names, found[count:end], strict=True):
            _store_in_scope(scope, name, array)
        shared = {id(a) for a in (*given, *found[count:end])}
        result = []
        for name, array in zip(self.fetches, found[:count], strict=True):
            result.append(_copy_if_shared(name, array, shared))
            shared.add(id(array))
        for i, offsets in zip(built.lod_fetch_indices, found[end:], strict=True):
            result[i] = FetchedArrayAndLodOffsets(result[i], offsets) if offsets else result[i]
        return result


def _store_in_scope(scope: Mapping[str, Tensor], name: str, array: Any) -> None:
    tensor = scope.get(name)
    if tensor is not None:
        tensor.array = array
    elif isinstance(scope, MutableMapping):
        scope[name] = Tensor(array, name=name)


def _copy_if_shared(name: str, array: Any, shared: set[int]) -> Any:
    """Return a fetched array; return a copy instead if the array shares memory with another array,
    which could change later.

    name: the variable's name, for the error if there is not enough memory for the copy shared: ids
    of the arrays that inputs, the scope or earlier fetches refer to
    """
    if isinstance(array, PersistentList):
        return list(array)
    if isinstance(array, list) or array is None:
        return array
    found = np.asarray(array)
    owned = found.base is None and found.flags.writeable and id(array) not in shared
    return found if owned else copy_array_checking_memory(found, f"run: {name}")


class _ProgramBuild:
    """A compiled function of a program, with the names of its arguments and results.

    feeds, loaded_names: the names of inputs and persistable variables that the function takes.
    stored_names: persistable variables that it returns after the fetches.
    lod_input_names: inputs whose LoD offsets it takes.
    lod_fetch_indices: indices of fetches whose LoD offsets it returns.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        on_iteration: Callable[[], None] | None,
    ) -> None:
        lowered = lower_to_instructions(program)
        for name in fetches:  # allocates a register for a fetch that no op reads or writes
            lowered.get_or_create_outermost_variable_register(name)
        persistable = {
            v.name: lowered.find_outermost_variable_register(v.name) for v in program.persistables()
        }
        written = set(iter_registers_written(lowered.instructions))
        fetched = [
            lowered.lod_registers.get(lowered.get_or_create_outermost_variable_register(name))
            for name in fetches
        ]
        self.lod_fetch_indices = [i for i, register in enumerate(fetched) if register is not None]
        self.feeds = [
            name for name in feeds if lowered.find_outermost_variable_register(name) is not None
        ]
        self.stored_names = [name for name, register in persistable.items() if register in written]
        outputs = [
            lowered.get_or_create_outermost_variable_register(name)
            for name in (*fetches, *self.stored_names)
        ] + [register for register in fetched if register is not None]
        live = mark_dead_and_get_live_registers(lowered.instructions, set(outputs), lambda _: False)
        self.loaded_names = [
            name
            for name, register in persistable.items()
            if register in live and name not in self.feeds
        ]
        self.lod_input_names = [
            name for name, register in lowered.feed_lod_registers.items() if register in live
        ]
        inputs = [
            lowered.get_or_create_outermost_variable_register(name)
            for name in (*self.feeds, *self.loaded_names)
        ] + [lowered.feed_lod_registers[name] for name in self.lod_input_names]
        self.function = CompiledInstructions(
            lowered, lowered.instructions, inputs, outputs, on_iteration=on_iteration
        )
