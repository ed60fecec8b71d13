"""LoD inputs of small programs: propagation and rejected cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import inference
from oarlock.core.errors import OpError
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc, VarKind
from oarlock.loader.engine import Engine
from oarlock.loader.runtime import EngineError, UnsupportedError

Inputs = dict[str, tuple[Any, int]]  # name -> array, level of sequences


def program(
    inputs: Inputs,
    *ops: OpDesc,
    fixed: tuple[str, ...] = (),
    declared: dict[str, VarDesc] | None = None,
) -> bytes:
    """A program whose last op's results are its outputs; first axes are open but for those of the
    inputs in `fixed`.
    """
    block = Block(
        vars={
            "feed": VarDesc("feed", (), "", VarKind.FEED),
            "fetch": VarDesc("fetch", (), "", VarKind.FETCH),
        }
    )
    for col, (name, (array, level)) in enumerate(inputs.items()):
        shape = array.shape if name in fixed else (-1, *array.shape[1:])
        block.vars[name] = VarDesc(name, shape, str(array.dtype), lod_level=level)
        block.ops.append(
            OpDesc("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": Attr(AttrType.INT, col)})
        )
    for op in ops:
        block.ops.append(op)
        for name in op.output_names():
            block.vars[name] = (declared or {}).get(name) or VarDesc(
                name, (-1, -1), "float32", lod_level=1
            )
    for col, name in enumerate(ops[-1].output_names()):
        block.ops.append(
            OpDesc("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": Attr(AttrType.INT, col)})
        )
    return to_bytes(Program([block], 2006002))


def run(inputs: Inputs, *ops: OpDesc, **offsets: list[int]) -> list[Any]:
    given = {name: array for name, (array, _) in inputs.items()}
    given |= {f"{name}.lod": np.array(cut, "int64") for name, cut in offsets.items()}
    return Engine(program(inputs, *ops), None).run(given)


def rows(count: int) -> Any:
    return np.arange(2.0 * count, dtype="float32").reshape(count, 2)


def pool(x: str = "x", kind: str = "SUM", pad_value: float = 0.0) -> OpDesc:
    attrs = {"pooltype": Attr(AttrType.STRING, kind), "pad_value": Attr(AttrType.FLOAT, pad_value)}
    return OpDesc("sequence_pool", {"X": [x]}, {"Out": ["out"]}, attrs)


def test_lod_is_propagated() -> None:
    relu = OpDesc("relu", {"X": ["x"]}, {"Out": ["y"]})
    (found,) = run({"x": (rows(4), 1)}, relu, pool("y"), x=[0, 1, 4])
    np.testing.assert_array_equal(found, [[0, 1], [12, 15]])


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        ([2], "not as many lengths as rows"),
        ([1, 1, 1], "not as many lengths"),
        ([1, 4], "more than X has"),
        ([-1, 1], "negative"),
    ],
)
def test_invalid_lengths_are_rejected(lengths: list[int], said: str) -> None:
    unpad = OpDesc("sequence_unpad", {"X": ["x"], "Length": ["lengths"]}, {"Out": ["out"]})
    inputs: Inputs = {"x": (np.zeros((2, 3, 4), "float32"), 0), "lengths": (np.array(lengths), 0)}
    with pytest.raises(EngineError, match=f"sequence_unpad, output 'out': .*{said}"):
        run(inputs, unpad)


def test_declared_padded_length_is_ignored() -> None:
    outputs = {"Out": ["y"], "Length": ["lengths"]}
    pad = OpDesc(
        "sequence_pad",
        {"X": ["x"], "PadValue": ["zero"]},
        outputs,
        {"padded_length": Attr(AttrType.INT, -1)},
    )
    unpad = OpDesc("sequence_unpad", {"X": ["y"], "Length": ["lengths"]}, {"Out": ["out"]})
    declared = {
        "y": VarDesc("y", (-1, 1, 2), "float32"),
        "lengths": VarDesc("lengths", (-1,), "int64"),
    }
    zero = np.zeros(1, "float32")
    made = program({"x": (rows(4), 1), "zero": (zero, 0)}, pad, unpad, declared=declared)
    (found,) = Engine(made, None).run({"x": rows(4), "zero": zero, "x.lod": np.array([0, 1, 4])})
    np.testing.assert_array_equal(found, rows(4))


@pytest.mark.parametrize("kind", ["AVERAGE", "SUM", "SQRT", "MAX", "FIRST", "LAST"])
@pytest.mark.parametrize("cut", [[0], [0, 0, 0]])
def test_empty_sequences(cut: list[int], kind: str) -> None:
    (found,) = run({"x": (rows(0), 1)}, pool(kind=kind, pad_value=0.5), x=cut)
    np.testing.assert_array_equal(found, np.full((len(cut) - 1, 2), 0.5))


def test_gru_over_no_sequences_is_an_error() -> None:
    weight = np.ones((2, 6), "f")
    gru = OpDesc("gru", {"Input": ["x"], "Weight": ["w"]}, {"Hidden": ["y"]})
    inputs = {"x": (np.ones((1, 6), "f"), 1), "w": (weight, 0)}
    engine = Engine(program(inputs, gru, fixed=("w",)), None)
    assert engine.run({"x": np.ones((1, 6), "f"), "w": weight, "x.lod": np.array([0, 1])})[
        0
    ].shape == (1, 2)
    with pytest.raises(EngineError, match="^engine: gru, output 'y': there are no sequences"):
        engine.run({"x": np.ones((0, 6), "f"), "w": weight, "x.lod": np.array([0])})


def test_two_lod_inputs() -> None:
    expand = OpDesc("sequence_expand_as", {"X": ["x"], "Y": ["y"]}, {"Out": ["z"]})
    inputs = {"x": (rows(2), 1), "y": (rows(3), 1)}
    (found,) = run(inputs, expand, pool("z"), x=[0, 2], y=[0, 1, 3])
    np.testing.assert_array_equal(found, [[0, 1], [4, 6]])


def test_two_lod_levels_are_rejected() -> None:
    with pytest.raises(UnsupportedError, match=r"input 'x' has 2 levels of sequences \(LoD\)"):
        run({"x": (rows(3), 2)}, pool(), x=[0, 3])


def test_missing_lod_is_rejected() -> None:
    with pytest.raises(
        UnsupportedError, match=r"sequence_pool: needs packed sequences \(LoD\) in 'X'"
    ):
        run({"x": (rows(3), 0)}, pool())


TIMES = np.arange(12.0, dtype="float32").reshape(2, 3, 2)
PAD = OpDesc(
    "sequence_pad",
    {"X": ["x"], "PadValue": ["v"]},
    {"Out": ["out"]},
    {"padded_length": Attr(AttrType.INT, 2)},
)
UNPAD = OpDesc("sequence_unpad", {"X": ["x"], "Length": ["n"]}, {"Out": ["out"]})
CUT = OpDesc("sequence_slice", {"X": ["x"], "Offset": ["a"], "Length": ["b"]}, {"Out": ["out"]})
RESET = OpDesc("lod_reset", {"X": ["x"], "Y": ["n"]}, {"Out": ["y"]})
LENGTH = "sequence_unpad, output 'out': a length is negative, or more than X has"
OFFSETS = (
    "lod_reset, output 'y': offsets must begin with 0, not fall, and end with the number of rows"
)
RESHAPE = OpDesc(
    "sequence_reshape", {"X": ["x"]}, {"Out": ["y"]}, {"new_dim": Attr(AttrType.INT, 4)}
)


@pytest.mark.parametrize(
    ("inputs", "ops", "right", "wrong", "why"),
    [
        (
            {"x": (rows(3), 1), "v": (np.zeros(1, "f"), 0)},
            [PAD],
            {"x": [0, 1, 3]},
            {"x": [0, 3]},
            "sequence_pad, output 'out': a sequence is longer than padded_length",
        ),
        (
            {"x": (TIMES, 0), "n": (np.array([1, 3]), 0)},
            [UNPAD],
            {},
            {"n": np.array([1, 4])},
            LENGTH,
        ),
        (
            {"x": (TIMES, 0), "n": (np.array([1, 3]), 0)},
            [UNPAD],
            {},
            {"n": np.array([-1, 2])},
            LENGTH,
        ),
        (
            {"x": (rows(3), 1), "a": (np.array([[0], [1]]), 0), "b": (np.array([[1], [1]]), 0)},
            [CUT],
            {"x": [0, 1, 3]},
            {"a": np.array([[1], [0]])},
            "sequence_slice, output 'out': a slice is not inside of its sequence",
        ),
        (
            {"x": (rows(3), 0), "n": (np.array([0, 2, 3]), 0)},
            [RESET, pool("y")],
            {},
            {"n": np.array([0, 2, 4])},
            OFFSETS,
        ),
        (
            {"x": (rows(3), 0), "n": (np.array([0, 2, 3]), 0)},
            [RESET, pool("y")],
            {},
            {"n": np.array([0, 4, 3])},
            OFFSETS,
        ),
        (
            {"x": (rows(4), 1)},
            [RESHAPE, pool("y")],
            {"x": [0, 2, 4]},
            {"x": [0, 1, 4]},
            "sequence_reshape, output 'y': the elements of a sequence do not fill rows of new_dim",
        ),
    ],
)
def test_invalid_lod_is_rejected(
    inputs: Inputs, ops: list[OpDesc], right: Any, wrong: dict[str, Any], why: str
) -> None:
    run(inputs, *ops, **right)
    changed = {
        name: (wrong.get(name, array), level)
        for name, (array, level) in inputs.items()
        if name not in right
    }
    offsets = {name: wrong.get(name, cut) for name, cut in right.items()}
    with pytest.raises(EngineError, match=f"^engine: {why}"):
        run({name: changed.get(name, given) for name, given in inputs.items()}, *ops, **offsets)


def test_lod_by_name_and_handle(tmp_path: Path) -> None:
    (tmp_path / "m.pdmodel").write_bytes(program({"x": (rows(3), 1)}, pool()))
    predictor = inference.create_predictor(inference.Config(str(tmp_path / "m.pdmodel"), ""))
    assert predictor.get_input_names() == ["x"]
    handle = predictor.get_input_handle("x")
    handle.copy_from_cpu(rows(3))
    offsets = predictor.get_input_handle("x.lod")
    for give in (
        lambda: handle.set_lod([[0, 1, 3]]),
        lambda: offsets.copy_from_cpu(np.array([0, 2, 3])),
    ):
        give()
        predictor.run()
        found = predictor.get_output_handle(predictor.get_output_names()[0])
        np.testing.assert_array_equal(
            found.copy_to_cpu()[0], rows(3)[: handle.lod()[0][1]].sum(axis=0)
        )
    assert found.lod() == []
    assert predictor.get_output_names() == [found.name()]
    with pytest.raises(OpError, match="'out' has no packed sequences"):
        found.set_lod([[0, 1]])


def test_layer_that_ignores_lod_has_gradients(tmp_path: Path) -> None:
    (tmp_path / "m.pdmodel").write_bytes(
        program({"x": (rows(3), 1)}, OpDesc("tanh", {"X": ["x"]}, {"Out": ["y"]}))
    )
    layer = oarlock.jit.load(str(tmp_path / "m"))
    x = oarlock.to_tensor(rows(3), stop_gradient=False)
    layer(x, oarlock.to_tensor(np.array([0, 3]))).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1 - np.tanh(rows(3)) ** 2, rtol=1e-4, atol=1e-6)


def test_layer_outputs_have_no_lod(tmp_path: Path) -> None:
    (tmp_path / "m.pdmodel").write_bytes(
        program({"x": (rows(3), 1)}, OpDesc("tanh", {"X": ["x"]}, {"Out": ["y"]}))
    )
    with pytest.raises(OpError, match=r"use lod\(\) of the output handles of oarlock\.inference"):
        oarlock.jit.load(str(tmp_path / "m"), offsets=True)
