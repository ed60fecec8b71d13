"""Run a program op by op on Tensors in the current mode. The ops are recorded on the tape for
gradients, and by the recorder of a recording mode.

The program is compiled as for CompiledInstructions, but calls ops instead of kernels. Branches and
loops are Python statements, so a recorder sees only the executed ops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.errors import OpError
from ..core.mode import state
from ..core.tensor import Tensor
from ..ir.program import Program
from . import CompiledInstructions, lower_to_instructions
from .instructions import iter_registers_written
from .unsupported_ops import UnsupportedOpsError

__all__ = ["Interpreter", "UnsupportedOpsError"]


class Interpreter:
    """Runs one program op by op. The program is compiled once, for any number of runs.

    scope: values of persistables, read at each run and updated if an op writes them.
    """

    def __init__(
        self, program: Program, scope: Mapping[str, Tensor], fetches: Sequence[str] | None = None
    ) -> None:
        self.feeds = program.feed_names()
        self.fetches = list(program.fetch_names() if fetches is None else fetches)
        self.scope = scope
        lowered = lower_to_instructions(program, tensors=True)
        written = set(iter_registers_written(lowered.instructions))
        self._loaded_names = [
            name
            for name in scope
            if lowered.find_outermost_variable_register(name) is not None and name not in self.feeds
        ]
        self._stored_names = [
            name
            for name in self._loaded_names
            if lowered.find_outermost_variable_register(name) in written
        ]
        inputs = [
            lowered.get_or_create_outermost_variable_register(name)
            for name in (*self.feeds, *self._loaded_names)
        ]
        outputs = [
            lowered.get_or_create_outermost_variable_register(name)
            for name in (*self.fetches, *self._stored_names)
        ]
        self._compiled_function = CompiledInstructions(
            lowered, lowered.instructions, inputs, outputs, tensors=True
        )

    def run(self, feed: Mapping[str, Tensor]) -> list[Tensor]:
        """Run the program and return the fetched Tensors.

        feed: one Tensor per input.
        Raises OpError for a missing input or an op that fails.
        """
        missing = [name for name in self.feeds if name not in feed]
        if missing:
            raise OpError(f"run: inputs {missing} are missing; the program takes {self.feeds}")
        result = self._compiled_function(
            *(feed[name] for name in self.feeds), *(self.scope[name] for name in self._loaded_names)
        )
        if not state.mode.static:
            for name, tensor in zip(self._stored_names, result[len(self.fetches) :], strict=True):
                self.scope[name].array = tensor.array
        return list(result[: len(self.fetches)])
