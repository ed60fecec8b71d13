"""StaticRNN: results and gradients equal the unrolled network; training, text, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.ir.parser import parse

from .rnns import (
    NETS,
    SIZES,
    as_list,
    close,
    eager,
    feeds,
    loss_of,
    started,
    unrolled,
    weights,
    written,
)


def recurrent_op() -> Any:
    return next(
        op for op in static.default_main_program().global_block().ops if op.type == "recurrent"
    )


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_values_and_gradients(name: str, reverse: bool, static_mode: Any) -> None:
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
def test_training_equals_eager(name: str, optimizer: str, static_mode: Any) -> None:
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


def test_known_sizes_are_declared(static_mode: Any) -> None:
    _, _, (h, c) = written(NETS["lstm"], 5, 2)
    assert (h.shape, c.shape) == ((5, 2, 4), (5, 2, 4))
    with static.program_guard(static.Program(), static.Program()):
        assert written(NETS["no_memory"])[2][0].shape == (-1, -1)


@pytest.mark.parametrize("name", NETS)
def test_text_round_trip(name: str, static_mode: Any) -> None:
    written(NETS[name])
    main = static.default_main_program()
    assert str(parse(str(main.raw))) == str(main.raw)
    assert static.Program.parse_from_string(main.desc.serialize_to_string()).raw == main.raw


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_saved_files(name: str, reverse: bool, static_mode: Any, tmp_path: Path) -> None:
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


def test_program_equals_paddle(static_mode: Any) -> None:
    written(NETS["lstm"])
    main = static.default_main_program()
    (op,) = (op.raw for op in main.global_block().ops if op.type == "recurrent")
    inner = main.raw.blocks[op.attr("sub_block")]
    assert {k: len(v) for k, v in op.inputs.items()} == {
        "inputs": 1,
        "initial_states": 2,
        "parameters": 1,
    }
    assert {k: len(v) for k, v in op.outputs.items()} == {"outputs": 2, "step_scopes": 1}
    assert (op.attr("has_states"), op.attr("reverse"), op.attr("is_train")) == (True, False, True)
    assert inner.parent == 0
    assert {
        *op.inputs["inputs"],
        *op.outputs["outputs"],
        *op.attr("ex_states"),
        *op.attr("states"),
    } <= {*inner.vars}
    assert inner.vars["x0"].shape == main.raw.block.vars["x0"].shape[1:]


def test_unused_step_outputs_are_pruned(static_mode: Any, tmp_path: Path) -> None:
    net = NETS["two_inputs"]
    given, _, outs = written(net)
    program = static.normalize_program(
        static.default_main_program(), list(given.values()), [outs[0]]
    )
    assert [op.type for op in program.raw.blocks[1].ops if op.type == "tanh"] == ["tanh"]
    exe = started()
    feed = feeds(net, 3, 2)
    close(exe.run(program, feed=feed, fetch_list=[outs[0]]), eager(net, feed)[0][:1])


def test_loaded_program_can_be_saved(static_mode: Any, tmp_path: Path) -> None:
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
