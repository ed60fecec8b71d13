"""`recurrent`: Paddle runs programs of StaticRNN, and Paddle's programs run here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import static
from oarlock.ir.program import OpDesc, VarDesc
from oarlock.loader.engine import Engine

from ..static.hand.conftest import static_mode
from ..static.hand.rnns import NETS, SIZES, eager, feeds, written

__all__ = ["static_mode"]
pytestmark = pytest.mark.paddle
# its jit.load adds gradients at once, which 2.6.2 cannot for blocks in a step
NESTED = ("branching", "looping")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_own_programs_in_paddle(
    name: str, reverse: bool, paddle: Any, static_mode: Any, tmp_path: Path
) -> None:
    net = NETS[name]
    given, _, outs = written(net)
    program = static.default_main_program()
    next(op for op in program.global_block().ops if op.type == "recurrent")._set_attr(
        "reverse", reverse
    )
    exe = static.Executor()
    exe.run(static.default_startup_program())
    static.save_inference_model(str(tmp_path / "m"), list(given.values()), outs, exe)
    loaders = ("static", "predictor") if name in NESTED else ("static", "predictor", "jit")
    for i, size in enumerate(SIZES):
        feed = feeds(net, *size)
        np.savez(tmp_path / "in.npz", *feed.values())
        wanted = eager(net, feed, reverse)[0]
        for found in paddle.run(tmp_path / "m", tmp_path / "in.npz", f"size{i}", loaders).values():
            for a, b in zip(found, wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


@pytest.fixture(params=[False, True])
def theirs(request: pytest.FixtureRequest, paddle: Any, tmp_path: Path) -> tuple[Path, list[Any]]:
    """Return the folder that Paddle wrote, inputs and results."""
    paddle.ask("save_steps", folder=str(tmp_path), reverse=request.param)
    with np.load(tmp_path / "wanted.npz") as held:
        return tmp_path, [held[name] for name in held.files]


def test_paddle_programs(theirs: tuple[Path, list[Any]], static_mode: Any) -> None:
    folder, (x, h0, *wanted) = theirs
    program, names, fetches = static.load_inference_model(str(folder / "m"), static.Executor())
    by_hand = static.Executor().run(
        program, feed=dict(zip(names, (x, h0), strict=True)), fetch_list=fetches
    )
    engine = Engine((folder / "m.pdmodel").read_bytes(), str(folder / "m.pdiparams"), "m").run(
        [x, h0]
    )
    oarlock.disable_static()
    layer = oarlock.jit.load(str(folder / "m"))
    layer.train()
    interpreted = [v.numpy() for v in layer(oarlock.to_tensor(x), oarlock.to_tensor(h0))]
    for found in (by_hand, engine, interpreted):
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


GRADIENTS = ("w@GRAD", "u@GRAD", "x@GRAD", "h0@GRAD")


def trained(folder: Path) -> tuple[Any, Any, dict[str, Any]]:
    """Return the program with gradients, a scope with its parameters, and Paddle's results."""
    program, scope = (
        static.Program.parse_from_string((folder / "trained.pdmodel").read_bytes()),
        static.Scope(),
    )
    with np.load(folder / "gradients.npz") as held:
        values = {name: held[name] for name in held.files}
    for name in ("w", "u"):
        scope.var(name).get_tensor().set(values[name], None)
    return program, scope, values


def test_gradients_of_paddle_programs(theirs: tuple[Path, list[Any]], static_mode: Any) -> None:
    folder, (x, h0, *_) = theirs
    program, scope, values = trained(folder)
    found = static.Executor().run(
        program, feed={"x": x, "h0": h0}, fetch_list=[*GRADIENTS], scope=scope
    )
    for name, array in zip(GRADIENTS, found, strict=True):
        np.testing.assert_allclose(array, values[name], rtol=2e-5, atol=1e-7, err_msg=name)


def test_gradients_of_rnn_memory_helper(theirs: tuple[Path, list[Any]], static_mode: Any) -> None:
    """2.6.2 has no op that lets the gradient of a memory through to the step before; with that of
    1.8.5 it is the slope.
    """
    folder, (x, h0, *_) = theirs
    program, scope, values = trained(folder)
    forward, back = program.raw.blocks[1:]
    (op,) = (op for op in forward.ops if "next" in op.output_names())
    op.type, (h,) = "rnn_memory_helper", op.inputs["X"]
    (total,) = (op for op in back.ops if op.type == "sum" and op.outputs["Out"] == [f"{h}@GRAD"])
    total.inputs["X"].append("more")
    back.vars["more"] = VarDesc("more", forward.vars[h].shape)
    through = OpDesc(
        "rnn_memory_helper_grad",
        {"X": [h], "Out": ["next"], "Out@GRAD": ["next@GRAD"]},
        {"X@GRAD": ["more"]},
    )
    back.ops.insert(0, through)
    reverse = next(op for op in program.raw.block.ops if op.type == "recurrent").attr("reverse")
    found = static.Executor().run(
        program, feed={"x": x, "h0": h0}, fetch_list=[*GRADIENTS], scope=scope
    )
    oarlock.disable_static()
    w, u, x, h0 = (
        oarlock.to_tensor(v, stop_gradient=False) for v in (values["w"], values["u"], x, h0)
    )
    h, all_ = h0, []
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        h = oarlock.tanh(oarlock.matmul(x[t], w) + oarlock.matmul(h, u))
        all_.append(h * h * h)
    oarlock.stack(all_).mean().backward()
    for array, leaf in zip(found, (w, u, x, h0), strict=True):
        np.testing.assert_allclose(array, leaf.grad.numpy(), rtol=2e-5, atol=1e-7)
