"""Running one program both ways: by the engine when no gradient is wanted, by the interpreter when one is."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..export import pdiparams, pdmodel
from ..export.save import named
from ..static.interpreter import Interpreter
from ..static.program import Program
from .engine import Array, Engine, UnsupportedError, runtime


class ProgramRunner:
    """A program with its values.   scope: tensors by name, shared with their owner; files: pdmodel bytes and path of the values.

    The engine works on a copy of the values.  When a tensor of the scope got a new array since then, the first call after
    that is interpreted, and only if the values then stay the engine is built again: training in between costs nothing.
    """

    def __init__(
        self, program: Program, scope: Mapping[str, Tensor], files: tuple[bytes, str | None] | None = None,
        options: Mapping[str, Any] | None = None, name: str = "model.pdmodel",
    ) -> None:  # fmt: skip
        self.program = program
        self.scope = scope
        self._files = files
        self._options = dict(options or {})
        self._name = name
        self._tensors = list(scope.values())
        self._arrays = [t.array for t in self._tensors]
        self._engine: Engine | None = None
        self._original = self._arrays if files is not None else None
        self.feeds = program.feeds()

    @cached_property
    def interpreter(self) -> Interpreter:
        """The compiled program."""
        return Interpreter(self.program, self.scope)

    def _changed(self) -> bool:
        return any(t.array is not a for t, a in zip(self._tensors, self._arrays, strict=True))

    def _build(self) -> Engine:
        if self._files is not None and self._arrays is self._original:
            return Engine(*self._files, self._name, **self._options)
        # NOTE: the engine maps the file, so it may be gone from the folder once the session stands.
        with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
            path = None
            if self._tensors:
                path = os.path.join(folder, "values.pdiparams")
                with named(path), open(path, "wb") as file:
                    pdiparams.write({name: t.array for name, t in self.scope.items()}, file)
            return Engine(pdmodel.to_bytes(self.program), path, self._name, **self._options)

    @cached_property
    def missing(self) -> UnsupportedError | None:
        """What the engine says of ops that it does not have; None where it has all.   Builds the engine.

        Raises it where the interpreter cannot stand in: for ops that it does not have either, and for a trace that read values, whose
        assumptions the engine checks.
        """
        try:
            self._engine = self._build()
        except UnsupportedError as error:
            if not self._all_interpretable or (self.program.contract and self.program.contract.guards):
                raise
            ops = ", ".join(
                sorted({op.type for op in self.program.block.ops} - set(runtime().lowered_ops()) - {"feed", "fetch"})
            )
            warnings.warn(
                f"{self._name}: the engine does not have {ops}; the model runs op by op, slower", stacklevel=4
            )
            return error
        return None

    def infer(self, arrays: Sequence[Array]) -> list[Any]:
        """The outputs for inputs in order, as ndarrays."""
        if self.missing is not None:
            return [np.asarray(t.array) for t in self.interpret([Tensor(a) for a in arrays])]
        if self._changed():
            self._arrays, self._engine = [t.array for t in self._tensors], None
            if self._all_interpretable:
                return [t.array for t in self.interpret([Tensor(a) for a in arrays])]
        if self._engine is None:
            self._engine = self._build()
        return self._engine.run(arrays)

    @cached_property
    def _all_interpretable(self) -> bool:
        try:
            return self.interpreter is not None
        except NotImplementedError:
            return False

    def interpret(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The outputs for inputs in order, op by op in the mode in force: gradients flow, a recording records.

        Offsets of packed sequences come last, and no op here reads them.
        """
        return self.interpreter.run(dict(zip(self.feeds, tensors, strict=False)))
