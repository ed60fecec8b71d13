"""The AMP lists of Paddle 2.6.2: ops that run in half precision and ops that run in float32.

Each op states its class at its definition, see `core.op.OpTraits.amp_class`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .. import ops as _ops  # noqa: F401  # defines all ops
from ..core.errors import OpError, append_user_line
from ..core.op import OPS, AmpClass

# Ops in Paddle's AMP lists that Oarlock does not define.
_OPS_NOT_DEFINED_HERE: dict[AmpClass, set[str]] = {
    "allow": {"fused_gemm_epilogue"},
    "allow_float16": {
        "fused_attention",
        "fused_feedforward",
    },
    "deny": {
        "c_softmax_with_cross_entropy",
        "hsigmoid_loss",
        "margin_cross_entropy",
        "pnorm",
        "softmin",
        "triplet_margin_loss",
    },
}


def _op_types_of_amp_class(amp_class: AmpClass) -> set[str]:
    defined = {type for type, op in OPS.items() if op.traits.amp_class == amp_class}
    return defined | _OPS_NOT_DEFINED_HERE.get(amp_class, set())


WHITE_LIST = _op_types_of_amp_class("allow")
ONLY_FP16_WHITE_LIST = _op_types_of_amp_class("allow_float16")
FP16_WHITE_LIST = WHITE_LIST | ONLY_FP16_WHITE_LIST
BF16_WHITE_LIST = WHITE_LIST
FP16_BLACK_LIST = BF16_BLACK_LIST = _op_types_of_amp_class("deny")
O2_BLACK_LIST = _op_types_of_amp_class("deny_at_o2")


class AmpOpLists(NamedTuple):
    """The AMP lists of op types. white: ops that run in half precision; black: ops that run in
    float32.
    """

    white: frozenset[str]
    black: frozenset[str]


def white_list() -> dict[str, dict[str, set[str]]]:
    """Return the ops that run in half precision, by dtype and level."""
    by_dtype = {"float16": FP16_WHITE_LIST, "bfloat16": BF16_WHITE_LIST}
    return {
        dtype: {level: set(ops) for level in ("OD", "O1", "O2")} for dtype, ops in by_dtype.items()
    }


def black_list() -> dict[str, dict[str, set[str]]]:
    """Return the ops that run in float32, by dtype and level."""
    by_dtype = {"float16": FP16_BLACK_LIST, "bfloat16": BF16_BLACK_LIST}
    return {
        d: {"OD": set(), "O1": ops | O2_BLACK_LIST, "O2": set(O2_BLACK_LIST)}
        for d, ops in by_dtype.items()
    }


def op_lists_with_custom_ops(
    level: str, dtype: str, white: Iterable[str] | None, black: Iterable[str] | None
) -> AmpOpLists:
    """Return the op lists of an AMP level (O1, O2), changed by the custom lists of the user.

    Raises OpError for an op in both custom lists.
    """
    custom_white, custom_black = set(white or ()), set(black or ())
    if custom_white & custom_black:
        raise OpError(
            append_user_line(
                f"auto_cast: the ops {sorted(custom_white & custom_black)} are in both custom lists"
            )
        )
    return AmpOpLists(
        frozenset((white_list()[dtype][level] - custom_black) | custom_white),
        frozenset((black_list()[dtype][level] - custom_white) | custom_black),
    )
