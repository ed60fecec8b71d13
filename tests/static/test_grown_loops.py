"""Loops of real Paddle programs: growing variables are declared with the shape of one iteration,
and an input may be loop-carried.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.compiler.partial_program import PartialProgram
from oarlock.ir.parser import parse

# x and c change from round to round; c is declared with 2 rows, though it begins with one and gets
# one more each time.
GROWS = """\
program version=2006002
block 0:
  param w: float32[3,3]
  var feed: feed persistable
  var fetch: fetch persistable
  x: float32[?,3] = feed(X=feed) col=0
  n: int64[] = feed(X=feed) col=1
  h: float32[?,3] = matmul_v2(X=x, Y=w) trans_x=false trans_y=false
  c: float32[?,2,3] = unsqueeze2(X=h) axes=ints[1]
  i: int64[] = fill_constant() dtype=3 shape=longs[] str_value="0" value=0.0
  more: bool[] = less_than(X=i, Y=n)
  Out=[c, x, i, more], StepScopes=s: step_scopes = while(Condition=more, X=[c, w, x, n, i]) is_test=true sub_block=block(1)
  y: float32[?,2,3] = scale(X=c) scale=2.0
  z: float32[?,3] = elementwise_mul(X=x, Y=x) axis=-1
  fetch = fetch(X=y) col=0
  fetch = fetch(X=z) col=1
block 1 in 0:
  p: float32[?,3] = matmul_v2(X=x, Y=w) trans_x=false trans_y=false
  t: float32[?,3] = tanh(X=p)
  m: float32[?,3] = reduce_mean(X=c) dim=ints[1]
  q: float32[?,3] = elementwise_add(X=t, Y=m) axis=-1
  r: float32[?,1,3] = unsqueeze2(X=q) axes=ints[1]
  d: float32[?,2,3] = concat(X=[c, r]) axis=1
  j: int64[] = scale(X=i) scale=1.0 bias=1.0
  again: bool[] = less_than(X=j, Y=n)
  c = assign(X=d)
  x = assign(X=q)
  i = assign(X=j)
  more = assign(X=again)"""


def by_hand(x: Any, n: int, w: Any) -> tuple[Any, Any]:
    c = paddle.matmul(x, w).unsqueeze(1)
    for _ in range(n):
        x = paddle.tanh(paddle.matmul(x, w)) + c.mean(axis=1)
        c = paddle.concat([c, x.unsqueeze(1)], axis=1)
    return c * 2.0, x * x


def gradients(function: Any, weight: Any, n: int) -> list[Any]:
    """The results, and the gradients of input and weight."""
    weight.clear_grad()
    x = paddle.to_tensor(np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3), stop_gradient=False)
    y, z = function(x, n)
    (y * y).sum().backward(retain_graph=True)
    z.sum().backward()
    return [y.numpy(), z.numpy(), x.grad.numpy(), weight.grad.numpy()]


@pytest.mark.parametrize("size", ["?", "2"])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_gradients_of_all_iterations(size: str, n: int) -> None:
    w = paddle.to_tensor(
        np.linspace(-0.5, 0.7, 9, dtype="float32").reshape(3, 3), stop_gradient=False
    )
    program = PartialProgram(parse(GROWS.replace("[?", f"[{size}")), {"w": w})
    wanted = gradients(lambda x, n: by_hand(x, n, w), w, n)
    found = gradients(lambda x, n: program([x, paddle.to_tensor(n)]), w, n)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
