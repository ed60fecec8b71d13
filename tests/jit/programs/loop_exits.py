"""Exits of loops: `:=` in the condition, several breaks, `else`, return and break in `try` and
`with`.
"""

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


@program(*MATRICES, BIG)
def walrus_of_a_while(x: Any) -> Any:
    while (m := x.abs().mean()) > 0.6:
        x = x / 2
    return x * m


@program(*MATRICES, BIG, one_row(2.0), f32([[10.2, -12.8, 2.1, -2.9]]))
def walrus_of_a_while_that_breaks(x: Any) -> Any:
    n = 0
    while (m := x.abs().mean()) > 0.6 and m < 7.4:
        if m > 5:
            n += 2
            continue_at = m * 1.1
            x = x + continue_at
            continue
        x = x / 2 + m * 0.2
        n += 1
        if n > 3:
            break
    return x, m, n


@program(*MATRICES, BIG, one_row(0.3))
def walrus_of_a_while_with_else_and_return(x: Any) -> Any:
    n = 0
    while (s := x.abs().sum()) > 1:
        x = x / 2
        n += 1
        if x.max() < -0.2:
            return x * 100 + s
        if n > 2:
            break
    else:
        return x * s
    return x + s


@program(*MATRICES, BIG, f32([[-3.0, 1.0, 1.0, 1.0]]))
def walrus_of_a_while_in_a_while(x: Any) -> Any:
    n = 0
    while (s := x.abs().sum()) > 5:
        while (m := x.abs().max()) > 2:
            x = x * 0.7
            n += 1
        if m > 1.5:
            x = x - 0.1
            continue
        x = x * 0.8
    return x, n, s


@program(*MATRICES, one_row(-1.0))
def while_true_with_two_breaks(x: Any) -> Any:
    i = 0
    while True:
        x = x + 0.5
        i += 1
        if x.sum() > 3:
            break
        if i >= 3:
            break
    return x, i


@program(*MATRICES, MATRICES[0] * 2)
def else_of_a_loop_gives_the_value(x: Any) -> Any:
    for row in x:
        if row.sum() > 2.1:
            y = row * 2
            break
    else:
        y = x[0] * 0
    return y


@program(*MATRICES, MATRICES[0] * 2)
def found_or_not(x: Any) -> Any:
    found = False
    for row in x:
        if row.sum() > 2.1:
            y = row * 2
            found = True
            break
    if not found:
        y = x[0] * 0
    return y


@program(*MATRICES, one_row(0.1), MATRICES[0] * 0)
def return_inside_of_try_in_a_loop(x: Any) -> Any:
    for k in range(2):
        try:
            if x.sum() > k * 3:
                return x * (k + 1)
        finally:
            x = x + 0.4
    return x


@program(*MATRICES, BIG)
def break_inside_of_with(x: Any) -> Any:
    i = 0
    while i < 5:
        with paddle.no_grad():
            if x.sum() > 3:
                break
            x = x + 1
        i += 1
    return x, i
