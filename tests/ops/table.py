"""All rows, and what the tests know of ops beside them."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import oarlock.ops  # noqa: F401 - fills OPS
from oarlock.core.op import OPS, Op

from .rows import Row

FAMILIES = sorted(p.stem for p in Path(__file__).parent.glob("table_*.py"))
ROWS: list[Row] = [r for f in FAMILIES for r in importlib.import_module(f".{f}", __package__).ROWS]


def _ids() -> list[str]:
    seen: dict[str, int] = {}
    found = []
    for row in ROWS:
        seen[row.type] = number = seen.get(row.type, -1) + 1
        found.append(f"{row.type}-{number}")
    return found


IDS = _ids()

# Ops that Paddle does not have: gradients of ops, and what gradients are made of.  Their rows are those of the ops that use
# them; `test_gradient.py` checks that each of them is run there.
INTERNAL = {
    "between", "conv2d_filter_grad", "conv2d_input_grad", "diag_v2_grad", "flatten_at",
    "gather_grad", "gelu_grad", "group_rows", "keep", "last_along_axis", "last_of_each", "leaky_relu_grad", "lookup_table_v2_grad",
    "masked", "masked_select_grad", "nll_loss_grad", "pad3d_grad", "pool2d_grad", "pool2d_pick", "product_of_others",
    "put_in_pictures", "relu_grad", "reshape_like", "share_of_used", "sigmoid_grad", "slice_grad", "softmax_grad",
    "softmax_with_cross_entropy_grad", "split_like", "spread_like", "standardize", "standardize_grad", "strided_slice_grad", "sum_like",
    "sum_to", "take_from_pictures", "tanh_grad", "tile_grad", "ungroup_rows",
}  # fmt: skip

_WHOLE = "its result is not of a floating type"
_FRESH = "its result does not depend on the value of any operand"
NOT_DIFFERENTIABLE: dict[str, str] = {
    **dict.fromkeys(
        ["equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal", "logical_and", "logical_or",
         "logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_not", "bitwise_xor", "isnan_v2", "isinf_v2",
         "isfinite_v2", "between", "reduce_any", "reduce_all", "arg_max", "arg_min", "where_index", "shape", "size",
         "elementwise_floordiv", "accuracy"], _WHOLE),
    **dict.fromkeys(
        ["fill_constant", "fill_any_like", "fill_constant_batch_size_like", "assign_value", "range", "linspace", "eye", "empty",
         "uniform_random", "gaussian_random", "truncated_gaussian_random", "randint", "randperm", "one_hot_v2",
         "last_of_each", "last_along_axis"], _FRESH),
}  # fmt: skip

# Operands of a floating type that have no gradient, in Paddle neither, by op and slot.
CONSTANT: dict[str, set[str]] = {
    "batch_norm": {"Mean", "Variance", "MomentumTensor"},
    "clip": {"Min", "Max"},
    "pow": {"FactorTensor"},
    "scale": {"ScaleTensor"},
    "nll_loss": {"Weight"},
    "label_smooth": {"PriorDist"},
    "expand_as_v2": {"Y"},
}


def constant_of(row: Row) -> set[str]:
    """The slots that are not differentiated in a row."""
    return CONSTANT.get(row.type, set()) | row.constant


def arrays_of(arg: Any) -> list[Any]:
    """The arrays of one slot."""
    return [] if arg is None else list(arg) if isinstance(arg, list) else [arg]


def op_of(row: Row) -> Op:
    """The op of a row."""
    return OPS[row.type]
