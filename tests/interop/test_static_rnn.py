"""`recurrent`: real Paddle runs the programs that StaticRNN writes, and what real Paddle wrote runs here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import static
from oarlock.loader.engine import Engine
from oarlock.static.unsupported import Unsupported

from ..static.hand.conftest import mode
from ..static.hand.rnns import NETS, SIZES, eager, feeds, written

__all__ = ["mode"]
pytestmark = pytest.mark.paddle
NESTED = ("branching", "looping")  # its jit.load adds gradients at once, which 2.6.2 cannot for blocks in a step


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_ours_by_paddle(name: str, reverse: bool, paddle: Any, mode: Any, tmp_path: Path) -> None:
    net = NETS[name]
    given, _, outs = written(net)
    program = static.default_main_program()
    next(op for op in program.global_block().ops if op.type == "recurrent")._set_attr("reverse", reverse)
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
    """The folder of what Paddle wrote; the inputs and results."""
    paddle.ask("save_steps", folder=str(tmp_path), reverse=request.param)
    with np.load(tmp_path / "wanted.npz") as held:
        return tmp_path, [held[name] for name in held.files]


def test_paddles_by_us(theirs: tuple[Path, list[Any]], mode: Any) -> None:
    folder, (x, h0, *wanted) = theirs
    program, names, fetches = static.load_inference_model(str(folder / "m"), static.Executor())
    by_hand = static.Executor().run(program, feed=dict(zip(names, (x, h0), strict=True)), fetch_list=fetches)
    engine = Engine((folder / "m.pdmodel").read_bytes(), str(folder / "m.pdiparams"), "m").run([x, h0])
    oarlock.disable_static()
    layer = oarlock.jit.load(str(folder / "m"))
    layer.train()
    interpreted = [v.numpy() for v in layer(oarlock.to_tensor(x), oarlock.to_tensor(h0))]
    for found in (by_hand, engine, interpreted):
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def test_their_gradients_are_refused_by_name(theirs: tuple[Path, list[Any]], mode: Any) -> None:
    """Where a memory goes back through `assign`, as 2.6.2 has nothing else, they stop at each step."""
    folder, (x, h0, *_) = theirs
    program = static.Program.parse_from_string((folder / "trained.pdmodel").read_bytes())
    with pytest.raises(
        Unsupported, match="recurrent_grad: gradients of control flow run only where Oarlock wrote them"
    ):
        static.Executor().run(program, feed={"x": x, "h0": h0}, fetch_list=["w@GRAD"])
