"""Branches, loops and lists in compiled programs: values and gradients equal those of Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock.autodiff import append_gradient_ops
from oarlock.capture.modes import Static
from oarlock.capture.recorder import Recorder
from oarlock.capture.variable import Variable
from oarlock.compiler import CompiledProgram
from oarlock.compiler.interpreter import Interpreter
from oarlock.compiler.unsupported_ops import UnsupportedOpsError
from oarlock.core.autograd import grad
from oarlock.core.mode import use_base_mode
from oarlock.core.op import Meta
from oarlock.core.tensor import Tensor
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from oarlock.loader.pdiparams import load_params
from oarlock.loader.pdmodel import load_program

from .flows import FUNCTIONS, POINTS, Function

NAMES = ["x", "y"]


def program_of(function: Function, shape: tuple[int, ...]) -> tuple[Recorder, Variable]:
    """The program of a function of x and y, and its result."""
    recorder = Recorder()
    variables = []
    for name in NAMES:
        variables.append(Variable(recorder.feed(name, Meta(shape, np.dtype(np.float32)))))
        recorder.bind(variables[-1], name)
    with use_base_mode(Static(recorder, trains=True)):
        out = function(*variables)
    return recorder, out


def compiled_with_gradients(function: Function, shape: tuple[int, ...]) -> Any:
    """Return a function that returns the result and the gradients of its sum."""
    recorder, out = program_of(function, shape)
    with use_base_mode(Static(recorder)):
        found = append_gradient_ops(recorder, {out.name: None}, NAMES)
    compiled = CompiledProgram(
        recorder.program, NAMES, [out.name, *(found[n].name for n in NAMES if n in found)]
    )

    def run(*arrays: Any) -> Any:
        value, *grads = compiled.run(recorder.scope, dict(zip(NAMES, arrays, strict=True)))
        by_name = iter(grads)
        return value, [next(by_name) if n in found else None for n in NAMES]

    return run


def eager(function: Function, arrays: tuple[Any, ...]) -> Any:
    tensors = [Tensor(a, stop_gradient=False) for a in arrays]
    out = function(*tensors)
    return out.array, [
        None if g is None else g.array for g in grad(out, tensors, allow_unused=True)
    ]


def test_paddle_file_with_control_flow() -> None:
    folder = Path(__file__).parents[1] / "fixtures"
    program = load_program(folder / "control.pdmodel")
    params = load_params(folder / "control.pdiparams", [v.name for v in program.persistables()])
    assert {"while", "conditional_block"} & {op.type for op in program.block.ops}
    compiled = CompiledProgram(program)
    with np.load(folder / "control.in.npz") as given, np.load(folder / "control.out.npz") as wanted:
        feed = dict(zip(compiled.feeds, (given[name] for name in given.files), strict=True))
        found = compiled.run({name: Tensor(a) for name, a in params.items()}, feed)
        for got, name in zip(found, wanted.files, strict=True):
            np.testing.assert_allclose(got, wanted[name], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(3,), (-1,)], ids=["known", "unknown"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_and_gradients_equal_python(function: Function, shape: tuple[int, ...]) -> None:
    run = compiled_with_gradients(function, shape)
    for arrays in POINTS:
        wanted, wanted_grads = eager(function, arrays)
        value, grads = run(*arrays)
        np.testing.assert_allclose(value, wanted, rtol=1e-6)
        for got, want in zip(grads, wanted_grads, strict=True):
            np.testing.assert_allclose(
                0 if got is None else got, 0 if want is None else want, rtol=2e-6, atol=1e-7
            )


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_interpreter_gradients(function: Function) -> None:
    recorder, out = program_of(function, (3,))
    interpreter = Interpreter(recorder.program, recorder.scope, [out.name])
    for arrays in POINTS:
        wanted, wanted_grads = eager(function, arrays)
        tensors = [Tensor(a, stop_gradient=False) for a in arrays]
        (found,) = interpreter.run(dict(zip(NAMES, tensors, strict=True)))
        np.testing.assert_allclose(found.array, wanted, rtol=1e-6)
        for got, want in zip(grad(found, tensors, allow_unused=True), wanted_grads, strict=True):
            np.testing.assert_allclose(
                0 if got is None else got.array, 0 if want is None else want, rtol=2e-6, atol=1e-7
            )


def test_too_deeply_nested_loops_are_rejected() -> None:
    program = Program([Block(i, i - 1) for i in range(22)])
    program.block.vars["c"] = VarDesc("c", (), "bool", checks_feed=True)
    for block in program.blocks[:-1]:
        attrs = {"sub_block": Attr(AttrType.BLOCK, block.idx + 1)}
        block.ops.append(OpDesc("while", {"Condition": ["c"]}, {"Out": ["c"]}, attrs))
    with pytest.raises(UnsupportedOpsError, match="too many statically nested blocks"):
        CompiledProgram(program, ["c"], [])
