"""Every row: the kernel equals NumPy and the meta rule, and does not change its operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.core.errors import OpError
from oarlock.core.op import Meta, Op

from .rows import Row
from .table import IDS, ROWS, arrays_of, op_of

rows = pytest.mark.parametrize("row", ROWS, ids=IDS)


def metas_of_inputs(row: Row) -> tuple[Any, ...]:
    def meta(a: Any) -> Meta:
        return Meta(a.shape, a.dtype)

    return tuple(
        None if a is None else [meta(t) for t in a] if isinstance(a, list) else meta(a)
        for a in row.args
    )


def result_metas(op: Op, outs: Any) -> Any:
    """Return the Metas of a kernel's results, nested like those of a meta rule."""

    def of(slot_many: bool, value: Any) -> Any:
        return (
            [Meta(np.shape(a), a.dtype) for a in value]
            if slot_many
            else Meta(np.shape(value), value.dtype)
        )

    if len(op.outs) == 1:
        return of(op.outs[0].is_list, outs)
    return tuple(of(s.is_list, o) for s, o in zip(op.outs, outs, strict=True))


def flat_results(op: Op, outs: Any, offsets: bool = True) -> list[Any]:
    """All results in a row.   offsets: those of sequences, too, which no file names"""
    slots = [outs] if len(op.outs) == 1 else list(outs)
    return [
        t
        for s, o in zip(op.outs, slots, strict=True)
        if offsets or not s.values_slot_of_lod_slot
        for t in (o if s.is_list else [o])
    ]


@rows
def test_kernel_and_meta_rule_agree(row: Row) -> None:
    op = op_of(row)
    before = [a.copy() for arg in row.args for a in arrays_of(arg)]
    outs = op.kernel(*row.args, **row.attrs)
    after = [a for arg in row.args for a in arrays_of(arg)]
    assert all(
        np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        for a, b in zip(before, after, strict=True)
    ), "operands changed"
    for got, said in zip(
        flat_results(op, result_metas(op, outs)),
        flat_results(op, op.infer(metas_of_inputs(row), row.attrs)),
        strict=True,
    ):
        assert got.dtype == said.dtype
        assert meta_admits(said, got), f"kernel gave {got}, meta said {said}"
        if -1 in said.shape:
            assert has_value_dependent_shape(row), f"meta said {said} of known operands"


def has_value_dependent_shape(row: Row) -> bool:
    """Whether the shape of the result depends on values, not shapes, of operands."""
    op = op_of(row)
    tensors = [
        s.name
        for s, a in zip(op.ins, row.args, strict=False)
        if a is not None and (s.is_optional or s.is_list)
    ]
    return op.traits.value_dependent_shape or bool(tensors)


@rows
def test_kernel_and_reference_agree(row: Row) -> None:
    op = op_of(row)
    outs = flat_results(op, op.kernel(*row.args, **row.attrs))
    if row.ref is None:
        assert all(np.isfinite(o).all() for o in outs if o.dtype.kind in "fc") or row.paddle == ""
        return
    wanted = row.ref(*row.args)
    for got, ref in zip(outs, flat_results(op, wanted), strict=True):
        if ref is not None:
            assert got.shape == np.shape(ref)
            np.testing.assert_allclose(
                np.asarray(got, np.asarray(ref).dtype), ref, rtol=row.tol, atol=row.tol
            )


def meta_admits(said: Meta, got: Meta) -> bool:
    """Whether a rule's word is true of a result."""
    return len(said.shape) == len(got.shape) and all(
        s in (-1, g) for s, g in zip(said.shape, got.shape, strict=True)
    )


def with_unknown_sizes(metas: tuple[Any, ...], seed: int) -> tuple[Any, ...]:
    """Some sizes replaced by -1; seed 0 replaces them all."""
    source = np.random.default_rng(seed)

    def hide(m: Meta) -> Meta:
        return Meta(tuple(-1 if seed == 0 or source.integers(2) else d for d in m.shape), m.dtype)

    return tuple(
        None if m is None else hide(m) if isinstance(m, Meta) else [hide(t) for t in m]
        for m in metas
    )


@rows
def test_meta_rules_with_unknown_sizes(row: Row) -> None:
    op = op_of(row)
    outs = flat_results(op, result_metas(op, op.kernel(*row.args, **row.attrs)))
    if op.type == "squeeze2" and not row.attrs.get("axes"):
        return  # a size that is not known counts as other than 1, as Paddle declares it
    for seed in range(6):
        metas = with_unknown_sizes(metas_of_inputs(row), seed)
        try:
            said = flat_results(op, op.infer(metas, row.attrs))
        except OpError as error:
            assert "not known" in str(error), f"{metas}: {error}"
            continue
        assert len(said) == len(outs)
        for s, g in zip(said, outs, strict=True):
            assert s.dtype == g.dtype
            assert meta_admits(s, g), f"{metas}: kernel gave {g}, meta said {s}"
