"""The table of op traits covers all ops without a kernel and states each fact once."""

from __future__ import annotations

import pytest

import oarlock  # noqa: F401  # defines all ops and registers all rules
from oarlock.autodiff import backward_pass
from oarlock.compiler import lowering
from oarlock.core.op import OPS
from oarlock.ir.kernelless_op_traits import (
    OP_TRAITS,
    is_feed_or_fetch,
    kernelless_op_traits_or_default,
)
from oarlock.ir.program import VarKind


def test_ops_with_a_kernel_are_not_in_the_table() -> None:
    assert not OP_TRAITS.keys() & OPS.keys()


def test_every_program_only_op_is_in_the_table() -> None:
    rules = {
        *lowering.LOWERING_RULES,
        *lowering.MULTI_INSTRUCTION_RULES,
        *backward_pass.GRADIENT_RULES,
    } - OPS.keys()
    assert OP_TRAITS.keys() - {"feed", "fetch"} == rules


@pytest.mark.parametrize("type", sorted(OP_TRAITS))
def test_traits_agree_with_each_other(type: str) -> None:
    traits = kernelless_op_traits_or_default(type)
    assert traits.is_control_flow or not traits.capture_slot
    assert traits.is_control_flow_grad or not traits.forward_scopes_slot
    assert not (traits.is_control_flow and traits.is_control_flow_grad)
    assert traits.feed_fetch_kind in (None, VarKind.FEED, VarKind.FETCH)
    assert is_feed_or_fetch(type) == (type in ("feed", "fetch"))


@pytest.mark.parametrize("type", sorted(backward_pass.GRADIENT_RULES.keys() - OPS.keys()))
def test_ops_with_a_gradient_rule_state_where_gradients_flow(type: str) -> None:
    assert kernelless_op_traits_or_default(type).differentiable_input_slots is not None


def test_unknown_ops_have_no_traits() -> None:
    assert kernelless_op_traits_or_default("no_such_op") == kernelless_op_traits_or_default("vjp")
