"""Unaligned arrays, as weights mapped from a file are: kernels return the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .rows import Row
from .table import IDS, ROWS, op_of

CASES = [n for n, row in enumerate(ROWS) if not row.random]


def unaligned(arg: Any) -> Any:
    """A copy of an array that is not aligned; lists of arrays likewise."""
    if isinstance(arg, list):
        return [unaligned(a) for a in arg]
    if not isinstance(arg, np.ndarray) or arg.dtype.itemsize == 1 or not arg.size:
        return arg
    room = np.empty(arg.nbytes + 1, np.uint8)
    made = room[1:].view(arg.dtype).reshape(arg.shape)
    made[...] = arg
    assert not made.flags.aligned
    return made


def leaves(value: Any) -> list[Any]:
    return (
        [leaf for v in value for leaf in leaves(v)] if isinstance(value, list | tuple) else [value]
    )


@pytest.mark.parametrize("row", [ROWS[n] for n in CASES], ids=[IDS[n] for n in CASES])
def test_unaligned_arrays(row: Row) -> None:
    op = op_of(row)
    wanted = leaves(op.kernel(*row.args, **row.attrs))
    found = leaves(op.kernel(*map(unaligned, row.args), **row.attrs))
    for a, b in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if b.dtype.kind in "fcV":
            wide = "complex128" if b.dtype.kind == "c" else "float64"
            np.testing.assert_allclose(a.astype(wide), b.astype(wide), rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(a, b)
