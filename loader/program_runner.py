"""Run one program with the engine, or with Oarlock's kernels if gradients are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..capture.modes import recorder_of_mode
from ..capture.variable import Variable
from ..compiler import lower_to_instructions
from ..compiler.partial_program import PartialProgram
from ..compiler.unsupported_ops import UnsupportedOpsError
from ..core import cuda
from ..core._tape import tensors_hold_arrays
from ..core.device_dispatch import require_single_device
from ..core.errors import OarlockError, warn
from ..core.mode import state, use_mode
from ..core.tensor import Tensor
from ..ir.guards import check_guard
from ..ir.passes.prune import make_fetch_op
from ..ir.program import Program
from .engine import Array, Engine
from .program_engine import create_engine_of_program
from .runtime import EngineError, UnsupportedError, first_reason_of_error, runtime_module

# Options that require an engine.
ENGINE_ONLY_OPTIONS = frozenset(("device", "execution_provider", "ort_library", "provider_library"))


class ProgramRunner:
    """A program with the values of its parameters, and the engine or compiled function that runs
    the program.

    scope: the tensors by name; the owner of the runner uses the same Tensor objects.
    files: the bytes of the program and the path of the parameters.

    The engine has a copy of the values. If a tensor of the scope gets a new array, the next call
    runs on Oarlock's kernels. The engine is rebuilt only if the values are still the same at the
    call after it, so that calls between training steps do not rebuild the engine.
    """

    def __init__(
        self,
        program: Program,
        scope: Mapping[str, Tensor],
        files: tuple[bytes, str | None] | None = None,
        options: Mapping[str, Any] | None = None,
        name: str = "model.pdmodel",
    ) -> None:
        self.program = program
        self.scope = scope
        self._file_contents = files
        self._options = dict(options or {})
        self._program_name = name
        self._tensors = list(scope.values())
        self._arrays = [t.array for t in self._tensors]
        self._engine: Engine | None = None
        self._file_arrays = self._arrays if files is not None else None
        self.input_names = program.feed_names()

    @cached_property
    def _differentiable_program_with_guards(self) -> PartialProgram:
        """The program as a differentiable function, which returns the outputs of the program
        followed by the values that the guards check.
        """
        return PartialProgram(_with_guard_outputs(self.program), self.scope)

    def _has_changed_values(self) -> bool:
        return not tensors_hold_arrays(self._tensors, self._arrays)

    def _build_engine(self) -> Engine:
        if self._file_contents is not None and self._arrays is self._file_arrays:
            return Engine(*self._file_contents, self._program_name, **self._options)
        values = {name: t.array for name, t in self.scope.items()}
        return create_engine_of_program(self.program, values, self._program_name, **self._options)

    @cached_property
    def engine_error(self) -> OarlockError | None:
        """The error because of which the engine cannot run the program, such as unsupported ops;
        None if the engine runs the program. The first read of this property builds the engine.

        Raises the error if Oarlock's kernels do not support the program either, or if options
        require an engine or a device.
        """
        try:
            self._engine = self._build_engine()
        except (UnsupportedError, EngineError) as error:
            is_required = isinstance(error, EngineError) and self.options_require_engine
            if is_required or not self.is_supported_by_kernels:
                raise
            cause = self._describe_engine_failure(error)
            warn(f"{self._program_name}: {cause}; the model runs op by op, slower")
            return error
        return None

    def _describe_engine_failure(self, error: OarlockError) -> str:
        if isinstance(error, UnsupportedError):
            used = {op.type for op in self.program.ops()}
            ops = sorted(used - set(runtime_module().convertible_op_types()) - {"feed", "fetch"})
            if ops:
                return f"the engine does not have {', '.join(ops)}"
        return f"the engine cannot run it ({first_reason_of_error(error)})"

    def infer(self, arrays: Sequence[Array]) -> list[Any]:
        """Run the program on inputs in the order of the program's inputs, and return the outputs.
        The outputs are NumPy arrays; if the first input is a GPU array, they are arrays on the same
        GPU.

        The engine runs the program, unless it does not support it. After a change of values, one
        call runs on Oarlock's kernels if they support the program.
        """
        index = cuda.gpu_index_of(arrays[0]) if len(arrays) else None
        # The usual call; the code below handles GPU arrays and builds or rebuilds the engine.
        if index is None and self._engine is not None and not self._has_changed_values():
            return self._engine.run(arrays)
        if index is not None:  # the engine works on CPU memory
            return [
                cuda.to_device(np.asarray(a), index)
                for a in self.infer([cuda.to_host(a) for a in arrays])
            ]
        if self.engine_error is not None:
            return self._infer_with_kernels(arrays)
        if self._has_changed_values():
            self._arrays, self._engine = [t.array for t in self._tensors], None
            if self.is_supported_by_kernels:
                return self._infer_with_kernels(arrays)
        if self._engine is None:
            self._engine = self._build_engine()
        return self._engine.run(arrays)

    @property
    def options_require_engine(self) -> bool:
        """Whether the options of the user select an engine or a device, so that running on
        Oarlock's kernels instead is an error.
        """
        return not ENGINE_ONLY_OPTIONS.isdisjoint(self._options)

    @cached_property
    def is_supported_by_kernels(self) -> bool:
        """Whether Oarlock's own kernels can run the program."""
        try:
            return not lower_to_instructions(
                self.program
            ).inputs_needing_row_splits()  # a program that is called has no inputs for row splits
        except UnsupportedOpsError:
            return False

    def _infer_with_kernels(self, arrays: Sequence[Array]) -> list[Any]:
        index = require_single_device(
            [t.array for t in self._tensors]
        )  # the kernels run on the device of the values
        with use_mode(state.mode.mode_with_tape_set(False)):
            outputs = self.run_with_kernels([Tensor(cuda.to_device(a, index)) for a in arrays])
        return [np.asarray(cuda.to_host(t.array)) for t in outputs]

    def run_with_kernels(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Run the program on Oarlock's kernels for inputs in order, in the current dispatch mode:
        outputs have gradients, and a recording mode records the ops.

        Raises GuardError. Row splits of packed sequences come last and are ignored here.
        """
        count = len(self.program.fetch_names())
        outputs = self._differentiable_program_with_guards(tensors[: len(self.input_names)])
        guards = self.program.contract.guards if self.program.contract else []
        recorder = recorder_of_mode(state.mode)
        for guard, tensor in zip(guards, outputs[count:], strict=True):
            if recorder is not None:
                recorder.add_guard(
                    replace(guard, var=recorder.find_name_or_declare_persistable(tensor))
                )
            if not isinstance(tensor, Variable):
                check_guard(guard, tensor.array, tensor.array.shape, self._program_name)
        return outputs[:count]


def _with_guard_outputs(program: Program) -> Program:
    """Return the program with the variables that the guards of its contract read as additional
    outputs.
    """
    guards = program.contract.guards if program.contract else []
    if not guards:
        return program
    count = len(program.fetch_names())
    fetches = [make_fetch_op(guard.var, count + i) for i, guard in enumerate(guards)]
    block = replace(program.block, ops=[*program.block.ops, *fetches])
    return replace(program, blocks=[block, *program.blocks[1:]])
