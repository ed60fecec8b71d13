"""Training on the GPU stand-in equals training on the CPU."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import nn
from oarlock.core import cuda

from . import stand_in

STEPS = 3


class LeNet(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        self.fc = nn.Sequential(nn.Linear(16, 12), nn.Linear(12, 10))

    def forward(self, x: Any) -> Any:
        return self.fc(oarlock.flatten(self.features(x), 1))


class Block(nn.Layer):
    """A residual block with other typical ops of image networks."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = (
            nn.Conv2D(3, 3, 3, padding=1),
            nn.Conv2D(3, 3, 3, padding=1, groups=3),
        )
        self.norm, self.other = nn.BatchNorm2D(3), nn.GroupNorm(3, 3)
        self.head = nn.Linear(3, 4)

    def forward(self, x: Any) -> Any:
        x = nn.functional.gelu(self.norm(self.first(x))) + x
        x = nn.functional.dropout(self.other(self.second(x)), 0.1, training=self.training)
        return self.head(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))


class TextNet(nn.Layer):
    """An embedding, an LSTM and attention."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.lstm = nn.Embedding(20, 8, padding_idx=0), nn.LSTM(8, 8)
        self.attention = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
        self.head = nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        out, _ = self.lstm(self.table(x))
        return self.head(self.attention(out).mean(1))


SOURCE = np.random.default_rng(0)
NETS = {
    "lenet": (LeNet, SOURCE.random((2, 1, 14, 14), np.float32), 10),
    "block": (Block, SOURCE.random((2, 3, 6, 6), np.float32), 4),
    "words": (TextNet, SOURCE.integers(0, 20, (2, 5)), 5),
}


def train(
    kind: Any, data: Any, classes: int, make: Any, dtype: str = ""
) -> tuple[list[Any], list[float]]:
    """The weights after some steps, and the losses."""
    oarlock.seed(1)
    net = kind()
    optimizer = make(net.parameters())
    x, y = oarlock.to_tensor(data), oarlock.to_tensor(np.arange(len(data)) % classes)
    scaler = oarlock.amp.GradScaler(init_loss_scaling=128.0, enable=bool(dtype))
    losses = []
    for _ in range(STEPS):
        with oarlock.amp.auto_cast(enable=bool(dtype), dtype=dtype or "float16"):
            loss = nn.functional.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(loss.item())
    assert {cuda.gpu_index_of(p.array) for p in net.parameters()} == {cuda.gpu_index_of(x.array)}
    return [t.numpy() for t in net.state_dict().values()], losses


def assert_close(one: Any, two: Any, room: float) -> None:
    np.testing.assert_allclose(one[1], two[1], rtol=room)
    for a, b in zip(one[0], two[0], strict=True):
        np.testing.assert_allclose(a, b, rtol=room, atol=room)


@pytest.mark.parametrize("name", NETS)
def test_networks_train_as_on_cpu(name: str, cupy: ModuleType) -> None:
    # Not Adam: a bias in front of a batch norm has a gradient of nothing but rounding, which Adam
    # makes steps of.
    make = lambda p: oarlock.optimizer.Momentum(
        0.05, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(1.0)
    )
    here = train(*NETS[name], make)
    oarlock.set_device("gpu:0" if stand_in.USES_REAL_CUPY else "gpu:1")
    assert_close(train(*NETS[name], make), here, 1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_mixed_precision(dtype: str, cupy: ModuleType) -> None:
    make = lambda p: oarlock.optimizer.Momentum(0.01, parameters=p, multi_precision=True)
    here = train(*NETS["block"], make, dtype)
    oarlock.set_device("gpu")
    assert_close(train(*NETS["block"], make, dtype), here, 2e-2)


OPTIMIZERS = [
    "SGD",
    "Momentum",
    "Adam",
    "AdamW",
    "Adamax",
    "Adagrad",
    "Adadelta",
    "RMSProp",
    "Lamb",
]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_step_as_on_cpu(name: str, cupy: ModuleType) -> None:
    kind = getattr(oarlock.optimizer, name)
    made: list[Any] = []

    def make(parameters: Any) -> Any:
        decay = (
            {} if name in ("Lamb", "AdamW") else {"weight_decay": oarlock.regularizer.L1Decay(0.01)}
        )
        made.append(kind(learning_rate=0.01, parameters=parameters, **decay))
        return made[-1]

    here = train(*NETS["lenet"], make)
    state = {k: np.asarray(v) for k, v in made[0].state_dict().items() if hasattr(v, "numpy")}
    oarlock.set_device("gpu")
    assert_close(train(*NETS["lenet"], make), here, 1e-3)
    again = made[1].state_dict()
    for key, value in zip(again, state.values(), strict=True):
        np.testing.assert_allclose(again[key].numpy(), value, rtol=1e-3, atol=1e-4)
    made[1].set_state_dict(again)
    made[1].step()


def test_lbfgs(cupy: ModuleType) -> None:
    def found() -> Any:
        x = oarlock.to_tensor([3.0, -2.0], stop_gradient=False)
        optimizer = oarlock.optimizer.LBFGS(parameters=[x], max_iter=5)

        def closure() -> Any:
            optimizer.clear_grad()
            loss = ((x - oarlock.to_tensor([1.0, 4.0])) ** 2).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return x

    here = found()
    oarlock.set_device("gpu")
    there = found()
    assert cuda.gpu_index_of(there.array) == 0
    np.testing.assert_allclose(there.numpy(), here.numpy(), rtol=1e-5)
