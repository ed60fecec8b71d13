"""Which ops run in half precision and which in float32: Paddle 2.6.2's own lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..core.errors import OpError

WHITE_LIST = {
    "conv2d",
    "einsum",
    "fused_gemm_epilogue",
    "matmul",
    "matmul_v2",
    "max_pool2d_with_index",
    "mul",
}
ONLY_FP16_WHITE_LIST = {
    "fake_quantize_dequantize_abs_max",
    "fake_quantize_dequantize_moving_average_abs_max",
    "fused_attention",
    "fused_feedforward",
}
FP16_WHITE_LIST = WHITE_LIST | ONLY_FP16_WHITE_LIST
BF16_WHITE_LIST = WHITE_LIST
FP16_BLACK_LIST = BF16_BLACK_LIST = {
    "acos",
    "asin",
    "atanh",
    "c_softmax_with_cross_entropy",
    "cosh",
    "cross_entropy",
    "cross_entropy2",
    "cumprod",
    "cumsum",
    "dist",
    "erfinv",
    "exp",
    "expm1",
    "frobenius_norm",
    "group_norm",
    "hsigmoid_loss",
    "huber_loss",
    "layer_norm",
    "log",
    "log10",
    "log2",
    "log_loss",
    "log_softmax",
    "margin_cross_entropy",
    "mean",
    "nll_loss",
    "pnorm",
    "pow",
    "reciprocal",
    "reduce_mean",
    "reduce_prod",
    "reduce_sum",
    "renorm",
    "rsqrt",
    "sigmoid_cross_entropy_with_logits",
    "sinh",
    "softmax",
    "softmax_with_cross_entropy",
    "softmin",
    "softplus",
    "square",
    "tan",
    "tanh_shrink",
    "triplet_margin_loss",
}
EXTRA_BLACK_LIST = {
    "bicubic_interp_v2",
    "bilinear_interp_v2",
    "linear_interp_v2",
    "lookup_table",
    "lookup_table_v2",
    "nearest_interp_v2",
    "scatter",
    "trilinear_interp_v2",
}


class Lists(NamedTuple):
    """white: ops that run in half precision; black: in float32."""

    white: frozenset[str]
    black: frozenset[str]


def white_list() -> dict[str, dict[str, set[str]]]:
    """The ops that run in half precision, by dtype and level."""
    given = {"float16": FP16_WHITE_LIST, "bfloat16": BF16_WHITE_LIST}
    return {
        dtype: {level: set(ops) for level in ("OD", "O1", "O2")} for dtype, ops in given.items()
    }


def black_list() -> dict[str, dict[str, set[str]]]:
    """The ops that run in float32, by dtype and level."""
    given = {"float16": FP16_BLACK_LIST, "bfloat16": BF16_BLACK_LIST}
    return {
        d: {"OD": set(), "O1": ops | EXTRA_BLACK_LIST, "O2": set(EXTRA_BLACK_LIST)}
        for d, ops in given.items()
    }


def lists_for(
    level: str, dtype: str, white: Iterable[str] | None, black: Iterable[str] | None
) -> Lists:
    """The lists of a level, with the user's own before them.

    Raises OpError for an op that is in both of those.
    """
    more, less = set(white or ()), set(black or ())
    if more & less:
        raise OpError(
            f"auto_cast: {sorted(more & less)} are in the custom white list and in the black one"
        )
    return Lists(
        frozenset((white_list()[dtype][level] - less) | more),
        frozenset((black_list()[dtype][level] - more) | less),
    )
