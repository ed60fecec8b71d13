"""Emulated versions before 2.5: results without axes get one axis; values and gradients are equal."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
import oarlock.nn.functional as F
from oarlock import compat
from oarlock.compat.shape_1_scalar_emulation import NAMES

VECTOR, SQUARE = (
    np.array([1.0, 4.0, 2.0], np.float32),
    np.array([[2.0, 1.0], [0.5, 3.0]], np.float32),
)
CASES: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda v, s, name=name: getattr(paddle, name)(s)
        for name in "sum mean max min prod amax amin nansum nanmean logsumexp std var median norm numel count_nonzero argmax argmin trace".split()
    },
    **{
        f"Tensor.{name}": lambda v, s, name=name: getattr(s, name)()
        for name in "sum mean max min prod amax logsumexp std var median norm numel argmax trace".split()
    },
    "all": lambda v, s: paddle.all(s > 0),
    "any": lambda v, s: (s > 2).any(),
    "over the only axis": lambda v, s: paddle.mean(v, axis=0),
    "[0]": lambda v, s: v[0],
    "[1, 1]": lambda v, s: s[1, 1],
    "dot": lambda v, s: paddle.dot(v, v),
    "dist": lambda v, s: paddle.dist(v, v + 1),
    "equal_all": lambda v, s: paddle.equal_all(v, v),
    "allclose": lambda v, s: paddle.allclose(v, v),
    "squeeze": lambda v, s: v[:1].squeeze(),
    "to_tensor": lambda v, s: paddle.to_tensor(3.5),
    "rank": lambda v, s: paddle.rank(s),
    "linalg.norm": lambda v, s: paddle.linalg.norm(v),
    "linalg.det": lambda v, s: paddle.linalg.det(s),
    "mse_loss": lambda v, s: F.mse_loss(v, v * 2),
    "l1_loss": lambda v, s: F.l1_loss(v, v * 2),
    "cross_entropy": lambda v, s: F.cross_entropy(s, paddle.to_tensor([0, 1])),
    "nll_loss": lambda v, s: F.nll_loss(s, paddle.to_tensor([0, 1])),
    "MSELoss": lambda v, s: paddle.nn.MSELoss()(v, v * 2),
    "CrossEntropyLoss": lambda v, s: paddle.nn.CrossEntropyLoss()(s, paddle.to_tensor([0, 1])),
    "BCEWithLogitsLoss": lambda v, s: paddle.nn.BCEWithLogitsLoss()(v, v * 0),
    "KLDivLoss": lambda v, s: paddle.nn.KLDivLoss()(v, v * 2),
    "SmoothL1Loss": lambda v, s: paddle.nn.SmoothL1Loss()(v, v * 2),
    "accuracy": lambda v, s: paddle.metric.accuracy(s, paddle.to_tensor([[0], [1]])),
}


@pytest.fixture
def paddle_2_4() -> Iterator[None]:
    with compat.as_paddle("2.4"):
        yield


def result_and_gradients(case: Callable[[Any, Any], Any]) -> tuple[Any, list[Any]]:
    v, s = (paddle.to_tensor(a, stop_gradient=False) for a in (VECTOR, SQUARE))
    result = case(v, s)
    if not result.stop_gradient:
        result.backward()
    return result, [None if t.grad is None else t.grad.numpy() for t in (v, s)]


@pytest.mark.parametrize("name", CASES)
def test_only_the_shape_differs(name: str) -> None:
    today, gradients = result_and_gradients(CASES[name])
    with compat.as_paddle("2.4"):
        old, old_gradients = result_and_gradients(CASES[name])
    assert (today.shape, old.shape) == ([], [1])
    assert old.dtype == today.dtype
    np.testing.assert_array_equal(old.numpy()[0], today.numpy())
    for ours, theirs in zip(old_gradients, gradients, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_results_with_axes_are_unchanged(paddle_2_4: None) -> None:
    x = paddle.to_tensor(SQUARE)
    assert paddle.mean(x, axis=0).shape == [2]
    assert x[0].shape == [2]
    assert [t.shape for t in paddle.max(x, axis=1).unbind()] == [[1], [1]]
    assert [v.shape for v in paddle.to_tensor(VECTOR)] == [[1]] * 3


def test_element_can_be_assigned(paddle_2_4: None) -> None:
    x = paddle.to_tensor(VECTOR)
    x[0] = x[1]
    assert x.numpy().tolist() == [4.0, 4.0, 2.0]


def test_training_with_one_element_loss(paddle_2_4: None) -> None:
    net = paddle.nn.Linear(2, 1)
    optimizer = paddle.optimizer.Adam(
        parameters=net.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    )
    loss = F.mse_loss(net(paddle.to_tensor(SQUARE)), paddle.to_tensor([[1.0], [2.0]]))
    loss.backward()
    optimizer.step()
    assert loss.numpy()[0] == float(loss) and loss.shape == [1]


def test_static_programs(paddle_2_4: None) -> None:
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [3], "float32")
            mean, first = paddle.mean(x), x[0]
        assert (mean.shape, first.shape) == ((1,), (1,))
        got = paddle.static.Executor().run(main, feed={"x": VECTOR}, fetch_list=[mean, first])
    finally:
        paddle.disable_static()
    assert [g.shape for g in got] == [(1,), (1,)]


def test_names_exist() -> None:
    owners = {
        where: paddle.Tensor if where == "Tensor" else importlib.import_module(f"oarlock{where}")
        for where in NAMES
    }
    missing = [
        f"{where}.{name}"
        for where, names in NAMES.items()
        for name in names.split()
        if not hasattr(owners[where], name)
    ]
    assert not missing


def test_one_element_array_converts_to_a_number() -> None:
    with compat.as_paddle("2.4"):
        found = paddle.mean(paddle.ones([2, 2])).numpy()
        assert (
            found.shape,
            float(found),
            int(found),
            f"{found[0]:.1f}",
            format(float(found), ".2f"),
        ) == (
            (1,),
            1.0,
            1,
            "1.0",
            "1.00",
        )
        assert [10, 20][paddle.ones([1], "int64").numpy()] == 20
        assert repr(found) == "array([1.], dtype=float32)"
    assert type(paddle.ones([1]).numpy()) is np.ndarray
