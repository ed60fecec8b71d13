"""Every row as a recorded and interpreted program, and with strided operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.capture.modes import Static
from oarlock.capture.recorder import Recorder
from oarlock.capture.variable import Variable
from oarlock.compiler.interpreter import Interpreter
from oarlock.core.errors import OpError, TraceError
from oarlock.core.mode import use_base_mode
from oarlock.core.op import Meta
from oarlock.core.tensor import Tensor

from .rows import Row
from .table import IDS, ROWS, op_of
from .test_forward import flat_results

EXACT = [n for n, row in enumerate(ROWS) if not row.random]
exact = pytest.mark.parametrize("row", [ROWS[n] for n in EXACT], ids=[IDS[n] for n in EXACT])


def recorded(row: Row, hide: bool = False) -> tuple[Recorder, dict[str, Tensor], list[str]]:
    """Return the program of one call, its feeds, and the names of its results. hide: declare no
    sizes.
    """
    recorder, feeds = Recorder(), {}

    def variable(array: Any) -> Variable:
        desc = recorder.feed(
            f"x{len(feeds)}", Meta((-1,) * array.ndim if hide else array.shape, array.dtype)
        )
        feeds[desc.name] = Tensor(array)
        made = Variable(desc)
        recorder.bind(made, desc.name)
        return made

    args = [
        None if a is None else [variable(t) for t in a] if isinstance(a, list) else variable(a)
        for a in row.args
    ]
    op = op_of(row)
    with use_base_mode(Static(recorder)):
        made = op(*args, **row.attrs)
    return recorder, feeds, [t.name for t in flat_results(op, made, offsets=False)]


def recorded_if_known(row: Row) -> Any:
    """Return the result of `recorded`; None for an op that needs a value or a size."""
    try:
        return recorded(row)
    except (OpError, TraceError) as error:
        assert "known" in str(error) or "recorded" in str(error), error
        return None


@exact
def test_recorded_row_equals_kernel(row: Row) -> None:
    op = op_of(row)
    found = recorded_if_known(row)
    if found is None:
        return
    recorder, feeds, names = found
    wanted = flat_results(op, op.kernel(*row.args, **row.attrs), offsets=False)
    results = Interpreter(recorder.program, recorder.scope, names).run(feeds)
    for got, want in zip(results, wanted, strict=True):
        assert got.array.dtype == want.dtype
        np.testing.assert_array_equal(got.array, want)


def strided(array: Any) -> Any:
    """The same values, with other elements between them and the last axis lying first."""
    if not array.ndim:
        return array
    wide = np.zeros((*array.shape[::-1], 2), array.dtype)
    wide[..., 0] = array.T
    return wide[..., 0].T


@exact
def test_strided_operands(row: Row) -> None:
    op = op_of(row)
    args = [
        None if a is None else [strided(t) for t in a] if isinstance(a, list) else strided(a)
        for a in row.args
    ]
    for got, want in zip(
        flat_results(op, op.kernel(*args, **row.attrs)),
        flat_results(op, op.kernel(*row.args, **row.attrs)),
        strict=True,
    ):
        assert got.shape == want.shape
        assert got.dtype == want.dtype
        if np.asarray(want).dtype.kind in "fc":
            np.testing.assert_allclose(got, want, rtol=max(row.tol, 1e-5), atol=max(row.tol, 1e-5))
        else:
            np.testing.assert_array_equal(got, want)
