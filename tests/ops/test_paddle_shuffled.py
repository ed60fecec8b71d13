"""Every row through real Paddle again, with the floats of its operands in another order: chance
must not make two formulas agree.

Shuffled numbers are still those of the row, so they lie where the op is defined.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from .paddle_peer import PYTHON, REQUIRED, Questions
from .rows import Array, Row
from .table import IDS, ROWS, op_of
from .test_forward import flat_results
from .test_paddle import ASKED

TIMES = 2
# Ops whose operands are more than numbers in any order: sorted, corners of boxes, matrices far from
# singular ones.
ORDERED = {
    "cholesky_solve": "a factor without zeros on its diagonal",
    "generate_proposals_v2": "boxes whose corners are in order",
    "inverse": "a matrix far from a singular one",
    "retinanet_detection_output": "boxes whose corners are in order",
    "roi_align": "boxes whose corners are in order",
    "searchsorted": "a sorted sequence",
    "solve": "a matrix far from a singular one",
}
SHUFFLED = [n for n in ASKED if not ROWS[n].random and ROWS[n].type not in ORDERED]

pytestmark = [
    pytest.mark.paddle,
    pytest.mark.skipif(
        not PYTHON.exists() and not REQUIRED,
        reason=f"no real Paddle at {PYTHON}; set OARLOCK_PADDLE",
    ),
]


def with_shuffled_floats(row: Row, source: np.random.Generator) -> Row:
    """The row with the floats of each operand in another order, but for matrices that must be
    Hermitian.
    """

    def mixed(a: Array) -> Array:
        return source.permutation(a.ravel()).reshape(a.shape) if a.dtype.kind in "fc" else a

    slots = [s.name for s in op_of(row).ins]
    args: list[Any] = [
        a
        if a is None or name in row.hermitian
        else [mixed(t) for t in a]
        if isinstance(a, list)
        else mixed(a)
        for name, a in zip(slots, row.args, strict=False)
    ]
    return replace(row, args=args)


@pytest.fixture(scope="session")
def shuffled_rows(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[tuple[int, int], tuple[int, Row]], Any, Any]:
    """Return the requests by row and repetition, Paddle's results, and its errors."""
    questions, asked = Questions(), {}
    for n in SHUFFLED:
        for time in range(TIMES):
            row = with_shuffled_floats(
                ROWS[n], np.random.default_rng([crc32(IDS[n].encode()), time])
            )
            asked[n, time] = questions.add(row), row
    return asked, *questions.ask(tmp_path_factory.mktemp("shuffled"))


@pytest.mark.parametrize("number", SHUFFLED, ids=[IDS[n] for n in SHUFFLED])
def test_paddle_agrees_with_shuffled_values(number: int, shuffled_rows: Any) -> None:
    asked, results, errors = shuffled_rows
    for time in range(TIMES):
        question, row = asked[number, time]
        assert question not in errors, errors[question]
        op = op_of(row)
        with np.errstate(all="ignore"):
            ours = flat_results(op, op.kernel(*row.args, **row.attrs))
        for key, got in zip(keys_of(row), ours, strict=True):
            theirs = results.get(f"{question}/{key}")
            if theirs is not None and key.split("/")[0] not in row.unset:
                np.testing.assert_allclose(got, theirs, rtol=row.tol, atol=row.tol, err_msg=key)


def keys_of(row: Row) -> list[str]:
    """`slot/k` of every result."""
    op = op_of(row)
    with np.errstate(all="ignore"):
        made = op.kernel(*row.args, **row.attrs)
    slots = [made] if len(op.outs) == 1 else list(made)
    return [
        f"{s.name}/{k}"
        for s, o in zip(op.outs, slots, strict=True)
        for k in range(len(o) if s.is_list else 1)
    ]
