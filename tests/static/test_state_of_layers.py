"""Values of a dygraph layer in a program that was written in static mode."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static


class Net(paddle.nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = paddle.nn.Linear(2, 3)
        self.bn = paddle.nn.BatchNorm(3)

    def forward(self, x: Any) -> Any:
        return self.bn(self.fc(x))


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    paddle.disable_static()
    with paddle.utils.unique_name.guard():
        net = Net()
    for tensor in net.state_dict().values():
        tensor.set_value(np.full(tensor.shape, 2, np.float32))
    paddle.save(net.state_dict(), str(tmp_path / "net.pdparams"))
    return str(tmp_path / "net")


@pytest.fixture
def program(prefix: str) -> Any:
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        Net()(static.data("x", [None, 2]))
    static.Executor().run(startup)
    yield main
    paddle.disable_static()


def table(prefix: str, **configs: Any) -> dict[str, Any]:
    found: dict[str, Any] = paddle.load(f"{prefix}.pdparams", keep_name_table=True, **configs)
    return found


LOADS: dict[str, Callable[[Any, str], Any]] = {
    "tensors": lambda program, prefix: program.set_state_dict(table(prefix)),
    "arrays": lambda program, prefix: program.set_state_dict(table(prefix, return_numpy=True)),
    "set_program_state": lambda program, prefix: static.set_program_state(program, table(prefix)),
    "load_program_state": lambda program, prefix: static.set_program_state(
        program, static.load_program_state(prefix)
    ),
    "of some": lambda program, prefix: static.set_program_state(
        program, static.load_program_state(prefix, program.all_parameters())
    ),
    "static.load": static.load,
}


@pytest.mark.parametrize("way", LOADS)
def test_layer_state_is_matched_by_name_table(way: str, program: Any, prefix: str) -> None:
    LOADS[way](program, prefix)  # warnings are errors: every value is used
    values = program.state_dict("param")
    assert len(values) == 6
    for name, value in values.items():
        np.testing.assert_array_equal(np.asarray(value), 2, err_msg=name)


def test_mismatched_values_warn(program: Any, prefix: str) -> None:
    weight, bias = (p.name for p in program.all_parameters()[:2])
    before = {name: np.asarray(value).copy() for name, value in program.state_dict("param").items()}
    wrong = {
        "foo": np.zeros(1, np.float32),
        weight: np.zeros(7, np.float32),
        bias: np.zeros(3, np.int64),
    }
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        program.set_state_dict(wrong)
        program.set_state_dict(paddle.load(f"{prefix}.pdparams"))  # without the table
    said = [
        str(w.message).split("'")[1] for w in seen if str(w.message).startswith("Skip loading for")
    ]
    assert said == [
        "foo",
        weight,
        bias,
        "fc.weight",
        "fc.bias",
        "bn.weight",
        "bn.bias",
        "bn._mean",
        "bn._variance",
    ]
    for name, value in program.state_dict("param").items():
        np.testing.assert_array_equal(np.asarray(value), before[name], err_msg=name)
    program.set_state_dict({bias: np.ones(3, np.float64)})  # another float is cast
    np.testing.assert_array_equal(np.asarray(program.state_dict("param")[bias]), 1)
