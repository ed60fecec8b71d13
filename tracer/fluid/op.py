"""Single ops that run on the values of a scope: `fluid.op`, which Paddle's own tests use."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.eager import EAGER_MODE
from ..core.errors import OpError, append_user_line
from ..core.mode import use_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..static import Scope
from .framework_internals import get_all_op_protos

__all__ = ["Operator", "get_all_op_protos"]


def _to_variable_name_list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


class Operator:
    """An op. kwargs: names of variables of the scope by slot, and attributes"""

    def __init__(self, type: str, **kwargs: Any) -> None:
        if type not in OPS:
            raise OpError(append_user_line(f"Operator: unknown op {type!r}"))
        self._op = OPS[type]
        slots = {s.name for s in (*self._op.ins, *self._op.outs)}
        unknown = kwargs.keys() - slots - self._op.attrs.keys()
        if unknown:
            raise OpError(append_user_line(f"Operator: {type} has no {sorted(unknown)}"))
        self._variable_names = {
            k: _to_variable_name_list(v) for k, v in kwargs.items() if k in slots
        }
        self._attrs = {k: v for k, v in kwargs.items() if k in self._op.attrs}

    def type(self) -> str:
        """Return the type of the op."""
        return self._op.type

    def inputs(self) -> dict[str, list[str]]:
        """Return the variables that the op reads, by slot."""
        return {s.name: self._variable_names.get(s.name, []) for s in self._op.ins}

    def outputs(self) -> dict[str, list[str]]:
        """Return the variables that the op writes, by slot."""
        return {s.name: self._variable_names.get(s.name, []) for s in self._op.outs}

    def attrs(self) -> dict[str, Any]:
        """Return the attributes that were passed."""
        return dict(self._attrs)

    def run(self, scope: Scope, place: Any = None) -> None:
        """Read the operands from the scope, run the op, and assign the results in the scope.

        Raises OpError for an operand without a value.
        """
        with use_mode(EAGER_MODE):
            outputs = self._op(*(self._read_operand(scope, s) for s in self._op.ins), **self._attrs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for slot, output in zip(self._op.outs, outputs, strict=True):
            values = output if isinstance(output, list) else [output]
            for name, value in zip(self._variable_names.get(slot.name, []), values, strict=False):
                scope.find_or_create(name).array = np.asarray(value)

    def _read_operand(self, scope: Scope, slot: Any) -> Any:
        values = [
            Tensor(scope.value(name).array) for name in self._variable_names.get(slot.name, [])
        ]
        return values if slot.is_list else values[0] if values else None
