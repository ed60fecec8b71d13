"""The benchmark cases in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from serve import serve
from torch import nn

Case = Callable[[], object]
torch.manual_seed(0)


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out)
        self.short = nn.Conv2d(channels, out, 1, stride, bias=False)

    def forward(self, x: Any) -> Any:
        """relu(f(x) + x)"""
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + self.short(x))


class Classifier(nn.Module):
    """A Transformer encoder over a sequence, and a linear layer on its mean."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        """[N, L, 64] -> [N, 10]"""
        return self.head(self.encoder(x).mean(1))


def mlp() -> Any:
    """784 -> 100 -> 100 -> 10"""
    return nn.Sequential(
        nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10)
    )


def lenet() -> Any:
    """LeNet with 20 and 50 channels."""
    return nn.Sequential(
        nn.Conv2d(1, 20, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(20, 50, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Linear(800, 500),
        nn.ReLU(),
        nn.Linear(500, 10),
    )


def resnet() -> Any:
    """Three residual blocks."""
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        Block(16, 16, 1),
        Block(16, 32, 2),
        Block(32, 64, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


class Recurrent(nn.Module):
    """An LSTM, and a linear layer on its last step."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(32, 64, batch_first=True)
        self.head = nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        """[N, L, 32] -> [N, 10]"""
        return self.head(self.lstm(x)[0][:, -1])


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (mlp, (16, 784)),
    "lenet": (lenet, (64, 1, 28, 28)),
    "resnet": (resnet, (16, 3, 32, 32)),
    "transformer": (Classifier, (16, 16, 64)),
    "lstm": (Recurrent, (16, 20, 32)),
}


def add(tape: bool) -> Case:
    """Add two small tensors."""
    x, y = torch.randn(4, 4), torch.randn(4, 4, requires_grad=tape)
    return lambda: x + y


def op_chain() -> Case:
    """Run 60 small ops forward and backward."""
    x = torch.randn(8, 8, requires_grad=True)

    def call() -> None:
        y = x
        for _ in range(20):
            y = torch.tanh(y * x + x)
        y.sum().backward()
        x.grad = None

    return call


def train(name: str) -> Case:
    """Run one training step, with SGD for the MLP and Adam for the other models."""
    make, shape = MODELS[name]
    model, x, y = make(), torch.randn(*shape), torch.randint(0, 10, (shape[0],))
    optimizer = (torch.optim.SGD if name == "mlp" else torch.optim.Adam)(model.parameters(), 1e-3)
    criterion = nn.CrossEntropyLoss()

    def call() -> None:
        criterion(model(x), y).backward()
        optimizer.step()
        optimizer.zero_vjp()

    return call


serve(
    {
        "small op, no gradient": lambda: add(False),
        "small op, with tape": lambda: add(True),
        "60 small ops, forward and backward": op_chain,
        **{f"training step: {name}": (lambda name=name: train(name)) for name in MODELS},
    },
    "torch",
)
