"""No op without rows, without a meta rule, without a gradient or a reason for having none."""

from __future__ import annotations

from oarlock.core.op import OPS

from .table import CONSTANT, INTERNAL, NOT_DIFFERENTIABLE, ROWS


def test_every_op_has_rows() -> None:
    assert OPS.keys() - {r.type for r in ROWS} - INTERNAL == set()
    assert INTERNAL - OPS.keys() == set()


def test_every_op_has_a_meta_rule() -> None:
    assert [t for t, o in OPS.items() if o.meta_rule is None] == []


def test_every_op_has_a_gradient_or_a_reason() -> None:
    assert {t for t, o in OPS.items() if not o.has_vjp} == NOT_DIFFERENTIABLE.keys()


def test_constants_are_slots() -> None:
    for type, slots in CONSTANT.items():
        assert slots <= {s.name for s in OPS[type].ins}
