"""Dicts of several types, and other objects, as arguments and results."""

from __future__ import annotations

import ast
from collections import OrderedDict, defaultdict
from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import TraceError

from .guard_helpers import Factor, check, x


class Config(dict[str, Any]):
    """What many libraries call a config."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class Outputs(OrderedDict[str, Any]):
    """An output class of many models."""

    @property
    def logits(self) -> Any:
        return self["logits"]


def test_changed_config_argument_is_detected() -> None:
    config = Config(scale=2.0, sizes=[1])
    static = paddle.jit.to_static(lambda x, config: x * config.scale + len(config.sizes))
    check(static(x(), config), 3, 5, 7)
    check(static(x(), config), 3, 5, 7)
    assert static.get_traced_count() == 1
    config["scale"] = 3.0
    check(static(x(), config), 4, 7, 10)
    config.sizes.append(2)
    check(static(x(), config), 5, 8, 11)


def test_changed_global_config_is_detected() -> None:
    config = Config(scale=2.0)
    static = paddle.jit.to_static(lambda x: x * config.scale)
    check(static(x()), 2, 4, 6)
    config["scale"] = 3.0
    check(static(x()), 3, 6, 9)


@pytest.mark.parametrize(
    "kind", [dict, OrderedDict, Outputs, lambda items: defaultdict(list, items)]
)
def test_dicts_keep_their_type(kind: Any) -> None:
    @paddle.jit.to_static
    def function(given: Any) -> Any:
        if given["logits"].sum() > 0:
            found = kind({"logits": given["logits"] * 2})
        else:
            found = kind({"logits": given["logits"] * 3})
        return type(given).__name__, found

    given = kind({"logits": x()})
    name, found = function(given)
    assert (name, type(found)) == (type(given).__name__, type(given))
    check(found["logits"], 2, 4, 6)
    if kind is Outputs:
        check(found.logits, 2, 4, 6)
    if isinstance(found, defaultdict):
        assert found["more"] == []
    assert function.concrete_program.inputs[0]["logits"].name == "logits"


def test_objects_with_tensors_cannot_be_results() -> None:
    function = paddle.jit.to_static(lambda x: Factor(x * 2))
    with pytest.raises(
        TraceError, match="an object of type 'Factor' that holds tensors cannot be returned"
    ):
        function(x())


def test_argument_with_fields() -> None:
    static = paddle.jit.to_static(lambda x, node: x * node.value)
    check(static(x(), ast.Constant(2.0)), 2, 4, 6)
    check(static(x(), ast.Constant(3.0)), 3, 6, 9)
