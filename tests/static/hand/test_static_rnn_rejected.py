"""StaticRNN: rejected uses, with the user's line, and the program afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.core.errors import OarlockError, OpError, TraceError
from oarlock.ir.program import Attr, AttrType

from .rnns import (
    NETS,
    close,
    eager,
    feeds,
    loss_of,
    repeated,
    started,
    written,
)

# of the network, a sequence [3, 2], and something else from outside [2]
Step = Callable[[Any, Any, Any], Any]


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


def changing_the_sequence(rnn: Any, x: Any, _: Any) -> None:
    one = rnn.step_input(x)
    x[0] = one
    rnn.step_output(one)


def failing(rnn: Any, x: Any, y: Any) -> None:
    rnn.step_input(x)
    y[0] = 1.0
    paddle.matmul(x, y[0:1])


def in_a_branch_of_it(rnn: Any, x: Any, y: Any) -> None:
    one = rnn.step_input(x)
    static.nn.cond(one.sum() > 0, lambda: rnn.memory(init=y), lambda: one)


REJECTED: list[tuple[Step, str]] = [
    (lambda rnn, x, y: None, "step: there is no step_input"),
    (lambda rnn, x, y: rnn.step_input(x), "step: there is no output; use step_output"),
    (
        lambda rnn, x, y: rnn.step_output(3.0),
        "step_output: an output should be a variable, not float",
    ),
    (
        lambda rnn, x, y: rnn.memory(shape=[-1, 2]),
        "memory: without init it needs shape and batch_ref",
    ),
    (
        lambda rnn, x, y: rnn.step_input(y.sum()),
        r"step_input: x should be made before the step, not in it",
    ),
    (
        memory_from_inside,
        r"memory: init should be made before the step, not in it \(init=float32\[2\]\)",
    ),
    (
        updated_twice,
        r"update_memory: the value of 'static_rnn@mem.*' for the next step is defined already",
    ),
    (never_updated, r"step: the memory 'static_rnn@mem.*' is not updated; use update_memory"),
    (of_another_shape, r"cannot change its shape or dtype \(mem=float32\[2\], var=float32\[\]\)"),
    (of_another_dtype, r"cannot change its shape or dtype \(mem=float32\[2\], var=int64\[2\]\)"),
    (no_memory_of_it, "mem should be a result of `memory` in this step"),
    (a_size_from_inside, "memory: batch_ref should be made before the step"),
    (other_lengths, r"step_input: the previous inputs have 3 steps \(x=float32\[2\]\)"),
    (
        overwriting,
        "step: its body assigns the outer variable '.*'; carry values from step to step by a memory",
    ),
    (
        changing_in_place,
        "step: its body assigns the outer variable '.*'; carry values from step to step by a memory",
    ),
    (
        changing_the_sequence,
        "step: its body assigns the outer variable 'x.*'; carry values from step to step by a memory",
    ),
    (failing, "matmul: "),
    (in_a_branch_of_it, "call it in the step itself, not in a branch or loop of the step"),
]


@pytest.mark.parametrize(("body", "message"), REJECTED)
def test_invalid_steps_are_rejected(body: Step, message: str, static_mode: Any) -> None:
    """With the user's line; nothing of them stays in the program."""
    x, y = static.data("x", [3, 2]), static.data("y", [2]) * 1.0
    before, rnn = str(static.default_main_program()), static.nn.StaticRNN()
    with pytest.raises(OpError, match=message) as caught, rnn.step():
        body(rnn, x, y)
    assert "test_static_rnn_rejected.py" in str(caught.value)
    assert str(static.default_main_program()) == before
    with pytest.raises(OpError, match="the outputs exist only after the step is defined"):
        rnn()
    feed = {"x": np.ones([3, 2], "float32"), "y": np.ones(2, "float32")}
    assert [v.sum() for v in started().run(feed=feed, fetch_list=[y, x * 2.0])] == [2, 12]


def test_sequence_must_have_an_axis(static_mode: Any) -> None:
    rnn, x = static.nn.StaticRNN(), static.data("x", [])
    with (
        pytest.raises(
            OpError, match=r"step_input: a sequence needs an axis for its steps \(x=float32\[\]\)"
        ),
        rnn.step(),
    ):
        rnn.step_input(x)


def test_calls_outside_of_a_step(static_mode: Any) -> None:
    x = static.data("x", [3, 2])
    rnn = static.nn.StaticRNN()
    for call in (
        lambda: rnn.step_input(x),
        lambda: rnn.memory(init=x),
        lambda: rnn.update_memory(x, x),
        lambda: rnn.step_output(x),
        lambda: rnn.output(x),
    ):
        with pytest.raises(
            OpError, match=r"StaticRNN\.\w+: call it in the body of `with rnn.step\(\)`"
        ):
            call()
    with pytest.raises(
        OpError, match="StaticRNN: the outputs exist only after the step is defined"
    ):
        rnn()
    with rnn.step():
        complete(rnn, x, x)
    with pytest.raises(OpError, match=r"StaticRNN\.step: the step is defined already"), rnn.step():
        pass
    with pytest.raises(OpError, match=r"call it in the body of `with rnn.step\(\)`"):
        rnn.step_output(x)


def test_argument_types(static_mode: Any) -> None:
    with pytest.raises(TypeError, match="StaticRNN: name should be a str, not int"):
        static.nn.StaticRNN(3)
    rnn = static.nn.StaticRNN()
    with pytest.raises(TypeError, match="step_input: x should be a variable, not list"), rnn.step():
        rnn.step_input([1.0])


def test_program_is_required() -> None:
    rnn = static.nn.StaticRNN()
    with (
        pytest.raises(
            OarlockError,
            match="StaticRNN: requires a program under construction; call enable_static",
        ),
        rnn.step(),
    ):
        pass


def test_step_variables_are_invalid_after_the_step(static_mode: Any) -> None:
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
def test_sequence_lengths_are_checked_at_run_time(static_mode: Any, tmp_path: Path) -> None:
    a, b = static.data("a", [-1, 2]), static.data("b", [-1, 2])
    rnn = static.nn.StaticRNN()
    with rnn.step():
        rnn.step_output(rnn.step_input(a) + rnn.step_input(b))
    exe, ones = static.Executor(), lambda n: np.ones([n, 2], "float32")
    with pytest.raises(
        OpError, match=r"recurrent: the inputs have \[3, 4\] steps.*\n.*recorded at .*with rnn.step"
    ):
        exe.run(feed={"a": ones(3), "b": ones(4)}, fetch_list=[rnn()])
    with pytest.raises(OpError, match="recurrent: the inputs have no steps"):
        exe.run(feed={"a": ones(0), "b": ones(0)}, fetch_list=[rnn()])
    static.save_inference_model(str(tmp_path / "m"), [a, b], [rnn()], exe)
    paddle.disable_static()
    layer = paddle.jit.load(str(tmp_path / "m"))
    with paddle.no_grad():
        assert layer(paddle.ones([3, 2]), paddle.ones([3, 2])).shape == [3, 2]
        for n, m in ((3, 4), (4, 3), (0, 0)):
            with pytest.raises(
                OarlockError, match="the inputs need one step, and the same number of them"
            ):
                layer(paddle.ones([n, 2]), paddle.ones([m, 2]))


def test_second_order_gradient_is_rejected(static_mode: Any) -> None:
    x = static.data("x", [3, 2])
    x.stop_gradient = False
    (gradient,) = static.gradients([repeated(x, x[0]).sum()], [x])
    with pytest.raises(
        OpError, match="recurrent_grad: the second-order gradient is not implemented"
    ):
        static.gradients([gradient.sum()], [x])


def test_rnn_memory_helper(static_mode: Any) -> None:
    """What Paddle 1.x wrote where 2.x has `assign`."""
    net = NETS["plain"]
    _, w, outs = written(net)
    for op in static.default_main_program().raw.blocks[1].ops:
        if op.type == "assign":
            op.type = "rnn_memory_helper"
            op.attrs["dtype"] = Attr(AttrType.INT, 5)
    slopes = static.gradients([loss_of(outs)], w)
    feed = feeds(net, 3, 2)
    values, wanted = eager(net, feed)
    close(started().run(feed=feed, fetch_list=[*outs, *slopes]), [*values, *wanted[1:]])
