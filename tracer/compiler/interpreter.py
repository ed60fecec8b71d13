"""Run a program op by op on Tensors, in the mode in force: gradients flow through it, a recording
records it.

It is the same function that a compiled program is, with ops in place of kernels; branches and loops
are Python's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.errors import OpError
from ..core.mode import state
from ..core.tensor import Tensor
from ..ir.program import Program
from . import Piece, lowered
from .instructions import all_writes
from .unsupported_ops import Unsupported

__all__ = ["Interpreter", "Unsupported"]


class Interpreter:
    """A program made ready.

    scope: values of its persistables, read at each run; one that an op writes is updated.
    """

    def __init__(
        self, program: Program, scope: Mapping[str, Tensor], fetches: Sequence[str] | None = None
    ) -> None:
        self.feeds = program.feeds()
        self.fetches = list(program.fetches() if fetches is None else fetches)
        self.scope = scope
        plan = lowered(program, tensors=True)
        written = set(all_writes(plan.steps))
        self._loads = [
            name for name in scope if plan.cell(name) is not None and name not in self.feeds
        ]
        self._stores = [name for name in self._loads if plan.cell(name) in written]
        inputs = [plan.place(name) for name in (*self.feeds, *self._loads)]
        outputs = [plan.place(name) for name in (*self.fetches, *self._stores)]
        self._piece = Piece(plan, plan.steps, inputs, outputs, tensors=True)

    def run(self, feed: Mapping[str, Tensor]) -> list[Tensor]:
        """The fetched values.

        feed: one Tensor per input.
        Raises OpError for a missing input or an op that fails.
        """
        missing = [name for name in self.feeds if name not in feed]
        if missing:
            raise OpError(f"run: inputs {missing} are missing; the program takes {self.feeds}")
        made = self._piece(
            *(feed[name] for name in self.feeds), *(self.scope[name] for name in self._loads)
        )
        if not state.mode.static:
            for name, tensor in zip(self._stores, made[len(self.fetches) :], strict=True):
                self.scope[name].array = tensor.array
        return list(made[: len(self.fetches)])
