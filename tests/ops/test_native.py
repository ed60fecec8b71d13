"""Every row whose op has a compiled kernel: it gives what the NumPy kernel gives, in float32, in float64, and however operands lie."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from oarlock.core import native
from oarlock.core.op import OPS

from .rows import Row
from .table import IDS, ROWS, op_of
from .test_forward import flat
from .test_gradient import Call, check_first, double

NATIVE = [n for n, row in enumerate(ROWS) if op_of(row).fast is not None and not row.random]
rows = pytest.mark.parametrize("number", NATIVE, ids=[IDS[n] for n in NATIVE])

pytestmark = pytest.mark.skipif(native.compiled is None, reason="built without compiled kernels")


def changed(args: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    return [None if a is None else [change(t) for t in a] if isinstance(a, list) else change(a) for a in args]


def turned(array: Any) -> Any:
    """The same numbers, with the axes the other way round in memory."""
    return np.asfortranarray(array)


def spaced(array: Any) -> Any:
    """The same numbers, every second element of a wider array."""
    return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array


def compare(row: Row, args: list[Any], tolerance: float) -> None:
    op = op_of(row)
    assert op.fast is not None
    with native.native(True):
        got = flat(op, op.kernel(*args, **row.attrs))
    with native.native(False):
        wanted = flat(op, op.kernel(*args, **row.attrs))
    for g, w in zip(got, wanted, strict=True):
        assert g.dtype == w.dtype
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


@rows
@pytest.mark.parametrize("change", [np.asarray, turned, spaced], ids=["plain", "turned", "spaced"])
def test_compiled_and_numpy_kernels_agree(number: int, change: Callable[[Any], Any]) -> None:
    row = ROWS[number]
    compare(row, changed(row.args, change), max(row.tol, 2e-6))


@rows
def test_they_agree_in_float64(number: int) -> None:
    row = ROWS[number]
    compare(row, changed(row.args, double), 1e-12)
