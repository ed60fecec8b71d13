"""Small networks for the tests of quantization, and their saved models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn

RNG_SEED = 7


class ResidualNet(nn.Layer):
    """Convolutions with batch normalization, a residual block, pools and a Linear."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU())
        self.a = nn.Sequential(
            nn.Conv2D(8, 8, 3, padding=1, bias_attr=False), nn.BatchNorm2D(8), nn.ReLU()
        )
        self.b = nn.Sequential(nn.Conv2D(8, 8, 3, padding=1, bias_attr=False), nn.BatchNorm2D(8))
        self.pool = nn.MaxPool2D(2)
        self.out = nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        """Return the scores of [N, 3, H, W]."""
        x = self.pool(self.stem(x))
        x = nn.functional.relu(self.b(self.a(x)) + x)
        return self.out(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))


class AttentionNet(nn.Layer):
    """Products of three axes, softmax and layer normalization."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(16, 16) for _ in range(3))
        self.norm = nn.LayerNorm(16)
        self.out = nn.Linear(16, 4)

    def forward(self, x: Any) -> Any:
        """Return the scores of [N, T, 16]."""
        scores = paddle.matmul(self.q(x), self.k(x), transpose_y=True) * 0.25
        x = self.norm(x + paddle.matmul(nn.functional.softmax(scores), self.v(x)))
        return self.out(x.mean(1))


class TokenNet(nn.Layer):
    """Two embeddings that share their table with the output, a recurrent layer and a Linear."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(60, 32)
        self.lstm = nn.LSTM(32, 32, direction="bidirect")
        self.mix = nn.Linear(64, 32)

    def forward(self, tokens: Any) -> Any:
        """Return the scores of [N, T]."""
        x = self.words(tokens) + self.words(tokens[:, :1])
        x = nn.functional.relu(self.mix(self.lstm(x)[0]))
        return paddle.matmul(x, self.words.weight, transpose_y=True)


class LargeActivations(nn.Layer):
    """Products of about 1e5, and outputs of about 1."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(16, 32), nn.Linear(32, 4)
        self.a.weight.set_value(self.a.weight * 1e5)

    def forward(self, x: Any) -> Any:
        """Return the scores of [N, 16]."""
        return self.b(nn.functional.relu(self.a(x)) * 1e-5)


def randomize_statistics(net: nn.Layer) -> nn.Layer:
    """Set the statistics of batch normalizations to values other than 0 and 1."""
    rng = np.random.default_rng(RNG_SEED)
    for layer in net.sublayers():
        if isinstance(layer, nn.BatchNorm2D):
            size = layer._mean.shape[0]
            layer._mean.set_value(rng.standard_normal(size).astype("float32"))
            layer._variance.set_value(rng.uniform(0.5, 2, size).astype("float32"))
    net.eval()
    return net


def save(
    net: nn.Layer,
    folder: Path,
    shape: list[int | None],
    suffix: str = ".pdmodel",
    dtype: str = "float32",
) -> str:
    """Save a network with one input x; return the prefix."""
    prefix = str(folder / "m")
    spec = [paddle.static.InputSpec(shape, dtype, "x")]
    file_format = "paddle3" if suffix == ".json" else "paddle2"
    paddle.jit.save(net, prefix, input_spec=spec, format=file_format)
    return prefix


def residual_model(folder: Path, suffix: str = ".pdmodel") -> str:
    """Save a ResidualNet with random weights; return the prefix."""
    paddle.seed(RNG_SEED)
    return save(randomize_statistics(ResidualNet()), folder, [None, 3, 16, 16], suffix)


def attention_model(folder: Path) -> str:
    """Save an AttentionNet with random weights; return the prefix."""
    paddle.seed(RNG_SEED)
    net = AttentionNet()
    net.eval()
    return save(net, folder, [None, 6, 16])


def token_model(folder: Path) -> str:
    """Save a TokenNet with random weights; return the prefix."""
    paddle.seed(RNG_SEED)
    net = TokenNet()
    net.eval()
    return save(net, folder, [None, 6], dtype="int64")


def images(count: int = 16) -> Any:
    """Random images for a ResidualNet."""
    return np.random.default_rng(1).standard_normal((count, 3, 16, 16)).astype("float32")


def sequences(count: int = 16) -> Any:
    """Random sequences for an AttentionNet."""
    return np.random.default_rng(1).standard_normal((count, 6, 16)).astype("float32")


def tokens(count: int = 16) -> Any:
    """Random tokens for a TokenNet."""
    return np.random.default_rng(1).integers(0, 60, (count, 6))
