"""Saved layers run in every loader of real Paddle; models of real Paddle run and train here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as oar
from oarlock import nn
from oarlock.nn import functional as F
from oarlock.static import Dim, InputSpec

pytestmark = pytest.mark.paddle
rng = np.random.default_rng(0)


class Residual(nn.Layer):
    """Convolutions with and without groups, batch norm, pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Conv2D(3, 8, 3, padding=1, bias_attr=False)
        self.norm = nn.BatchNorm2D(8)
        self.b = nn.Conv2D(8, 8, 3, padding="SAME", groups=8)
        self.pool = nn.AvgPool2D(2, 2)
        self.head = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        y = F.relu(self.norm(self.a(x)))
        return self.head(F.adaptive_avg_pool2d(self.pool(F.relu6(self.b(y) + y)), 1).flatten(1))


class Tokens(nn.Layer):
    """Embedding, attention, layer norm, dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(11, 16)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 4, 32, activation="gelu"), 2
        )
        self.head = nn.Linear(16, 3)

    def forward(self, ids: Any) -> Any:
        return F.softmax(self.head(self.encoder(self.table(ids)).mean(1)))


class Several(nn.Layer):
    """Two inputs; results of several dtypes, one an input and one duplicated."""

    def forward(self, x: Any, y: Any) -> Any:
        z = x * 2 + y
        return {
            "z": z,
            "large": z > 0.5,
            "which": z.argmax(1),
            "again": z,
            "given": y,
            "top": z.topk(2)[0],
        }


class Shapes(nn.Layer):
    """Slices, joins, reductions."""

    def forward(self, x: Any) -> Any:
        a, b = oar.split(x, 2, 1)
        y = oar.concat([a, b * 2, x[:, ::2]], 1).transpose([0, 2, 1]).reshape([0, -1])
        return (
            y.clip(-1, 1).sum(1),
            oar.stack([a, b], 1).squeeze(-1).max(2),
            x[:, 1:3, 0].unsqueeze(1).exp(),
        )


def lenet() -> nn.Layer:
    from oarlock.cli.demo import LeNet

    return LeNet()


def normal(*shape: int) -> Any:
    return rng.standard_normal(shape).astype("float32")


CASES: dict[str, tuple[Callable[[], nn.Layer], list[Any], list[list[Any]]]] = {
    "lenet": (lenet, [normal(3, 1, 28, 28)], [[None, 1, 28, 28]]),
    "mlp": (lambda: nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2)), [normal(3, 6)], [[None, 6]]),
    "residual": (Residual, [normal(2, 3, 10, 10)], [[None, 3, None, None]]),
    "named_sizes": (Residual, [normal(2, 3, 10, 10)], [["batch", 3, Dim("h", 8, 64, multiple=2), None]]),
    "tokens": (Tokens, [rng.integers(0, 11, (2, 5))], [[None, None]]),
    "several": (Several, [normal(3, 4), normal(3, 4)], [[None, 4], [None, 4]]),
    "shapes": (Shapes, [normal(2, 4, 1)], [[None, 4, 1]]),
    "activations": (
        lambda: nn.Sequential(*(getattr(nn, n)() for n in "ReLU Sigmoid Silu Hardswish GELU ELU LeakyReLU Softplus Mish Hardsigmoid LogSoftmax".split())),
        [normal(2, 6)],
        [[None, 6]],
    ),
}  # fmt: skip


def in_order(results: Any) -> list[Any]:
    """Results in the order of the outputs of a program: those of a dict by key."""
    return [results[key] for key in sorted(results)] if isinstance(results, dict) else list(results)


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize("way", ["save", "trace"])
def test_real_paddle_runs_saved_layers(case: str, way: str, paddle: Any, tmp_path: Path) -> None:
    make, inputs, shapes = CASES[case]
    layer = make()
    layer.eval()
    tensors = [oar.to_tensor(x) for x in inputs]
    prefix = tmp_path / "m"
    if way == "save":
        oar.jit.save(
            layer,
            prefix,
            input_spec=[InputSpec(s, x.dtype) for s, x in zip(shapes, inputs, strict=True)],
        )
    else:
        oar.jit.TracedLayer.trace(layer, tensors)[1].save_inference_model(prefix)
    wanted = layer(*tensors)
    flat = [wanted] if isinstance(wanted, oar.Tensor) else in_order(wanted)
    np.savez(tmp_path / "in.npz", *inputs)
    loaders = ("jit", "static", "predictor") if way == "save" else ("static", "predictor")
    ours = oar.jit.load(prefix)(*inputs)
    ours = [ours] if isinstance(ours, oar.Tensor) else in_order(ours)
    for name, found in {
        **paddle.run(prefix, tmp_path / "in.npz", "out", loaders),
        "ours": [o.numpy() for o in ours],
    }.items():
        assert len(found) == len(flat), name
        for got, want in zip(found, flat, strict=True):
            assert got.shape == tuple(want.shape), name
            np.testing.assert_allclose(got, want.numpy(), rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.filterwarnings("ignore:.*the engine does not have")
def test_paddle_exports_run_in_the_engine(exports: Path, paddle: Any) -> None:
    """Every export that the engine has the ops for; those without are rejected with all of them
    listed.
    """
    ran = []
    for pdmodel in sorted(exports.glob("*.pdmodel")):
        prefix = pdmodel.with_suffix("")
        with np.load(f"{prefix}.npz") as held:
            inputs = [held[n] for n in held.files]
        try:
            layer = oar.jit.load(prefix)
            ours = layer(*inputs)
        except NotImplementedError as error:
            assert "cannot be lowered" in str(error), pdmodel.name
            continue
        theirs = paddle.run(prefix, Path(f"{prefix}.npz"), "run", ("static",))["static"]
        for got, want in zip([ours] if isinstance(ours, oar.Tensor) else ours, theirs, strict=True):
            np.testing.assert_allclose(
                np.asarray(got.array, want.dtype), want, rtol=1e-4, atol=1e-5, err_msg=pdmodel.name
            )
        ran.append(prefix.name)
    assert len(ran) >= 10, ran


def test_fine_tuning_a_paddle_model(paddle: Any, tmp_path: Path) -> None:
    paddle.ask("save_classifier", prefix=str(tmp_path / "m"))
    layer = oar.jit.load(tmp_path / "m")
    layer.train()
    x, y = oar.to_tensor(normal(16, 1, 8, 8)), oar.to_tensor(rng.integers(0, 3, (16, 1)))
    before = {n: p.numpy() for n, p in layer.named_parameters()}
    rule = oar.optimizer.Adam(0.01, parameters=layer.parameters())
    losses = []
    for _ in range(20):
        loss = F.cross_entropy(layer(x), y)
        loss.backward()
        rule.step()
        rule.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    moved = [
        n
        for n, p in layer.named_parameters()
        if not p.stop_gradient and not np.array_equal(p.numpy(), before[n])
    ]
    assert moved == [n for n, p in layer.named_parameters() if not p.stop_gradient]
    layer.eval()
    oar.jit.save(layer, tmp_path / "tuned")
    np.savez(tmp_path / "in.npz", x.numpy())
    theirs = paddle.run(
        tmp_path / "tuned", tmp_path / "in.npz", "out", ("jit", "static", "predictor")
    )
    for found in theirs.values():
        np.testing.assert_allclose(found[0], layer(x).numpy(), rtol=1e-4, atol=1e-5)
