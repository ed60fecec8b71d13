"""Attributes that only some paths assign: checked at run time, and assigned after a run if Python
would.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OarlockError
from oarlock.static import InputSpec


class Base(nn.Layer):
    """A layer whose attribute `y` is set on some paths."""

    y: Any


class Unread(Base):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.y = x * 2
        return x + 1


class Read(Base):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.y = x * 2
        return self.y + 1


class ReadUnderTheSame(Base):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.y = x * 2
        return self.y + 1 if x.sum() > 0 else x


class Asked(Base):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.y = x * 2
        return self.y + 1 if hasattr(self, "y") else x


class SetWhereItIsNot(Base):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.y = x * 2
        if not hasattr(self, "y"):
            self.y = x * 3
        return self.y + 1


class InSomeRounds(Base):
    def forward(self, x: Any) -> Any:
        for row in x:
            if row > 0:
                self.y = row * 2
        return self.y * 1


class InInnerRounds(Base):
    def forward(self, x: Any) -> Any:
        for row in x:
            for i in range(row.astype("int64")):
                self.y = row * i
        return x * 1


KINDS = [Unread, Read, ReadUnderTheSame, Asked, SetWhereItIsNot, InSomeRounds, InInnerRounds]
CALLS = [[-1.0, -2.0], [1.0, 2.0], [-3.0, -1.0]]


def left(layer: Base) -> Any:
    """Return the attribute's value after a call."""
    return layer.y.tolist() if hasattr(layer, "y") else None


def given(call: list[float], trains: bool) -> Any:
    return paddle.to_tensor(call, stop_gradient=not trains)


@pytest.mark.parametrize("calls", [CALLS, CALLS[1:], CALLS[::-1]])
@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_equals_eager(kind: type[Base], trains: bool, calls: list[list[float]]) -> None:
    eager, made = kind(), paddle.jit.to_static(kind())
    for call in calls:
        try:
            wanted = eager(given(call, trains)).tolist()
        except AttributeError:
            with pytest.raises(
                OarlockError,
                match="'self.y' has no value: the branch that assigns it was not taken",
            ):
                made(given(call, trains))
        else:
            assert made(given(call, trains)).tolist() == wanted
        assert left(made) == left(eager)


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
@pytest.mark.parametrize("kind", [Read, InSomeRounds])
def test_saved_program_checks_attributes(kind: type[Base], tmp_path: Path) -> None:
    paddle.jit.save(kind(), str(tmp_path / "m"), [InputSpec([None])], verify=False)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert (
        loaded(paddle.to_tensor(CALLS[1])).tolist() == kind()(paddle.to_tensor(CALLS[1])).tolist()
    )
    with pytest.raises(OarlockError, match="undefined_on_path_self.y"):
        loaded(paddle.to_tensor(CALLS[0]))


def a_key(x: Any, k: Any) -> Any:
    d = {}
    for i in range(k):
        d["key"] = x * i
    return d["key"] + 1


def test_engine_error_names_the_element() -> None:
    function = paddle.jit.to_static(a_key)
    x = paddle.ones([2])
    assert function(x, paddle.to_tensor(2)).tolist() == [2.0, 2.0]
    with pytest.raises(
        OarlockError,
        match=r"""'d\["key"\]' has no value: the loop that assigns it ran zero iterations""",
    ):
        function(x, paddle.to_tensor(0))
    layer = paddle.jit.to_static(InSomeRounds(), [InputSpec([None])])
    with pytest.raises(OarlockError, match=r"'self.y' has no value"):
        layer(paddle.to_tensor(CALLS[0]))


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_unused_input_is_saved(tmp_path: Path) -> None:
    def function(x: Any, unused: Any) -> Any:
        return x * 2

    paddle.jit.save(
        paddle.jit.to_static(function),
        str(tmp_path / "m"),
        [InputSpec([2]), InputSpec([1], "int64")],
    )
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert loaded(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3])).tolist() == [2.0, 4.0]


def a_dict_or_a_tensor(x: Any) -> Any:
    if x.sum() > 0:
        r = {"a": x * 3}
    else:
        r = x * 2
    return r


def test_error_shows_containers_with_lines() -> None:
    with pytest.raises(
        OarlockError,
        match=r"(?s)dict of 1: 'a': float32\[2\] created at .*r = .\"...\": x \* 3.*created at .*r = x \* 2",
    ):
        paddle.jit.to_static(a_dict_or_a_tensor)(paddle.ones([2]))


def growing(x: Any, k: Any) -> Any:
    t: Any = (x,)
    for _ in range(k):
        t = t + [x]
    return t[0]


def setting(x: Any, k: Any) -> Any:
    t: Any = (x,)
    for _ in range(k):
        t = t + (x,)
        t[0] = x
    return t[0]


def appending(x: Any, k: Any) -> Any:
    t: Any = (x,)
    for _ in range(k):
        t = t + (x,)
    t.append(x)
    return t[0]


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (growing, Exception, "tuple"),
        (setting, TypeError, "item assignment"),
        (appending, AttributeError, "append"),
    ],
)
def test_tuples_are_immutable(body: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        paddle.jit.to_static(body)(paddle.ones([2]), paddle.to_tensor(2))
