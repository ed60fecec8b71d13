"""User objects: created in branches, accessed by name, carried by loops; layers among them."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn
from oarlock.nn import functional as F

from .table import MATRICES, Table, f32, one_row

program = Table()
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


@program()
def setattr_of_a_name(x: Any) -> Any:
    class Box:
        pass

    box = Box()
    for name in ("a", "b"):
        setattr(box, name, x)
    for k, name in enumerate(("a", "b")):
        if x.sum() > k:
            setattr(box, name, getattr(box, name) * 2)
    return box.a, box.b  # type: ignore[attr-defined]


class Chosen:
    """Branches in `__init__`."""

    def __init__(self, v: Any) -> None:
        self.v = v
        if v.sum() > 0:
            self.v = v + 1


class ChosenTwice(Chosen):
    def __init__(self, v: Any) -> None:
        super().__init__(v)
        self.w = self.v * 2 if self.v.sum() > 1 else self.v


@program()
def objects_that_choose_when_they_are_made(x: Any) -> Any:
    made = ChosenTwice(x)
    return made.v, made.w


@program(*MATRICES, one_row(1.0))
def an_object_made_in_a_branch(x: Any) -> Any:
    if x.max() > 0.6:
        y = ChosenTwice(x).w
    else:
        y = Chosen(x).v * 3
    return y


class Halved:
    """Loops in `__init__`."""

    def __init__(self, v: Any, most: int = 3, *rest: float, by: float = 2.0, **more: float) -> None:
        self.n = 0
        while v.abs().sum() > 1 and self.n < most:
            v = v / by
            self.n += 1
        self.v = v + len(rest) + sum(more.values())


@program()
def objects_made_in_a_loop(x: Any) -> Any:
    y = x[0] * 0
    for row in x:
        c = Halved(row, 2, 1.0, by=3.0, shift=1.0)
        y = y + c.v * c.n + Halved(row).v
    return y


@dataclass
class Progress:
    v: Any
    n: int = 0


@program(*MATRICES, BIG * 100)
def a_dataclass_goes_from_round_to_round(x: Any) -> Any:
    s = Progress(x)
    while s.v.abs().sum() > 1 and s.n < 5:
        s.v = s.v / 2
        s.n += 1
    return s.v, s.n


class Body(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def body(self, x: Any) -> Any:
        return self.fc(x) if x.sum() > 0 else x


@program(*MATRICES, one_row(1.0))
class SuperOfAMethod(Body):
    def body(self, x: Any) -> Any:
        if x.max() > 0.6:
            return super().body(x) + 1
        return super(SuperOfAMethod, self).body(x)  # noqa: UP008 - both ways are written

    def forward(me, x: Any) -> Any:
        return me.body(x)


@program(*MATRICES, one_row(-2.0))
class LayersByName(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.chosen = lambda v: v * 2 if v.sum() > 0 else v
        self.acts = {"relu": nn.ReLU(), "tanh": nn.Tanh()}
        for i in range(2):
            setattr(self, f"fc{i}", nn.Linear(4, 4))

    def forward(self, x: Any) -> Any:
        for i in range(2):
            fc = getattr(self, f"fc{i}")
            x = fc(x) if x.sum() > 0 else x - fc(x)
        if hasattr(self, "fc9"):
            x = F.relu(x)
        for name in sorted(self.acts):
            x = self.acts[name](self.chosen(x))
        return x


@program(*MATRICES, one_row(-2.0))
def functions_made_in_a_loop(x: Any) -> Any:
    def make(k: int) -> Callable[[Any], Any]:
        def f(v: Any) -> Any:
            return v * k if v.sum() > -k else v + k

        return f

    for f in [make(k) for k in (1, 2)]:
        x = f(x)
    return x


class Slotted:
    __slots__ = ("factor", "offset")

    def __init__(self) -> None:
        self.factor = 1.0


@program(*MATRICES, one_row(-2.0))
def attributes_in_slots(x: Any) -> Any:
    o = Slotted()
    if x.sum() > 0:
        o.factor = 2.0
        o.offset = x
    else:
        o.offset = x * 3
    return x * o.factor + o.offset
