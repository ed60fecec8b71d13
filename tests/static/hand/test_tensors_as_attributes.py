"""Tensors as axes, depths and steps, and other features of Paddle programs: converted, hand-written
and saved.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.core.errors import AssertError, GuardError, OarlockError
from oarlock.static import InputSpec

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 10

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "concat": lambda x, k: paddle.concat([x, x * 2], axis=k),
    "concat along a list of one": lambda x, k: paddle.concat([x, x * 2], axis=k.reshape([1])),
    "gather": lambda x, k: paddle.gather(x, paddle.zeros([2], "int64"), axis=k),
    "one_hot": lambda x, k: paddle.nn.functional.one_hot(paddle.zeros([2], "int64"), k) + x.sum(),
    "slice": lambda x, k: x[:, :, ::k],
    "slice backwards": lambda x, k: x[:, :, ::-k],
    "slice from and to": lambda x, k: x[:, :, 0:4:k],
    "unsqueeze": lambda x, k: paddle.unsqueeze(x, axis=k),
    "unsqueeze by a list": lambda x, k: paddle.unsqueeze(x, axis=[0, k]),
    "split": lambda x, k: paddle.split(x, [k, -1], axis=2)[1],
    "topk": lambda x, k: paddle.topk(x, k=k)[0],
    "reshape": lambda x, k: paddle.reshape(x, [k, -1]),
    "stack": lambda x, k: paddle.stack([x, x * 2], axis=k),
    "cumsum": lambda x, k: paddle.cumsum(x, axis=k),
    "cumsum from the end": lambda x, k: paddle.cumsum(x, axis=-k),
    "argmax": lambda x, k: paddle.argmax(-x, axis=k).astype("float32") + x.sum(),
    "argmin": lambda x, k: paddle.argmin(x, axis=k - 1, keepdim=True).astype("float32") + x.sum(),
    "squeeze": lambda x, k: paddle.squeeze(x.unsqueeze(2), axis=k),
    "squeeze by a list": lambda x, k: paddle.squeeze(x.unsqueeze(2), axis=[k]),
    "sum": lambda x, k: paddle.sum(x, axis=k),
    "mean by a list": lambda x, k: paddle.mean(x, axis=[k]),
    "mean over two axes": lambda x, k: paddle.mean(x * x, axis=[k, 0]),
    "max over two axes, kept": lambda x, k: paddle.max(x, axis=[k, -2], keepdim=True),
    "sum over all axes": lambda x, k: paddle.sum(x, axis=[k, 0, k - 1]),
    "glu": lambda x, k: paddle.nn.functional.glu(x, axis=k),
    "bincount": lambda x, k: (
        paddle.bincount(paddle.ones([3], "int64"), minlength=k + 5).astype("float32") + x.sum()
    ),
    "full of one size": lambda x, k: paddle.full(k, 2.0) * x.sum(),
    "no dropout": lambda x, k: paddle.nn.functional.dropout(x, p=(k - 2).astype("float32")),
    "dropout of all": lambda x, k: paddle.nn.functional.dropout(x, p=(k - 1).astype("float32")) + x,
    "tile, expand": lambda x, k: paddle.tile(x, [1, k, 1]) + paddle.expand(x[:, :1], [k, 3 * k, 4]),
    "arange, linspace, eye": lambda x, k: (
        x[0, 0, 0] * paddle.arange(k)
        + paddle.linspace(0, 1, k) * paddle.eye(k)
        + paddle.linspace(0, 5, k)
    ),
    "pad": lambda x, k: paddle.nn.functional.pad(x, [k, 1], data_format="NCL"),
    "interpolate": lambda x, k: paddle.nn.functional.interpolate(x.unsqueeze(0), size=[k, k + 1]),
    "repeat_interleave": lambda x, k: paddle.repeat_interleave(x, paddle.stack([k, k]), axis=0),
}


def run_static_program(function: Callable[[Any, Any], Any]) -> Any:
    paddle.enable_static()
    try:
        program = static.Program()
        with static.program_guard(program):
            out = function(static.data("x", [None, 3, 4], "float32"), static.data("k", [], "int32"))
        feed = {"x": X, "k": np.array(2, np.int32)}
        return static.Executor().run(program, feed=feed, fetch_list=[out])[0]
    finally:
        paddle.disable_static()


@pytest.mark.filterwarnings(
    "ignore:.*there are no parameters",
    "ignore:.*by the interpreter",
    "ignore:.*op by op, slower",
    "ignore:.*none of the generated inputs fits",
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equals_eager(name: str, tmp_path: Path) -> None:
    function, k = FUNCTIONS[name], paddle.to_tensor(2, dtype="int32")
    grads, values = [], []
    converted = paddle.jit.to_static(function)
    for called in (function, converted):
        x = paddle.to_tensor(X, stop_gradient=False)
        out = called(x, k)
        (out * out).sum().backward()
        grads.append(x.grad.numpy())
        values.append(out.numpy())
    np.testing.assert_allclose(values[1], values[0], rtol=1e-6)
    np.testing.assert_allclose(grads[1], grads[0], rtol=1e-6)
    np.testing.assert_allclose(run_static_program(function), values[0], rtol=1e-6)
    specs = [InputSpec([2, 3, 4], "float32", "x"), InputSpec([], "int32", "k")]
    paddle.jit.save(paddle.jit.to_static(function, specs), tmp_path / "m")
    np.testing.assert_allclose(
        paddle.jit.load(tmp_path / "m")(paddle.to_tensor(X), k).numpy(), values[0], rtol=1e-6
    )


def several_elements(x: Any, flag: Any) -> Any:
    if flag.sum() > 0:
        y = x * 2
    elif x > 0:
        y = x
    else:
        y = -x
    return y


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_condition_of_several_elements_is_a_run_time_error(tmp_path: Path) -> None:
    specs = [InputSpec([4], "float32", "x"), InputSpec([1], "float32", "flag")]
    converted = paddle.jit.to_static(several_elements, specs)
    paddle.jit.save(converted, tmp_path / "m")
    loaded = paddle.jit.load(tmp_path / "m")
    x, yes = paddle.ones([4]), paddle.ones([1])
    for called, error in ((converted, AssertError), (loaded, GuardError)):
        assert called(x, yes).tolist() == [2, 2, 2, 2]
        with pytest.raises(error, match="the condition should have one element"):
            called(x, -yes)
    with pytest.raises(TypeError, match="the condition should have one element"):
        paddle.jit.to_static(lambda x: x if x > 0 else -x)(x)


def test_gradients_appended_after_program_guard() -> None:
    paddle.enable_static()
    try:
        program, start = static.Program(), static.Program()
        with static.program_guard(program, start):
            x = static.data("x", [2, 3], "float32")
            h = static.nn.fc(x, 2)
            out = static.nn.cond(
                paddle.mean(x) > 0, lambda: paddle.mean(h), lambda: paddle.mean(h * h)
            )
        pairs = static.append_backward(out)
        assert len(pairs) == 2
        executor = static.Executor()
        executor.run(start)
        (bias,) = executor.run(
            program, feed={"x": np.ones((2, 3), np.float32)}, fetch_list=[pairs[1][1]]
        )
        np.testing.assert_allclose(bias, [0.5, 0.5])
    finally:
        paddle.disable_static()


def test_minimize_returns_pairs_with_gradients() -> None:
    used, unused = (paddle.create_parameter([2], "float32") for _ in range(2))
    optimizer = paddle.optimizer.SGD(0.1, parameters=[used, unused])
    used.sum().backward()
    _, pairs = optimizer.minimize(used.sum())
    assert [p is used for p, _ in pairs] == [True]
    assert unused.grad is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x, k: paddle.concat([x] * 2, axis=k),
        lambda x, k: paddle.cumsum(x, axis=k),
        lambda x, k: paddle.argmax(x, axis=k),
        lambda x, k: paddle.sum(x, axis=[k]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*op by op, slower")
def test_invalid_axis_is_rejected(function: Callable[[Any, Any], Any]) -> None:
    for called in (function, paddle.jit.to_static(function, full_graph=True)):
        for axis in (5, -4):
            with pytest.raises((OarlockError, ValueError)):
                called(paddle.to_tensor(X), paddle.to_tensor(axis))


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_with_tensor_count(replacement: bool, full_graph: bool) -> None:
    def draw(weights: Any, count: Any) -> Any:
        return paddle.multinomial(weights, num_samples=count, replacement=replacement)

    weights = paddle.to_tensor([[0.1, 0.0, 0.6, 0.3], [1.0, 1.0, 1.0, 1.0]])
    converted = paddle.jit.to_static(draw, full_graph=full_graph)
    paddle.seed(3)
    for called in (draw, converted):
        found = np.stack([called(weights, paddle.to_tensor(3)).numpy() for _ in range(300)])
        assert found.shape == (300, 2, 3)
        assert not (found[:, 0] == 1).any()
        assert replacement or all(len(set(row)) == 3 for row in found[:, 1].tolist())
        first = np.bincount(found[:, 0, 0], minlength=4) / 300
        np.testing.assert_allclose(first, [0.1, 0, 0.6, 0.3], atol=0.1)


@pytest.mark.parametrize("mode", ["upscale_in_train", "downscale_in_infer"])
@pytest.mark.parametrize("axis", [None, 1, [0, 2]])
def test_dropout_with_tensor_probability(axis: Any, mode: str) -> None:
    def drop(x: Any, p: Any, training: bool) -> Any:
        return paddle.nn.functional.dropout(x, p, axis=axis, training=training, mode=mode)

    x, p = paddle.ones([20, 30, 40]), paddle.to_tensor(0.25)
    converted = paddle.jit.to_static(drop, full_graph=True)
    kept = 1 / 0.75 if mode == "upscale_in_train" else 1.0
    found = converted(x, p, True).numpy()
    assert set(np.unique(found.round(4))) == {0.0, np.float32(kept).round(4)}
    assert abs((found == 0).mean() - 0.25) < 0.2
    np.testing.assert_allclose(converted(x, p, False).numpy(), drop(x, p, False).numpy(), rtol=1e-6)
