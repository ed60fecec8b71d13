"""Attributes are checked against the op definition when a file is loaded, equally in Python and in
C++.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.compiler import CompiledProgram
from oarlock.core.errors import FileError
from oarlock.core.op import OPS
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.attr_checks import ACCEPTED_TYPES, iter_attr_problems, range_kind_of_attr
from oarlock.ir.attr_types import LIST_ATTR_TYPES
from oarlock.ir.parser import parse
from oarlock.ir.program import Attr, AttrType, OpDesc, Program
from oarlock.loader.engine import Engine
from oarlock.loader.pdmodel import parse_program
from oarlock.loader.runtime import runtime_module

from ..ops import older_names_table
from ..ops.attribute_table import TABLE, table

OPS_FOLDER = Path(__file__).parents[1] / "ops"
PROGRAM = """program version=2006002
block 0:
  var feed: feed persistable
  var fetch: fetch persistable
  x: float32[2,3] = feed(X=feed) col=0
  y: float32[2,3] = relu(X=x)
  dead: float32[2,3] = tanh(X=x)
  fetch = fetch(X=y) col=0
"""
VALUES: dict[AttrType, Any] = {
    AttrType.INT: 1,
    AttrType.LONG: 1,
    AttrType.BOOLEAN: True,
    AttrType.FLOAT: 0.5,
    AttrType.FLOAT64: 0.5,
    AttrType.STRING: "a",
    AttrType.SCALAR: 1.0,
    AttrType.INTS: [1, 1],
    AttrType.LONGS: [1, 1],
    AttrType.BOOLEANS: [True, True],
    AttrType.FLOATS: [0.5, 0.5],
    AttrType.FLOAT64S: [0.5, 0.5],
    AttrType.STRINGS: ["a", "a"],
    AttrType.SCALARS: [1.0, 1.0],
}
ONE = {
    AttrType[f"{kind.name}S"]: [value]
    for kind, value in VALUES.items()
    if kind not in LIST_ATTR_TYPES
}
EXTREMES = {
    AttrType.INT: [32, -33, 2**31 - 1, -(2**31)],
    AttrType.LONG: [32, -33, 2**62],
    AttrType.INTS: [[32], [0, -33], [2**31 - 1], [-(2**31)], [1] * 65, [1] * 64],
    AttrType.LONGS: [[1 << 21], [0, -(2**62)], [1] * 65],
}


def with_attr(op: str, name: str, attr: Attr) -> bytes:
    """Return a program whose second op, which nothing reads, is `op` with one attribute."""
    program: Program = parse(PROGRAM)
    dead = program.block.ops[2]
    program.block.ops[2] = OpDesc(op, dead.inputs, dead.outputs, {name: attr})
    return to_bytes(program)


def python_problem(data: bytes) -> str:
    """What Python has against a file, "" for nothing."""
    try:
        parse_program(data)
    except FileError as error:
        return str(error).partition("attribute '")[2]
    return ""


def cpp_problem(data: bytes) -> str:
    """What C++ has against it."""
    try:
        runtime_module().describe(data, None)
    except runtime_module().Error as error:
        return str(error).partition("attribute '")[2]
    return ""


def test_cpp_attribute_table_is_up_to_date() -> None:
    assert TABLE.read_text("utf-8") == table(), "run: python -m tests.ops.attribute_table"


@pytest.mark.parametrize("name", sorted(older_names_table.tables()))
def test_tables_of_older_names_are_up_to_date(name: str) -> None:
    found = (older_names_table.FOLDER / name).read_text("utf-8")
    assert found == older_names_table.tables()[name], "run: python -m tests.ops.older_names_table"


@pytest.mark.parametrize("op", sorted(t for t, op in OPS.items() if op.attrs)[::5])
def test_both_readers_accept_the_same_types(op: str) -> None:
    """Each attribute of the op as each type, in an op that nothing reads."""
    for name, spec in OPS[op].attrs.items():
        accepted = set()
        for kind, value in VALUES.items():
            for v in (value, ONE.get(kind, value)):
                data = with_attr(op, name, Attr(kind, v))
                wrong = python_problem(data)
                assert cpp_problem(data) == wrong.removesuffix("\n")
                if not wrong:
                    accepted.add(kind)
        assert ACCEPTED_TYPES[spec.type] <= accepted
        assert AttrType.STRINGS not in accepted or spec.type in ("STRINGS", "STRING")


RANGED = sorted(
    (t, n)
    for t, op in OPS.items()
    for n in op.attrs
    if range_kind_of_attr(op, n) in ("axis", "window", "count")
)


@pytest.mark.parametrize(("op", "name"), RANGED[::3], ids=lambda v: v)
def test_both_readers_reject_the_same_values(op: str, name: str) -> None:
    kind = AttrType[OPS[op].attrs[name].type]
    problems = []
    for value in EXTREMES[kind]:
        data = with_attr(op, name, Attr(kind, value))
        problems.append(python_problem(data))
        assert cpp_problem(data) == problems[-1]
    assert any(problems)


def test_unknown_attributes_and_ops_are_ignored() -> None:
    for op, name in (("relu", "use_mkldnn"), ("relu", "axis"), ("nobodys_op", "axis")):
        parse_program(with_attr(op, name, Attr(AttrType.STRING, "a")))
        runtime_module().describe(with_attr(op, name, Attr(AttrType.INT, 2**31 - 1)), None)


def test_load_rejects_invalid_attributes(tmp_path: Path) -> None:
    """`load`, `load_inference_model` and the predictor report the problem and its location."""
    data = with_attr("softmax", "axis", Attr(AttrType.INT, 2**31 - 1))
    tmp_path.joinpath("m.pdmodel").write_bytes(data)
    tmp_path.joinpath("m.pdiparams").write_bytes(b"")
    exe = paddle.static.Executor()
    for load in (
        lambda: paddle.jit.load(str(tmp_path / "m")),
        lambda: paddle.static.load_inference_model(str(tmp_path / "m"), exe),
        lambda: paddle.inference.create_predictor(
            paddle.inference.Config(str(tmp_path / "m.pdmodel"), str(tmp_path / "m.pdiparams"))
        ),
    ):
        with pytest.raises(
            FileError,
            match=r"softmax.*attribute 'axis' is 2147483647; a tensor has at most 32 axes",
        ):
            load()


@pytest.mark.parametrize("registry", ["registry.json", "registry_1_8_5.json"])
def test_paddle_defaults_are_accepted(registry: str) -> None:
    """Every attribute as the type that real Paddle declares, at the default that it writes."""
    rows = json.loads((OPS_FOLDER / registry).read_text("utf-8"))
    checked = 0
    for type, row in rows.items():
        op = OPS.get(type)
        for name, (kind, *default) in row["attrs"].items():
            if op is not None and name in op.attrs:
                attr_type = AttrType[kind]
                empty = [] if attr_type in LIST_ATTR_TYPES else VALUES.get(attr_type)
                attr = Attr(attr_type, default[0] if default else empty)
                assert not list(iter_attr_problems(op, OpDesc(type, {}, {}, {name: attr}))), (
                    type,
                    name,
                )
                checked += 1
    assert checked > (500 if registry == "registry.json" else 0)


def test_numeric_tolerances_of_1_8() -> None:
    text = """program version=1008005
block 0:
  var feed: feed persistable
  var fetch: fetch persistable
  x: float32[2,3] = feed(X=feed) col=0
  w: float32[2,3] = feed(X=feed) col=1
  y: bool[1] = allclose(Input=x, Other=w) rtol=0.5 atol=0.0
  fetch = fetch(X=y) col=0
"""
    data = to_bytes(parse(text))
    parse_program(data)
    for x, y, close in (([1.0], [1.9], True), ([1.0], [2.1], False)):
        feeds = {"x": np.array([x * 3] * 2, "f"), "w": np.array([y * 3] * 2, "f")}
        assert (
            Engine(data, None).run(feeds)[0].item()
            == close
            == CompiledProgram(parse(text)).run({}, feeds)[0].item()
        )
