"""Loaded models with control flow: trained, saved again, used in other layers, traced and
verified.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import TracedLayer, load, save, to_static
from oarlock.jit.verify import describe_first_op_differing_in_engine
from oarlock.loader.model_files import read_model
from oarlock.static import InputSpec


class Net(nn.Layer):
    """A branch with a layer on each path, a loop over rows, a list, a norm, and dropout with p=0."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.norm = nn.Linear(4, 4), nn.Linear(4, 4), nn.BatchNorm1D(4)
        self.cell = nn.Linear(8, 4)
        self.drop = nn.Dropout(0.0)

    def forward(self, x: Any) -> Any:
        y = self.norm(x)
        if y.abs().mean() > 0.8:
            y = self.a(y)
        else:
            y = paddle.tanh(self.b(y)) * 2
        state = paddle.zeros([4])
        states = []
        for row in y:
            state = paddle.tanh(self.cell(paddle.concat([row, state])))
            states.append(state)
        return {"last": self.drop(state), "all": paddle.stack(states)}


def net() -> Net:
    paddle.seed(3)
    return Net()


def normal(*shape: int, scale: float = 1.0) -> paddle.Tensor:
    rng = np.random.default_rng(sum(shape))
    return paddle.to_tensor((rng.standard_normal(shape) * scale).astype("float32"))


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> str:
    at = str(tmp_path_factory.mktemp("net") / "m")
    save(
        net(), at, input_spec=[InputSpec([None, 4], name="x")]
    )  # in train mode: saved in eval mode, a norm keeps its statistics
    return at


def losses(model: nn.Layer, steps: int = 20) -> list[float]:
    """Return the loss after each step; both branches are taken."""
    model.train()
    rule = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    found = []
    for i in range(steps):
        out = model(normal(3 + i % 2, 4, scale=1.0 if i % 3 else 2.0))
        loss = (out["last"] - 0.5).square().sum() + out["all"].square().mean()
        loss.backward()
        rule.step()
        rule.clear_grad()
        found.append(float(loss))
    model.eval()
    return found


def check_equal(found: nn.Layer, wanted: nn.Layer) -> None:
    for scale, rows in ((0.1, 2), (3.0, 5)):
        x = normal(rows, 4, scale=scale)
        got, want = found(x), wanted(x)
        for key in want:
            np.testing.assert_allclose(got[key].numpy(), want[key].numpy(), rtol=1e-4, atol=1e-5)


def test_loaded_model_trains_like_the_layer(prefix: str, tmp_path: Path) -> None:
    layer, loaded = net(), load(prefix)
    check_equal(loaded, _evaluated(net()))
    assert losses(loaded) == pytest.approx(losses(layer), rel=1e-4)
    for name, value in layer.state_dict().items():
        np.testing.assert_allclose(
            loaded.state_dict()[name].numpy(), value.numpy(), rtol=1e-3, atol=1e-5
        )
    check_equal(loaded, layer)
    save(loaded, tmp_path / "again")
    again = load(tmp_path / "again")
    assert "largest difference" in again.program().contract.verified
    check_equal(again, layer)
    assert losses(again, 5) == pytest.approx(losses(layer, 5), rel=1e-3)


def test_batch_norm_saved_in_eval_mode(tmp_path: Path) -> None:
    """As in real Paddle, the file sets use_global_stats."""
    save(_evaluated(nn.BatchNorm1D(4)), tmp_path / "m", input_spec=[InputSpec([None, 4])])
    loaded = load(tmp_path / "m")
    loaded.train()
    x = normal(5, 4)
    np.testing.assert_allclose(
        loaded(x).numpy(), x.numpy() / np.sqrt(np.float32(1 + 1e-5)), rtol=1e-5
    )
    assert loaded.state_dict()["_mean"].numpy().tolist() == [0, 0, 0, 0]


def _evaluated(layer: nn.Layer) -> nn.Layer:
    layer.eval()
    return layer


class Outer(nn.Layer):
    """A loaded model as a part."""

    def __init__(self, inner: nn.Layer) -> None:
        super().__init__()
        self.first, self.inner = nn.Linear(2, 4), inner

    def forward(self, x: Any) -> Any:
        y = self.inner(self.first(x))
        return {"last": y["last"] + 1, "all": y["all"]}


def test_loaded_model_as_sublayer(prefix: str, tmp_path: Path) -> None:
    def outer(inner: nn.Layer) -> Outer:
        paddle.seed(5)
        return Outer(inner)

    plain, around, static = outer(net()), outer(load(prefix)), to_static(outer(load(prefix)))
    x = normal(3, 2)
    for layer in (around, static):
        for model in (plain, layer):
            model.train()
            model.clear_gradients()
            model(x)["last"].sum().backward()
        np.testing.assert_allclose(
            layer.first.weight.grad.numpy(), plain.first.weight.grad.numpy(), rtol=1e-4, atol=1e-6
        )
    around.eval()
    save(around, tmp_path / "o", input_spec=[InputSpec([None, 2])])
    loaded = load(tmp_path / "o")
    for rows in (1, 4):
        np.testing.assert_allclose(
            loaded(normal(rows, 2))["all"].numpy(),
            around(normal(rows, 2))["all"].numpy(),
            rtol=1e-4,
            atol=1e-6,
        )


def test_trace_of_loaded_model_has_guards(prefix: str) -> None:
    loaded = load(prefix)
    x = normal(3, 4, scale=3.0)
    want, traced = TracedLayer.trace(loaded, [x])
    np.testing.assert_allclose(traced([x])[1], want["last"].numpy(), rtol=1e-5)  # sorted: all, last
    assert any(g.reader == "bool()" for g in traced.guards)
    with pytest.raises(
        paddle.GuardError, match=r"(?s)the trace assumed .*bool\(\).*test_retraining.py"
    ):
        traced([x * 0.01])


class Gradient(nn.Layer):
    """Gives a gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        y = x * 1.0
        y.stop_gradient = False
        (found,) = paddle.grad([(self.fc(y) ** 2).sum()], [y])
        return found


def test_gradients_inside_a_traced_forward() -> None:
    layer = Gradient()
    _, traced = TracedLayer.trace(layer, [normal(2, 4)])
    other = normal(3, 4)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "traced: the engine does not have spread_like")
        np.testing.assert_allclose(
            traced([other[:2]])[0], layer(other[:2]).numpy(), rtol=1e-5, atol=1e-6
        )


def test_first_differing_op_with_control_flow(prefix: str) -> None:
    files = read_model(prefix)
    scope = {name: paddle.to_tensor(np.array(a)) for name, a in files.values.items()}
    x = normal(2, 4)
    found = load(prefix)(x)
    wanted = [found[name].numpy() for name in sorted(found)]
    assert "an optimization of the engine differs" in describe_first_op_differing_in_engine(
        files.program, files.pdmodel, files.params_path, scope, [x], wanted
    )
    scope["linear_2.w_0"].array = scope["linear_2.w_0"].array * 2  # of the layer that the loop has
    changed = load(prefix)
    changed.state_dict()["cell.weight"].set_value(scope["linear_2.w_0"].numpy())
    found = changed(x)
    wanted = [found[name].numpy() for name in sorted(found)]
    why = describe_first_op_differing_in_engine(
        files.program, files.pdmodel, files.params_path, scope, [x], wanted
    )
    assert "the first op to differ is while, output" in why
