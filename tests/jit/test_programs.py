"""Every row of the tables of programs, eagerly and as a program: the same results and gradients,
also after saving.
"""

from __future__ import annotations

import copy
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.cli.demo import runner_path
from oarlock.jit import to_static

from .program_rows import ROWS, arrays, check, flat, made, results, specs

by_name = pytest.mark.parametrize("name", ROWS)


def converted(function: Any, input_spec: Any = None) -> Any:
    return to_static(
        copy.deepcopy(function) if isinstance(function, nn.Layer) else function, input_spec
    )


def test_number_of_rows() -> None:
    assert len(ROWS) >= 250


@by_name
def test_program_per_shape_equals_python(name: str) -> None:
    function = made(ROWS[name])
    check(results(converted(function), ROWS[name]), results(function, ROWS[name]))


@by_name
def test_dynamic_program_equals_python(name: str) -> None:
    row = ROWS[name]
    function = made(row)
    program = converted(function, specs(row))
    check(results(program, row), results(function, row))
    static = program.forward if isinstance(program, nn.Layer) else program
    assert static.get_traced_count() == 1


def gradients(function: Callable[..., Any], call: tuple[Any, ...]) -> list[Any]:
    """Return the gradients of the sum of squares of all results by arguments and parameters; zeros
    if there is none.
    """
    tensors = [paddle.to_tensor(a) for a in call]
    for tensor in tensors:
        tensor.stop_gradient = tensor.dtype != paddle.float32
    found = [
        t for t in flat(function(*tensors)) if isinstance(t, paddle.Tensor) and not t.stop_gradient
    ]
    if found:
        total = found[0].astype("float32").square().sum()
        for tensor in found[1:]:
            total = total + tensor.astype("float32").square().sum()
        total.backward()
    leaves = tensors + (function.parameters() if isinstance(function, nn.Layer) else [])
    made_here = [np.zeros(t.shape, "float32") if t.grad is None else t.grad.numpy() for t in leaves]
    for leaf in leaves:
        leaf.clear_gradient(False)
    return made_here


@by_name
def test_gradients_equal_python(name: str) -> None:
    row = ROWS[name]
    function = made(row)
    program = converted(function, specs(row))
    for call in row.calls:
        for got, want in zip(gradients(program, call), gradients(function, call), strict=True):
            np.testing.assert_allclose(got, want, rtol=2e-4, atol=1e-5)


def saved(name: str, folder: Path) -> str:
    """The files of a row."""
    row = ROWS[name]
    if row.files:
        pytest.xfail(row.files)
    prefix = str(folder / "m")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "m: there are no parameters")
        paddle.jit.save(made(row), prefix, input_spec=specs(row))
    return prefix


@by_name
def test_loaded_program_equals_python(name: str, tmp_path: Path) -> None:
    layer = paddle.jit.load(saved(name, tmp_path))
    check(results(layer, ROWS[name]), results(made(ROWS[name]), ROWS[name]))


@pytest.mark.slow
@by_name
def test_runner_equals_python(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    prefix = saved(name, tmp_path)
    names = [s.name for s in paddle.jit.load(prefix)._input_spec()]
    for call, want in zip(row.calls, results(made(row), row), strict=True):
        np.savez(tmp_path / "in.npz", **dict(zip(names, call, strict=True)))
        words = [
            runner_path(),
            "run",
            prefix,
            "--input",
            str(tmp_path / "in.npz"),
            "--output",
            str(tmp_path / "out.npz"),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        with np.load(tmp_path / "out.npz") as held:
            check([[held[key] for key in held.files]], [want])


def test_arrays_helper() -> None:
    assert [a.tolist() for a in arrays({"a": [1, (2,)], "b": 3})] == [1, 2, 3]
