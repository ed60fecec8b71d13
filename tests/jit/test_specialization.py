"""Calls that need different programs, numbers that Python reads, and values of a program that would
stay in Python state.
"""

from __future__ import annotations

import collections
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import TraceError
from oarlock.jit import to_static
from oarlock.static import InputSpec


def test_same_tensor_as_two_arguments() -> None:
    @to_static
    def f(x: Any, y: Any) -> Any:
        if x is y:
            return x * 10
        x.add_(paddle.ones([2]))
        return x * y

    @to_static
    def change(x: Any, y: Any) -> Any:
        x.add_(paddle.ones([2]))
        return x * y

    a, b = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    assert [f(a, b).tolist(), f(b, b).tolist()] == [[2.0, 6.0], [10.0, 20.0]]
    assert [change(b, b).tolist(), b.tolist()] == [[4.0, 9.0], [2.0, 3.0]]


def test_gradient_of_same_tensor_as_two_arguments() -> None:
    product = to_static(
        lambda x, y: (x * y + x * 2).sum(), input_spec=[InputSpec([None]), InputSpec([None])]
    )
    a = paddle.to_tensor([1.0, 3.0], stop_gradient=False)
    product(a, a).backward()
    assert a.grad.tolist() == [4.0, 8.0]


def test_equal_objects_are_distinguished() -> None:
    class Setting:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

    static = to_static(lambda x, setting: x * setting.factor)
    assert [static(paddle.ones([1]), Setting(n)).item() for n in (2.0, 9.0)] == [2.0, 9.0]


class Bank(nn.Layer):
    """Rows that are written one after the other, at the position in a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", paddle.zeros([4, 2]))
        self.register_buffer("at", paddle.zeros([1], "int64"))

    def forward(self, x: Any) -> Any:
        at = int(self.at)
        self.rows[at : at + 1] = x.unsqueeze(0)
        self.at[0] = (at + 1) % 4
        return self.rows.sum(1)


def test_number_read_from_buffer_is_guarded() -> None:
    eager, static = Bank(), to_static(Bank())
    for n in range(9):
        x = paddle.full([2], n + 1.0)
        assert static(x).tolist() == eager(x).tolist()
    assert static.forward.get_traced_count() == 4
    assert static.at.item() == eager.at.item() == 1


@pytest.mark.parametrize("stops", [True, False])
def test_dropout_equals_eager(stops: bool) -> None:
    static = to_static(nn.Dropout(0.5))
    x = paddle.ones([64])
    x.stop_gradient = stops
    for seed in (5, 6):
        drawn = []
        for layer in (nn.Dropout(0.5), static):
            paddle.seed(seed)
            drawn.append([layer(x).tolist(), layer(x).tolist()])
        assert drawn[0] == drawn[1]


class Holder:
    last: Any = None


QUEUE: collections.deque[Any] = collections.deque(["kept"], maxlen=2)


def set_a_new_global(x: Any) -> Any:
    global NEVER_SET_BEFORE  # noqa: PLW0603 - it is what is tested
    NEVER_SET_BEFORE = x * 2  # type: ignore[name-defined]
    return x


def set_an_attribute_of_a_class(x: Any) -> Any:
    Holder.last = x * 2
    return x


def set_an_attribute_of_a_function(x: Any) -> Any:
    set_an_attribute_of_a_function.last = x * 2  # type: ignore[attr-defined]
    return x


def put_in_a_deque(x: Any) -> Any:
    QUEUE.append(x * 2)
    return x


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (set_a_new_global, "NEVER_SET_BEFORE"),
        (set_an_attribute_of_a_class, "Holder.last"),
        (set_an_attribute_of_a_function, "set_an_attribute_of_a_function.last"),
        (put_in_a_deque, "QUEUE"),
    ],
)
def test_program_values_in_external_state_are_rejected(function: Any, name: str) -> None:
    with pytest.raises(TraceError, match=f"assigns a symbolic value to '{name}'"):
        to_static(function)(paddle.ones([2]))
    assert "NEVER_SET_BEFORE" not in globals()
    assert not hasattr(set_an_attribute_of_a_function, "last")
    assert Holder.last is None
    assert list(QUEUE) == ["kept"]


class Drawing(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        return self.linear(x) * random.random()


def test_saved_random_number_warns(tmp_path: Path) -> None:
    with pytest.warns(
        UserWarning,
        match="forward: 'random' differs at each call; the file contains its current value",
    ):
        paddle.jit.save(Drawing(), str(tmp_path / "m"), [InputSpec([None, 3])], verify=False)
    with pytest.warns(UserWarning, match=r"forward changes \['random'\]"):
        _, traced = paddle.jit.TracedLayer.trace(Drawing(), paddle.ones([1, 3]))
    assert ("state", "random") in [(g.kind, g.var) for g in traced.guards]


def asks_whether_gradients_are_recorded(x: Any) -> Any:
    outside = x * 2 if paddle.is_grad_enabled() else x * 3
    with paddle.no_grad():
        inside = x * 5 if paddle.is_grad_enabled() else x * 7
    return outside + inside


def test_is_grad_enabled_of_the_caller() -> None:
    static, x = to_static(asks_whether_gradients_are_recorded), paddle.ones([1])
    for _ in range(2):
        assert static(x).item() == asks_whether_gradients_are_recorded(x).item() == 9
        with paddle.no_grad():
            assert static(x).item() == asks_whether_gradients_are_recorded(x).item() == 10
    assert len(static.program_cache) == 2


@pytest.mark.parametrize(("how", "size"), [("given", 1), ("given", 100_000), ("taken", 1)])
def test_values_of_shared_memory_are_read_again(how: str, size: int) -> None:
    outside = np.full(size, 2.0, "float32")
    tensor = (
        paddle.utils.dlpack.from_dlpack(outside) if how == "given" else paddle.to_tensor(outside)
    )
    if how == "taken":
        outside = np.from_dlpack(tensor)
    if not np.shares_memory(outside, tensor.array) or not outside.flags.writeable:
        pytest.skip("this NumPy shares no memory that it may write")
    static = to_static(lambda x: x * float(tensor.numpy().max()))
    assert [static(paddle.ones([1])).item() for _ in range(2)] == [2.0, 2.0]
    assert static.get_traced_count() == 1
    outside[:] = 5.0
    assert static(paddle.ones([1])).item() == 5.0


def test_large_guarded_tensor_is_not_copied() -> None:
    tensor = paddle.ones([1 << 20])
    static = to_static(lambda x: x * float(tensor.numpy()[0]))
    tracemalloc.start()
    try:
        static(paddle.ones([1]))
        assert tracemalloc.get_traced_memory()[0] < tensor.array.nbytes
    finally:
        tracemalloc.stop()
    tensor.set_value(paddle.full([1 << 20], 3.0))
    assert static(paddle.ones([1])).item() == 3.0
