"""Every float32 row in float16 and bfloat16: dtypes as in the meta rule, values as in float32."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from oarlock.core.autograd import grad
from oarlock.core.dtype import DTYPE_BY_NP, HALF_DTYPES, is_inexact
from oarlock.core.errors import OpError
from oarlock.core.mode import use_mode
from oarlock.core.op import Meta
from oarlock.core.tensor import Tensor

from .rows import Row
from .table import FLOAT32_SLOTS, IDS, ROWS, arrays_of, constant_of, op_of
from .test_forward import flat_results, meta_admits, result_metas
from .test_gradient import MetaCheckingMode, has_differentiable_operands

TYPES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
NEAR = 2e-2
DTYPES = ("dtype", "out_dtype", "in_dtype")


def operands(row: Row, dtype: Any) -> list[Any]:
    """Return the operands of a row with float32 replaced by `dtype`, unless real Paddle requires
    float32.
    """
    stay = FLOAT32_SLOTS.get(row.type, ())

    def cast(a: Any) -> Any:
        return a.astype(dtype) if a.dtype == np.float32 else a

    return [
        a
        if a is None or s.name in stay
        else [cast(t) for t in a]
        if isinstance(a, list)
        else cast(a)
        for s, a in zip(op_of(row).ins, row.args, strict=False)
    ]


def rounded_to_single(arg: Any) -> Any:
    """An operand as float32, rounded as it was."""
    if isinstance(arg, list):
        return [rounded_to_single(a) for a in arg]
    return arg.astype(np.float32) if arg is not None and arg.dtype in HALF_DTYPES else arg


def attrs_of(row: Row, dtype: Any) -> dict[str, Any]:
    return {
        k: DTYPE_BY_NP[dtype].proto if k in DTYPES and v == 5 else v for k, v in row.attrs.items()
    }


def has_single(row: Row) -> bool:
    return any(a.dtype == np.float32 for arg in row.args for a in arrays_of(arg))


def supports_half_precision(row: Row) -> bool:
    return not row.half and not op_of(row).traits.no_half_reason and has_single(row)


NUMBERS = [n for n, row in enumerate(ROWS) if supports_half_precision(row)]
CASES = [(n, t) for n in NUMBERS for t in TYPES]
NAMES = [f"{IDS[n]}-{t.name}" for n, t in CASES]


def assert_near(got: Any, wanted: Any) -> None:
    assert got.shape == wanted.shape
    if is_inexact(got.dtype):
        np.testing.assert_allclose(rounded_to_single(got), wanted, rtol=NEAR, atol=NEAR)
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(("number", "dtype"), CASES, ids=NAMES)
def test_forward(number: int, dtype: Any) -> None:
    row = ROWS[number]
    op, args = op_of(row), operands(row, dtype)
    outs = op.kernel(*args, **attrs_of(row, dtype))
    metas = [
        None
        if a is None
        else [Meta(t.shape, t.dtype) for t in a]
        if isinstance(a, list)
        else Meta(a.shape, a.dtype)
        for a in args
    ]
    said = op.infer(tuple(metas), attrs_of(row, dtype))
    for got, meta in zip(
        flat_results(op, result_metas(op, outs)), flat_results(op, said), strict=True
    ):
        assert got.dtype == meta.dtype and meta_admits(meta, got), (
            f"kernel gave {got}, meta said {meta}"
        )
    if not row.random:
        wanted = op.kernel(*map(rounded_to_single, args), **row.attrs)
        for got, one in zip(flat_results(op, outs), flat_results(op, wanted), strict=True):
            assert_near(np.asarray(got), np.asarray(one))


def gradients(row: Row, args: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """Return the gradients of the sum of all results."""
    op, leaves = op_of(row), []

    def leaf(array: Any, constant: bool) -> Tensor:
        made = Tensor(array, stop_gradient=constant or not is_inexact(array.dtype))
        if not made.stop_gradient:
            leaves.append(made)
        return made

    constant = constant_of(row)
    tensors = [
        None
        if a is None
        else [leaf(t, s.name in constant) for t in a]
        if isinstance(a, list)
        else leaf(a, s.name in constant)
        for s, a in zip(op.ins, args, strict=False)
    ]
    made = op(*tensors, **attrs)
    slots = [made] if len(op.outs) == 1 else list(made)
    outs = [
        t
        for s, o in zip(op.outs, slots, strict=True)
        if not s.is_intermediate
        for t in (o if s.is_list else [o])
    ]
    outs = [t for t in outs if is_inexact(t.array.dtype)]
    found = grad(outs, leaves, [Tensor(np.ones_like(t.array)) for t in outs], allow_unused=True)
    for g, t in zip(found, leaves, strict=True):
        assert g is None or (g.array.dtype == t.array.dtype and g.array.shape == t.array.shape)
    return [None if g is None else g.array for g in found]


REJECTING = [
    n for n, row in enumerate(ROWS) if op_of(row).traits.no_half_reason and has_single(row)
]


@pytest.mark.parametrize("number", REJECTING, ids=[IDS[n] for n in REJECTING])
def test_op_without_half_precision_is_rejected(number: int) -> None:
    row = ROWS[number]
    op = op_of(row)
    args = operands(row, TYPES[0])
    metas = tuple(
        [Meta(t.shape, t.dtype) for t in a]
        if isinstance(a, list)
        else a
        if a is None
        else Meta(a.shape, a.dtype)
        for a in args
    )
    for reject in (lambda: op.kernel(*args, **row.attrs), lambda: op.infer(metas, row.attrs)):
        with pytest.raises(OpError, match=re.escape(op.traits.no_half_reason)):
            reject()


BACK = [(n, t) for n, t in CASES if has_differentiable_operands(ROWS[n])]


@pytest.mark.parametrize(("number", "dtype"), BACK, ids=[f"{IDS[n]}-{t.name}" for n, t in BACK])
def test_gradient(number: int, dtype: Any) -> None:
    row = ROWS[number]
    args = operands(row, dtype)
    with use_mode(MetaCheckingMode(True)):
        found = gradients(row, args, attrs_of(row, dtype))
    wanted = gradients(row, [rounded_to_single(a) for a in args], row.attrs)
    for got, one in zip(found, wanted, strict=True):
        assert (got is None) == (one is None)
        if got is not None:
            size = 1 + float(np.max(np.abs(one), initial=0))
            np.testing.assert_allclose(rounded_to_single(got), one, rtol=0, atol=2 * NEAR * size)
