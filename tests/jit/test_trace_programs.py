"""Every row of the tables of programs, traced with one call: other calls return what Python
returns, or raise.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import TracedLayer

from .program_rows import ROWS, arrays, check, made


class Wrapped(nn.Layer):
    """A function as a layer, whose results are tensors only."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function
        self.eval()

    def forward(self, *inputs: Any) -> Any:
        found = self.function(*inputs)
        return [t for t in _flat(found) if isinstance(t, paddle.Tensor)]


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _flat(item)]
    return (
        [leaf for item in value for leaf in _flat(item)]
        if isinstance(value, list | tuple)
        else [value]
    )


@pytest.mark.parametrize("guards", ["check", "again"])
@pytest.mark.parametrize("name", ROWS)
def test_trace_equals_python_or_raises(name: str, guards: str) -> None:
    row = ROWS[name]
    layer = Wrapped(made(row))
    calls = [[paddle.to_tensor(a) for a in call] for call in row.calls]
    with warnings.catch_warnings(), paddle.no_grad():
        warnings.filterwarnings("ignore", "TracedLayer.trace: ")
        warnings.filterwarnings("ignore", "traced: the engine does not have")
        try:
            _, traced = TracedLayer.trace(
                layer, calls[0], again=calls[-1] if guards == "again" else None
            )
        except paddle.TraceError as error:
            assert "nothing to record" in str(error) or "cannot be changed" in str(error), error
            return
        answered = 0
        for call in calls:
            wanted = [np.asarray(a) for a in arrays(layer(*call))]
            try:
                found = traced(call)
            except (paddle.GuardError, paddle.OpError):
                continue
            check([found], [wanted])
            answered += 1
    assert answered > 0
