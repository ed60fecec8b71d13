"""Arguments of what was saved: nested as the layer takes them, or one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import load
from oarlock.static import InputSpec
from oarlock.static.control.nest import holds_values


class Sums(nn.Layer):
    def forward(self, x: Any, extra: Any, pair: Any) -> Any:
        return x + extra["m"] * 2 + extra["k"] * 3 + pair[0] * pair[1]


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
@pytest.mark.parametrize("trains", [False, True])
def test_nested_arguments_are_given_as_to_the_layer_or_one_by_one(trains: bool, tmp_path: Path) -> None:
    spec = [InputSpec([None], name=n) for n in ("x", "mask", "keys", "first", "second")]
    paddle.jit.save(Sums(), str(tmp_path / "m"), [spec[0], {"m": spec[1], "k": spec[2]}, spec[3:]])
    paddle.jit.save(load(tmp_path / "m"), str(tmp_path / "again"))
    layer = load(tmp_path / "again")
    layer.training = trains
    x, m, k, a, b = (np.full(2, v, np.float32) for v in (1, 2, 3, 4, 5))
    for args, named in (
        ((x, {"k": k, "m": m}, [a, b]), {}),
        ((x,), {"pair": (paddle.to_tensor(a), b), "extra": {"k": k, "m": m}}),
        ((x, m, k, a, b), {}),
        ((x, m), {"second": b, "keys": k, "first": a}),
    ):  # fmt: skip
        np.testing.assert_array_equal(layer(*args, **named).numpy(), x + m * 2 + k * 3 + a * b)
    for args, why in (
        ((x, {"k": k}, [a, b]), r"inputs \['mask'\] are missing"),
        ((x, {"k": k, "m": m, "n": m}, [a, b]), r"no input \['extra.n'\]"),
        ((x, {"k": k, "m": m}, [a, b], a), r"takes the arguments \['x', 'extra', 'pair'\], got 4"),
        (("abc", m, k, a, b), r"input 'x' should be a tensor, an array, or numbers of one \(got str"),
        (([[1], [2, 3]], m, k, a, b), r"input 'x' should be .* \(got list"),
        ((x, m, k, a, None), r"input 'second' should be .* \(got NoneType"),
    ):
        with pytest.raises(paddle.OpError, match=why):
            layer(*args)


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_an_argument_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    spec = [InputSpec([None], name=n) for n in ("x", "mask", "keys", "first", "second")]
    paddle.jit.save(Sums(), str(tmp_path / "m"), [spec[0], {"m": spec[1], "k": spec[2]}, spec[3:]])
    layer, x = load(tmp_path / "m"), np.ones(2, np.float32)
    extra = {"m": x, "k": x}
    for args, named, twice in (
        ((x, extra, [x, x]), {"pair": [x, x]}, "'pair'"),
        ((x, extra, [x, x]), {"first": x}, "'first'"),
        ((x, x, x, x, x), {"mask": x}, "'mask'"),
    ):
        with pytest.raises(paddle.OpError, match=rf"\[{twice}\] is given twice"):
            layer(*args, **named)


def weighed(d: Any) -> Any:
    found = 0.0
    for i, inner in enumerate(d.values()):
        found = found + (i + 1) * (inner["b"] if isinstance(inner, dict) else inner)
    return found


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_keys_of_nested_arguments(tmp_path: Path) -> None:
    spec, one = InputSpec([None]), np.ones(2, np.float32)
    paddle.jit.save(weighed, str(tmp_path / "m"), [{"a\u200b": spec, "c.d": spec}])
    layer = load(tmp_path / "m")
    assert layer({"a\u200b": one, "c.d": one}).numpy().tolist() == [3, 3]
    with pytest.raises(paddle.OpError, match=r"\['d.1'\] is given twice"):
        layer({1: one, "1": one})
    for keys in ({"a": {"b": spec}, "a.b": spec}, {1: spec, "1": spec}):
        with pytest.raises(paddle.OpError, match=r"jit.save: two inputs are called 'd\.(a\.b|1)'"):
            paddle.jit.save(weighed, str(tmp_path / "never"), [keys])
    assert not list(tmp_path.glob("never*"))


def gathered(*rows: Any, **more: Any) -> Any:
    return rows[0] + rows[1]["b"] * 2 + more.get("scale", 1)


def test_nested_arguments_that_are_gathered_into_one_parameter(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="there are no parameters"):
        paddle.jit.save(gathered, str(tmp_path / "m"), [InputSpec([None], name="one"), {"b": InputSpec([None])}])
    layer, ones = load(tmp_path / "m"), np.ones(2, np.float32)
    assert layer(ones, {"b": ones}).numpy().tolist() == layer(ones, ones).numpy().tolist() == [4, 4]


class Looked(float):
    """A number that tells how often its class is asked for."""

    times = 0

    @property
    def __class__(self) -> Any:
        Looked.times += 1
        return float


def test_numbers_in_lists_are_one_argument_and_no_container() -> None:
    one = np.ones(2)
    for value in ([one], (1, paddle.ones([2])), [[], [one]], [1, [2, (one,)]], [[1], {"a": 1}], {}):
        assert holds_values(value)
    for value in ([], [1, 2.0], [[1.0], [2, 3]], (np.float32(1), True), one, "text", None):
        assert not holds_values(value)
    assert not holds_values([Looked(1)] * 100)
    assert Looked.times == 0  # a million numbers are not looked at one by one
