"""The table of gradient ops is what real Paddle says."""

from __future__ import annotations

from oarlock.autodiff.grad_slots import GRAD_INPUT_SLOTS, PADDLE1_INPUT_SLOTS
from oarlock.core.op import OPS
from tests.ops.gradient_slots import GRADIENT, MODULE, module, rows


def test_the_module_is_what_the_script_writes() -> None:
    assert MODULE.read_text("utf-8") == module()


def test_slots_are_those_of_the_op() -> None:
    """All but a few that only Paddle's own kernels fill."""
    own = {type: {s.name for s in (*OPS[type].ins, *OPS[type].outs)} for type in GRAD_INPUT_SLOTS}
    unknown = {
        s.removesuffix(GRADIENT)
        for type in GRAD_INPUT_SLOTS
        for s in GRAD_INPUT_SLOTS[type].split()
    } - set().union(*own.values())
    assert unknown <= {
        "Bias",
        "ResidualData",
        "ReserveSpace",
        "RoisLod",
        "XShape",
        "LabelsDim",
        "LogitsDim",
        "Out2InIdx",
        "Out2InWeights",
    }


def test_all_gradients_of_operands_are_given() -> None:
    """What Paddle differentiates by, an op here differentiates by as well."""
    for name in ("gradients.json", "gradients_1_8_5.json"):
        for type, (_, _, outs, _) in rows(name).items():
            constant = {s.name for s in OPS[type].ins if s.is_constant}
            missing = {s.removesuffix(GRADIENT) for s in outs} & constant
            # zeros in Paddle
            assert missing == ({"GTBox", "GTScore"} if type == "yolov3_loss" else set()), type


def test_old_rows_are_of_ops_that_there_are_today() -> None:
    assert set(PADDLE1_INPUT_SLOTS) <= set(GRAD_INPUT_SLOTS)
