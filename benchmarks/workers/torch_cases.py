"""The benchmark cases of paddle_cases.py in PyTorch."""

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


class Attention(nn.Module):
    """Causal self-attention with 6 heads of 64."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(384, 3 * 384), nn.Linear(384, 384)

    def forward(self, x: Any) -> Any:
        """[N, 128, 384] -> [N, 128, 384]"""
        q, k, v = self.qkv(x).reshape(-1, 128, 3, 6, 64).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(-1, 128, 384))


class DecoderLayer(nn.Module):
    """Attention and a feed-forward network, with normalization before each."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(384), Attention(), nn.LayerNorm(384)
        self.wide, self.narrow = nn.Linear(384, 1536), nn.Linear(1536, 384)

    def forward(self, x: Any) -> Any:
        """[N, 128, 384] -> [N, 128, 384]"""
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(nn.functional.gelu(self.wide(self.norm2(x))))


class Gpt(nn.Module):
    """A language model of 6 layers over 256 tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(256, 384), nn.Embedding(128, 384)
        self.layers = nn.Sequential(*(DecoderLayer() for _ in range(6)))
        self.norm, self.head = nn.LayerNorm(384), nn.Linear(384, 256)

    def forward(self, x: Any) -> Any:
        """[N, 128] -> [N * 128, 256]"""
        x = self.tokens(x) + self.positions(torch.arange(128))
        return self.head(self.norm(self.layers(x))).reshape(-1, 256)


class Bottleneck(nn.Module):
    """A block of ResNet-50."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.norm3 = nn.BatchNorm2d(4 * width)
        self.short: nn.Module = nn.Identity()
        if channels != 4 * width:
            self.short = nn.Sequential(
                nn.Conv2d(channels, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
            )

    def forward(self, x: Any) -> Any:
        """relu(f(x) + shortcut(x))"""
        y = torch.relu(self.norm1(self.conv1(x)))
        y = torch.relu(self.norm2(self.conv2(y)))
        return torch.relu(self.norm3(self.conv3(y)) + self.short(x))


def resnet50() -> Any:
    """ResNet-50 for 1000 classes."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
    ]
    channels = 64
    for blocks, width, stride in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
        for i in range(blocks):
            layers.append(Bottleneck(channels, width, stride if i == 0 else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (mlp, (16, 784)),
    "lenet": (lenet, (64, 1, 28, 28)),
    "resnet": (resnet, (16, 3, 32, 32)),
    "transformer": (Classifier, (16, 16, 64)),
    "lstm": (Recurrent, (16, 20, 32)),
    "resnet50": (resnet50, (8, 3, 112, 112)),
    "gpt": (Gpt, (4, 128)),
}


def training_batch(name: str) -> tuple[Any, Any]:
    """Return the inputs and labels of a batch."""
    shape = MODELS[name][1]
    if name == "gpt":
        tokens = torch.randint(0, 256, (4, 129))
        return tokens[:, :-1], tokens[:, 1:].reshape(-1)
    return torch.randn(*shape), torch.randint(0, 10, (shape[0],))


def add(tape: bool) -> Case:
    """Return a call that adds two small tensors; tape: with a gradient for one of them."""
    x, y = torch.randn(4, 4), torch.randn(4, 4, requires_grad=tape)
    return lambda: x + y


def op_chain() -> Case:
    """Return a call of 60 small ops, forward and backward."""
    x = torch.randn(8, 8, requires_grad=True)

    def call() -> None:
        y = x
        for _ in range(20):
            y = torch.tanh(y * x + x)
        y.sum().backward()
        x.grad = None

    return call


def train(name: str, compiled: bool = False) -> Case:
    """Return a call of one training step, with SGD for the MLP and Adam for the other models.

    compiled: by `torch.compile`.
    """
    model, (x, y) = MODELS[name][0](), training_batch(name)
    optimizer = (torch.optim.SGD if name == "mlp" else torch.optim.Adam)(model.parameters(), 1e-3)
    criterion = nn.CrossEntropyLoss()

    def loss(x: Any, y: Any) -> Any:
        return criterion(model(x), y)

    if compiled:
        loss = torch.compile(loss)

    def call() -> None:
        loss(x, y).backward()
        optimizer.step()
        optimizer.zero_grad()

    return call


def eager_inference(name: str) -> Case:
    """Return an eager call of a module without gradients."""
    model, (x, _) = MODELS[name][0](), training_batch(name)
    model.eval()

    def call() -> None:
        with torch.no_grad():
            model(x)

    return call


serve(
    {
        "small op, no gradient": lambda: add(False),
        "small op, with tape": lambda: add(True),
        "60 small ops, forward and backward": op_chain,
        **{f"training step: {name}": (lambda name=name: train(name)) for name in MODELS},
        **{
            f"training step, to_static: {name}": (lambda name=name: train(name, True))
            for name in MODELS
        },
        **{
            f"eager inference: {name}": (lambda name=name: eager_inference(name))
            for name in ("transformer", "lstm")
        },
    },
    "torch",
)
