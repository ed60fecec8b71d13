"""fleet.utils.recompute: equal results with less memory."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.distributed import fleet

recompute = fleet.utils.recompute


class Net(nn.Layer):
    """Blocks with dropout. again: whether backward() recomputes them"""

    def __init__(self, again: bool) -> None:
        super().__init__()
        self.again = again
        self.blocks = nn.LayerList(
            [nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Dropout(0.3)) for _ in range(3)]
        )

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = recompute(block, x) if self.again else block(x)
        return x


def train(again: bool, wants: bool, level: str = "O0") -> list[Any]:
    paddle.seed(4)
    net = Net(again)
    optimizer = paddle.optimizer.Adam(0.1, parameters=net.parameters())
    x = paddle.to_tensor(
        np.random.RandomState(0).rand(5, 6).astype("float32"), stop_gradient=not wants
    )
    for _ in range(3):
        with paddle.amp.auto_cast(enable=level != "O0", level="O1", dtype="bfloat16"):
            loss = (net(x).astype("float32") ** 2).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    return [
        *(p.numpy() for p in net.parameters()),
        x.grad.numpy() if wants else loss.numpy(),
        paddle.rand([2]).numpy(),
    ]


@pytest.mark.parametrize("wants", [False, True])
@pytest.mark.parametrize("level", ["O0", "O1"])
def test_weights_are_equal_with_and_without_recompute(wants: bool, level: str) -> None:
    for a, b in zip(train(True, wants, level), train(False, wants, level), strict=True):
        np.testing.assert_array_equal(a, b)


def test_intermediate_tensors_are_freed() -> None:
    kept: list[Any] = []

    def part(x: Any) -> Any:
        inside = x * 2
        kept.append(weakref.ref(inside.array))
        return (inside * inside).sum()

    x = paddle.ones([3])
    x.stop_gradient = False
    plain = part(x)
    assert kept[0]() is not None
    made = recompute(part, x)
    assert kept[1]() is None
    made.backward()
    assert len(kept) == 3 and x.grad.tolist() == [8.0] * 3
    del plain


def test_nested_arguments_and_results() -> None:
    def part(pair: Any, factor: float, *, extra: Any, table: Any) -> Any:
        return pair[0] * factor + extra, {"a": table["b"] * pair[1]}, "word"

    def run(call: Any) -> Any:
        tensors = [paddle.to_tensor([v], stop_gradient=False) for v in (1.0, 2.0, 3.0, 4.0)]
        a, b, c, d = tensors
        one, two, word = call([a, b], 5.0, extra=c, table={"b": d})
        assert word == "word"
        (one.sum() * 3 + two["a"].sum()).backward()
        return [t.grad.tolist() for t in tensors]

    assert (
        run(lambda *args, **named: recompute(part, *args, **named))
        == run(part)
        == [[15.0], [4.0], [3.0], [2.0]]
    )


def test_random_state_is_preserved() -> None:
    seen: list[Any] = []

    def part(x: Any) -> Any:
        seen.append(paddle.rand([2]).tolist())
        return x * 2

    for preserved in (True, False):
        seen.clear()
        recompute(
            part, paddle.to_tensor([1.0], stop_gradient=False), preserve_rng_state=preserved
        ).backward()
        assert (seen[0] == seen[1]) is preserved


def test_no_grad_calls_the_function() -> None:
    x = paddle.ones([2])
    with paddle.no_grad():
        assert recompute(lambda v: v + 1, x).tolist() == [2, 2]
    assert recompute(lambda v: v + 1, x).stop_gradient


def test_higher_order_gradients_are_rejected() -> None:
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(paddle.OpError, match="recompute: higher-order gradients"):
        paddle.grad(recompute(lambda v: v * v, x), x, create_graph=True)


def test_integer_result_that_claims_a_gradient() -> None:
    def double_and_count(x: Any) -> Any:
        return x * 2, paddle.to_tensor([3], stop_gradient=False)

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    doubled, count = recompute(double_and_count, x)
    doubled.sum().backward()
    assert x.grad.numpy().tolist() == [2.0, 2.0] and count.tolist() == [3]
