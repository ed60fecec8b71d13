"""Code shared by the workers with cases in Paddle's API: the package under test `P`, random inputs
and networks. The first argument of a worker is the name of the package, oarlock or paddle.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

P: Any = importlib.import_module(sys.argv[1])
nn: Any = P.nn
Case = Callable[[], object]
rng = np.random.default_rng(0)


def normal_tensor(*shape: int) -> Any:
    """Return a float32 tensor of normal random numbers."""
    return P.to_tensor(rng.standard_normal(shape).astype("float32"))


def label_tensor(count: int, classes: int = 10) -> Any:
    """Return an int64 tensor of random class labels [count, 1]."""
    return P.to_tensor(rng.integers(0, classes, (count, 1)))


def lenet() -> Any:
    """Return LeNet-5."""
    return nn.Sequential(
        nn.Conv2D(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.Linear(120, 84),
        nn.Linear(84, 10),
    )


class Loss(nn.Layer):  # type: ignore[misc]
    """A layer that computes the cross entropy loss of a model."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.criterion = model, nn.CrossEntropyLoss()

    def forward(self, x: Any, y: Any) -> Any:
        """Return the loss of one batch."""
        return self.criterion(self.model(x), y)


def op_chain(convert: Callable[[Any], Any]) -> Case:
    """Return a call of 60 small ops, forward and backward.

    convert: is applied to the function of the ops, for example `to_static`.
    """
    x = normal_tensor(8, 8)
    x.stop_gradient = False

    def ops(x: Any) -> Any:
        y = x
        for _ in range(20):
            y = P.tanh(y * x + x)
        return y.sum()

    function = convert(ops)

    def call() -> None:
        function(x).backward()
        x.clear_gradient()

    return call


def training_step(loss: Any, optimizer: Any, x: Any, y: Any) -> Case:
    """Return a call of one training step; `loss(x, y)` returns the loss."""

    def call() -> None:
        loss(x, y).backward()
        optimizer.step()
        optimizer.clear_grad()

    return call
