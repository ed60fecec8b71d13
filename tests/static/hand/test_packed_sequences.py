"""LoD values: fed, fetched, printed and rejected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import fluid
from oarlock.core.errors import OpError


def value(rows: int, lengths: list[list[int]]) -> Any:
    return fluid.create_lod_tensor(
        np.arange(2 * rows, dtype=np.float32).reshape(rows, 2), lengths, None
    )


@pytest.mark.parametrize(
    "lod", [[[0, 1]], [[0, 2, 1, 3]], [[1, 3]], [[0, 5]], [[0, 1], [0, 2, 3]], [[]]]
)
def test_lod_of_other_length_is_rejected(lod: list[list[int]]) -> None:
    held = fluid.LoDTensor(np.ones((3, 2), np.float32))
    with pytest.raises(OpError, match="do not match 3 rows\n  at "):
        held.set_lod(lod)
    assert held.lod() == []


def test_outdated_lod_is_rejected_when_fed(static_mode: Any) -> None:
    x = static_mode.data("x", [None, 2], "float32", lod_level=1)
    total = static_mode.nn.sequence_pool(x, "sum")
    fed = value(3, [[1, 2]])
    fed.set(np.ones((5, 2), np.float32))
    with pytest.raises(
        OpError,
        match=r"the LoD \[\[0, 1, 3\]\] of 'x' does not fit the rows of the tensor \(x=float32\[5,2\]\)",
    ):
        static_mode.Executor().run(feed={"x": fed}, fetch_list=[total])


def test_op_error_names_the_recording_line(static_mode: Any) -> None:
    x = static_mode.data("x", [None, 2], "float32", lod_level=1)
    made = static_mode.nn.sequence_reshape(x, 4)
    with pytest.raises(
        OpError,
        match=r"sequence_reshape: new_dim=4 does not divide the number of elements of a sequence .*\n  recorded at test_packed",
    ):
        static_mode.Executor().run(
            feed={"x": value(4, [[1, 3]])}, fetch_list=[made], return_numpy=False
        )


def test_fetched_lod_tensors_are_printed(static_mode: Any) -> None:
    x = static_mode.data("x", [None, 2], "float32", lod_level=1)
    plain, packed = static_mode.Executor().run(
        feed={"x": value(3, [[1, 2]])},
        fetch_list=[static_mode.nn.sequence_pool(x, "sum"), x * 2.0],
        return_numpy=False,
    )
    assert "[[0., 1.],\n        [6., 8.]]" in str(plain)
    assert isinstance(plain, oarlock.Tensor)
    assert str(packed) == (
        "  - lod: {{0, 1, 3}}\n  - shape: [3, 2]\n  - layout: NCHW\n  - place: Place(cpu)\n  - dtype: float32\n"
        "  - data: [0 2 4 6 8 10]"
    )


def test_scope_values_are_printed(static_mode: Any) -> None:
    place = static_mode.Scope().var("w").get_tensor()
    assert str(place) == "ScopeValue without a value"
    place.set(np.array([[1.5, 2.0]], np.float32), None)
    assert str(place) == (
        "  - shape: [1, 2]\n  - layout: NCHW\n  - place: Place(cpu)\n  - dtype: float32\n  - data: [1.5 2]"
    )
    assert place.lod() == []
