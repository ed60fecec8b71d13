"""Gradient ops with Paddle's names: their forward op, and their results."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from oarlock.autodiff import grad_op_replacements
from oarlock.autodiff.grad_op_replacements import GradOpReplacements
from oarlock.compiler import CompiledProgram
from oarlock.compiler.unsupported_ops import UnsupportedOpsError
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc

X = np.array([[-1.0, 2.0], [3.0, -4.0]], "float32")


def program(*ops: OpDesc) -> Program:
    made = Program()
    names = dict.fromkeys(n for op in ops for n in (*op.input_names(), *op.output_names()))
    made.block.vars.update(
        {
            n: VarDesc(n, (-1, -1), "float32", checks_feed=n in "xyg")
            for n in names
            if n != "@EMPTY@"
        }
    )
    made.block.ops += ops
    return made


def run(made: Program, fetch: str, **feed: Any) -> Any:
    return CompiledProgram(made, list(feed), [fetch]).run({}, feed)[0].tolist()


EXP = OpDesc("exp", {"X": ["x"]}, {"Out": ["y"]})
MULTIPLY = OpDesc(
    "elementwise_mul", {"X": ["x"], "Y": ["y"]}, {"Out": ["z"]}, {"axis": Attr(AttrType.INT, -1)}
)


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("y@GRAD", "x@GRAD"),
        ("y@GRAD_0", "x@GRAD@RENAME@block0@1"),
        ("grad/grad/y@GRAD", "grad/grad/x@GRAD"),
        ("g", "x@GRAD"),
    ],
)
def test_forward_op_is_found_by_names(given: str, made: str) -> None:
    back = OpDesc("exp_grad", {"Out": ["y"], "Out@GRAD": [given]}, {"X@GRAD": [made]})
    other = OpDesc("exp", {"X": ["y"]}, {"Out": ["w"]})
    found = GradOpReplacements(program(EXP, other, back)).find_replacement(back)
    assert found is not None
    assert (found.type, found.inputs["X"], found.attr("of")) == ("vjp", ["x"], "exp")


@pytest.mark.parametrize(
    "back",
    [
        OpDesc("exp_grad", {"Out": ["w"], "Out@GRAD": ["w@GRAD"]}, {"X@GRAD": ["x@GRAD"]}),
        OpDesc("exp_grad", {"Out": ["y"], "Out@GRAD": ["y@GRAD"]}, {"X@GRAD": ["w@GRAD"]}),
        OpDesc("exp_grad", {"Out": ["y"], "Out@GRAD": ["w@GRAD"]}, {"X@GRAD": ["x@GRAD"]}),
        OpDesc("exp", {"X": ["x"]}, {"Out": ["w"]}),
    ],
)
def test_gradient_ops_without_forward_op(back: OpDesc) -> None:
    assert GradOpReplacements(program(EXP, back)).find_replacement(back) is None


def test_pruned_forward_op_is_reconstructed() -> None:
    back = OpDesc("sinh_grad", {"X": ["x"], "Out@GRAD": ["y@GRAD"]}, {"X@GRAD": ["x@GRAD"]})
    assert run(
        program(back), "x@GRAD", **{"x": np.float32([0, 1]), "y@GRAD": np.float32([2, 2])}
    ) == pytest.approx([2, 2 * np.cosh(1)])


def test_operand_without_gradient() -> None:
    back = OpDesc(
        "elementwise_mul_grad",
        {"X": ["x"], "Y": ["y"], "Out@GRAD": ["g"]},
        {"X@GRAD": ["@EMPTY@"], "Y@GRAD": ["y@GRAD"]},
    )
    assert run(program(MULTIPLY, back), "y@GRAD", x=X, y=X + 1, g=X * 2) == (X * X * 2).tolist()


def test_unused_result() -> None:
    split = OpDesc(
        "split",
        {"X": ["x"]},
        {"Out": ["a", "b"]},
        {"num": Attr(AttrType.INT, 2), "axis": Attr(AttrType.INT, 0)},
    )
    back = OpDesc("split_grad", {"Out@GRAD": ["@EMPTY@", "b@GRAD"]}, {"X@GRAD": ["x@GRAD"]})
    half = OpDesc("scale", {"X": ["b"]}, {"Out": ["b@GRAD"]}, {"scale": Attr(AttrType.FLOAT, 3.0)})
    assert run(program(split, half, back), "x@GRAD", x=X) == [[0.0, 0.0], [9.0, -12.0]]


def test_unsupported_block_gradients_are_listed() -> None:
    made = program(EXP, OpDesc("no_such_op", {"X": ["x"]}, {"Out": ["z"]}))
    made.blocks.append(Block(1, 0))
    made.block.ops.append(
        OpDesc("while_grad", {"StepScopes": []}, attrs={"sub_block": Attr(AttrType.BLOCK, 1)})
    )
    with pytest.raises(
        UnsupportedOpsError,
        match=r"no_such_op: no such op\n  while_grad: Oarlock cannot run gradients of control flow",
    ):
        CompiledProgram(made, ["x"], ["y"])


def test_clip_ops() -> None:
    clip = OpDesc(
        "clip_by_norm", {"X": ["x"]}, {"Out": ["y"]}, {"max_norm": Attr(AttrType.FLOAT, 1.0)}
    )
    short = OpDesc(
        "clip_by_norm", {"X": ["x"]}, {"Out": ["z"]}, {"max_norm": Attr(AttrType.FLOAT, 100.0)}
    )
    norm = OpDesc("squared_l2_norm", {"X": ["x"]}, {"Out": ["n"]})
    made = program(clip, short, norm)
    np.testing.assert_allclose(run(made, "y", x=X), X / np.sqrt(30.0), rtol=1e-6)
    assert run(made, "z", x=X) == X.tolist()
    assert run(made, "n", x=X) == [30.0]


@pytest.mark.parametrize("type", ["relu_grad", "tanh_grad", "sigmoid_grad"])
def test_gradient_ops_with_kernels(type: str) -> None:
    forward = OpDesc(type.removesuffix("_grad"), {"X": ["x"]}, {"Out": ["y"]})
    back = OpDesc(type, {"Out": ["y"], "Out@GRAD": ["y@GRAD"]}, {"X@GRAD": ["x@GRAD"]})
    assert GradOpReplacements(program(forward, back)).find_replacement(back) is None


def test_forward_op_lookup_uses_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"v{i}" for i in range(101)]
    ops = [OpDesc("exp", {"X": [x]}, {"Out": [y]}) for x, y in pairwise(names)]
    backs = [
        OpDesc("exp_grad", {"Out": [y], "Out@GRAD": [f"grad/{y}@GRAD"]}, {"X@GRAD": [f"{x}@GRAD"]})
        for x, y in pairwise(names)
    ]
    asked: list[OpDesc] = []
    belongs = grad_op_replacements._has_variable_names_of_forward
    monkeypatch.setattr(
        grad_op_replacements,
        "_has_variable_names_of_forward",
        lambda back, op: asked.append(op) or belongs(back, op),
    )
    gradients = GradOpReplacements(program(*ops, *backs))
    assert [gradients.find_replacement(b).inputs["X"] for b in backs] == [[n] for n in names[:-1]]
    assert len(asked) <= 2 * len(backs)
