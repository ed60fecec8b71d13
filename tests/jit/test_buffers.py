"""Buffers that forward changes in place (on one path, in loops, under no_grad) equal eager code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import TraceError
from oarlock.static import InputSpec


class Counting(nn.Layer):
    """A layer with a counter."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("n", paddle.zeros([1]))


class OnOneWay(Counting):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.n.add_(paddle.ones([1]))
        return x + self.n


class SetAndChanged(Counting):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.n += 1
            self.n.add_(paddle.ones([1]))
        return x + self.n


class ChangedThenSet(Counting):
    def forward(self, x: Any) -> Any:
        self.n.add_(paddle.ones([1]))
        if x.sum() > 0:
            self.n += 1
        return x + self.n


class InRounds(Counting):
    def forward(self, x: Any) -> Any:
        for _ in range(paddle.to_tensor(3)):
            self.n.add_(x.sum().reshape([1]))
        return x + self.n


class Queue(nn.Layer):
    """What was seen before, as a ring."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("queue", paddle.zeros([4, 2]))
        self.register_buffer("place", paddle.zeros([1], "int64"))
        self.fc = nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        y = self.fc(x)
        with paddle.no_grad():
            self.queue[self.place] = y[0]
            self.place.set_value((self.place + 1) % 4)
        return y + self.queue.sum()


class Averaged(nn.Layer):
    """A copy that follows the parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.slow = nn.Linear(2, 2), nn.Linear(2, 2)
        for p in self.slow.parameters():
            p.stop_gradient = True

    def forward(self, x: Any) -> Any:
        with paddle.no_grad():
            for fast, slow in zip(self.fc.parameters(), self.slow.parameters(), strict=True):
                slow.set_value(slow * 0.9 + fast * 0.1)
        return self.fc(x) - self.slow(x)


class NormOnOneWay(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1D(2)

    def forward(self, x: Any) -> Any:
        return self.norm(x) if x.sum() > 0 else x


LAYERS = (OnOneWay, SetAndChanged, ChangedThenSet, InRounds, Queue, Averaged, NormOnOneWay)


def train(made: type[nn.Layer], static: bool) -> list[Any]:
    """Return the results of some steps, and the state after them."""
    paddle.seed(3)
    layer = made()
    called = paddle.jit.to_static(layer) if static else layer
    parameters = [p for p in layer.parameters() if not p.stop_gradient]
    layer.train()
    rule = paddle.optimizer.SGD(0.1, parameters=parameters) if parameters else None
    found = []
    for i in range(4):
        x = np.linspace(i - 1.0, i, 6, dtype="float32").reshape(3, 2)
        y = called(paddle.to_tensor(x))
        found.append(y.numpy())
        if rule is not None and not y.stop_gradient:
            y.sum().backward()
            rule.step()
            rule.clear_grad()
    return found + [v.numpy() for v in layer.state_dict().values()]


@pytest.mark.parametrize("made", LAYERS, ids=lambda c: c.__name__)
def test_buffers_equal_eager(made: type[nn.Layer]) -> None:
    for found, wanted in zip(train(made, True), train(made, False), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("made", "line"), [(OnOneWay, "self.n.add_"), (Averaged, "slow.set_value")]
)
def test_saving_mutated_buffers_is_rejected(
    made: type[nn.Layer], line: str, tmp_path: Path
) -> None:
    with pytest.raises(TraceError, match=f"(?s)forward changes a buffer in place.*{line}"):
        paddle.jit.save(made(), tmp_path / "m", input_spec=[InputSpec([None, 2])])
    assert not list(tmp_path.iterdir())


def test_batch_norm_on_one_path_is_saved(tmp_path: Path) -> None:
    layer = NormOnOneWay()
    layer.eval()
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[InputSpec([None, 2])])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for sign in (1.0, -1.0):
        x = paddle.full([3, 2], sign)
        np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-5)
