"""The bytes of `.pdmodel` files, and programs that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from oarlock.core.errors import OpError
from oarlock.export.pdmodel import to_bytes
from oarlock.export.proto import ATTR_VALUE_FIELD, MESSAGE_FIELDS, ProgramDesc
from oarlock.ir.parser import parse
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc

TWO = """\
program version=2006002
block 0:
  x: float32[?,3] = feed(X=feed) col=0
  fetch = fetch(X=z) col=1
  fetch = fetch(X=y) col=0
  y: float32[?,3] = feed(X=feed) col=1
  z: float32[?,3] = elementwise_add(X=x, Y=y) axis=-1  # net.py:3 in f
"""


def message(text: str) -> Any:
    return ProgramDesc.parse(to_bytes(parse(text)))


def test_order_of_feed_and_fetch_ops() -> None:
    ops = message(TWO).blocks[0].ops
    assert [(op.type, [a.i for a in op.attrs if a.name == "col"]) for op in ops] == [
        ("feed", [1]),
        ("feed", [0]),
        ("elementwise_add", []),
        ("fetch", [0]),
        ("fetch", [1]),
    ]


def test_order_of_variables() -> None:
    found = message(TWO).blocks[0].vars
    assert [(var.name, var.type.type, var.persistable) for var in found] == [
        ("x", 7, False),
        ("y", 7, False),
        ("z", 7, False),
        ("feed", 9, True),
        ("fetch", 10, True),
    ]


def test_callstack_attribute_without_folders() -> None:
    for where in ("net.py:3 in f", "/home/me/net.py:3 in f", "C:\\me\\net.py:3 in f"):
        op = OpDesc("relu", user_line=where)
        (written,) = ProgramDesc.parse(to_bytes(Program([Block(ops=[op])]))).blocks[0].ops[0].attrs
        assert (written.name, written.type, list(written.strings)) == (
            "op_callstack",
            5,
            ["net.py:3 in f"],
        )


def test_set_value_version() -> None:
    """Real Paddle rewrites the `values` of a set_value that does not."""
    with_it = message("program version=0\nblock 0:\nset_value() values=scalars[1]")
    assert [(pair.op_name, pair.op_version.version) for pair in with_it.op_version_map.pair] == [
        ("set_value", 4)
    ]
    assert not message(TWO).HasField("op_version_map")


HASHES = """
import hashlib, sys
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.parser import parse
from oarlock.ir.passes.prune import prune
program = prune(parse(sys.argv[1]), ["y", "x"], ["z"])
print(hashlib.sha256(to_bytes(program) + str(program).encode()).hexdigest())
"""


def test_bytes_are_independent_of_the_process() -> None:
    def hashed(seed: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        asked = [sys.executable, "-c", HASHES, TWO]
        return subprocess.run(
            asked, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert hashed("1") == hashed("2")


def test_negative_ints_and_unpacked_lists() -> None:
    data = to_bytes(parse("program version=0\nblock 0:\nop() i=-1 l=ints[1,2]"))
    assert b"\x0a\x01i\x10\x00\x18" + b"\xff" * 9 + b"\x01" in data
    assert b"\x0a\x01l\x10\x03\x30\x01\x30\x02" in data
    assert b"\x10" + b"\xff" * 9 + b"\x01" in data  # parent_idx of the first block


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            Program([Block(ops=[OpDesc("op", attrs={"a": Attr(AttrType.INT, "x")})])]),
            "op: attribute a: INT is an int",
        ),
        (
            Program([Block(ops=[OpDesc("op", attrs={"a": Attr(AttrType.FLOAT, 1e60)})])]),
            "op: attribute a: FLOAT is",
        ),
        (Program([Block(ops=[OpDesc("op", {"X": [3]})])]), "op: "),  # type: ignore[list-item]
        (
            Program([Block(vars={"x": VarDesc("x", dtype="float33")})]),
            "dtype: 'float33' is not one of",
        ),
    ],
)
def test_unrepresentable_programs_are_rejected(program: Program, message: str) -> None:
    with pytest.raises(OpError) as error:
        to_bytes(program)
    assert str(error.value).startswith(message)


def test_attribute_types_have_distinct_fields() -> None:
    assert set(ATTR_VALUE_FIELD) == set(AttrType)
    assert len(set(ATTR_VALUE_FIELD.values())) == len(AttrType)
    assert all(
        f"{field}:" in MESSAGE_FIELDS["Attr"].replace("*", "")
        for field in ATTR_VALUE_FIELD.values()
    )
