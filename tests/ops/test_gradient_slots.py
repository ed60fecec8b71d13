"""The table of gradient ops equals real Paddle's."""

from __future__ import annotations

from oarlock.autodiff.grad_op_tables import GRAD_INPUT_SLOTS, PADDLE1_INPUT_SLOTS
from oarlock.core.op import OPS
from tests.ops.gradient_slots import GRADIENT, MODULE, module, rows


def test_module_is_up_to_date() -> None:
    assert MODULE.read_text("utf-8") == module()


def test_slots_exist_in_the_op() -> None:
    """Except for a few that only Paddle's own kernels fill."""
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


def test_all_operand_gradients_of_paddle_exist() -> None:
    """What Paddle differentiates by, an op here differentiates by as well."""
    for name in ("gradients.json", "gradients_1_8_5.json"):
        for type, (_, _, outs, _) in rows(name).items():
            constant = {s.name for s in OPS[type].ins if s.is_constant}
            missing = {s.removesuffix(GRADIENT) for s in outs} & constant
            # zeros in Paddle
            assert missing == ({"GTBox", "GTScore"} if type == "yolov3_loss" else set()), type


def test_rows_of_1_8_are_of_known_ops() -> None:
    assert set(PADDLE1_INPUT_SLOTS) <= set(GRAD_INPUT_SLOTS)
