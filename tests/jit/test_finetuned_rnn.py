"""Training a loaded recurrent network: its gradients equal those of the saved layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.static import InputSpec


class Net(nn.Layer):
    def __init__(
        self, kind: str, direction: str, layers: int, lengths: bool, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.lengths = lengths
        self.rnn = getattr(nn, kind)(4, 3, num_layers=layers, direction=direction, dropout=dropout)
        self.fc = nn.Linear(3 if direction == "forward" else 6, 2)

    def forward(self, x: Any, n: Any = None) -> Any:
        return self.fc(self.rnn(x, sequence_length=n if self.lengths else None)[0])


@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("direction", ["forward", "bidirect"])
@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_gradients_of_a_loaded_network(
    kind: str, direction: str, layers: int, lengths: bool, tmp_path: Path
) -> None:
    net = Net(kind, direction, layers, lengths)
    net.eval()
    specs = [InputSpec([None, None, 4], name="x"), InputSpec([None], "int64", "n")]
    paddle.jit.save(net, str(tmp_path / "m"), specs if lengths else specs[:1])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    inputs = [paddle.to_tensor(np.random.default_rng(1).random((2, 5, 4), np.float32))]
    inputs += [paddle.to_tensor(np.array([5, 3]))] if lengths else []
    for model in (net, loaded):
        model.train()
        model(*inputs).square().mean().backward()
    wanted = {name: p.grad.numpy() for name, p in net.named_parameters()}
    found = {name: p.grad.numpy() for name, p in loaded.named_parameters()}
    assert found.keys() == wanted.keys()
    for name, gradient in found.items():
        np.testing.assert_allclose(gradient, wanted[name], rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_gradients_with_dropout(kind: str, tmp_path: Path) -> None:
    net = Net(kind, "bidirect", 2, lengths=False, dropout=0.5)
    net.eval()
    paddle.jit.save(net, str(tmp_path / "m"), [InputSpec([None, None, 4])])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    loaded.train()
    loaded(paddle.ones([2, 5, 4])).sum().backward()
    assert all(np.isfinite(p.grad.numpy()).all() for p in loaded.parameters())
