"""`reduces_to_scalar` says for which attributes an op has a 0-D result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock import to_tensor
from oarlock.core.op import OPS
from oarlock.ir.passes.scalar_result_predicates import reduces_to_scalar

REDUCTIONS = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod")
CASES: list[tuple[str, dict[str, Any]]] = [
    *((op, {"dim": [0]}) for op in (*REDUCTIONS, "frobenius_norm")),
    *((op, {"dim": [0, 1]}) for op in (*REDUCTIONS, "frobenius_norm")),
    *((op, {"dim": [0], "keep_dim": True}) for op in (*REDUCTIONS, "frobenius_norm")),
    *((op, {"dim": [0], "reduce_all": True}) for op in (*REDUCTIONS, "frobenius_norm")),
    ("logsumexp", {"axis": [0]}),
    ("logsumexp", {"axis": [0, 1]}),
    ("logsumexp", {"axis": [0], "reduce_all": True}),
    ("logsumexp", {"axis": [0, 1], "keepdim": True}),
    ("p_norm", {"axis": 0}),
    ("p_norm", {"axis": 0, "asvector": True}),
    ("p_norm", {"axis": 0, "keepdim": True}),
    ("mean", {}),
]


def num_axes(op: str, attrs: dict[str, Any]) -> int:
    return 1 if op == "p_norm" else len(attrs.get("dim", attrs.get("axis", [])))


ROWS = [(op, attrs, rank) for op, attrs in CASES for rank in (1, 2) if num_axes(op, attrs) <= rank]


@pytest.mark.parametrize(("op", "attrs", "rank"), ROWS, ids=[f"{op}-{a}-{r}" for op, a, r in ROWS])
def test_predicate_equals_the_rank_of_the_result(op: str, attrs: dict[str, Any], rank: int) -> None:
    result = OPS[op](to_tensor(np.ones((3,) * rank, np.float32)), **attrs)
    assert reduces_to_scalar(op, attrs, rank) == (result.numpy().ndim == 0)
