"""Means of classification losses: over no valid label, and with weights along another class axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.nn import functional as F
from oarlock.static import InputSpec

LOGITS = np.arange(12, dtype="float32").reshape(4, 3) / 7
WEIGHTS = np.array([1, 2, 3], "float32")


@pytest.mark.parametrize("weight", [None, WEIGHTS, np.zeros(3, "float32")])
@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss])
def test_mean_over_no_valid_label_is_0(loss: Any, weight: Any) -> None:
    x = paddle.to_tensor(LOGITS, stop_gradient=False)
    weight = None if weight is None else paddle.to_tensor(weight)
    labels = paddle.full([4], -100, "int64")
    result = loss(x, labels, weight=weight)
    result.backward()
    assert result.item() == 0 and not x.grad.numpy().any()


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_mean_over_no_valid_label_is_0_in_the_engine(tmp_path: Any) -> None:
    class Loss(paddle.nn.Layer):
        def forward(self, x: Any, labels: Any) -> Any:
            return F.cross_entropy(x, labels), F.nll_loss(x, labels)

    specs = [InputSpec([None, 3], "float32", "x"), InputSpec([None], "int64", "labels")]
    paddle.jit.save(Loss(), tmp_path / "m", input_spec=specs)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    loaded.eval()
    results = loaded(paddle.to_tensor(LOGITS), paddle.full([4], -100, "int64"))
    assert [result.item() for result in results] == [0, 0]


def test_weights_of_soft_labels_along_the_class_axis() -> None:
    rng = np.random.default_rng(0)
    x, labels = rng.standard_normal((2, 2, 3, 3)).astype("float32")
    labels = np.abs(labels) / np.abs(labels).sum(1, keepdims=True)
    last = F.cross_entropy(
        paddle.to_tensor(x.transpose(0, 2, 1)),
        paddle.to_tensor(labels.transpose(0, 2, 1)),
        weight=paddle.to_tensor(WEIGHTS),
        soft_label=True,
    )
    middle = F.cross_entropy(
        paddle.to_tensor(x),
        paddle.to_tensor(labels),
        weight=paddle.to_tensor(WEIGHTS),
        soft_label=True,
        axis=1,
    )
    np.testing.assert_allclose(middle.numpy(), last.numpy(), rtol=1e-6)


def test_npair_loss_of_float64() -> None:
    x = paddle.to_tensor(np.eye(2))
    loss = F.npair_loss(x, x, paddle.to_tensor([0, 1]))
    assert str(loss.dtype) == "paddle.float64"
    np.testing.assert_allclose(loss.item(), np.log(1 + np.exp(-1)) + 0.25 * 0.002 * 2)
