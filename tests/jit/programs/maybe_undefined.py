"""Variables that one path assigns, used where the path is known only at run time."""

from __future__ import annotations

from typing import Any

from .table import Table, f32

program = Table()
UP, DOWN, LOW = (
    f32([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    f32([[-1.0, -2.0], [-3.0, -4.0]]),
    f32([[-1.0, 0.5], [0.25, -9.0]]),
)


@program(UP, DOWN, LOW)
def flag_beside_a_value(x: Any) -> Any:
    if x.sum() > 0:
        r = x * 2
        found = True
    else:
        found = False
    return r + 1 if found else x


@program(UP, DOWN, LOW)
def same_condition_computed_again(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    if x.sum() > 0:
        x = x + y
    return x


@program(UP, DOWN, LOW, f32([[5.0, 1.0]]), f32([[1.0, 2.0]]))
def value_of_a_branch_in_a_branch(x: Any) -> Any:
    if x.sum() > 0:
        if x.max() > 3:
            r = x * 2
    y = x
    if x.max() > 3 and x.sum() > 0:
        y = r + 1
    return y


@program(UP, DOWN, f32([[2.0, -20.0]]))
def set_on_two_ways(x: Any) -> Any:
    if x.sum() > 0:
        r = x * 2
    if x.max() > 1:
        r = x * 3
    y = x
    if x.max() > 1.5 or x.sum() > 0:
        y = y + r
    return y


@program(UP, DOWN, LOW)
def other_side_of_the_condition(x: Any) -> Any:
    c = x.sum() > 0
    if c:
        y = x * 2
    if not c:
        x = x + 1
    else:
        x = x + y
    return x


@program(UP, DOWN, LOW)
def value_and_flag_of_rounds(x: Any) -> Any:
    found = False
    for i in range(3):
        if x.sum() > 0:
            found = True
            r = x * i
    if found:
        return r
    return x


@program(UP, DOWN, LOW)
def value_in_a_conjunction(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    if x.max() > 0.75 and (y > 1).any():
        x = x + 1
    return x


@program(UP, DOWN, LOW)
def none_used_under_the_condition_again(x: Any) -> Any:
    y = None
    if x.sum() > 0:
        y = x * 2
    if x.sum() > 0:
        x = x + y
    return x


@program(UP, DOWN, LOW)
def value_for_the_last_round(x: Any) -> Any:
    done = False
    while not done:
        x = x + 1
        if x.sum() > 0:
            last = x * 2
            done = True
    return last + x
