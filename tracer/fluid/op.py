"""Ops by themselves, run on the values of a scope: fluid.op, which Paddle's own tests use."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.eager import EAGER
from ..core.errors import OpError, with_user_line
from ..core.mode import use_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..static import Scope
from .inside import get_all_op_protos

__all__ = ["Operator", "get_all_op_protos"]


def _names(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


class Operator:
    """An op.   more: names of variables of the scope by slot, and attributes"""

    def __init__(self, type: str, **more: Any) -> None:
        if type not in OPS:
            raise OpError(with_user_line(f"Operator: no op {type!r} is known"))
        self._op = OPS[type]
        slots = {s.name for s in (*self._op.ins, *self._op.outs)}
        unknown = more.keys() - slots - self._op.attrs.keys()
        if unknown:
            raise OpError(with_user_line(f"Operator: {type} has no {sorted(unknown)}"))
        self._names = {k: _names(v) for k, v in more.items() if k in slots}
        self._attrs = {k: v for k, v in more.items() if k in self._op.attrs}

    def type(self) -> str:
        """The type of the op."""
        return self._op.type

    def inputs(self) -> dict[str, list[str]]:
        """The variables that it reads, by slot."""
        return {s.name: self._names.get(s.name, []) for s in self._op.ins}

    def outputs(self) -> dict[str, list[str]]:
        """The variables that it writes, by slot."""
        return {s.name: self._names.get(s.name, []) for s in self._op.outs}

    def attrs(self) -> dict[str, Any]:
        """The attributes that were given."""
        return dict(self._attrs)

    def run(self, scope: Scope, place: Any = None) -> None:
        """Take the operands from the scope, and put the results there.

        Raises OpError for an operand that has no value.
        """
        with use_mode(EAGER):
            made = self._op(*(self._operand(scope, s) for s in self._op.ins), **self._attrs)
        found = made if isinstance(made, tuple) else (made,)
        for slot, result in zip(self._op.outs, found, strict=True):
            results = result if isinstance(result, list) else [result]
            for name, one in zip(self._names.get(slot.name, []), results, strict=False):
                scope.place_of(name).array = np.asarray(one)

    def _operand(self, scope: Scope, slot: Any) -> Any:
        values = [Tensor(scope.value(name).array) for name in self._names.get(slot.name, [])]
        return values if slot.many else values[0] if values else None
