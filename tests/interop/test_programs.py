"""Programs and values: Paddle runs our files; we read and rewrite its files, and it runs those."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock.export import pdiparams_info, pdiparams_writer, pdmodel
from oarlock.export.atomic_files import write_files_atomically
from oarlock.export.pdiparams_info import VarInfo
from oarlock.ir.parser import parse
from oarlock.ir.passes.prune import prune
from oarlock.ir.program import Contract, ContractInputOrOutput, Guard
from oarlock.ir.verifier import find_problems
from oarlock.loader.pdiparams import load_params
from oarlock.loader.pdiparams_info import parse_info
from oarlock.loader.pdmodel import load_program, parse_program

pytestmark = pytest.mark.paddle

LOADERS = ("jit", "static", "predictor")
RNG = np.random.default_rng(3)


def f(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


@dataclass
class Made:
    """A program as text, with values, inputs and expected results."""

    text: str
    params: dict[str, Any]
    inputs: list[Any]
    expected: Callable[..., list[Any]]


HEAD = "program version=2006002\nblock 0:\n  var feed: feed persistable\n  var fetch: fetch persistable\n"
W, B, K = f(3, 4), f(4), f(2, 1, 1, 1)

MADE = {
    "linear_relu": Made(
        HEAD
        + """
  param w: float32[3,4]
  param b: float32[4]
  x: float32[?,3] = feed(X=feed) col=0
  t0: float32[?,4] = matmul_v2(X=x, Y=w) trans_x=false trans_y=false  # net.py:12 in forward
  t1: float32[?,4] = elementwise_add(X=t0, Y=b) axis=-1  # net.py:12 in forward
  y: float32[?,4] = relu(X=t1)  # net.py:13 in forward
  fetch = fetch(X=y) col=0
""",
        {"w": W, "b": B},
        [f(2, 3)],
        lambda x: [np.maximum(x @ W + B, 0)],
    ),
    "conv": Made(
        HEAD
        + """
  param k: float32[2,1,1,1]
  x: float32[?,1,4,4] = feed(X=feed) col=0
  Output=y: float32[?,2,4,4] = conv2d(Input=x, Filter=k) strides=ints[1,1] paddings=ints[0,0] dilations=ints[1,1] \
groups=1 padding_algorithm="EXPLICIT" data_format="NCHW"
  fetch = fetch(X=y) col=0
""",
        {"k": K},
        [f(2, 1, 4, 4)],
        lambda x: [x * K.reshape(1, 2, 1, 1)],
    ),
    "two_in_two_out": Made(
        HEAD
        + """
  y: float32[?,3] = feed(X=feed) col=1
  x: float32[?,3] = feed(X=feed) col=0
  a: float32[?,3] = elementwise_sub(X=x, Y=y) axis=-1
  b: float32[?,3] = elementwise_mul(X=a, Y=y) axis=-1
  fetch = fetch(X=b) col=1
  fetch = fetch(X=a) col=0
""",
        {},
        [f(2, 3), f(2, 3)],
        lambda x, y: [x - y, (x - y) * y],
    ),
    "bool_out": Made(
        HEAD
        + """
  param b: float32[3]
  x: float32[?,3] = feed(X=feed) col=0
  m: bool[?,3] = greater_than(X=x, Y=b) axis=-1 force_cpu=false
  s: float32[?,3] = scale(X=x) scale=2.0 bias=0.5 bias_after_scale=true
  fetch = fetch(X=m) col=0
  fetch = fetch(X=s) col=1
""",
        {"b": B[:3]},
        [f(2, 3)],
        lambda x: [x > B[:3], x * np.float32(2) + np.float32(0.5)],
    ),
}


def write(folder: Path, name: str, program: Any, params: dict[str, Any]) -> Path:
    prefix = folder / name
    rows = [VarInfo(n, n.replace("_", "."), False, True) for n in params]
    write_files_atomically(
        {
            f"{prefix}.pdmodel": pdmodel.to_bytes(program),
            f"{prefix}.pdiparams": pdiparams_writer.to_bytes(params) if params else None,
            f"{prefix}.pdiparams.info": pdiparams_info.to_bytes(rows) if params else None,
        }
    )
    return prefix


@pytest.mark.parametrize("name", MADE)
def test_paddle_runs_written_programs(name: str, paddle: Any, tmp_path: Path) -> None:
    made = MADE[name]
    program = parse(made.text)
    assert find_problems(program) == []
    inputs, outputs = program.feed_names(), program.fetch_names()
    program.contract = Contract(
        [ContractInputOrOutput(n, "float32", program.block.vars[n].shape, n) for n in inputs],
        [
            ContractInputOrOutput(n, program.block.vars[n].dtype, program.block.vars[n].shape)
            for n in outputs
        ],
        guards=[
            Guard("dim", inputs[0], 0, "2", "shape[0]", "net.py:11 in forward", "n = x.shape[0]")
        ],
        producer="a test",
    )
    assert find_problems(program) == []
    prefix = write(tmp_path, name, program, made.params)
    np.savez(tmp_path / "in.npz", *made.inputs)
    found = paddle.run(prefix, tmp_path / "in.npz", "out", LOADERS)
    for loader in LOADERS:
        for given, wanted in zip(found[loader], made.expected(*made.inputs), strict=True):
            assert given.dtype == wanted.dtype, loader
            np.testing.assert_allclose(given, wanted, rtol=1e-5, atol=1e-6, err_msg=loader)


CASES = (
    *(
        "linear_relu",
        "conv_net",
        "two_in_two_out",
        "bool_out",
        "loop",
        "branch",
        "nested",
        "collect",
    ),
    *(
        "bf16_buffer",
        "zero_d",
        "many_dtypes",
        "embedding",
        "lstm",
        "encoder",
        "set_value",
        "no_params",
    ),
)


def test_every_case_is_exported(exports: Path) -> None:
    assert sorted(path.stem for path in exports.glob("*.pdmodel")) == sorted(CASES)


def ours(
    exports: Path, name: str, to: Path, change: Callable[[Any], Any] = lambda program: program
) -> Path:
    """The files of a case, read and written again by us."""
    program = change(load_program(exports / f"{name}.pdmodel"))
    params = load_params(
        exports / f"{name}.pdiparams", [var.name for var in program.persistables()]
    )
    prefix = write(to, name, program, params)
    if params:
        shutil.copy(exports / f"{name}.pdiparams.info", f"{prefix}.pdiparams.info")
    return prefix


@pytest.mark.parametrize("name", CASES)
def test_paddle_runs_rewritten_programs(
    name: str, exports: Path, paddle: Any, tmp_path: Path
) -> None:
    inputs = exports / f"{name}.npz"
    theirs = paddle.run(exports / name, inputs, "theirs", LOADERS)
    again = paddle.run(ours(exports, name, tmp_path), inputs, "ours", LOADERS)
    pruned = paddle.run(
        ours(exports, name, tmp_path, lambda p: prune(p, p.feed_names(), p.fetch_names())),
        inputs,
        "pruned",
        LOADERS,
    )
    for loader in LOADERS:
        for wanted, given, few in zip(theirs[loader], again[loader], pruned[loader], strict=True):
            np.testing.assert_array_equal(given, wanted, err_msg=loader)
            np.testing.assert_array_equal(few, wanted, err_msg=loader)


@pytest.mark.parametrize("name", CASES)
def test_paddle_files_are_valid_and_round_trip(name: str, exports: Path) -> None:
    data = (exports / f"{name}.pdmodel").read_bytes()
    program = parse_program(data, name)
    assert find_problems(program) == []
    assert program.version == 2006002
    assert parse_program(pdmodel.to_bytes(program)) == program
    assert parse(str(program)) == program
    params = load_params(
        exports / f"{name}.pdiparams", [var.name for var in program.persistables()]
    )
    if params:
        assert pdiparams_writer.to_bytes(params) == (exports / f"{name}.pdiparams").read_bytes()
    for var in program.persistables():
        assert params[var.name].shape == var.shape
        assert not params[var.name].flags.writeable


def test_user_lines_of_paddle_files(exports: Path) -> None:
    program = load_program(exports / "loop.pdmodel")
    found = {op.user_line.split(":")[0] for op in program.block.ops if op.user_line}
    assert found == {"make_exports.py"}
    assert any(op.user_line.endswith("in forward") for op in program.block.ops)


def test_paddle_info_file(exports: Path) -> None:
    rows = parse_info((exports / "conv_net.pdiparams.info").read_bytes())
    assert {row.structured_name for row in rows.values()} >= {"0.weight", "1._mean", "5.bias"}
    mean = next(row for row in rows.values() if row.structured_name == "1._mean")
    assert (mean.stop_gradient, mean.trainable) == (True, False)
    buffers = parse_info((exports / "bf16_buffer.pdiparams.info").read_bytes())
    assert [row.trainable for row in buffers.values()] == [None]
