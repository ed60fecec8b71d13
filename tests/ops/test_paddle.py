"""Every row in PaddlePaddle 2.6.2: equal results and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.core.autograd import grad
from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor

from .paddle_peer import PYTHON, REQUIRED, Questions
from .rows import Row
from .table import IDS, INTERNAL, OLD, ROWS, arrays_of, constant_of, op_of
from .test_gradient import WIDE, random_like

ASKED = [n for n, row in enumerate(ROWS) if row.type not in INTERNAL and not row.paddle]

pytestmark = [
    pytest.mark.paddle,
    pytest.mark.skipif(
        not PYTHON.exists() and not REQUIRED,
        reason=f"no real Paddle at {PYTHON}; set OARLOCK_PADDLE",
    ),
]


def tensors_of(row: Row) -> list[Any]:
    """The operands as Tensors, those of a floating type wanting gradients."""
    constant = constant_of(row)

    def tensor(name: str, a: Any) -> Tensor:
        return Tensor(a, stop_gradient=a.dtype.kind not in "fc" or name in constant)

    return [
        None
        if a is None
        else [tensor(s.name, t) for t in a]
        if isinstance(a, list)
        else tensor(s.name, a)
        for s, a in zip(op_of(row).ins, row.args, strict=False)
    ]


def run_here(number: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Results, weights and gradients of a row, by slot/k."""
    row, op = ROWS[number], op_of(ROWS[number])
    args = tensors_of(row)
    made = op(*args, **row.attrs)
    slots = [made] if len(op.outs) == 1 else list(made)
    outs = {
        f"{s.name}/{k}": t
        for s, o in zip(op.outs, slots, strict=True)
        for k, t in enumerate(o if s.is_list else [o])
    }
    if not op.has_vjp or row.random or not row.grad or row.paddle_grad:
        return outs, {}, {}
    source = np.random.default_rng(number)
    carry = {s.name for s in op.outs if not s.is_intermediate}
    targets = {
        k: t
        for k, t in outs.items()
        if k.split("/")[0] in carry and t.array.dtype in WIDE and not t.stop_gradient
    }
    weights = {k: random_like(source, t.array).astype(t.array.dtype) for k, t in targets.items()}
    sources = {
        f"{s.name}@GRAD/{k}": t
        for s, a in zip(op.ins, args, strict=False)
        for k, t in enumerate(arrays_of(a))
        if not t.stop_gradient
    }
    if not targets or not sources:
        return outs, {}, {}
    found = grad(
        list(targets.values()),
        list(sources.values()),
        [Tensor(w) for w in weights.values()],
        allow_unused=True,
    )
    return outs, weights, {k: g for k, g in zip(sources, found, strict=True) if g is not None}


@pytest.fixture(scope="session")
def paddle(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[str, Any], dict[str, str], dict[int, Any]]:
    """Return Paddle's results for all rows, its errors, and Oarlock's results."""
    questions, here = Questions(), {}
    for n in ASKED:
        here[n] = _, weights, grads = run_here(n)
        questions.add(ROWS[n], {k.split("@")[0] for k in grads}, weights)
    results, errors = questions.ask(tmp_path_factory.mktemp("paddle"))
    by_row = {f"{ASKED[int(k.split('/')[0])]}/{k.split('/', 1)[1]}": v for k, v in results.items()}
    return by_row, {str(ASKED[k]): v for k, v in errors.items()}, here


@pytest.mark.parametrize("number", ASKED, ids=[IDS[n] for n in ASKED])
def test_paddle_agrees(
    number: int, paddle: tuple[dict[str, Any], dict[str, str], dict[int, Any]]
) -> None:
    results, errors, here = paddle
    row = ROWS[number]
    assert str(number) not in errors, errors[str(number)]
    outs, _, grads = here[number]
    by_the_way = {s.name for s in op_of(row).outs if s.is_intermediate}
    for key, tensor in outs.items():
        if key.split("/")[0] in row.unset:
            continue
        theirs = results.get(f"{number}/{key}")
        if theirs is None:
            assert key.split("/")[0] in by_the_way, f"Paddle has no {key}"
            continue
        assert (tensor.array.shape, tensor.array.dtype) == (theirs.shape, theirs.dtype), key
        if not row.random:
            np.testing.assert_allclose(
                tensor.array, theirs, rtol=row.tol, atol=row.tol, err_msg=key
            )
    for key, tensor in grads.items():
        assert f"{number}/{key}" in results, f"Paddle has no {key}"
        np.testing.assert_allclose(
            tensor.array,
            results[f"{number}/{key}"],
            rtol=2 * row.tol,
            atol=2 * row.tol,
            err_msg=key,
        )


# Ops of which Paddle has no kernel for the CPU.
NOT_FOR_CPU = {"fused_softmax_mask", "fused_softmax_mask_upper_triangle", "pad2d"}
# Ops that take their sequences from the tensor: tests/fluid asks Paddle 1.8.5.
ON_SEQUENCES = {
    type
    for type, op in OPS.items()
    if op.lod_rule or any(s.values_slot_of_lod_slot for s in (*op.ins, *op.outs))
} | {
    "max_sequence_len",
    "merge_lod_tensor",
    "split_lod_tensor",
}
# Ops that need several processes: tests/distributed compares them with NumPy.
OF_RANKS = {"c_allreduce_max", "c_allreduce_min", "c_allreduce_prod", "c_allreduce_sum"}


def test_every_op_is_compared_with_paddle() -> None:
    """An exception is for a row, not for an op: each op has a row that Paddle answers."""
    asked = {ROWS[n].type for n in ASKED}
    known = NOT_FOR_CPU | OF_RANKS | (OLD.keys() - asked) | (ON_SEQUENCES - INTERNAL - asked)
    assert OPS.keys() - INTERNAL - asked == known
