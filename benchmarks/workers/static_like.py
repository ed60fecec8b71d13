"""Training steps in Paddle's API, eagerly and as programs.

static_like.py {oarlock,paddle} {eager,static}
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from serve import serve

P: Any = importlib.import_module(sys.argv[1])
nn: Any = P.nn
OURS, STATIC = sys.argv[1] == "oarlock", sys.argv[2] == "static"
Case = Callable[[], object]
rng = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    """Return a random tensor."""
    return P.to_tensor(rng.standard_normal(shape).astype("float32"))


def labels(count: int) -> Any:
    """Return random class labels [count, 1]."""
    return P.to_tensor(rng.integers(0, 10, (count, 1)))


def maybe_to_static(function: Callable[..., Any]) -> Callable[..., Any]:
    """Convert the function to a static graph in static mode, else return it unchanged."""
    if not STATIC:
        return function
    converted: Callable[..., Any] = P.jit.to_static(function)
    return converted


def op_chain() -> Case:
    """Run 60 small ops forward and backward."""
    x = normal(8, 8)
    x.stop_gradient = False

    def ops(x: Any) -> Any:
        y = x
        for _ in range(20):
            y = P.tanh(y * x + x)
        return y.sum()

    function = maybe_to_static(ops)

    def call() -> None:
        function(x).backward()
        x.clear_gradient()

    return call


def tiny() -> Any:
    """16 -> 32 -> 32 -> 10"""
    return nn.Sequential(
        nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10)
    )


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


class Recurrent(nn.Layer):  # type: ignore[misc]
    """A cell that is called for each of ten steps, and a linear layer on the last state."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.SimpleRNNCell(8, 16)
        self.head = nn.Linear(16, 10)

    def forward(self, x: Any) -> Any:
        """[N, 10, 8] -> [N, 10]"""
        state = None
        for i in range(10):
            _, state = self.cell(x[:, i], state)
        return self.head(state)


class Block(nn.Layer):  # type: ignore[misc]
    """One layer of a Transformer encoder, and a linear layer on the mean."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0)
        self.head = nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        """[N, L, 64] -> [N, 10]"""
        return self.head(self.body(x).mean(1))


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "tiny mlp": (tiny, (8, 16)),
    "lenet": (lenet, (16, 1, 28, 28)),
    "rnn cell, 10 steps": (Recurrent, (4, 10, 8)),
    "transformer layer": (Block, (4, 16, 64)),
}


def train(name: str) -> Case:
    """Run one training step with SGD."""
    make, shape = MODELS[name]
    model, x, y = make(), normal(*shape), labels(shape[0])
    optimizer, criterion = (
        P.optimizer.SGD(1e-3, parameters=model.parameters()),
        nn.CrossEntropyLoss(),
    )
    function = (
        maybe_to_static(lambda x, y: criterion(model(x), y))
        if OURS
        else maybe_to_static(Loss(model))
    )

    def call() -> None:
        function(x, y).backward()
        optimizer.step()
        optimizer.clear_grad()

    return call


class Loss(nn.Layer):  # type: ignore[misc]
    """A model with its loss, because real Paddle does not convert lambdas."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.criterion = model, nn.CrossEntropyLoss()

    def forward(self, x: Any, y: Any) -> Any:
        """Return the loss of one batch."""
        return self.criterion(self.model(x), y)


CASES: dict[str, Callable[[], Case]] = {
    "60 small ops": op_chain,
    **{f"training step: {name}": (lambda name=name: train(name)) for name in MODELS},  # type: ignore[misc]
}

if __name__ == "__main__":
    serve(CASES, f"{sys.argv[1]} {sys.argv[2]}")
