"""FlattenedArguments that are neither tensors nor constants: equal ones share a program, and the number of
programs is limited.
"""

from __future__ import annotations

import datetime
import enum
import uuid
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import oarlock as paddle
from oarlock.jit import to_static
from oarlock.jit.program_cache import MAX_PROGRAMS_PER_SIGNATURE


class Color(enum.Enum):
    RED = 1
    BLUE = 2


VALUES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "Fraction": (lambda: Fraction(1, 7), lambda: Fraction(2, 7)),
    "Decimal": (lambda: Decimal("1.0"), lambda: Decimal("1.00")),
    "Path": (lambda: Path("abc"), lambda: Path("abd")),
    "date": (lambda: datetime.date(2020, 1, 2), lambda: datetime.date(2020, 1, 3)),
    "datetime": (
        lambda: datetime.datetime(2020, 1, 2, 12, tzinfo=datetime.UTC),
        lambda: datetime.datetime(
            2020, 1, 2, 13, tzinfo=datetime.timezone(datetime.timedelta(hours=1))
        ),
    ),
    "timedelta": (lambda: datetime.timedelta(1), lambda: datetime.timedelta(2)),
    "UUID": (lambda: uuid.UUID(int=1), lambda: uuid.UUID(int=2)),
    "Enum": (lambda: Color.RED, lambda: Color.BLUE),
    "dtype": (lambda: paddle.float32, lambda: paddle.float64),
    "place": (lambda: paddle.CPUPlace(), lambda: paddle.CUDAPlace(0)),
    "slice": (lambda: slice(0, 1), lambda: slice(0, 2)),
}


@pytest.mark.parametrize("name", VALUES)
def test_equal_values_share_a_program(name: str) -> None:
    static = to_static(lambda x, value: x * len(str(value)))
    one, other = VALUES[name]
    for _ in range(3):
        assert static(paddle.ones([1]), one()).item() == len(str(one()))
    assert static.get_traced_count() == 1
    assert static(paddle.ones([1]), other()).item() == len(str(other()))
    assert static.get_traced_count() == 2


class Setting:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


def test_new_objects_are_limited_to_the_program_limit() -> None:
    static = to_static(lambda x, setting: x * setting.factor)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        results = [
            static(paddle.ones([1]), Setting(n)).item()
            for n in range(MAX_PROGRAMS_PER_SIGNATURE + 4)
        ]
    assert results == list(range(MAX_PROGRAMS_PER_SIGNATURE + 4))
    assert static.get_traced_count() == MAX_PROGRAMS_PER_SIGNATURE
    assert [
        "'setting' differs at each call; 16 programs were made" in str(w.message) for w in found
    ] == [True]


def test_same_object_has_one_program() -> None:
    static, one, other = (
        to_static(lambda x, setting: x * setting.factor),
        Setting(2.0),
        Setting(3.0),
    )
    assert [static(paddle.ones([1]), s).item() for s in (one, other, one, other)] == [
        2.0,
        3.0,
        2.0,
        3.0,
    ]
    assert static.get_traced_count() == 2
    one.factor = 5.0
    assert static(paddle.ones([1]), one).item() == 5.0


def test_sets_are_compared_by_identity() -> None:
    static = to_static(lambda x, members: x * len(members))
    with pytest.warns(UserWarning, match="'members' differs at each call"):
        assert [
            static(paddle.ones([1]), set(range(n))).item()
            for n in range(MAX_PROGRAMS_PER_SIGNATURE + 2)
        ] == list(range(MAX_PROGRAMS_PER_SIGNATURE + 2))
    assert static.get_traced_count() == MAX_PROGRAMS_PER_SIGNATURE


def test_tuple_default_keeps_the_fast_path() -> None:
    static = to_static(lambda x, sizes=(2, (3.0, None)): x * sizes[0] + sizes[1][0])
    listed = to_static(lambda x, sizes=([2],): x * sizes[0][0])
    assert [f(paddle.ones([1])).item() for f in (static, static, listed)] == [5.0, 5.0, 2.0]
    assert len(static.program_cache.fast_cache) == 1
    assert not listed.program_cache.fast_cache
