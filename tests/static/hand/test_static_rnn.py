"""StaticRNN: what it gives, and its gradients, against the same step unrolled; files; what is refused."""

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
from oarlock.core.errors import GuardError, OarlockError, OpError, TraceError
from oarlock.static.parser import parse
from oarlock.static.program import Attr, AttrType

from .rnns import NETS, SIZES, Net, eager, feeds, loss_of, recurrent, unrolled, weights, written


def started() -> Any:
    exe = static.Executor()
    exe.run(static.default_startup_program())
    return exe


def close(found: Any, wanted: Any) -> None:
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def recurrent_op() -> Any:
    return next(op for op in static.default_main_program().global_block().ops if op.type == "recurrent")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_values_and_gradients(name: str, reverse: bool, mode: Any) -> None:
    net = NETS[name]
    given, w, outs = written(net)
    recurrent_op()._set_attr("reverse", reverse)
    slopes = static.gradients([loss_of(outs)], [*given.values(), *w])
    exe = started()
    for steps, rows in SIZES:
        feed = feeds(net, steps, rows)
        values, wanted = eager(net, feed, reverse)
        there = [s for s, g in zip(slopes, wanted, strict=True) if g is not None]
        assert all(s is not None for s in there)
        found = exe.run(feed=feed, fetch_list=[*outs, *there])
        close(found, [*values, *(g for g in wanted if g is not None)])


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
@pytest.mark.parametrize("name", ["plain", "lstm", "branching"])
def test_training_goes_as_it_does_eagerly(name: str, optimizer: str, mode: Any) -> None:
    net = NETS[name]
    _, w, outs = written(net)
    loss = loss_of(outs)
    test = static.default_main_program().clone(for_test=True)
    getattr(paddle.optimizer, optimizer)(0.05).minimize(loss)
    exe = started()
    losses = [exe.run(feed=feeds(net, 4, 3, i), fetch_list=[loss])[0].item() for i in range(5)]
    after = exe.run(test, feed=feeds(net, 4, 3), fetch_list=[outs[0]])[0]
    assert "recurrent_grad" not in {op.type for op in test.global_block().ops}
    paddle.disable_static()
    w = [paddle.create_parameter(v.shape, "float32") for v in weights(net)]
    for parameter, value in zip(w, weights(net), strict=True):
        parameter.set_value(value)
    step = getattr(paddle.optimizer, optimizer)(0.05, parameters=w)
    wanted = []
    for i in range(5):
        given = {k: paddle.to_tensor(v) for k, v in feeds(net, 4, 3, i).items()}
        lost = loss_of(unrolled(net, w, given))
        lost.backward()
        step.step()
        step.clear_grad()
        wanted.append(lost.item())
    given = {k: paddle.to_tensor(v) for k, v in feeds(net, 4, 3).items()}
    np.testing.assert_allclose(losses, wanted, rtol=2e-5)
    close([after], [unrolled(net, w, given)[0].numpy()])


def test_sizes_that_are_known_are_declared(mode: Any) -> None:
    _, _, (h, c) = written(NETS["lstm"], 5, 2)
    assert (h.shape, c.shape) == ((5, 2, 4), (5, 2, 4))
    with static.program_guard(static.Program(), static.Program()):
        assert written(NETS["no_memory"])[2][0].shape == (-1, -1)


@pytest.mark.parametrize("name", NETS)
def test_the_text_parses_back(name: str, mode: Any) -> None:
    written(NETS[name])
    main = static.default_main_program()
    assert str(parse(str(main.desc))) == str(main.desc)
    assert static.Program.parse_from_string(main.desc.serialize_to_string()).desc == main.desc


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_files(name: str, reverse: bool, mode: Any, tmp_path: Path) -> None:
    """Saved, and read by the executor, by the engine, and by the interpreter with gradients."""
    net = NETS[name]
    given, _, outs = written(net)
    recurrent_op()._set_attr("reverse", reverse)
    exe, prefix = started(), str(tmp_path / "m")
    static.save_inference_model(prefix, list(given.values()), outs, exe)
    program, names, fetches = static.load_inference_model(prefix, exe)
    assert names == list(given)
    wanted = {size: eager(net, feeds(net, *size), reverse)[0] for size in SIZES}
    for size in SIZES:
        close(exe.run(program, feed=feeds(net, *size), fetch_list=fetches), wanted[size])
    paddle.disable_static()
    layer = paddle.jit.load(prefix)
    for size in SIZES:
        inputs = [paddle.to_tensor(v) for v in feeds(net, *size).values()]
        with paddle.no_grad():
            close(as_list(layer(*inputs)), wanted[size])
        layer.train()
        close(as_list(layer(*inputs)), wanted[size])
        layer.eval()


def as_list(made: Any) -> list[Any]:
    return [v.numpy() for v in (made if isinstance(made, list | tuple) else [made])]


# -- where it stands --------------------------------------------------------------------------------------------------


def run_and_slopes(build: Callable[[Any], Any], at: Any) -> None:
    """Compare the gradient of what `build` makes of x [3, 2] with slopes, in float64."""
    x = static.data("x", [3, 2], "float64")
    x.stop_gradient = False
    loss = build(x).sum()
    (gradient,) = static.gradients([loss], [x])
    exe = static.Executor()

    def value(point: Any) -> float:
        return float(exe.run(feed={"x": point}, fetch_list=[loss])[0])

    point, step = np.array(at), 1e-6
    slopes = [(value(point + step * e) - value(point - step * e)) / (2 * step) for e in np.eye(6).reshape(6, 3, 2)]
    np.testing.assert_allclose(
        exe.run(feed={"x": point}, fetch_list=[gradient])[0].ravel(), slopes, rtol=1e-6, atol=1e-8
    )


def repeated(x: Any, first: Any) -> Any:
    """m becomes tanh(m * x[t] + x[t]); all of them."""
    rnn = static.nn.StaticRNN()
    with rnn.step():
        one, m = rnn.step_input(x), rnn.memory(init=first)
        h = paddle.tanh(m * one + one)
        rnn.update_memory(m, h)
        rnn.step_output(h)
    return rnn()


def in_a_branch(x: Any) -> Any:
    return static.nn.cond(x.sum() > 0, lambda: repeated(x, x[0]) * x, lambda: x * x)


def in_a_loop(x: Any) -> Any:
    i = paddle.zeros([1], "int64")
    return static.nn.while_loop(lambda i, h: i < 2, lambda i, h: [i + 1, repeated(h, x[1])], [i, x * 1.0])[1]


def in_another(x: Any) -> Any:
    first, rnn = x[0], static.nn.StaticRNN()
    with rnn.step():
        one, m = rnn.step_input(x), rnn.memory(init=first)
        inner = repeated(paddle.stack([one, m]), m[0:1].sum() * one)
        h = inner.sum(axis=0) * m
        rnn.update_memory(m, h)
        rnn.step_output(h)
    return rnn()


def one_after_the_other(x: Any) -> Any:
    return repeated(repeated(x, x[0]), x[2])


def twice_the_same(x: Any) -> Any:
    """One sequence as two inputs."""
    rnn = static.nn.StaticRNN()
    with rnn.step():
        rnn.step_output(rnn.step_input(x) * rnn.step_input(x))
    return rnn()


@pytest.mark.parametrize("at", [[[0.5, 0.2], [0.7, -0.1], [0.3, 0.4]], [[-0.5, 0.2], [-0.7, -0.1], [0.3, 0.1]]])
@pytest.mark.parametrize("build", [in_a_branch, in_a_loop, in_another, one_after_the_other, twice_the_same])
def test_slopes_where_they_are_nested(build: Callable[[Any], Any], at: Any, mode: Any) -> None:
    run_and_slopes(build, at)


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
@pytest.mark.parametrize("build", [in_a_branch, in_a_loop, in_another, one_after_the_other, twice_the_same])
def test_files_where_they_are_nested(build: Callable[[Any], Any], mode: Any, tmp_path: Path) -> None:
    x = static.data("x", [-1, 2])
    out, exe, prefix = build(x), static.Executor(), str(tmp_path / "m")
    static.save_inference_model(prefix, [x], [out], exe)
    values = [np.random.default_rng(i).standard_normal((n, 2)).astype("float32") for i, n in enumerate((3, 3, 5))]
    wanted = [exe.run(feed={"x": v}, fetch_list=[out])[0] for v in values]
    paddle.disable_static()
    layer = paddle.jit.load(prefix)
    with paddle.no_grad():
        close([layer(paddle.to_tensor(v)).numpy() for v in values], wanted)


def test_two_gradients_of_one_loop(mode: Any) -> None:
    """Each way back reads other values of a round."""
    x, y = static.data("x", [3], "float64"), static.data("y", [3], "float64")
    x.stop_gradient = y.stop_gradient = False
    start = [paddle.zeros([1], "int64"), x * 1.0]
    _, s = static.nn.while_loop(lambda i, s: i < 3, lambda i, s: [i + 1, paddle.tanh(s * x) + paddle.exp(y) * s], start)
    exe, feed = static.Executor(), {"x": np.full(3, 0.3), "y": np.full(3, 0.2)}
    (by_y,) = static.gradients([s.sum()], [y])
    alone = exe.run(feed=feed, fetch_list=[by_y])[0]
    (by_x,) = static.gradients([s.sum()], [x])
    together = exe.run(feed=feed, fetch_list=[by_y, by_x])
    np.testing.assert_array_equal(together[0], alone)

    def value(**moved: float) -> float:
        return float(exe.run(feed=feed | {k: feed[k] + [d, 0, 0] for k, d in moved.items()}, fetch_list=[s.sum()])[0])

    slopes = [(value(**{k: 1e-6}) - value(**{k: -1e-6})) / 2e-6 for k in ("y", "x")]
    np.testing.assert_allclose([together[0][0], together[1][0]], slopes, rtol=1e-6)


def test_the_program_is_what_paddle_writes(mode: Any) -> None:
    written(NETS["lstm"])
    main = static.default_main_program()
    (op,) = (op.desc for op in main.global_block().ops if op.type == "recurrent")
    inner = main.desc.blocks[op.attr("sub_block")]
    assert {k: len(v) for k, v in op.inputs.items()} == {"inputs": 1, "initial_states": 2, "parameters": 1}
    assert {k: len(v) for k, v in op.outputs.items()} == {"outputs": 2, "step_scopes": 1}
    assert (op.attr("has_states"), op.attr("reverse"), op.attr("is_train")) == (True, False, True)
    assert inner.parent == 0
    assert {*op.inputs["inputs"], *op.outputs["outputs"], *op.attr("ex_states"), *op.attr("states")} <= {*inner.vars}
    assert inner.vars["x0"].shape == main.desc.block.vars["x0"].shape[1:]


def test_a_step_that_gives_less_is_saved_with_less(mode: Any, tmp_path: Path) -> None:
    net = NETS["two_inputs"]
    given, _, outs = written(net)
    program = static.normalize_program(static.default_main_program(), list(given.values()), [outs[0]])
    assert [op.type for op in program.desc.blocks[1].ops if op.type == "tanh"] == ["tanh"]
    exe = started()
    feed = feeds(net, 3, 2)
    close(exe.run(program, feed=feed, fetch_list=[outs[0]]), eager(net, feed)[0][:1])


def test_a_loaded_one_is_saved_again(mode: Any, tmp_path: Path) -> None:
    """Recorded into another program, under names that are free there."""
    net = NETS["lstm"]
    given, _, outs = written(net)
    static.save_inference_model(str(tmp_path / "m"), list(given.values()), outs, started())
    feed = feeds(net, 4, 2)
    wanted = eager(net, feed)[0]
    paddle.disable_static()
    layer = paddle.jit.load(str(tmp_path / "m"))

    class Twice(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = layer

        def forward(self, x0: Any, m0: Any) -> Any:
            return self.inner(x0, m0)[0] + self.inner(x0 * 1.0, m0)[0]

    shapes = [paddle.static.InputSpec([None, None, 3]), paddle.static.InputSpec([None, 4])]
    paddle.jit.save(Twice(), str(tmp_path / "again"), input_spec=shapes)
    again = paddle.jit.load(str(tmp_path / "again"))
    with paddle.no_grad():
        close([again(*map(paddle.to_tensor, feed.values())).numpy()], [wanted[0] * 2])


class Recorded(paddle.nn.Layer):
    """A StaticRNN in a forward that is recorded."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net
        self.held = paddle.nn.ParameterList([paddle.create_parameter(v.shape, "float32") for v in weights(net)])
        for parameter, value in zip(self.held, weights(net), strict=True):
            parameter.set_value(value)

    def forward(self, x: Any) -> Any:
        return recurrent(self.net, list(self.held), {"x0": x})[0]


def test_in_a_converted_function(tmp_path: Path) -> None:
    net = NETS["plain"]
    paddle.enable_static()
    feed = feeds(net, 4, 2)
    wanted, slopes = eager(net, feed)
    paddle.disable_static()
    layer = Recorded(net)
    convert = paddle.jit.to_static(layer, input_spec=[paddle.static.InputSpec([None, None, 3])])
    x = paddle.to_tensor(feed["x0"], stop_gradient=False)
    made = convert(x)
    close([made.numpy()], wanted)
    loss_of([made]).backward()
    close([x.grad.numpy(), *(p.grad.numpy() for p in layer.held)], slopes)
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, None, 3])])
    with paddle.no_grad():
        close([paddle.jit.load(str(tmp_path / "m"))(x).numpy()], wanted)


def test_layers_in_a_step(mode: Any, tmp_path: Path) -> None:
    """Words, parameters made in the step, dropout, and statistics that each step moves."""
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
        close([paddle.jit.load(str(tmp_path / "m"))(paddle.to_tensor(feed["words"])).numpy()], [one])


def test_dropout_goes_back_through_its_own_step(mode: Any) -> None:
    x = static.data("x", [6, 50])
    x.stop_gradient = False
    rnn = static.nn.StaticRNN()
    with rnn.step():
        rnn.step_output(paddle.nn.functional.dropout(rnn.step_input(x), 0.5))
    (gradient,) = static.gradients([rnn().sum()], [x])
    out, slope = started().run(feed={"x": np.ones([6, 50], "float32")}, fetch_list=[rnn(), gradient])
    np.testing.assert_array_equal(out, slope)
    assert len({row.tobytes() for row in out}) == 6


def test_in_half_precision(mode: Any) -> None:
    """Blocks stay in float32, and what goes into them."""
    net = NETS["plain"]
    given, _, outs = written(net)
    loss = (paddle.matmul(outs[0], paddle.transpose(outs[0], [0, 2, 1])) * 0.1).mean()
    static.amp.decorate(paddle.optimizer.SGD(0.01), init_loss_scaling=8.0).minimize(loss)
    exe, feed = started(), feeds(net, 3, 2)
    values = eager(net, feed)[0]
    close(exe.run(feed=feed, fetch_list=[outs[0]]), values)


class Checked(paddle.nn.Layer):
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
def test_asserts_in_steps_are_assumptions_of_the_file(tmp_path: Path) -> None:
    layer, spec = Checked(), [paddle.static.InputSpec([None, 2, 2])]
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


def test_gradients_of_some_outputs(tmp_path: Path) -> None:
    """Each pattern of gradients that arrive is another way back through the steps."""
    net = NETS["lstm"]

    class Both(Recorded):
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
def test_the_commands(name: str, mode: Any, tmp_path: Path) -> None:
    net, prefix = NETS[name], str(tmp_path / "m")
    given, _, outs = written(net)
    static.save_inference_model(prefix, list(given.values()), outs, started())
    feed = feeds(net, 4, 2)
    np.savez(tmp_path / "in.npz", **feed)
    words = ["run", prefix, "--input", str(tmp_path / "in.npz"), "--output", str(tmp_path / "out.npz")]
    done = subprocess.run([runner_path(), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz") as held:
        close([held[key] for key in held.files], eager(net, feed)[0])
    shown = CliRunner().invoke(app, ["inspect", prefix]).output
    (row,) = [line for line in shown.splitlines() if "recurrent" in line and "inputs=" not in line]
    assert row.count("yes") == 2


# -- what is refused --------------------------------------------------------------------------------------------------

Step = Callable[[Any, Any, Any], Any]  # of the network, a sequence [3, 2], and something else from outside [2]


def complete(rnn: Any, x: Any, _: Any) -> None:
    rnn.step_output(rnn.step_input(x) * 2.0)


def memory_from_inside(rnn: Any, x: Any, _: Any) -> None:
    one = rnn.step_input(x)
    rnn.memory(init=one * 2.0)


def updated_twice(rnn: Any, x: Any, y: Any) -> None:
    one, m = rnn.step_input(x), rnn.memory(init=y)
    rnn.update_memory(m, one)
    rnn.update_memory(m, one)


def never_updated(rnn: Any, x: Any, y: Any) -> None:
    rnn.step_output(rnn.step_input(x) + rnn.memory(init=y))


def of_another_shape(rnn: Any, x: Any, y: Any) -> None:
    rnn.update_memory(rnn.memory(init=y), rnn.step_input(x).sum())


def of_another_dtype(rnn: Any, x: Any, y: Any) -> None:
    rnn.update_memory(rnn.memory(init=y), paddle.cast(rnn.step_input(x), "int64"))


def no_memory_of_it(rnn: Any, x: Any, _: Any) -> None:
    one = rnn.step_input(x)
    rnn.update_memory(one, one)


def a_size_from_inside(rnn: Any, x: Any, _: Any) -> None:
    rnn.memory(shape=[-1, 2], batch_ref=rnn.step_input(x) * 1.0)


def other_lengths(rnn: Any, x: Any, y: Any) -> None:
    rnn.step_input(x)
    rnn.step_input(y)


def overwriting(rnn: Any, x: Any, y: Any) -> None:
    one = rnn.step_input(x)
    paddle.assign(one, output=y)
    rnn.step_output(one)


def changing_in_place(rnn: Any, x: Any, y: Any) -> None:
    y[0] = rnn.step_input(x).sum()
    rnn.step_output(y)


def in_a_branch_of_it(rnn: Any, x: Any, y: Any) -> None:
    one = rnn.step_input(x)
    static.nn.cond(one.sum() > 0, lambda: rnn.memory(init=y), lambda: one)


REFUSED: list[tuple[Step, str]] = [
    (lambda rnn, x, y: None, "step: there is no step_input"),
    (lambda rnn, x, y: rnn.step_input(x), "step: there is no output; use step_output"),
    (lambda rnn, x, y: rnn.step_output(3.0), "step_output: an output should be a variable, not float"),
    (lambda rnn, x, y: rnn.memory(shape=[-1, 2]), "memory: without init it needs shape and batch_ref"),
    (lambda rnn, x, y: rnn.step_input(y.sum()), r"step_input: x should be made before the step, not in it"),
    (memory_from_inside, r"memory: init should be made before the step, not in it \(init=float32\[2\]\)"),
    (updated_twice, r"update_memory: 'static_rnn@mem.*' has its value for the next step already"),
    (never_updated, r"step: the memory 'static_rnn@mem.*' is not updated; use update_memory"),
    (of_another_shape, r"keeps its shape and dtype \(mem=float32\[2\], var=float32\[\]\)"),
    (of_another_dtype, r"keeps its shape and dtype \(mem=float32\[2\], var=int64\[2\]\)"),
    (no_memory_of_it, "mem should be what `memory` gave in this step"),
    (a_size_from_inside, "memory: batch_ref should be made before the step"),
    (other_lengths, r"step_input: the inputs before have 3 steps \(x=float32\[2\]\)"),
    (overwriting, "step: it changes '.*' from outside; what goes from step to step is a memory"),
    (changing_in_place, "step: it changes '.*' from outside; what goes from step to step is a memory"),
    (in_a_branch_of_it, "belongs into the step itself, not into a branch or loop in it"),
]


@pytest.mark.parametrize(("body", "message"), REFUSED)
def test_steps_that_are_refused(body: Step, message: str, mode: Any) -> None:
    """With the user's line; nothing of them stays in the program."""
    x, y = static.data("x", [3, 2]), static.data("y", [2]) * 1.0
    before, rnn = str(static.default_main_program()), static.nn.StaticRNN()
    with pytest.raises(OpError, match=message) as caught, rnn.step():
        body(rnn, x, y)
    assert "test_static_rnn.py" in str(caught.value)
    assert str(static.default_main_program()) == before
    with pytest.raises(OpError, match="the outputs are there after the step"):
        rnn()
    feed = {"x": np.ones([3, 2], "float32"), "y": np.ones(2, "float32")}
    assert [v.sum() for v in started().run(feed=feed, fetch_list=[y, x * 2.0])] == [2, 12]


def test_a_sequence_has_an_axis(mode: Any) -> None:
    rnn, x = static.nn.StaticRNN(), static.data("x", [])
    with (
        pytest.raises(OpError, match=r"step_input: a sequence has an axis for its steps \(x=float32\[\]\)"),
        rnn.step(),
    ):
        rnn.step_input(x)


def test_calls_in_the_wrong_place(mode: Any) -> None:
    x = static.data("x", [3, 2])
    rnn = static.nn.StaticRNN()
    for call in (
        lambda: rnn.step_input(x), lambda: rnn.memory(init=x), lambda: rnn.update_memory(x, x), lambda: rnn.step_output(x),
        lambda: rnn.output(x),
    ):  # fmt: skip
        with pytest.raises(OpError, match=r"StaticRNN\.\w+: belongs into the `with` of `step`"):
            call()
    with pytest.raises(OpError, match="StaticRNN: the outputs are there after the step"):
        rnn()
    with rnn.step():
        complete(rnn, x, x)
    with pytest.raises(OpError, match=r"StaticRNN\.step: there is one already"), rnn.step():
        pass
    with pytest.raises(OpError, match="belongs into the `with` of `step`"):
        rnn.step_output(x)


def test_arguments_of_other_types(mode: Any) -> None:
    with pytest.raises(TypeError, match="StaticRNN: name should be a str, not int"):
        static.nn.StaticRNN(3)
    rnn = static.nn.StaticRNN()
    with pytest.raises(TypeError, match="step_input: x should be a variable, not list"), rnn.step():
        rnn.step_input([1.0])


def test_it_needs_a_program() -> None:
    rnn = static.nn.StaticRNN()
    with pytest.raises(OarlockError, match="StaticRNN: no program is being written; call enable_static"), rnn.step():
        pass


def test_what_a_step_made_ends_with_it(mode: Any) -> None:
    x = static.data("x", [3, 2])
    rnn = static.nn.StaticRNN()
    with rnn.step():
        one = rnn.step_input(x)
        double = one * 2.0
        rnn.step_output(double)
    for inner in (one, double):
        with pytest.raises(TraceError, match="not one of its results"):
            inner * 2.0
    assert (x * 2.0).shape == (3, 2)


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
def test_lengths_that_only_a_run_knows(mode: Any, tmp_path: Path) -> None:
    a, b = static.data("a", [-1, 2]), static.data("b", [-1, 2])
    rnn = static.nn.StaticRNN()
    with rnn.step():
        rnn.step_output(rnn.step_input(a) + rnn.step_input(b))
    exe, ones = static.Executor(), lambda n: np.ones([n, 2], "float32")
    with pytest.raises(OpError, match=r"recurrent: the inputs have \[3, 4\] steps.*\n.*recorded at .*with rnn.step"):
        exe.run(feed={"a": ones(3), "b": ones(4)}, fetch_list=[rnn()])
    with pytest.raises(OpError, match="recurrent: the inputs have no steps"):
        exe.run(feed={"a": ones(0), "b": ones(0)}, fetch_list=[rnn()])
    static.save_inference_model(str(tmp_path / "m"), [a, b], [rnn()], exe)
    paddle.disable_static()
    layer = paddle.jit.load(str(tmp_path / "m"))
    with paddle.no_grad():
        assert layer(paddle.ones([3, 2]), paddle.ones([3, 2])).shape == [3, 2]
        for n, m in ((3, 4), (4, 3), (0, 0)):
            with pytest.raises(OarlockError, match="the inputs need one step, and the same number of them"):
                layer(paddle.ones([n, 2]), paddle.ones([m, 2]))


def test_the_gradient_of_its_gradient_is_refused(mode: Any) -> None:
    x = static.data("x", [3, 2])
    x.stop_gradient = False
    (gradient,) = static.gradients([repeated(x, x[0]).sum()], [x])
    with pytest.raises(OpError, match="recurrent_grad: the gradient of its gradient is not known"):
        static.gradients([gradient.sum()], [x])


def test_its_helper_of_paddle_1_is_a_copy(mode: Any) -> None:
    """What Paddle 1.x wrote where 2.x has `assign`."""
    net = NETS["plain"]
    _, w, outs = written(net)
    for op in static.default_main_program().desc.blocks[1].ops:
        if op.type == "assign":
            op.type = "rnn_memory_helper"
            op.attrs["dtype"] = Attr(AttrType.INT, 5)
    slopes = static.gradients([loss_of(outs)], w)
    feed = feeds(net, 3, 2)
    values, wanted = eager(net, feed)
    close(started().run(feed=feed, fetch_list=[*outs, *slopes]), [*values, *wanted[1:]])
