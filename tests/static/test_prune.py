"""Pruning keeps what outputs and guards need, and reports everything invalid."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from oarlock.core.errors import OpError
from oarlock.ir.parser import parse
from oarlock.ir.passes.prune import eliminate_dead_ops, prune
from oarlock.ir.program import Contract, ContractInputOrOutput, Guard, Program
from oarlock.ir.verifier import find_problems

NET = parse("""\
program version=2006002
block 0:
  param w: float32[3,4]
  param unused: float32[9]
  var x: float32[?,3] check_feed
  var y: float32[?,3] check_feed
  a: float32[?,4] = matmul_v2(X=x, Y=w)
  b: float32[?,3] = relu(X=y)
  n: int64[] = size(X=b)
  c: bool[] = any(X=a)
  Out=s: float32[?,4], Scope=sc: step_scopes = conditional_block(Cond=c, Input=[]) sub_block=block(1)
  Out=o: float32[?,4], Scope=sd: step_scopes = conditional_block(Cond=c, Input=a) sub_block=block(2)
block 1 in 0:
  s = assign(X=b)
block 2 in 0:
  Out=o, Scope=se: step_scopes = conditional_block(Cond=c, Input=a) sub_block=block(3)
block 3 in 2:
  l: float32[?,4] = relu(X=a)
  o = assign(X=l)
""")


def types(program: Program) -> list[str]:
    return [op.type for op in program.block.ops]


def test_unneeded_ops_are_removed() -> None:
    pruned = prune(NET, ["x"], ["a"])
    assert types(pruned) == ["feed", "matmul_v2", "fetch"]
    assert sorted(pruned.block.vars) == ["a", "feed", "fetch", "w", "x"]
    assert (pruned.feed_names(), pruned.fetch_names()) == (["x"], ["a"])
    assert len(pruned.blocks) == 1
    assert find_problems(pruned) == []


def test_sub_blocks_are_kept_and_renumbered() -> None:
    pruned = prune(NET, ["x"], ["o"])
    assert types(pruned) == ["feed", "matmul_v2", "any", "conditional_block", "fetch"]
    assert [(block.idx, block.parent) for block in pruned.blocks] == [(0, -1), (1, 0), (2, 1)]
    assert pruned.block.ops[3].attr("sub_block") == 1
    assert pruned.blocks[1].ops[0].attr("sub_block") == 2
    assert find_problems(pruned) == []


DEAD = parse("""\
program version=2006002
block 0:
  x: float32[?,3] check_feed = feed() col=0
  a: float32[?,3] = relu(X=x)
  b: float32[?,3] = tanh(X=x)
  c: bool[] = any(X=a)
  Out=o: float32[?,3], Scope=s: step_scopes = conditional_block(Cond=c, Input=[a, b]) sub_block=block(1)
  Out=[], Scope=t: step_scopes = conditional_block(Cond=c, Input=x) sub_block=block(2)
  fetch = fetch(X=o) col=0
block 1 in 0:
  dead: float32[?,3] = exp(X=b)
  Out=more: float32[?,3], Scope=u: step_scopes = conditional_block(Cond=c, Input=dead) sub_block=block(3)
  l: float32[?,3] = relu(X=a)
  o = assign(X=l)
block 2 in 0:
  p: float32[?,3] = print(In=x) message="seen"
block 3 in 1:
  more = assign(X=dead)
""")


@pytest.mark.parametrize("lean", [eliminate_dead_ops, lambda program: prune(program, ["x"], ["o"])])
def test_dead_code_in_sub_blocks(lean: Any) -> None:
    before = deepcopy(DEAD)
    pruned = lean(DEAD)
    assert before == DEAD
    assert [
        [op.type for op in block.ops if op.type not in ("feed", "fetch")] for block in pruned.blocks
    ] == [
        ["relu", "any", "conditional_block", "conditional_block"],
        ["relu", "assign"],
        ["print"],
    ]
    assert list(pruned.blocks[1].vars) == ["l"]
    assert pruned.block.ops[3].inputs["Input"] == ["a"]


def test_variables_read_by_sub_blocks_are_needed() -> None:
    pruned = prune(NET, ["x", "y"], ["s"])
    assert "relu" in types(pruned)
    assert find_problems(pruned) == []


def test_feed_replaces_its_producer() -> None:
    pruned = prune(NET, ["b"], ["n"])
    assert types(pruned) == ["feed", "size", "fetch"]
    assert find_problems(pruned) == []


def test_feed_and_fetch_order() -> None:
    assert prune(NET, ["y", "x"], ["s", "a"]).feed_names() == ["y", "x"]
    assert prune(NET, ["y", "x"], ["s", "a"]).fetch_names() == ["s", "a"]
    assert [op.attr("col") for op in prune(NET, ["y", "x"], ["s"]).block.ops[:2]] == [1, 0]


def test_in_place_update_keeps_earlier_writers() -> None:
    program = parse("""\
program version=0
block 0:
  var x: int64[1] check_feed
  i: int64[1] = fill()
  i = increment(X=i)
  unused: int64[1] = fill()
  y: int64[1] = sum(X=[x, i])
  i = increment(X=i)
""")
    assert types(prune(program, ["x"], ["y"])) == ["feed", "fill", "increment", "sum", "fetch"]


def test_original_is_unchanged() -> None:
    before = deepcopy(NET)
    pruned = prune(NET, ["x"], ["o"])
    pruned.block.vars["w"].shape = (1,)
    pruned.blocks[1].ops[0].inputs["Input"].append("w")
    assert before == NET


def test_pruning_is_idempotent() -> None:
    once = prune(NET, ["x"], ["o"])
    assert prune(once, ["x"], ["o"]) == once


def contract() -> Contract:
    return Contract(
        [
            ContractInputOrOutput("x", "float32", (-1, 3), "x"),
            ContractInputOrOutput("y", "float32", (-1, 3), "y"),
        ],
        [
            ContractInputOrOutput("a", "float32", (-1, 4), "0"),
            ContractInputOrOutput("o", "float32", (-1, 4), "1"),
        ],
        "[0, 1]",
        [Guard("value", "n", 0, "6", "int()", "net.py:3 in f", "k = int(n)")],
        "a test",
        "yes",
    )


def test_guards_keep_their_variables() -> None:
    program = deepcopy(NET)
    program.contract = contract()
    pruned = prune(program, ["x", "y"], ["a"])
    assert types(pruned) == ["feed", "feed", "matmul_v2", "relu", "size", "fetch"]
    assert pruned.contract is not None
    assert [arg.path for arg in pruned.contract.outputs] == ["0"]
    assert pruned.contract.output_tree == ""
    assert pruned.contract.verified == ""
    assert find_problems(pruned) == []
    same = prune(program, ["x", "y"], ["a", "o"]).contract
    assert same is not None
    assert same.output_tree == "[0, 1]"


@pytest.mark.parametrize(
    ("feeds", "fetches", "message"),
    [
        (
            ["x", "zz"],
            ["qq"],
            "feeds[1] 'zz' is not in the program; fetches[0] 'qq' is not in the program",
        ),
        (["x", "y"], ["a"], "feeds[1] 'y' is not needed by the outputs"),
        ([], ["a"], "'x' is needed by the outputs but is neither fed nor computed"),
        (["x"], ["s"], "'y' is needed by the outputs but is neither fed nor computed"),
        (["x", "w"], ["a"], "feeds[1] 'w' is persistable"),
        (["x", "x"], ["a"], "'x' is fed twice"),
        ([], ["y"], "'y' is needed by the outputs but is neither fed nor computed"),
    ],
)
def test_errors_list_all_problems(feeds: list[str], fetches: list[str], message: str) -> None:
    with pytest.raises(OpError) as error:
        prune(NET, feeds, fetches)
    assert str(error.value).startswith(f"prune: {message}")
