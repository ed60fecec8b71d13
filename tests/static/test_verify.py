"""Each verification rule has a program that violates it; real programs violate none."""

from __future__ import annotations

import json

import pytest

from oarlock.ir.parser import parse
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from oarlock.ir.verifier import ALL_RULES, FILE_RULES, MAX_BLOCK_DEPTH, find_problems

GOOD = """\
program version=0
contract:
  tree [0]
  input x: float32[?,3]
  output y: float32[?,3]
  guard dim x axis=0 expected="2" reader="shape[0]" text="n = x.shape[0]"
block 0:
  param mean: float32[3]
  var feed: feed persistable
  var fetch: fetch persistable
  x: float32[?,3] = feed(X=feed) col=0
  Y=y: float32[?,3], MeanOut=mean = batch_norm(X=x, Mean=mean)
  c: bool[] = any(X=y)
  Out=[y, c], StepScopes=s: step_scopes = while(X=y, Condition=c) sub_block=block(1)
  fetch = fetch(X=y) col=0
block 1 in 0:
  t: float32[?,3] = relu(X=y)
  y = assign(X=t)
"""
STEPS = """program version=2006002
block 0:
  var feed: feed persistable
  x: float32[?,3] = feed(X=feed) col=0
  h: float32[3] = feed(X=feed) col=1
  relu(X=x)
  outputs=y: float32[?,3] = recurrent(inputs=x, initial_states=h) ex_states=strings["m"] states=strings["n"] sub_block=block(1)  # net.py:3 in f
block 1 in 0:
  var x: float32[3]
  var m: float32[3]
  y: float32[3] = elementwise_add(X=x, Y=m)
  n: float32[3] = assign(X=y)
"""


def text(*lines: str) -> str:
    return "\n".join(("program version=0", "block 0:", *lines))


# rule -> programs that break it, as text, and a part of what is said
BROKEN: dict[str, list[tuple[str, str]]] = {
    "block_nesting_problems": [
        ("program version=0", "a program has at least one block"),
        ("program version=0\nblock 1:", "block 0: has the index 1"),
        ("program version=0\nblock 0 in 0:", "block 0: is the outermost but has parent 0"),
        (
            "program version=0\nblock 0:\nblock 1 in 1:",
            "block 1: its parent is 1, which does not come before it",
        ),
    ],
    "variable_problems": [
        (text("var x: float33[2]"), "block 0, variable 'x': 'float33' is not a data type"),
        (text("var x: float32[-2]"), "has an axis that is neither a size nor -1"),
        (text("var x: untyped[]"), "'' is not a data type"),
    ],
    "attribute_type_problems": [],
    "attribute_definition_problems": [
        (text("y = softmax(X=x) axis=99"), "attribute 'axis' is 99; a tensor has at most 32 axes"),
    ],
    "block_depth_problems": [
        (
            text(*(f"block {i + 1} in {i}:" for i in range(MAX_BLOCK_DEPTH))),
            f"nested {MAX_BLOCK_DEPTH + 1} deep",
        ),
    ],
    "block_index_attribute_problems": [
        (
            text("go() b=block(1)"),
            "block 0, op 0 (go): attribute b is block 1, but the number of blocks is 1",
        ),
        (text("go() b=blocks[0]"), "attribute b is block 0, but the number of blocks is 1"),
        (
            text("go() sub_block=1", "block 1 in 0:"),
            "attribute sub_block is of type INT, not BLOCK",
        ),
    ],
    "sub_block_ownership_problems": [
        (
            text("block 1 in 0:", "go() b=block(1)"),
            "attribute b is block 1, which is not a child of block 1",
        ),
        (
            text("block 1 in 0:", "go() b=block(2)", "block 2 in 0:", "go() b=blocks[1]"),
            "block 1, op 0 (go): attribute b is block 2, which is not a child of block 1",
        ),
        (
            text("go() b=block(1)", "come() b=block(1)", "block 1 in 0:"),
            "op 1 (come): attribute b is block 1, which block 0, op 0 (go) already runs",
        ),
        (
            text("go() b=blocks[1, 1]", "block 1 in 0:"),
            "attribute b is block 1, which block 0, op 0 (go) already runs",
        ),
    ],
    "undeclared_operand_problems": [
        (
            text("y = relu(X=x)  # net.py:3 in f"),
            "op 0 (relu) at net.py:3 in f: variable 'x' is not declared",
        ),
        (text("var x: float32[]", "relu(X=x) a=var(z)"), "variable 'z' is not declared"),
        (text("relu(X=x)", "block 1 in 0:", "var x: float32[]"), "variable 'x' is not declared"),
    ],
    "feed_and_fetch_problems": [
        (text("x: float32[] = feed(X=feed)"), "the feed ops have col [None], not 0 ... 0"),
        (text("x: float32[] = feed(X=feed) col=1"), "the feed ops have col [1], not 0 ... 0"),
        (
            text("x: float32[] = feed(X=feed) col=0", "fetch = fetch(X=x) col=long(0)"),
            "the fetch ops have col [None], not 0 ... 0",
        ),
        (text("var x: float32[]", "fetch = fetch(X=[x, x]) col=0"), "X is one variable, not 2"),
        (
            text("block 1 in 0:", "x: float32[] = feed(X=feed) col=0"),
            "is not in the outermost block",
        ),
    ],
    "recurrent_op_problems": [
        (STEPS.replace("inputs=x, ", ""), "op 3 (recurrent) at net.py:3 in f: has no inputs"),
        (STEPS.replace('"m"', ""), "has 1 initial_states for 0 ex_states and 1 states"),
        (STEPS.replace('"n"', '"o"'), "block 1 does not declare 'o'"),
        (STEPS.replace("var x: float32[3]", "var z: float32[3]"), "block 1 does not declare 'x'"),
        (
            STEPS.replace('strings["m"]', '"m"'),
            "sub_block should be a block, and ex_states and states should be lists of strings",
        ),
        (STEPS.replace("sub_block=block(1)", ""), "sub_block should be a block"),
    ],
    "contract_problems": [
        (
            GOOD.replace("input x", "input z"),
            "contract: the inputs are ['z'], the program's are ['x']",
        ),
        (
            GOOD.replace("output y: float32", "output y: float3"),
            "contract: output 'y': 'float3' is not a data type",
        ),
        (
            GOOD.replace("y: float32[?,3]\n  guard", "y: float32[?,3] dim 0 n\n  guard"),
            "output 'y' has names of dimensions, which only inputs have",
        ),
        (
            GOOD.replace("x: float32[?,3]\n  output", "x: float32[?,3] dim 1 w\n  output"),
            "input 'x': dimension 1 has the name 'w', but is not dynamic",
        ),
        (
            GOOD.replace("x: float32[?,3]\n  output", "x: float32[?,?] dim 1 w\n  output"),
            "input 'x': dimension 1 has the name 'w', but is not dynamic",
        ),
        (
            GOOD.replace(
                "x: float32[?,3]\n  output", "x: float32[?,?] dim 0 n dim 1 n max=8\n  output"
            ),
            "dimension 1 of input 'x' is Dim('n', 1, 8), but dimension 0 of input 'x' is Dim('n')",
        ),
        (GOOD.replace("guard dim", "guard dome"), "a guard of kind 'dome' is not known"),
        (GOOD.replace("guard dim x", "guard dim q"), "a guard reads 'q', which is not declared"),
        (GOOD.replace("[0]\n", "[1]\n"), "the output tree holds 1, which is not one of 1 outputs"),
        (GOOD.replace("[0]\n", "[\n"), "the output tree is not JSON"),
        (GOOD.replace("[0]\n", "[" * 9999 + "\n"), "the output tree is not JSON"),
        (GOOD.replace("[0]\n", "[true]\n"), "the output tree holds True"),
        (
            GOOD.replace("[0]\n", "[" * 99 + "0" + "]" * 99 + "\n"),
            "the output tree is nested more than 64 deep",
        ),
        *(
            (
                GOOD.replace("[0]\n", f"{odd}\n"),
                f"the output tree holds {json.loads(odd)}, which is not one of 1 outputs",
            )
            for odd in (
                "{}",
                '{"tuple": 0}',
                '{"dict": [0]}',
                '{"list": [0]}',
                '{"tuple": [0], "value": 1}',
            )
        ),
        (GOOD.replace("[0]\n", '{"value": [0]}\n'), "the output tree holds {'value': [0]}"),
    ],
    "repeated_or_persistable_feed_problems": [
        (
            text("x: float32[] = feed(X=feed) col=0", "x = feed(X=feed) col=1"),
            "input 'x' is fed twice",
        ),
        (text("param x: float32[]", "x = feed(X=feed) col=0"), "input 'x' is persistable"),
    ],
    "persistable_write_problems": [
        (
            text("param w: float32[]", "w = relu(X=w)", "w = fill()"),
            "op 1 (fill): overwrites 'w', which is persistable",
        ),
    ],
    "read_before_write_problems": [
        (
            text("var x: float32[]", "relu(X=x)"),
            "op 0 (relu): reads 'x', which nothing has written yet",
        ),
        (
            GOOD.replace("relu(X=y)", "relu(X=t)"),
            "block 1, op 0 (relu): reads 't', which nothing has written yet",
        ),
    ],
}
# rule -> programs that no text can say
BROKEN_DATA: dict[str, list[tuple[Program, str]]] = {
    "attribute_type_problems": [
        (
            Program([Block(ops=[OpDesc("go", attrs={"a": Attr(AttrType.INT, 1.0)})])]),
            "a: INT is an int of 32 bits, not 1.0",
        ),
        (Program([Block(ops=[OpDesc("go", attrs={"a": Attr(AttrType.INT, True)})])]), "not True"),
        (
            Program([Block(ops=[OpDesc("go", attrs={"a": Attr(AttrType.INTS, 3)})])]),
            "INTS is a list, not 3",
        ),
        (
            Program([Block(ops=[OpDesc("go", attrs={"a": Attr(AttrType.STRINGS, ["b", 3])})])]),
            "STRINGS holds str, not 3",
        ),
        (
            Program([Block(ops=[OpDesc("go", attrs={"a": Attr(AttrType.STRINGS, ["b", None])})])]),
            "not None",
        ),
    ],
    "variable_problems": [
        (Program([Block(vars={"x": VarDesc("y")})]), "variable 'x': is declared as 'y'")
    ],
}
ROWS = [(name, parse(said), what) for name, rows in BROKEN.items() for said, what in rows]
ROWS += [(name, program, what) for name, rows in BROKEN_DATA.items() for program, what in rows]
BY_NAME = {rule.__name__: rule for group in ALL_RULES for rule in group}


def test_valid_program_violates_no_rule() -> None:
    assert find_problems(parse(GOOD)) == []
    assert find_problems(parse(STEPS)) == []


@pytest.mark.parametrize(("rule", "program", "message"), ROWS)
def test_violations_are_reported(rule: str, program: Program, message: str) -> None:
    said = list(BY_NAME[rule](program))
    assert any(message in line for line in said), said
    assert set(find_problems(program)) & set(said)


def test_quantization_scale_may_be_a_parameter() -> None:
    measured = parse(text("param w: float32[]", "w = fake_quantize_dequantize_abs_max()"))
    assert list(BY_NAME["persistable_write_problems"](measured)) == []


def test_every_rule_has_a_violation() -> None:
    assert {row[0] for row in ROWS} == set(BY_NAME)


def test_file_rules_are_the_first_rules() -> None:
    assert ALL_RULES[: len(FILE_RULES)] == FILE_RULES


def test_all_violations_are_listed() -> None:
    assert len(find_problems(parse(text("y = relu(X=x)")))) == 2
