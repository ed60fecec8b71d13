"""Training steps in Paddle's API, eagerly and as programs.

to_static_cases.py {oarlock,paddle} {eager,static}
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from paddle_case_helpers import (
    Case,
    Loss,
    P,
    label_tensor,
    lenet,
    nn,
    normal_tensor,
    op_chain,
    training_step,
)
from serve import serve

STATIC = sys.argv[2] == "static"


def maybe_to_static(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `to_static` of the function if the second argument is `static`, else the function."""
    if not STATIC:
        return function
    converted: Callable[..., Any] = P.jit.to_static(function)
    return converted


def tiny_mlp() -> Any:
    """16 -> 32 -> 32 -> 10"""
    return nn.Sequential(
        nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10)
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
    "tiny mlp": (tiny_mlp, (8, 16)),
    "lenet": (lenet, (16, 1, 28, 28)),
    "rnn cell, 10 steps": (Recurrent, (4, 10, 8)),
    "transformer layer": (Block, (4, 16, 64)),
}


def train(name: str) -> Case:
    """Return a call of one training step with SGD."""
    make, shape = MODELS[name]
    model, x, y = make(), normal_tensor(*shape), label_tensor(shape[0])
    optimizer = P.optimizer.SGD(1e-3, parameters=model.parameters())
    return training_step(maybe_to_static(Loss(model)), optimizer, x, y)


CASES: dict[str, Callable[[], Case]] = {
    "60 small ops": lambda: op_chain(maybe_to_static),
    **{f"training step: {name}": (lambda name=name: train(name)) for name in MODELS},  # type: ignore[misc]
}

if __name__ == "__main__":
    serve(CASES, f"{sys.argv[1]} {sys.argv[2]}")
