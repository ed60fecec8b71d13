"""ProgramTranslator.save_inference_model of Paddle 1.8: writes the program that was captured last
as a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn, static
from oarlock.jit import ProgramTranslator, load, save, to_static


class Net(nn.Layer):
    """A branch, a layer that training changes, and a second output with the loss.

    The receiver has a name of its own.
    """

    def __init__(me) -> None:
        super().__init__()
        me.fc, me.drop = nn.Linear(3, 3), nn.Dropout(0.5)

    def forward(me, x: Any) -> Any:
        z = me.fc(x)
        if z.sum() > 0:
            z = z * 2
        return me.drop(z), z.mean()


X = paddle.to_tensor(np.random.default_rng(0).standard_normal((2, 3)).astype("float32"))


@pytest.fixture
def net() -> Net:
    """Return a layer whose program was captured last, by training it."""
    paddle.seed(0)
    made = Net()
    to_static(made)(X)[1].backward()
    return made


def test_last_program_is_saved_as_folder(net: Net, tmp_path: Path) -> None:
    ProgramTranslator().save_inference_model(str(tmp_path / "m"), fetch=[0])
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == [
        "__model__",
        "linear_0.b_0",
        "linear_0.w_0",
    ]
    net.eval()
    for x in (X, -X, paddle.ones([5, 3])):
        np.testing.assert_allclose(load(tmp_path / "m")(x).numpy(), net(x)[0].numpy(), rtol=1e-5)
    paddle.enable_static()
    try:
        exe = static.Executor()
        program, feeds, outs = static.load_inference_model(str(tmp_path / "m"), exe)
        (found,) = exe.run(program, feed={feeds[0]: X.numpy()}, fetch_list=outs)
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found, net(X)[0].numpy(), rtol=1e-5)


@pytest.mark.parametrize("through", ["translator", "call"])
def test_last_program_of_any_entry_point(through: str, tmp_path: Path) -> None:
    def both(a: Any, b: Any) -> Any:
        return a + b, a - b

    translator, function = ProgramTranslator(), to_static(both)
    translator.get_output(both, X, X * 3) if through == "translator" else function(X, X * 3)
    translator.save_inference_model(str(tmp_path / "m"))
    translator.save_inference_model(str(tmp_path / "n"), feed=[0, 1], fetch=[1])
    added, taken = load(tmp_path / "m")(X, X * 3)
    np.testing.assert_allclose(added.numpy(), X.numpy() * 4, rtol=1e-6)
    np.testing.assert_allclose(taken.numpy(), load(tmp_path / "n")(X, X * 3).numpy(), rtol=1e-6)


def test_invalid_fetch_and_missing_program(net: Net, tmp_path: Path) -> None:
    with pytest.raises(
        paddle.OpError, match=r"fetch \[5\] is out of range; there are 2: \['out_0', 'out_1'\]"
    ):
        ProgramTranslator().save_inference_model(str(tmp_path / "m"), fetch=[5])
    to_static(lambda x: x * 2)(X)  # which nobody keeps
    with pytest.raises(
        paddle.OpError, match="no program was captured yet, or its function was deleted"
    ):
        ProgramTranslator().save_inference_model(str(tmp_path / "m"))
    assert not list(tmp_path.iterdir())


def test_converted_forward_without_its_layer(
    tmp_path: Path,
) -> None:
    layer = nn.Linear(3, 2)
    forward = to_static(layer.forward)
    forward(X)
    save(forward, tmp_path / "m")
    np.testing.assert_allclose(
        load(tmp_path / "m")(paddle.ones([5, 3])).numpy(),
        layer(paddle.ones([5, 3])).numpy(),
        rtol=1e-5,
    )
