"""Arguments whose lengths or ranks do not fit raise OpError, which names the function."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import oarlock as paddle
from oarlock.core.errors import OpError

CALLS: dict[str, Callable[[paddle.Tensor, paddle.Tensor], paddle.Tensor]] = {
    "moveaxis": lambda x, index: paddle.moveaxis(x, [0, 1], [1]),
    "take_along_axis": lambda x, index: paddle.take_along_axis(x, index, 1),
    "put_along_axis": lambda x, index: paddle.put_along_axis(x, index, 9.0, 1),
    "as_strided": lambda x, index: paddle.as_strided(x, [2, 2], [1]),
}


@pytest.mark.parametrize("name", CALLS)
def test_lengths_that_differ_are_an_op_error(name: str) -> None:
    with pytest.raises(OpError, match=f"^{name}: .*(differ in length|same rank)"):
        CALLS[name](paddle.ones([2, 2]), paddle.to_tensor([0]))
