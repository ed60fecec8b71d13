"""FLAGS_check_nan_inf and the functions of amp.debugging that use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn, static
from oarlock.amp import debugging
from oarlock.core.errors import NumericsError
from oarlock.incubate import autotune


@pytest.fixture
def check_enabled() -> Iterator[None]:
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    yield
    paddle.set_flags({"FLAGS_check_nan_inf": False})


def negative_and_zero() -> Any:
    return paddle.to_tensor([-1.0, 0.0])


@pytest.mark.parametrize("gradients", [True, False])
def test_op_that_returns_nan_is_named(check_enabled: None, gradients: bool) -> None:
    with (
        paddle.set_grad_enabled(gradients),
        pytest.raises(NumericsError, match=r"log: .*num_nan=1, num_inf=1.*float32\[2\]"),
    ):
        paddle.log(negative_and_zero())
    assert issubclass(NumericsError, RuntimeError)  # as in Paddle


def test_infinite_gradient_raises(check_enabled: None) -> None:
    x = paddle.to_tensor([0.0], stop_gradient=False)
    y = paddle.sqrt(x)
    with pytest.raises(NumericsError, match="num_inf=1"):
        y.backward()


def test_check_does_not_change_training(check_enabled: None) -> None:
    def trained() -> Any:
        paddle.seed(3)
        net = nn.Sequential(
            nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2)
        )
        optimizer = paddle.optimizer.Adam(parameters=net.parameters())
        for _ in range(2):
            net(paddle.rand([2, 1, 4, 4])).square().mean().backward()
            optimizer.step()
            optimizer.clear_grad()
        return [p.numpy() for p in net.parameters()]

    found = trained()
    paddle.set_flags({"FLAGS_check_nan_inf": False})
    for a, b in zip(found, trained(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_disabled_check_does_not_raise() -> None:
    assert np.isnan(paddle.log(negative_and_zero()).numpy()).any()


def test_program_error_names_op_and_line(check_enabled: None) -> None:
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            x = static.data("x", [2])
            y = paddle.nn.functional.relu(paddle.log(x))
        executor = static.Executor()
        (fine,) = executor.run(main, feed={"x": np.ones(2, np.float32)}, fetch_list=[y])
        assert fine.tolist() == [0, 0]
        with pytest.raises(NumericsError, match=r"log: .*computed at .*test_numerics_check.py"):
            executor.run(main, feed={"x": -np.ones(2, np.float32)}, fetch_list=[y])
    finally:
        paddle.disable_static()


def test_tensor_checker_and_layer_numerics() -> None:
    debugging.enable_tensor_checker(debugging.TensorCheckerConfig(enable=True))
    try:
        with pytest.raises(NumericsError):
            paddle.log(negative_and_zero())
    finally:
        debugging.disable_tensor_checker()
    paddle.log(negative_and_zero())

    class LayerWithLog(nn.Layer):
        @debugging.check_layer_numerics
        def forward(self, x: Any) -> Any:
            return paddle.log(x)

    assert LayerWithLog()(paddle.ones([1])).numpy().tolist() == [0]
    with pytest.raises(NumericsError):
        LayerWithLog()(negative_and_zero())
    paddle.log(negative_and_zero())


def test_autotune_config(tmp_path: Any) -> None:
    (tmp_path / "config.json").write_text('{"kernel": {"enable": true}}')
    for config in (
        None,
        {},
        {"kernel": {"enable": True, "tuning_range": [1, 3]}},
        str(tmp_path / "config.json"),
    ):
        autotune.set_config(config)
    with pytest.warns(UserWarning, match="`enable` should be bool"):
        autotune.set_config({"layout": {"enable": 1}})
    with pytest.warns(UserWarning, match="Use default configuration"):
        autotune.set_config(str(tmp_path / "absent.json"))


class LayerWithLog(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return paddle.log(self.fc(x) * 0 + x)


@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize("kind", ["to_static", "jit.load"])
def test_to_static_and_loaded_programs_are_checked(
    kind: str, gradients: bool, tmp_path: Path
) -> None:
    layer: Any = paddle.jit.to_static(LayerWithLog(), full_graph=True)
    if kind == "jit.load":
        paddle.jit.save(LayerWithLog(), str(tmp_path / "m"), [static.InputSpec([None, 2])])
        layer = paddle.jit.load(str(tmp_path / "m"))
    layer.train() if gradients else layer.eval()
    x = paddle.to_tensor([[1.0, -1.0]])
    with paddle.set_grad_enabled(gradients):
        assert np.isnan(layer(x).numpy()).any()  # unchecked
        paddle.set_flags({"FLAGS_check_nan_inf": True})
        try:
            with pytest.raises(NumericsError, match=r"log: .*num_nan=1"):
                layer(x)
            made = layer(paddle.ones([1, 2]))
            assert made.numpy().tolist() == [[0, 0]]
            assert made.stop_gradient is not gradients
        finally:
            paddle.set_flags({"FLAGS_check_nan_inf": False})
        assert np.isnan(layer(x).numpy()).any()


def test_batch_norm_statistics_are_updated_while_checked(check_enabled: None) -> None:
    norm = nn.BatchNorm1D(2)
    paddle.jit.to_static(norm, full_graph=True)(paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]]))
    np.testing.assert_allclose(norm._mean.numpy(), [0.2, 0.4], rtol=1e-6)
