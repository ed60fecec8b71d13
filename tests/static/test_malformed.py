"""Malformed programs end in an OpError that names the op."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.compiler import CompiledProgram
from oarlock.compiler.interpreter import Interpreter
from oarlock.core.errors import FileError, MemoryLimitError, OpError
from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.parser import parse
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program
from oarlock.ir.verifier import MAX_PROBLEM_LENGTH, MAX_PROBLEMS, find_problems
from oarlock.loader.engine import Engine
from oarlock.loader.runtime import UnsupportedError

from ..ops.rows import Row
from ..ops.table import IDS, ROWS
from ..ops.test_recorded import recorded

PROGRAM = """program version=2006002
block 0:
  var feed: feed persistable
  var fetch: fetch persistable
  x: float32[2,3] = feed(X=feed) col=0
  c: bool[1] = feed(X=feed) col=1
  y: float32[2,3] = relu(X=x)
  Out=y, Scope=s: step_scopes = conditional_block(Cond=c, Input=x) sub_block=block(1) is_scalar_condition=true
  z: float32[2,3] = elementwise_add(X=x, Y=y)
  fetch = fetch(X=z) col=0
block 1 in 0:
  y = tanh(X=x)
"""
CONDITIONAL = "Cond=c, "
FEEDS = {"x": np.ones((2, 3), "f"), "c": np.array([True])}


def run(program: Program, how: str) -> object:
    """Run a program in one of three ways."""
    if how == "interpreter":
        return Interpreter(program, {}).run({n: Tensor(a) for n, a in FEEDS.items()})
    if how == "compiled":
        return CompiledProgram(program).run({}, FEEDS)
    return Engine(to_bytes(program), None).run(FEEDS)


WAYS = ("interpreter", "compiled", "engine")


@pytest.mark.parametrize("how", WAYS)
def test_valid_program_runs(how: str) -> None:
    run(parse(PROGRAM), how)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("elementwise_add(X=x, Y=y)", "elementwise_add(X=x)"),
        ("elementwise_add(X=x, Y=y)", "elementwise_add()"),
        ("elementwise_add(X=x, Y=y)", 'elementwise_add(X=x, Y=y) axis="a"'),
        ("elementwise_add(X=x, Y=y)", "elementwise_add(X=x, Y=y) axis=2147483647"),
        ("elementwise_add(X=x, Y=y)", "unsqueeze2(X=x) axes=ints[2147483647]"),
        ("elementwise_add(X=x, Y=y)", "reduce_sum(X=x) dim=ints[-2147483648]"),
        ("elementwise_add(X=x, Y=y)", "transpose2(X=x) axis=ints[0, 99]"),
        ("elementwise_add(X=x, Y=y)", 'concat(X=[x, y]) axis=strings["a"]'),
        ("elementwise_add(X=x, Y=y)", "select_input(X=[x, y])"),
        ("tanh(X=x)", "tanh()"),
        ("Cond=c, ", ""),
        ("Cond=c, Input=x", "Cond=[], Input=x"),
    ],
)
def test_malformed_program_is_an_error_of_the_op(before: str, after: str, how: str) -> None:
    assert before in PROGRAM
    text = PROGRAM.replace(before, after)
    with pytest.raises((OpError, UnsupportedError, FileError)) as error:
        run(parse(text), how)
    name = re.findall(r"\w+(?=\()", after)[:1] or ["conditional_block"]
    assert {name[0], getattr(OPS.get(name[0]), "public_name", "")} & {
        *re.findall(r"\w+", str(error.value))
    }


TYPED = [i for i, row in enumerate(ROWS) if row.type in OPS and OPS[row.type].attrs]
WRONG: dict[str, Attr] = {"STRING": Attr(AttrType.INTS, [1, 2]), "STRINGS": Attr(AttrType.INT, 1)}


@pytest.mark.parametrize("row", [ROWS[i] for i in TYPED[::7]], ids=[IDS[i] for i in TYPED[::7]])
def test_attribute_of_wrong_type_is_named(row: Row) -> None:
    """Each attribute of an op in turn is of a type that the op does not declare."""
    recorder, feeds, names = recorded(row)
    op = next(op for op in recorder.program.block.ops if op.type not in ("feed", "fetch"))
    known = OPS[op.type]
    for name in [n for n in op.attrs if n in known.attrs]:
        right: Any = op.attrs[name]
        op.attrs[name] = WRONG.get(known.attrs[name].type, Attr(AttrType.STRING, "a"))
        with pytest.raises(OpError, match=f"attribute '{name}' has type "):
            CompiledProgram(recorder.program, list(feeds), list(dict.fromkeys(names)))
        op.attrs[name] = right


LARGE = {
    "adaptive": lambda x: paddle.nn.functional.adaptive_avg_pool2d(x, [65536, 65536]),
    "full": lambda x: paddle.full([1 << 20, 1 << 20], 0.0),
    "range": lambda x: paddle.arange(10**12),
    "tile": lambda x: paddle.tile(x, [1, 1, 1 << 20, 1 << 20]),
    "expand": lambda x: paddle.expand(x[:, :, :1, :1], [1, 1, 1 << 30, 1 << 30]),
    "interpolate": lambda x: paddle.nn.functional.interpolate(x, size=[1 << 17, 1 << 17]),
    "one_hot": lambda x: paddle.nn.functional.one_hot(paddle.to_tensor([1] * 1000), 10**9),
    "eye": lambda x: paddle.eye(1 << 20),
    "pad": lambda x: paddle.nn.functional.pad(x, [1 << 20] * 4),
    "rand": lambda x: paddle.rand([1 << 40]),
    "repeat": lambda x: paddle.repeat_interleave(x, 1 << 40),
}


@pytest.mark.parametrize("name", LARGE)
def test_results_above_the_memory_limit(name: str) -> None:
    with pytest.raises(
        MemoryLimitError,
        match=r"takes [\d,.]+ GiB, more than the 8.0 GiB that OARLOCK_MAX_RESULT_BYTES",
    ):
        LARGE[name](paddle.ones([1, 1, 4, 4]))


def test_memory_limit_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse("""program version=2006002
block 0:
  var fetch: fetch persistable
  y: float32[2048,1024] = fill_constant() shape=longs[2048, 1024] value=1.0 dtype=5
  fetch = fetch(X=y) col=0
""")
    monkeypatch.setitem(FEEDS, "x", np.ones((2, 3), "f"))
    for limit, rejected in ((8 << 20, False), ((8 << 20) - 1, True)):
        monkeypatch.setenv("OARLOCK_MAX_RESULT_BYTES", str(limit))
        for work in (
            lambda: Interpreter(program, {}).run({}),
            lambda: CompiledProgram(program).run({}, {}),
            lambda: Engine(to_bytes(program), None).run({}),
        ):
            if rejected:
                with pytest.raises((OpError, UnsupportedError), match="OARLOCK_MAX_RESULT_BYTES"):
                    work()
            else:
                work()


def test_out_of_memory_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_MAX_RESULT_BYTES", str(1 << 62))
    x = paddle.ones([1 << 20, 1])
    with pytest.raises(MemoryLimitError, match=r"float32\[1048576,1048576\] of 4,096.0 GiB"):
        paddle.matmul(x, x, transpose_y=True)


@pytest.mark.parametrize("pool", [paddle.nn.functional.avg_pool2d, paddle.nn.functional.max_pool2d])
def test_huge_windows_are_rejected(pool: Any) -> None:
    with pytest.raises(OpError, match="is larger than 1048576"):
        pool(paddle.ones([1, 1, 4, 4]), 2**31 - 1, stride=1, padding=2**30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("op", "attr"),
    [
        ("unsqueeze2(X=x)", "axes=ints[" + "1, " * 300_000 + "1]"),
        ("reshape2(X=x)", "shape=ints[" + "7, " * 300_000 + "7]"),
        ("fill_constant()", 'shape=longs[2] dtype=5 str_value="' + "z" * 3_000_000 + '"'),
    ],
)
@pytest.mark.parametrize("how", WAYS)
def test_errors_shorten_long_values(op: str, attr: str, how: str) -> None:
    text = PROGRAM.replace("elementwise_add(X=x, Y=y)", f"{op} {attr}")
    with pytest.raises((OpError, UnsupportedError, FileError)) as error:
        run(parse(text), how)
    assert len(str(error.value)) < 10_000


@pytest.mark.parametrize(
    ("rows", "words"), [(2**31 - 1, "OARLOCK_MAX_RESULT_BYTES"), (-(2**31), "is negative")]
)
@pytest.mark.parametrize("op", ["tril_indices", "triu_indices"])
def test_triangle_size_needs_constant_time(op: str, rows: int, words: str) -> None:
    names = ("rows", "cols") if op == "tril_indices" else ("row", "col")
    with pytest.raises(OpError, match=words):
        OPS[op](**dict(zip(names, (rows, 2**31 - 1), strict=True)))


def test_rule_reports_are_shortened() -> None:
    """Thousands of violations in an op with a long location: repeating it would exceed the file
    size.
    """
    program = Program([Block(0, -1)], 2006002)
    names = [f"{i:x}" for i in range(5000)]
    program.block.ops.append(OpDesc("relu", {"X": names}, {}, user_line=f"{'a' * 5000}.py:1 in f"))
    problems = find_problems(program)
    assert len(problems) <= MAX_PROBLEMS
    assert max(map(len, problems)) <= MAX_PROBLEM_LENGTH
