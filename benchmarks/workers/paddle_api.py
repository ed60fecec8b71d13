"""What the workers with cases in Paddle's API share: the imported package, random inputs, and
networks. The first argument of a worker is the name of the package, oarlock or paddle.
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


def normal(*shape: int) -> Any:
    """Return a random tensor."""
    return P.to_tensor(rng.standard_normal(shape).astype("float32"))


def labels(count: int, classes: int = 10) -> Any:
    """Return random class labels [count, 1]."""
    return P.to_tensor(rng.integers(0, classes, (count, 1)))


def lenet() -> Any:
    """LeNet-5."""
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
    """A model with its loss."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.criterion = model, nn.CrossEntropyLoss()

    def forward(self, x: Any, y: Any) -> Any:
        """Return the loss of one batch."""
        return self.criterion(self.model(x), y)


def op_chain(convert: Callable[[Any], Any]) -> Case:
    """Run 60 small ops forward and backward.

    convert: applied to the function of the ops, for example `to_static`.
    """
    x = normal(8, 8)
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
    """Run one training step."""

    def call() -> None:
        loss(x, y).backward()
        optimizer.step()
        optimizer.clear_grad()

    return call
