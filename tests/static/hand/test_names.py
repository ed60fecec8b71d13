"""Functions of `static` about programs, devices and sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import fluid, static


def test_is_persistable_and_is_parameter(static_mode: Any) -> None:
    loss = static.nn.fc(static.data("x", [None, 4]), 2).mean()
    paddle.optimizer.Adam().minimize(loss)
    main = static.default_main_program()
    lasting = {v.name for v in main.list_vars() if static.io.is_persistable(v)}
    parameters = {v.name for v in main.list_vars() if static.io.is_parameter(v)}
    assert (
        parameters
        == {v.name for v in static.io.get_program_parameter(main)}
        == {"fc_0.w_0", "fc_0.b_0"}
    )
    assert lasting == {v.name for v in static.io.get_program_persistable_vars(main)}
    assert lasting > parameters | {"fc_0.w_0_moment1_0", "fc_0.b_0_beta1_pow_acc_0"}
    assert not {"x", loss.name} & lasting


def test_switch_main_program(static_mode: Any) -> None:
    main, startup, others = (
        static.default_main_program(),
        static.default_startup_program(),
        [static.Program(), static.Program()],
    )
    assert static.switch_main_program(others[0]) is main
    assert static.switch_startup_program(others[1]) is startup
    assert [static.default_main_program(), static.default_startup_program()] == others
    assert static.switch_main_program(main) is others[0]
    assert static.switch_startup_program(startup) is others[1]


def test_places() -> None:
    assert static.cpu_places(2) == [paddle.CPUPlace()] * 2
    assert [str(place) for place in static.cuda_places([0, 1])] == ["Place(gpu:0)", "Place(gpu:1)"]
    with pytest.raises(paddle.OarlockError, match="XPUs are not supported"):
        static.xpu_places()
    with pytest.raises(paddle.OarlockError, match="Graphcore"), static.ipu_shard_guard(0):
        pass


def test_sequence_first_and_last_step(static_mode: Any) -> None:
    rows = static.data("rows", [None, 1], lod_level=1)
    first, last = static.nn.sequence_first_step(rows), static.nn.sequence_last_step(rows)
    held = fluid.LoDTensor(np.array([[1.0], [2.0], [3.0]], np.float32))
    held.set_recursive_sequence_lengths([[2, 1]])
    found = static.Executor().run(feed={"rows": held}, fetch_list=[first, last])
    assert [np.array(f).tolist() for f in found] == [[[1], [3]], [[2], [3]]]
