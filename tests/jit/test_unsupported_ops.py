"""Models with ops that the engine does not support: saved, verified, loaded and run by the
interpreter.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.loader.runtime import runtime_module

OP = "matrix_rank"


@pytest.fixture(autouse=True)
def _missing() -> None:
    assert OP not in runtime_module().convertible_op_types(), (
        "take another op that the engine does not have"
    )


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        y = self.body(x)
        return {"y": y + paddle.linalg.matrix_rank(y).astype("float32")}


def saved(path: Path, net: nn.Layer) -> str:
    with pytest.warns(
        UserWarning,
        match=f"by the interpreter, because the engine does not have all ops: {OP}: no lowering",
    ):
        paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 4], "float32", "x")])
    return str(path)


def test_save_load_and_run(tmp_path: Path) -> None:
    net = Net()
    net.eval()
    layer = paddle.jit.load(saved(tmp_path / "m", net))
    assert "by the interpreter at x[2, 4]" in layer.program().contract.verified
    x = paddle.randn([5, 4])
    with pytest.warns(
        UserWarning,
        match=f"m.pdmodel: the engine does not have {OP}; the model runs op by op, slower",
    ):
        found = layer(x)
    assert found["y"].stop_gradient
    np.testing.assert_allclose(found["y"].numpy(), net(x)["y"].numpy(), rtol=1e-6)
    for p, q in zip(layer.parameters(), net.parameters(), strict=True):
        p.set_value(p.numpy() * 2)
        q.set_value(q.numpy() * 2)
    np.testing.assert_allclose(layer(x)["y"].numpy(), net(x)["y"].numpy(), rtol=1e-6)


def test_inputs_are_checked(tmp_path: Path) -> None:
    layer = paddle.jit.load(saved(tmp_path / "m", Net()))
    with (
        pytest.warns(UserWarning, match="op by op"),
        pytest.raises(paddle.OpError, match=r"input 'x' should be float32\[\?,4\]"),
    ):
        layer(paddle.randn([5, 3]))


@pytest.mark.filterwarnings("ignore:forward. .* differs at each call")
def test_wrong_file_is_detected(tmp_path: Path) -> None:
    class Moody(Net):
        calls = itertools.count(1)  # which no file can hold

        def forward(self, x: Any) -> Any:
            return super().forward(x)["y"] * float(next(Moody.calls))

    net = Moody()
    net.eval()
    with pytest.warns(UserWarning, match="by the interpreter"), pytest.raises(paddle.VerifyError):
        paddle.jit.save(
            net, tmp_path / "m", input_spec=[paddle.static.InputSpec([None, 4], "float32")]
        )
    assert not list(tmp_path.iterdir())


def test_guards_are_checked(tmp_path: Path) -> None:
    class Branch(Net):
        def forward(self, x: Any) -> Any:
            y = super().forward(x)["y"]
            return y if float(y.sum()) > 0 else -y

    x = paddle.randn([2, 4])
    net = Branch()
    want, traced = paddle.jit.TracedLayer.trace(net, [x])
    with pytest.warns(UserWarning, match=f"{OP}; the model runs op by op"):
        np.testing.assert_allclose(traced([x])[0], want.numpy(), rtol=1e-6)
    with pytest.raises(
        paddle.GuardError, match=r"(?s)the trace assumed .*float\(\).*test_unsupported_ops.py:\d+"
    ):
        traced([x * 2])
