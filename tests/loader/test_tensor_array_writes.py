"""Writes to tensor arrays at an index that was the length of the array."""

from __future__ import annotations

import numpy as np
import pytest

import oarlock as paddle
from oarlock.loader.engine import Engine


@pytest.mark.parametrize("new_length", [True, False])
def test_second_write_at_a_length(new_length: bool) -> None:
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [2], "float32")
            array = paddle.tensor.create_array("float32")
            zero = paddle.zeros([1], "int64")
            paddle.tensor.array_write(x, zero, array)
            end = paddle.tensor.array_length(array)
            paddle.tensor.array_write(x + 1, end, array)
            if new_length:
                end = paddle.tensor.array_length(array)
            paddle.tensor.array_write(x + 2, end, array)
            length = paddle.tensor.array_length(array)
            last = paddle.tensor.array_read(array, length - 1)
        executor = paddle.static.Executor()
        expected = executor.run(
            program, feed={"x": np.zeros(2, "float32")}, fetch_list=[length, last]
        )
        data = paddle.static.serialize_program([x], [length, last], program=program)
    finally:
        paddle.disable_static()
    assert expected[0] == (3 if new_length else 2)
    engine = Engine(data, None)
    for actual, array in zip(engine.run([np.zeros(2, "float32")]), expected, strict=True):
        np.testing.assert_array_equal(actual, array)
