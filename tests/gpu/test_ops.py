"""All rows of the op table on the GPU stand-in: results and gradients equal those on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from oarlock.core import cuda, place, rng
from oarlock.core.autograd import grad
from oarlock.core.device_dispatch import _is_host_slot
from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor

from ..ops.rows import Row
from ..ops.table import IDS, ROWS, constant_of, op_of
from . import stand_in

# Outputs that are determined up to a factor of absolute value 1 per column or row, by op.
PHASE_FREE_SLOTS = {
    "eig": {"Eigenvectors"},
    "eigh": {"Eigenvectors"},
    "eigvalsh": {"Eigenvectors"},
    "svd": {"U", "VH"},
}

rows = pytest.mark.parametrize("row", ROWS, ids=IDS)


@pytest.fixture(autouse=True)
def gpu() -> Iterator[None]:
    with stand_in.installed():
        place.set_device("gpu:0")
        yield


def map_nested(value: Any, do: Any) -> Any:
    if value is None:
        return None
    return (
        type(value)(map_nested(v, do) for v in value)
        if isinstance(value, list | tuple)
        else do(value)
    )


def flatten(value: Any) -> list[Any]:
    if value is None:
        return []
    return [t for v in value for t in flatten(v)] if isinstance(value, list | tuple) else [value]


def outputs_by_slot(row: Row, made: Any) -> Any:
    """The results by slots."""
    return [made] if len(op_of(row).outs) == 1 else made


def without_phases(row: Row, made: Any) -> Any:
    """Replace outputs that are determined up to a factor by their absolute values."""
    slots = PHASE_FREE_SLOTS.get(op_of(row).type, set())
    if not slots:
        return made
    return type(made)(
        abs(t) if s.name in slots else t for s, t in zip(op_of(row).outs, made, strict=True)
    )


def run(row: Row, index: int | None) -> tuple[Any, list[Any]]:
    """The results of a row, and the gradients of its operands, of the sum of everything."""
    op, constant = op_of(row), constant_of(row)
    place.set_device(cuda.format_device(index))
    rng.seed(7)

    def operand(slot: Any, array: Any) -> Tensor:
        wanted = row.grad and array.dtype.kind in "fc" and slot.name not in constant and op.has_vjp
        return Tensor(cuda.to_device(array, index), stop_gradient=not wanted)

    args = [
        map_nested(a, lambda a, s=s: operand(s, a)) for s, a in zip(op.ins, row.args, strict=False)
    ]
    made = without_phases(row, op(*args, **row.attrs))
    ends = [t for t in flatten(made) if not t.stop_gradient]
    leaves = [t for t in flatten(args) if not t.stop_gradient]
    found = grad(ends, leaves, allow_unused=True) if ends and leaves else []
    return made, [g for g in found if g is not None]


@rows
def test_op_on_gpu_equals_cpu(row: Row) -> None:
    there, back = run(row, 0)
    here, wanted = run(row, None)
    read = [
        t
        for s, o in zip(op_of(row).outs, outputs_by_slot(row, there), strict=True)
        for t in flatten(o)
        if _is_host_slot(s)
    ]
    assert {
        cuda.gpu_index_of(t.array) for t in flatten(there) + back if all(t is not r for r in read)
    } <= {0}, "on the processor"
    assert all(cuda.gpu_index_of(t.array) is None for t in read)
    there, here = flatten(there), flatten(here)
    assert len(there) == len(here) and len(back) == len(wanted)
    for got, want in zip(there + back, here + wanted, strict=True):
        assert got.meta == want.meta
        a, b = got.numpy(), want.numpy()
        a, b = (v.astype(np.float32) if v.dtype.kind == "V" else v for v in (a, b))
        np.testing.assert_allclose(a, b, rtol=10 * row.tol, atol=max(row.tol, 1e-5))


def test_ops_with_cpu_fallback_state_the_reason() -> None:
    assert all(
        len(op.traits.host_reason.split()) > 3 for op in OPS.values() if op.traits.host_reason
    )
