"""User classes are unchanged while a program is recorded and afterwards."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import TraceError
from oarlock.jit import to_static
from oarlock.jit.operators.dunder_and_property_conversion import DunderAndPropertyConversion

from .programs.dunder_methods import Signed, a_property_asks, calls_ask

X = paddle.to_tensor([[1.0, 2.0]])


class Held:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __add__(self, other: Any) -> Any:
        if self.value.sum() > 0:
            return self.value + other
        return self.value

    def __radd__(self, other: Any) -> Any:
        return Held(self.value + other) if self.value.sum() > 0 else Held(self.value)


def methods(kind: type) -> dict[str, Any]:
    return {
        name: method
        for name, method in vars(kind).items()
        if callable(method) or isinstance(method, property)
    }


def test_classes_are_restored_after_recording() -> None:
    before = methods(Signed)
    to_static(a_property_asks)(X)
    to_static(calls_ask)(X)
    assert methods(Signed) == before


def test_classes_are_restored_after_a_rejected_recording() -> None:
    before = methods(Held)

    def rejected(x: Any) -> Any:
        y = Held(x) + x
        raise ValueError(f"there is no {y.name}")

    with pytest.raises(ValueError, match="there is no"):
        to_static(rejected)(X)
    assert methods(Held) == before


def test_other_threads_see_the_original_methods() -> None:
    seen: list[Any] = []

    def elsewhere() -> None:
        seen.append((Held(X) + X).tolist())
        seen.append((Held(-X) + X).tolist())

    def f(x: Any) -> Any:
        held = Held(x)
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
        return held + x

    assert to_static(f)(X).tolist() == [[2.0, 4.0]]
    assert seen == [[[2.0, 4.0]], [[-1.0, -2.0]]]


def test_object_arguments() -> None:
    def f(x: Any, held: Any, more: Any) -> Any:
        return held + x, more[0]["k"] + x

    for x in (X, -X):
        found = to_static(f)(x, Held(x), [{"k": Held(x)}])
        assert [v.tolist() for v in found] == [v.tolist() for v in f(x, Held(x), [{"k": Held(x)}])]


def test_objects_of_two_paths() -> None:
    def f(x: Any) -> Any:
        return (1 + Held(x)).value

    with pytest.raises(TraceError, match="only tensors and numbers can depend on a tensor's value"):
        to_static(f)(X)


def test_classes_stay_converted_until_last_recording_ends() -> None:
    original = Held.__add__
    one, two = (
        DunderAndPropertyConversion(lambda function: True, lambda function: function) for _ in "12"
    )
    for conversion in (one, two):
        conversion.convert_classes_of_values(Held(X))
    assert Held.__add__ is not original
    one.restore_classes()
    assert Held.__add__ is not original
    two.restore_classes()
    assert Held.__add__ is original
