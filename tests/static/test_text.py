"""The text format of programs, and the parser's errors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oarlock.core.errors import FileError
from oarlock.ir.dim import Dim
from oarlock.ir.parser import parse
from oarlock.ir.program import (
    Attr,
    AttrType,
    Block,
    Contract,
    ContractInputOrOutput,
    Guard,
    OpDesc,
    Program,
    VarDesc,
    VarKind,
)

GOLDEN = """\
program version=2006002
contract:
  producer oarlock 0.1
  verified 2 sizes, largest difference 1e-06
  tree {"logits": 0}
  input x: float32[?,3] path="x"
  output y: float32[?,4] path="logits"
  guard dim x axis=1 expected="3" reader="shape[1]" text="if x.shape[1] == 3:"  # net.py:9 in forward
block 0:
  param linear_0.w_0: float32[3,4] is_parameter
  var feed: feed persistable
  var fetch: fetch persistable
  var n: int64[1] check_feed
  x: float32[?,3] = feed(X=feed) col=0
  y: float32[?,4] lod=1 = matmul_v2(X=x, Y=linear_0.w_0) trans_x=false alpha=1.0  # net.py:12 in forward
  Out=[y, n], Scope=s: step_scopes = while(X=[y, n], "odd slot"="a b") sub_block=block(1) shape=longs[2,-1]
  fetch = fetch(X=y) col=0
block 1 in 0:
  "a b": array float16[?] stop_gradient = fill(X=[]) value=scalar(2.5) name="a \\"name\\"" big=long(4)
  print(In=x)"""


def golden() -> Program:
    outer = Block(
        vars={
            "linear_0.w_0": VarDesc("linear_0.w_0", (3, 4), persistable=True, is_parameter=True),
            "feed": VarDesc("feed", dtype="", kind=VarKind.FEED, persistable=True),
            "fetch": VarDesc("fetch", dtype="", kind=VarKind.FETCH, persistable=True),
            "n": VarDesc("n", (1,), "int64", checks_feed=True),
            "x": VarDesc("x", (-1, 3)),
            "y": VarDesc("y", (-1, 4), lod_level=1),
            "s": VarDesc("s", dtype="", kind=VarKind.STEP_SCOPES),
        },
        ops=[
            OpDesc("feed", {"X": ["feed"]}, {"Out": ["x"]}, {"col": Attr(AttrType.INT, 0)}),
            OpDesc(
                "matmul_v2",
                {"X": ["x"], "Y": ["linear_0.w_0"]},
                {"Out": ["y"]},
                {"trans_x": Attr(AttrType.BOOLEAN, False), "alpha": Attr(AttrType.FLOAT, 1.0)},
                "net.py:12 in forward",
            ),
            OpDesc(
                "while",
                {"X": ["y", "n"], "odd slot": ["a b"]},
                {"Out": ["y", "n"], "Scope": ["s"]},
                {"sub_block": Attr(AttrType.BLOCK, 1), "shape": Attr(AttrType.LONGS, [2, -1])},
            ),
            OpDesc("fetch", {"X": ["y"]}, {"Out": ["fetch"]}, {"col": Attr(AttrType.INT, 0)}),
        ],
    )
    attrs = {
        "value": Attr(AttrType.SCALAR, 2.5),
        "name": Attr(AttrType.STRING, 'a "name"'),
        "big": Attr(AttrType.LONG, 4),
    }
    inner = Block(
        1,
        0,
        {"a b": VarDesc("a b", (-1,), "float16", VarKind.ARRAY, stop_gradient=True)},
        [OpDesc("fill", {"X": []}, {"Out": ["a b"]}, attrs), OpDesc("print", {"In": ["x"]})],
    )
    guard = Guard("dim", "x", 1, "3", "shape[1]", "net.py:9 in forward", "if x.shape[1] == 3:")
    contract = Contract(
        [ContractInputOrOutput("x", "float32", (-1, 3), "x")],
        [ContractInputOrOutput("y", "float32", (-1, 4), "logits")],
        '{"logits": 0}',
        [guard],
        "oarlock 0.1",
        "2 sizes, largest difference 1e-06",
    )
    return Program([outer, inner], 2006002, contract)


def test_golden_text() -> None:
    assert str(golden()) == GOLDEN
    assert parse(GOLDEN) == golden()


def test_whitespace_and_comments_are_ignored() -> None:
    loose = (
        "# a note\n\n"
        + GOLDEN.replace(", ", " ,  ").replace("=block(1)", " = block ( 1 )")
        + "\n\n"
    )
    assert parse(loose.replace("2 sizes ,  ", "2 sizes, ")) == golden()


def test_named_dimensions() -> None:
    program = golden()
    assert program.contract is not None
    program.contract.inputs[0] = replace(
        program.contract.inputs[0],
        shape=(-1, 3, -1),
        dims=(Dim("batch", 0), None, Dim("h", 32, 1280, multiple=32)),
    )
    text = str(program)
    assert (
        'input x: float32[?,3,?] path="x" dim 0 batch min=0 multiple=1 dim 2 h min=32 max=1280 '
        "multiple=32\n"
    ) in text
    assert parse(text) == program


START = "program version=0\nblock 0:\n"
BAD = [
    ("", "m: is empty"),
    ("prog", "m:1: the text of a program starts with `program version=...` (prog)"),
    ("program version=x", "m:1: a version is expected, not 'x'"),
    ("program version=0\nx = relu()", "m:2: a block is expected"),
    ("program version=0\nblock zero:", "m:2: the index of a block is expected, not 'zero'"),
    ("program version=0\nblock 0", "m:2: ':' is expected, not 'the end of the line'"),
    ("program version=0\ncontract:\n  what x", "m:3: a contract has no 'what'"),
    (
        "program version=0\ncontract:\n  input x: float32[?] dim 1 n",
        "m:3: the shape has no axis 1",
    ),
    (
        "program version=0\ncontract:\n  input x: float32[?] dim 0 n min=5 max=4",
        "m:3: Dim 'n': max=4 is less than min=5",
    ),
    (
        "program version=0\ncontract:\n  input x: float32[?] dim 0 n most=4",
        "m:3: the end of the line is expected, not 'most'",
    ),
    ("program version=0\ncontract:\n  guard dim x axis=0", "m:3: expected= is expected"),
    (START + "var x float32[2]", "m:3: ':' is expected, not 'float32'"),
    (START + "var x: float32", "m:3: '[' is expected"),
    (START + "var x: float32[two]", "m:3: a size or ? is expected, not 'two'"),
    (START + "var x: float32[2] shiny", "m:3: 'shiny' is not a property of a variable"),
    (START + "var x: float32[2]\nvar x: float32[2]", "m:4: variable 'x' is declared twice"),
    (START + "y = relu(X=x", "m:3: ')' is expected"),
    (START + "y = relu(X=x, X=x)", "m:3: slot X is there twice"),
    (START + "y = relu(X=x) a", "m:3: '=' is expected"),
    (START + "y = relu(X=x) a=1 a=2", "m:3: attribute a is there twice"),
    (START + "y = relu(X=x) a=what", "m:3: a number is expected, not 'what'"),
    (
        START + "y = relu(X=x) a=99999999999",
        "m:3: attribute a: INT is an int of 32 bits, not 99999999999",
    ),
    (START + "y = relu(X=x) a=1e60", "m:3: attribute a: FLOAT is a float of 32 bits, not 1e+60"),
    (
        START + "y = relu(X=x) a=block(-1)",
        "m:3: attribute a: BLOCK is the index of a block, not -1",
    ),
    (START + "y = relu(X=x) a=ints[1 2]", "m:3: ',' is expected, not '2'"),
    (START + "y = relu(X=x) a=strings[b]", "m:3: a text in quotes is expected, not 'b'"),
    (START + "y = relu(X=x) a=bools[1]", "m:3: true or false is expected, not '1'"),
    (START + 'y = relu(X=x) a="b', "m:3: invalid syntax at"),
    (START + 'y = relu(X=x) a="\\q"', "m:3: the text"),
    (START + "y = relu(X=x) a=1 )", "m:3: the name of an attribute is expected, not ')'"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(FileError) as error:
        parse(text, "m")
    assert str(error.value).startswith(message)


@given(st.data())
@settings(deadline=None)
def test_damaged_text_is_a_file_error_or_another_program(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(GOLDEN) - 1))
    length = data.draw(st.integers(0, 20))
    new = data.draw(st.text('xX=,:[]()"#? \n1-.e\\', max_size=5))
    try:
        program = parse(GOLDEN[:at] + new + GOLDEN[at + length :])
    except FileError:
        return
    assert parse(str(program)) == program
