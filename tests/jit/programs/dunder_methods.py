"""Operators and properties of user classes whose bodies use values of the program."""

from __future__ import annotations

from typing import Any

import oarlock as paddle
from oarlock import nn

from .table import MATRICES, Table

program = Table()
A, B, C = MATRICES


class Signed:
    """Multiplies by -1 if its value is negative."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def size(self) -> Any:
        if self.value.sum() > 0:
            return self.value * 2
        return self.value - 1

    @size.setter
    def size(self, value: Any) -> None:
        if value.sum() > 0:
            self.value = value
        else:
            self.value = -value

    def __add__(self, other: Any) -> Any:
        if self.value.sum() > 0:
            return self.value + other
        return self.value - other

    def __rmul__(self, other: Any) -> Any:
        return self.value * other if self.value.sum() > 0 else self.value

    def __iadd__(self, other: Any) -> Any:
        if other.sum() > 0:
            self.value = self.value + other
        return self

    def __neg__(self) -> Any:
        return self.value if self.value.sum() > 0 else -self.value

    def __eq__(self, other: object) -> Any:
        assert isinstance(other, Signed)
        if self.value.sum() > 0:
            return self.value.sum() > other.value.sum()
        return self.value.sum() > other.value.sum() - 4

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: float) -> Any:
        return self.value.sum() < other if self.value.sum() > 0 else self.value.sum() < other - 4

    def __getitem__(self, i: Any) -> Any:
        if self.value.sum() > 0:
            return self.value[i]
        return -self.value[i]

    def __setitem__(self, i: Any, value: Any) -> None:
        if value.sum() > 0:
            self.value = self.value + value

    def __call__(self, x: Any) -> Any:
        if x.sum() > 0:
            return x * self.value
        return x

    def __len__(self) -> Any:
        if self.value.sum() > 0:
            return 3
        return 0

    def __contains__(self, x: Any) -> Any:
        if x.sum() > 0:
            return self.value.sum() > x.sum() - 1
        return False

    def __enter__(self) -> Any:
        if self.value.sum() > 0:
            self.value = self.value + 1
        return self

    def __exit__(self, *error: object) -> None:
        if self.value.sum() > 0:
            self.value = self.value * 2


class Truth(Signed):
    """Defines its own truth value."""

    def __bool__(self) -> Any:
        if self.value.sum() > 0:
            return bool(self.value.max() < 2)
        return False


@program(A, B, C)
def a_property_asks(x: Any) -> Any:
    held = Signed(x)
    before = held.size
    held.size = x * 3
    return before, held.value


@program(A, B, C)
def operators_ask(x: Any) -> Any:
    held = Signed(x)
    y = held + x, 2 * held, -held
    held += x
    return *y, held.value


@program(A, B, C)
def comparisons_ask(x: Any) -> Any:
    held = Signed(x)
    y = x * 2 if held == Signed(x * x) else x * 3
    return y, x if held < 3 else -x


@program(A, B, C)
def elements_ask(x: Any) -> Any:
    held = Signed(x)
    first = held[0]
    held[0] = x
    return first, held.value


@program(A, B, C)
def calls_ask(x: Any) -> Any:
    held = Signed(x)
    return held(x), held(-x)


@program(A, B, C)
def lengths_and_members_ask(x: Any) -> Any:
    held = Signed(x)
    y = x * len(held)
    if held:
        y = y + 1
    return y, y * 2 if x in held else y


@program(A, B, C)
def truth_asks(x: Any) -> Any:
    held, y = Truth(x), x
    if held and x.max() < 1:
        y = y + 1
    if not held:
        y = y - 1
    return y, x * bool(held)


@program(A, B, C)
def a_with_asks(x: Any) -> Any:
    with Signed(x) as held:
        y = held.value * 2
    return y, held.value


class Gate(nn.Layer):
    """A layer with a property that branches, and a gate in a submodule."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.seen = paddle.to_tensor([0.25])

    @property
    def bias(self) -> Any:
        if self.seen > 0:
            return self.seen
        return self.seen * 2

    def forward(self, x: Any) -> Any:
        self.seen = x.sum().reshape([1])
        x = x + self.bias
        return self.fc(x) * GATE(x).mean()


GATE = Signed(paddle.to_tensor([1.0, 2.0, 3.0, 4.0]))
program()(Gate)
