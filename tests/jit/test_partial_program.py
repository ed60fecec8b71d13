"""Programs called from eager code: training through them is training eagerly, to the last bit where kernels are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.mode import instead
from oarlock.core.tensor import Tensor
from oarlock.jit.partial_program import PartialProgram
from oarlock.jit.recording import Recording
from oarlock.static.modes import Static
from oarlock.static.record import Recorder
from oarlock.static.variable import Variable

F = nn.functional


def partial(function: Callable[..., Any], examples: list[Any]) -> PartialProgram:
    """A function of tensors as a program."""
    recorder, inputs = Recorder(), []
    for i, x in enumerate(examples):
        inputs.append(Variable(recorder.feed(f"x{i}", x.meta)))
        recorder.bind(inputs[-1], inputs[-1].name)
    with instead(Static(recorder, trains=True)):
        made = function(*inputs)
        for out in made if isinstance(made, tuple) else (made,):
            recorder.fetch(recorder.name_of(out))
    return PartialProgram(Recording(recorder.program, recorder.scope))


def mlp():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))


def normed():
    return nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(), nn.Linear(36, 4)
    )


def dropping():
    return nn.Sequential(
        nn.Linear(6, 32), nn.Dropout(0.5), nn.GELU(), nn.Linear(32, 32), nn.Dropout(0.3), nn.Linear(32, 4)
    )


class Recurrent(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Attending(nn.Layer):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1), 2)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.encoder(x).mean(1))


class Mixed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = mlp()

    def forward(self, x):
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            return self.body(x)


class Chained(nn.Layer):
    """Many small ops."""

    def __init__(self):
        super().__init__()
        self.scale = self.create_parameter([6], default_initializer=nn.initializer.Constant(0.7))
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        y = x
        for _ in range(10):
            y = paddle.tanh(y * self.scale + x) - F.sigmoid(y) / 3
        return self.head(y)


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (mlp, (5, 6)),
    "normed": (normed, (5, 1, 6, 6)),
    "dropping": (dropping, (5, 6)),
    "recurrent": (Recurrent, (5, 7, 6)),
    "attending": (Attending, (5, 7, 8)),
    "mixed": (Mixed, (5, 6)),
    "chained": (Chained, (5, 6)),
}
STEPS = 20


def data(shape: tuple[int, ...]) -> list[tuple[Tensor, Tensor]]:
    source = np.random.default_rng(3)
    return [
        (Tensor(source.standard_normal(shape).astype(np.float32)), Tensor(source.integers(0, 4, (shape[0], 1))))
        for _ in range(STEPS)
    ]


def train(model: Any, step: Callable[[Tensor, Tensor], Tensor], batches: list[tuple[Tensor, Tensor]]) -> Any:
    """The losses, and all parameters and buffers in the end."""
    paddle.seed(11)
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    losses = []
    for x, y in batches:
        loss = step(x, y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses, {k: v.numpy() for k, v in model.state_dict().items()}


@pytest.mark.parametrize("whole", [True, False], ids=["with the loss", "without"])
@pytest.mark.parametrize("name", MODELS)
def test_training_is_training_eagerly(name: str, whole: bool) -> None:
    make, shape = MODELS[name]
    batches = data(shape)
    model = make()
    twin = make()
    twin.set_state_dict({k: v.numpy() for k, v in model.state_dict().items()})
    loss_of = lambda x, y: F.cross_entropy(model(x), y)
    if whole:
        called = partial(lambda x, y: F.cross_entropy(twin(x), y), list(batches[0]))
        step = lambda x, y: called([x, y])[0]
    else:
        called = partial(twin, [batches[0][0]])
        step = lambda x, y: F.cross_entropy(called([x])[0], y)
    wanted, wanted_state = train(model, loss_of, batches)
    losses, found_state = train(twin, step, batches)
    np.testing.assert_allclose(losses, wanted, rtol=1e-6)
    for key, value in wanted_state.items():
        np.testing.assert_allclose(found_state[key], value, rtol=1e-5, atol=1e-6, err_msg=key)
