"""Calls: functions, lambdas, closures, methods, and kinds of arguments."""

from __future__ import annotations

import enum
import functools
from typing import Any, NamedTuple

import numpy as np

import oarlock as paddle

from .table import MATRICES, Table, f32, one_row

program = Table()
FACTOR = 3
A, B, C = MATRICES
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


def helper(y: Any) -> Any:
    if y.sum() > 0:
        return y * FACTOR
    return y


def twice(function: Any) -> Any:
    @functools.wraps(function)
    def run(v: Any) -> Any:
        return function(function(v))

    return run


@twice
def decorated(v: Any) -> Any:
    if v.sum() > 1:
        return v - 1
    return v + 2


def halve_until(x: Any, depth: int) -> Any:
    if depth == 0:
        return x
    if x.abs().sum() < 1:
        return x
    return halve_until(x / 2, depth - 1)


class Scaler:
    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, v: Any) -> Any:
        if v.sum() > 0:
            return v * self.k
        return v

    def shifted(self, v: Any) -> Any:
        return v + self.k if v.mean() > 0 else v - self.k


@program()
def calls_a_function(x: Any) -> Any:
    return helper(helper(x)) + 1


@program()
def calls_a_decorated_function(x: Any) -> Any:
    return decorated(x)


@program(A, B, C, BIG, one_row(0.0), one_row(0.3), one_row(0.5))
def recursion_of_a_static_depth(x: Any) -> Any:
    return halve_until(x, 4)


@program()
def calls_a_lambda(x: Any) -> Any:
    f = lambda v: v if v.sum() > 0 else -v
    return f(x) + f(-x)


@program()
def two_lambdas_in_a_line(x: Any) -> Any:
    f, g = lambda v: v * 2 if v.sum() > 0 else v, lambda v: v if v.sum() > 0 else v * 5
    return f(x) + g(x)


@program()
def inner_function(x: Any) -> Any:
    def g(v: Any) -> Any:
        if v.sum() > 0:
            return v + 1
        return v

    return g(x)


@program(*MATRICES, one_row(-1.0))
def closure_reads(x: Any) -> Any:
    k = x.mean()

    def g(v: Any) -> Any:
        return v * k if k > 0 else v

    k = k + 1
    return g(x)


@program()
def closure_writes(x: Any) -> Any:
    total = x * 0

    def add(v: Any) -> None:
        nonlocal total
        if v.sum() > 0:
            total = total + v
        else:
            total = total - v

    add(x)
    add(x * 2)
    return total


@program()
def partial_call(x: Any) -> Any:
    def scaled(v: Any, k: float, b: float = 0.0) -> Any:
        if v.sum() > 0:
            return v * k + b
        return v

    return functools.partial(scaled, k=2.0)(x) + functools.partial(scaled, b=1.0)(x, 3.0)


@program()
def callable_object(x: Any) -> Any:
    return Scaler(2.5)(x)


@program()
def method_of_an_object(x: Any) -> Any:
    return Scaler(2.5).shifted(x)


@program()
def star_arguments(x: Any) -> Any:
    def g(*values: Any, **named: Any) -> Any:
        if values[0].sum() > 0:
            return values[0] + named["k"]
        return values[1]

    return g(x, x * 2, k=3)


@program()
def default_arguments(x: Any) -> Any:
    def g(v: Any, k: float = 2.0, *, b: float = 1.0) -> Any:
        return v * k + b if v.sum() > 0 else v

    return g(x) + g(x, 3.0, b=2.0)


@program()
def method_chain(x: Any) -> Any:
    return (x.abs().sum() if x.sum() > 0 else x.mean()).reshape([1]).expand([3])


@program()
def private_names(x: Any) -> Any:
    class Holder:
        __k = 2

        def go(self, v: Any) -> Any:
            if v.sum() > 0:
                return v * self.__k
            return v

    return Holder().go(x)


@program()
def keyword_only_and_positional(x: Any) -> Any:
    def g(v: Any, /, k: float, *, b: float) -> Any:
        return v * k + b if v.sum() > 0 else v - b

    return g(x, 2.0, b=3.0)


@program()
def lambda_with_default(x: Any) -> Any:
    fs = [lambda v, k=k: v * k if v.sum() > 0 else v + k for k in (1, 2)]
    return fs[0](x) + fs[1](x)


@program()
def functions_of_a_comprehension_see_its_last_value(x: Any) -> Any:
    added = [lambda v: v + k for k in range(3)]
    for add in added:
        x = add(x)
    return x


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@program()
def numbers_of_an_enumeration(x: Any) -> Any:
    y = x * Level.HIGH + Level.LOW
    if x.sum() > Level.LOW:
        y = y * Level.HIGH
    return y, paddle.full([2], Level.HIGH), x[Level.LOW]


@functools.singledispatch
def by_its_class(first: Any, x: Any) -> Any:
    return x


@by_its_class.register(int)
def _of_int(first: int, x: Any) -> Any:
    if x.sum() > 0:
        return x + first
    return x - first


@by_its_class.register(paddle.Tensor)
def _of_tensor(first: Any, x: Any) -> Any:
    return x * 2 if first.sum() > 0 else x * 3


@program()
def functions_chosen_by_class(x: Any) -> Any:
    return by_its_class(3, x) + by_its_class(x, x) + by_its_class(None, x)
