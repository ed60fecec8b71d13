"""Axes out of range are rejected by eager code, the engine and compiled programs alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.compiler import CompiledProgram
from oarlock.core.errors import OarlockError, OpError, TraceError
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.program import Attr
from oarlock.jit.verify import run_compiled_program
from oarlock.loader.engine import Engine

from .rows import Row
from .table import op_of
from .test_lowered import CASES, ROWS, side_results
from .test_recorded import recorded

NAMES = {
    "axis",
    "axes",
    "dim",
    "dims",
    "axis1",
    "axis2",
    "dim1",
    "dim2",
    "perm",
    "start_axis",
    "stop_axis",
    "begin_norm_axis",
    "x_num_col_dims",
}


def mutations() -> dict[str, tuple[Row, str, int]]:
    """One row for every op and attribute, with an axis too large and one too small."""
    found: dict[str, tuple[Row, str, int]] = {}
    for n in CASES:
        row = ROWS[n]
        for name in sorted(NAMES & op_of(row).attrs.keys()):
            for axis in (9, -9):
                if (
                    _with_axis(row.attrs.get(name, op_of(row).attrs[name].default), axis)
                    is not None
                ):
                    found.setdefault(f"{row.type}.{name}={axis}", (row, name, axis))
    return found


def _with_axis(value: Any, axis: int) -> Any:
    """A value of an attribute with another axis; None where it has none."""
    if isinstance(value, list | tuple):
        return [axis, *value[1:]] if value and all(isinstance(v, int) for v in value) else None
    return axis if isinstance(value, int) and not isinstance(value, bool) else None


MUTATIONS = mutations()


def to_eager(arg: Any) -> Any:
    if isinstance(arg, list):
        return [to_eager(a) for a in arg]
    return paddle.to_tensor(arg) if isinstance(arg, np.ndarray) else arg


@pytest.mark.parametrize("case", MUTATIONS)
def test_programs_reject_invalid_axes_like_eager_code(case: str) -> None:
    row, name, axis = MUTATIONS[case]
    op = op_of(row)
    bad = _with_axis(row.attrs.get(name, op.attrs[name].default), axis)
    try:
        op(*map(to_eager, row.args), **{**row.attrs, name: bad})
        return  # the op does not use it here, as `axis` of operands of one shape
    except OpError:
        pass
    try:
        recorder, feeds, names = recorded(row, hide=False)
    except (OpError, TraceError):
        return
    last = recorder.program.block.ops[-1]
    if last.type != row.type or name not in last.attrs:
        return
    last.attrs[name] = Attr(last.attrs[name].type, bad)
    for output in set(names) - side_results(row, recorder):
        recorder.fetch(output)
    arrays = [t.array for t in feeds.values()]
    with pytest.raises(OarlockError):
        Engine(to_bytes(recorder.program), None).run(arrays)
    with pytest.raises(OarlockError):
        run_compiled_program(CompiledProgram(recorder.program), {}, arrays)


def test_number_of_cases() -> None:
    assert len(MUTATIONS) > 150
    assert "unsqueeze2.axes=9" in MUTATIONS
