"""Every op has rows, a meta rule, and a gradient or a reason for having none."""

from __future__ import annotations

from oarlock.core.op import OPS

from .table import INTERNAL, ROWS


def test_every_op_has_rows() -> None:
    assert OPS.keys() - {r.type for r in ROWS} - INTERNAL == set()


def test_every_op_has_a_meta_rule() -> None:
    assert [t for t, o in OPS.items() if o.meta_rule is None] == []


def test_every_op_has_a_gradient_or_a_reason() -> None:
    assert [t for t, o in OPS.items() if o.has_vjp == bool(o.traits.no_grad_reason)] == []


def test_in_place_results_name_their_operand() -> None:
    for op in OPS.values():
        assert {s.overwrites for s in op.outs} <= {"", *(s.name for s in op.ins)}
