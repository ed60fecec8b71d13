"""StaticRNN nested in branches, loops, other StaticRNNs and converted functions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import oarlock as paddle
from oarlock import static
from oarlock.cli.demo import runner_path
from oarlock.cli.main import app
from oarlock.core.errors import GuardError

from .rnns import (
    NETS,
    Net,
    close,
    eager,
    feeds,
    loss_of,
    recurrent,
    repeated,
    started,
    unrolled,
    weights,
    written,
)


def compare_gradients(build: Callable[[Any], Any], at: Any) -> None:
    """Compare the gradient of `build` at x [3, 2] with finite differences, in float64."""
    x = static.data("x", [3, 2], "float64")
    x.stop_gradient = False
    loss = build(x).sum()
    (gradient,) = static.gradients([loss], [x])
    exe = static.Executor()

    def value(point: Any) -> float:
        return float(exe.run(feed={"x": point}, fetch_list=[loss])[0])

    point, step = np.array(at), 1e-6
    slopes = [
        (value(point + step * e) - value(point - step * e)) / (2 * step)
        for e in np.eye(6).reshape(6, 3, 2)
    ]
    np.testing.assert_allclose(
        exe.run(feed={"x": point}, fetch_list=[gradient])[0].ravel(), slopes, rtol=1e-6, atol=1e-8
    )


def rnn_in_branch(x: Any) -> Any:
    return static.nn.cond(x.sum() > 0, lambda: repeated(x, x[0]) * x, lambda: x * x)


def rnn_in_loop(x: Any) -> Any:
    i = paddle.zeros([1], "int64")
    return static.nn.while_loop(
        lambda i, h: i < 2, lambda i, h: [i + 1, repeated(h, x[1])], [i, x * 1.0]
    )[1]


def rnn_in_rnn(x: Any) -> Any:
    first, rnn = x[0], static.nn.StaticRNN()
    with rnn.step():
        one, m = rnn.step_input(x), rnn.memory(init=first)
        inner = repeated(paddle.stack([one, m]), m[0:1].sum() * one)
        h = inner.sum(axis=0) * m
        rnn.update_memory(m, h)
        rnn.step_output(h)
    return rnn()


def two_rnns(x: Any) -> Any:
    return repeated(repeated(x, x[0]), x[2])


def same_sequence_twice(x: Any) -> Any:
    """One sequence as two inputs."""
    rnn = static.nn.StaticRNN()
    with rnn.step():
        rnn.step_output(rnn.step_input(x) * rnn.step_input(x))
    return rnn()


@pytest.mark.parametrize(
    "at", [[[0.5, 0.2], [0.7, -0.1], [0.3, 0.4]], [[-0.5, 0.2], [-0.7, -0.1], [0.3, 0.1]]]
)
@pytest.mark.parametrize(
    "build", [rnn_in_branch, rnn_in_loop, rnn_in_rnn, two_rnns, same_sequence_twice]
)
def test_gradients_of_nested_rnns(build: Callable[[Any], Any], at: Any, static_mode: Any) -> None:
    compare_gradients(build, at)


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
@pytest.mark.parametrize(
    "build", [rnn_in_branch, rnn_in_loop, rnn_in_rnn, two_rnns, same_sequence_twice]
)
def test_files_of_nested_rnns(
    build: Callable[[Any], Any], static_mode: Any, tmp_path: Path
) -> None:
    x = static.data("x", [-1, 2])
    out, exe, prefix = build(x), static.Executor(), str(tmp_path / "m")
    static.save_inference_model(prefix, [x], [out], exe)
    values = [
        np.random.default_rng(i).standard_normal((n, 2)).astype("float32")
        for i, n in enumerate((3, 3, 5))
    ]
    wanted = [exe.run(feed={"x": v}, fetch_list=[out])[0] for v in values]
    paddle.disable_static()
    layer = paddle.jit.load(prefix)
    with paddle.no_grad():
        close([layer(paddle.to_tensor(v)).numpy() for v in values], wanted)


class LayerWithStaticRNN(paddle.nn.Layer):
    """A StaticRNN in a forward that is recorded."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net
        self.held = paddle.nn.ParameterList(
            [paddle.create_parameter(v.shape, "float32") for v in weights(net)]
        )
        for parameter, value in zip(self.held, weights(net), strict=True):
            parameter.set_value(value)

    def forward(self, x: Any) -> Any:
        return recurrent(self.net, list(self.held), {"x0": x})[0]


def test_in_to_static_function(tmp_path: Path) -> None:
    net = NETS["plain"]
    paddle.enable_static()
    feed = feeds(net, 4, 2)
    wanted, slopes = eager(net, feed)
    paddle.disable_static()
    layer = LayerWithStaticRNN(net)
    convert = paddle.jit.to_static(layer, input_spec=[paddle.static.InputSpec([None, None, 3])])
    x = paddle.to_tensor(feed["x0"], stop_gradient=False)
    made = convert(x)
    close([made.numpy()], wanted)
    loss_of([made]).backward()
    close([x.grad.numpy(), *(p.grad.numpy() for p in layer.held)], slopes)
    paddle.jit.save(
        layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, None, 3])]
    )
    with paddle.no_grad():
        close([paddle.jit.load(str(tmp_path / "m"))(x).numpy()], wanted)


def test_layers_in_a_step(static_mode: Any, tmp_path: Path) -> None:
    """Embedding, parameters created in the step, dropout, and statistics that each step updates."""
    words = static.data("words", [-1, -1], "int64")
    floats, rnn = paddle.cast(words, "float32"), static.nn.StaticRNN("net")
    with rnn.step():
        one = static.nn.embedding(rnn.step_input(words), [10, 4])
        m = rnn.memory(shape=[-1, 6], batch_ref=floats)  # whose dtype it has
        h = static.nn.fc(paddle.concat([one, m], 1), 6, activation="tanh")
        h = static.nn.batch_norm(paddle.nn.functional.dropout(h, 0.5), momentum=0.5)
        rnn.update_memory(m, h)
        rnn.step_output(h)
    outs = rnn()
    main, loss = static.default_main_program(), (outs * outs).mean()
    assert len(main.all_parameters()) == 7
    test = main.clone(for_test=True)
    paddle.optimizer.Adam(0.05).minimize(loss)
    exe = started()
    feed = {"words": np.random.default_rng(0).integers(0, 10, (5, 7))}
    scope = static.global_scope()
    means = ["batch_norm_0.w_1"]
    before = {n: np.array(scope.find_var(n).get_tensor()) for n in means}
    for _ in range(3):
        exe.run(main, feed=feed, fetch_list=[loss])
    assert any((np.asarray(scope.find_var(n).get_tensor()) != before[n]).any() for n in means)
    one, two = (exe.run(test, feed=feed, fetch_list=[outs])[0] for _ in range(2))
    np.testing.assert_array_equal(one, two)
    static.save_inference_model(str(tmp_path / "m"), [words], [outs], exe)
    paddle.disable_static()
    with paddle.no_grad():
        close(
            [paddle.jit.load(str(tmp_path / "m"))(paddle.to_tensor(feed["words"])).numpy()], [one]
        )


def test_dropout_gradient_uses_the_mask_of_its_step(static_mode: Any) -> None:
    x = static.data("x", [6, 50])
    x.stop_gradient = False
    rnn = static.nn.StaticRNN()
    with rnn.step():
        rnn.step_output(paddle.nn.functional.dropout(rnn.step_input(x), 0.5))
    (gradient,) = static.gradients([rnn().sum()], [x])
    out, slope = started().run(
        feed={"x": np.ones([6, 50], "float32")}, fetch_list=[rnn(), gradient]
    )
    np.testing.assert_array_equal(out, slope)
    assert len({row.tobytes() for row in out}) == 6


def test_in_half_precision(static_mode: Any) -> None:
    """Sub-blocks and their inputs stay in float32."""
    net = NETS["plain"]
    _, _, outs = written(net)
    loss = (paddle.matmul(outs[0], paddle.transpose(outs[0], [0, 2, 1])) * 0.1).mean()
    static.amp.decorate(paddle.optimizer.SGD(0.01), init_loss_scaling=8.0).minimize(loss)
    exe, feed = started(), feeds(net, 3, 2)
    values = eager(net, feed)[0]
    close(exe.run(feed=feed, fetch_list=[outs[0]]), values)


class LayerWithAsserts(paddle.nn.Layer):
    """Asserts in steps, and in a branch of steps of steps."""

    def forward(self, x: Any) -> Any:
        outer = static.nn.StaticRNN()
        with outer.step():
            row = outer.step_input(x)  # [2, 2]
            inner = static.nn.StaticRNN()
            with inner.step():
                one = inner.step_input(row)
                if one[0] > 0:
                    assert one[1] < 5, "too large"
                inner.step_output(one * 2.0)
            assert row.sum() > -9, "too small"
            outer.step_output(inner())
        return outer()


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
def test_asserts_in_steps_become_guards(tmp_path: Path) -> None:
    layer, spec = LayerWithAsserts(), [paddle.static.InputSpec([None, 2, 2])]
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    good = np.array([[[1, 4], [-1, 9]], [[-1, 7], [2, 2]]], "float32")
    with paddle.no_grad():
        close([loaded(paddle.to_tensor(good)).numpy()], [good * 2])
        for place, value, message in (((1, 1, 1), 6, "too large"), ((0, 1, 0), -99, "too small")):
            bad = good.copy()
            bad[place] = value
            with pytest.raises(GuardError, match=message):
                loaded(paddle.to_tensor(bad))


def test_gradients_of_a_subset_of_outputs(tmp_path: Path) -> None:
    """Each set of outputs with gradients needs its own backward pass."""
    net = NETS["lstm"]

    class Both(LayerWithStaticRNN):
        def forward(self, x: Any, m: Any) -> Any:
            return recurrent(self.net, list(self.held), {"x0": x, "m0": m})

    layer, feed = Both(net), feeds(net, 4, 2)
    convert = paddle.jit.to_static(layer)
    for which in ([0], [1], [0, 1], [1]):
        x = [paddle.to_tensor(v, stop_gradient=False) for v in feed.values()]
        outs = convert(*x)
        loss_of([outs[i] for i in which]).backward()
        found = [v.grad.numpy() for v in (*x, *layer.held)]
        layer.clear_gradients()
        y = {k: paddle.to_tensor(v, stop_gradient=False) for k, v in feed.items()}
        w = [paddle.to_tensor(v, stop_gradient=False) for v in weights(net)]
        outs = unrolled(net, w, y)
        loss_of([outs[i] for i in which]).backward()
        close(found, [v.grad.numpy() for v in (*y.values(), *w)])


@pytest.mark.parametrize("name", ["plain", "lstm", "branching"])
def test_command_line(name: str, static_mode: Any, tmp_path: Path) -> None:
    net, prefix = NETS[name], str(tmp_path / "m")
    given, _, outs = written(net)
    static.save_inference_model(prefix, list(given.values()), outs, started())
    feed = feeds(net, 4, 2)
    np.savez(tmp_path / "in.npz", **feed)
    words = [
        "run",
        prefix,
        "--input",
        str(tmp_path / "in.npz"),
        "--output",
        str(tmp_path / "out.npz"),
    ]
    done = subprocess.run([runner_path(), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz") as held:
        close([held[key] for key in held.files], eager(net, feed)[0])
    shown = CliRunner().invoke(app, ["inspect", prefix]).output
    (row,) = [line for line in shown.splitlines() if "recurrent" in line and "inputs=" not in line]
    assert row.count("yes") == 2
