"""Assignment to elements of TensorArrays: an index out of range fails the run, in all runtimes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import OarlockError
from oarlock.static import InputSpec

COUNT = InputSpec([1], "int64", "k")
BEYOND = "list assignment index out of range"


def in_rounds(x: Any, k: Any) -> Any:
    found = [x, x * 2]
    for i in range(k):
        found[i] = x * 3
    return found[0] + found[1]


def behind_what_rounds_made(x: Any, k: Any) -> Any:
    found = [x]
    for _ in range(k):
        found.append(x * 2)
    found[2] = x * 5
    return found[-1] + 0


def from_the_end(x: Any, k: Any) -> Any:
    found = [x]
    for _ in range(k):
        found.append(x * 2)
    found[-3] = x * 5
    return found[0] + 0


CASES = [
    (in_rounds, {0, 1, 2}),
    (behind_what_rounds_made, {2, 3}),
    (from_the_end, {2, 3}),
]  # and for which k there is one


@pytest.mark.parametrize(("function", "good"), CASES)
@pytest.mark.parametrize("train", [True, False])
def test_index_in_a_run(function: Callable[..., Any], good: set[int], train: bool) -> None:
    converted = paddle.jit.to_static(function)
    for k in range(4):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=not train)
        if k in good:
            np.testing.assert_array_equal(
                converted(x, paddle.to_tensor([k])).numpy(), function(x, k).numpy()
            )
            continue
        with pytest.raises(OarlockError, match=BEYOND) as caught:
            converted(x, paddle.to_tensor([k]))
        assert "test_array_indices.py" in str(caught.value)


@pytest.mark.parametrize(("function", "good"), CASES)
def test_index_in_a_saved_program(
    function: Callable[..., Any], good: set[int], tmp_path: Path
) -> None:
    prefix = str(tmp_path / "m")
    spec = [InputSpec([2], "float32", "x"), COUNT]
    with pytest.warns(UserWarning, match="no parameters"):
        paddle.jit.save(
            paddle.jit.to_static(function, input_spec=spec), prefix, verify=False
        )  # generated inputs are no positions
    loaded = paddle.jit.load(prefix)
    x = paddle.to_tensor([1.0, 2.0])
    for k in range(4):
        if k in good:
            np.testing.assert_array_equal(
                loaded(x, paddle.to_tensor([k])).numpy(), function(x, k).numpy()
            )
            continue
        with pytest.raises(OarlockError, match=BEYOND):
            loaded(x, paddle.to_tensor([k]))


def test_array_write_appends() -> None:
    @paddle.jit.to_static
    def written(x: Any, k: Any) -> Any:
        found = paddle.tensor.create_array("float32")
        for i in range(k):
            found = paddle.tensor.array_write(x * i, i, found)
        return paddle.tensor.array_length(found)

    assert written(paddle.ones([2]), paddle.to_tensor([3])).item() == 3


def read_from_the_end(x: Any, at: int) -> Any:
    rows = [row.sum() for row in x]
    return rows[-3] + at


def popped_anywhere(x: Any, at: int) -> Any:
    rows = [row.sum() for row in x]
    taken = rows.pop(at)
    return rows[0] * 10 + rows[2] - taken


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize(
    ("function", "positions"),
    [(read_from_the_end, [0]), (popped_anywhere, [0, 1, 3, -1, -2, -4, -5, -8, 4, 7])],
)
def test_read_and_pop_at_an_index(
    function: Callable[..., Any], positions: list[int], train: bool
) -> None:
    spec = [InputSpec([None, 2], "float32", "x"), InputSpec([], "int64", "at")]
    converted = paddle.jit.to_static(function, input_spec=spec)
    for rows in (4, 2):
        for at in positions:
            x = paddle.arange(8, dtype="float32").reshape([4, 2])[:rows]
            x.stop_gradient = not train
            try:
                want = function(x, at)
            except IndexError:
                with pytest.raises(
                    OarlockError,
                    match=r"read_from_array.*(out of range|sequence index|nothing was written)",
                ):
                    converted(x, paddle.to_tensor(at))
            else:
                assert converted(x, paddle.to_tensor(at)).item() == want.item()
