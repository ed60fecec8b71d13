"""Gradient buckets: contents, order, and that they are sent during the backward pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.communicator import SUM, CompletedWork, SingleProcessCommunicator
from oarlock.distributed.reducer import Reducer, build_buckets


class TwoRankCommunicator(SingleProcessCommunicator):
    """A communicator of two ranks with equal gradients, which records its calls."""

    size = 2

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def all_reduce(self, array: Any, op: int) -> Any:
        self.sent.append(array.copy())
        if array.dtype.kind == "f" and op == SUM:
            array *= 2
        return CompletedWork()


class BackwardProbe(paddle.autograd.PyLayer):
    """An identity op that reports when the backward pass reaches it."""

    said: list[str] = []

    @staticmethod
    def forward(ctx: Any, x: Any, word: str, log: Any) -> Any:
        ctx.word, ctx.log = word, log
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        ctx.log(ctx.word)
        return g * 1


def parameters(*sizes: int) -> list[Any]:
    return [paddle.create_parameter([n], "float32") for n in sizes]


def test_bucket_order() -> None:
    megabyte = 1 << 18
    given = parameters(megabyte // 2, megabyte // 2, megabyte, megabyte, 5)
    found = [[p.array.size for p in b.parameters] for b in build_buckets(given, 2.0, 1.0)]
    assert found == [[5], [megabyte, megabyte], [megabyte // 2, megabyte // 2]]


def test_buckets_have_one_dtype() -> None:
    given = [*parameters(2), paddle.create_parameter([3], "float64"), *parameters(4)]
    assert sorted(
        tuple(p.array.size for p in b.parameters) for b in build_buckets(given, 25, 1)
    ) == [
        (2, 4),
        (3,),
    ]


def make_reducer(
    first: Any, second: Any, unused: bool = False
) -> tuple[TwoRankCommunicator, Reducer]:
    world = TwoRankCommunicator()
    reducer = Reducer(lambda: [("first", first), ("second", second)], world, 1e-9, 1e-9, unused)
    reducer.enabled = True
    return world, reducer


def test_buckets_are_sent_during_backward() -> None:
    first, second = parameters(3, 3)
    world, reducer = make_reducer(first, second)
    seen: list[tuple[str, int]] = []
    x = BackwardProbe.apply(first * 2, "between", lambda word: seen.append((word, len(world.sent))))
    (x * second).sum().backward()
    assert seen == [("between", 1)] and len(world.sent) == 2
    assert np.allclose(world.sent[0], 2 * first.numpy()) and np.allclose(
        second.grad.numpy(), 2 * first.numpy()
    )
    assert reducer.enabled  # a second walk behind the same forward pass counts as well


def test_unused_parameter_is_reported() -> None:
    first, second = parameters(3, 3)
    _world, _reducer = make_reducer(first, second)
    with pytest.raises(
        paddle.OarlockError, match="does not depend on second; find_unused_parameters=True"
    ):
        first.sum().backward()


def test_parameter_unused_on_all_ranks_has_no_gradient() -> None:
    first, second = parameters(3, 3)
    _world, _reducer = make_reducer(first, second, unused=True)
    first.sum().backward()
    assert np.allclose(first.grad.numpy(), 1) and second.grad is None


def test_hooks_and_accumulated_gradients_are_included() -> None:
    first, second = parameters(2, 2)
    (first.sum() + second.sum()).backward()
    first.register_hook(lambda g: g * 10)
    _world, _reducer = make_reducer(first, second)
    (first.sum() + second.sum()).backward()
    assert np.allclose(first.grad.numpy(), 11) and np.allclose(second.grad.numpy(), 2)


def test_gradients_do_not_share_memory_across_steps() -> None:
    first, second = parameters(2, 2)
    _world, _reducer = make_reducer(first, second)
    (first.sum() + second.sum()).backward()
    kept = first.grad
    first.clear_gradient()
    (first.sum() * 5 + second.sum()).backward()
    assert np.allclose(kept.numpy(), 1)


def test_other_parameters_are_ignored() -> None:
    first, second = parameters(2, 2)
    world, reducer = make_reducer(first, second)
    (other,) = parameters(2)
    other.sum().backward()
    assert world.sent == [] and reducer.enabled and np.allclose(other.grad.numpy(), 1)


def test_paddle_grad_does_not_communicate() -> None:
    first, second = parameters(2, 2)
    world, _reducer = make_reducer(first, second)
    paddle.grad((first * second).sum(), [first])
    assert world.sent == []


@pytest.mark.parametrize("unused", [False, True])
def test_second_order_gradients(unused: bool) -> None:
    """The walk does not come by the ops that took the parameters first, and a bias has no part in
    it.
    """

    def second_order(layer: Any) -> Any:
        x = paddle.ones([2, 3])
        x.stop_gradient = False
        (g,) = paddle.grad(layer(x).sum(), x, create_graph=True)
        (g * g).sum().backward()
        return layer.weight.grad.numpy()

    alone = paddle.nn.Linear(3, 2)
    wanted = second_order(alone)
    alone.clear_gradients()
    world, reducer = make_reducer(alone.weight, alone.bias, unused=unused)
    assert (
        np.allclose(second_order(alone), wanted)
        and len(world.sent) == len(reducer.buckets) + unused
    )
    assert (alone.bias.grad is None) if unused else not alone.bias.grad.numpy().any()


def test_to_static_function_is_reduced() -> None:
    first, second = parameters(2, 2)
    world, _reducer = make_reducer(first, second)

    @paddle.jit.to_static
    def loss(x: Any) -> Any:
        return (x * first + second).sum()

    loss(paddle.ones([2])).backward()
    assert len(world.sent) == 2 and np.allclose(first.grad.numpy(), 1)


def test_new_or_unfrozen_parameter_is_reported() -> None:
    first, second = parameters(2, 2)
    second.stop_gradient = True
    world, _reducer = make_reducer(first, second)
    first.sum().backward()
    assert len(world.sent) == 1
    second.stop_gradient = False
    with pytest.raises(
        paddle.OarlockError,
        match="second were added, or got stop_gradient=False, after DataParallel was created",
    ):
        (first + second).sum().backward()


def test_half_precision_gradients_are_averaged_in_float32() -> None:
    from oarlock.core.communicator import AVG

    class Asked(TwoRankCommunicator):
        def all_reduce(self, array: Any, op: int) -> Any:
            asked.append((array.dtype, op))
            return super().all_reduce(array, op)

    asked: list[Any] = []
    half = paddle.create_parameter(
        [2], "float16", default_initializer=paddle.nn.initializer.Constant(0.5)
    )
    _reducer = Reducer(lambda: [("half", half)], Asked(), 1, 1, False)
    _reducer.enabled = True
    (half * 60000).sum().backward()
    assert asked == [(np.dtype("float16"), AVG)] and np.isfinite(half.grad.numpy()).all()
