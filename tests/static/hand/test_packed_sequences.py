"""Values with offsets beside them: what is fed, fetched, shown and refused."""

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
def test_offsets_of_other_rows_are_refused(lod: list[list[int]]) -> None:
    held = fluid.LoDTensor(np.ones((3, 2), np.float32))
    with pytest.raises(OpError, match="do not match 3 rows\n  at "):
        held.set_lod(lod)
    assert held.lod() == []


def test_offsets_that_no_longer_fit_are_refused_when_they_are_fed(mode: Any) -> None:
    x = mode.data("x", [None, 2], "float32", lod_level=1)
    total = mode.nn.sequence_pool(x, "sum")
    fed = value(3, [[1, 2]])
    fed.set(np.ones((5, 2), np.float32))
    with pytest.raises(
        OpError,
        match=r"the LoD \[\[0, 1, 3\]\] of 'x' does not fit the rows of the tensor \(x=float32\[5,2\]\)",
    ):
        mode.Executor().run(feed={"x": fed}, fetch_list=[total])


def test_an_op_that_refuses_says_so_with_the_line_that_wrote_it(mode: Any) -> None:
    x = mode.data("x", [None, 2], "float32", lod_level=1)
    made = mode.nn.sequence_reshape(x, 4)
    with pytest.raises(
        OpError,
        match=r"sequence_reshape: new_dim=4 does not divide a sequence .*\n  recorded at test_packed",
    ):
        mode.Executor().run(feed={"x": value(4, [[1, 3]])}, fetch_list=[made], return_numpy=False)


def test_what_is_fetched_is_shown(mode: Any) -> None:
    x = mode.data("x", [None, 2], "float32", lod_level=1)
    plain, packed = mode.Executor().run(
        feed={"x": value(3, [[1, 2]])},
        fetch_list=[mode.nn.sequence_pool(x, "sum"), x * 2.0],
        return_numpy=False,
    )
    assert "[[0., 1.],\n        [6., 8.]]" in str(plain)
    assert isinstance(plain, oarlock.Tensor)
    assert str(packed) == (
        "  - lod: {{0, 1, 3}}\n  - shape: [3, 2]\n  - layout: NCHW\n  - place: Place(cpu)\n  - dtype: float32\n"
        "  - data: [0 2 4 6 8 10]"
    )


def test_values_of_scopes_are_shown(mode: Any) -> None:
    place = mode.Scope().var("w").get_tensor()
    assert str(place) == "ScopeValue without a value"
    place.set(np.array([[1.5, 2.0]], np.float32), None)
    assert str(place) == (
        "  - shape: [1, 2]\n  - layout: NCHW\n  - place: Place(cpu)\n  - dtype: float32\n  - data: [1.5 2]"
    )
    assert place.lod() == []
