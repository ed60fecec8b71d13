"""FlattenedArguments of saved methods: nested as the layer takes them, or one by one."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.cli.demo import runner_path
from oarlock.core.pytree import is_dict_or_sequence_holding_tensors
from oarlock.jit import load
from oarlock.static import InputSpec


class Sums(nn.Layer):
    def forward(self, x: Any, extra: Any, pair: Any) -> Any:
        return x + extra["m"] * 2 + extra["k"] * 3 + pair[0] * pair[1]


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
@pytest.mark.parametrize("trains", [False, True])
def test_nested_or_flat_arguments(trains: bool, tmp_path: Path) -> None:
    spec = [InputSpec([None], name=n) for n in ("x", "mask", "keys", "first", "second")]
    paddle.jit.save(Sums(), str(tmp_path / "m"), [spec[0], {"m": spec[1], "k": spec[2]}, spec[3:]])
    paddle.jit.save(load(tmp_path / "m"), str(tmp_path / "again"))
    layer = load(tmp_path / "again")
    layer.training = trains
    x, m, k, a, b = (np.full(2, v, np.float32) for v in (1, 2, 3, 4, 5))
    for args, named in (
        ((x, {"k": k, "m": m}, [a, b]), {}),
        ((x,), {"pair": (paddle.to_tensor(a), b), "extra": {"k": k, "m": m}}),
        ((x, k, m, a, b), {}),
        ((x, k), {"second": b, "mask": m, "first": a}),
    ):
        np.testing.assert_array_equal(layer(*args, **named).numpy(), x + m * 2 + k * 3 + a * b)
    for args, why in (
        ((x, {"k": k}, [a, b]), r"inputs \['mask'\] are missing"),
        ((x, {"k": k, "m": m, "n": m}, [a, b]), r"no input \['extra.n'\]"),
        ((x, {"k": k, "m": m}, [a, b], a), r"takes the arguments \['x', 'extra', 'pair'\], got 4"),
        (
            ("abc", m, k, a, b),
            r"input 'x' should be a tensor, an array, or numbers of one \(got str",
        ),
        (([[1], [2, 3]], m, k, a, b), r"input 'x' should be .* \(got list"),
        ((x, m, k, a, None), r"input 'second' should be .* \(got NoneType"),
    ):
        with pytest.raises(paddle.OpError, match=why):
            layer(*args)


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_duplicate_argument_is_rejected(tmp_path: Path) -> None:
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
def test_argument_keys(tmp_path: Path) -> None:
    spec, one = InputSpec([None]), np.ones(2, np.float32)
    paddle.jit.save(weighed, str(tmp_path / "m"), [{"a\u200b": spec, "c.d": spec}])
    layer = load(tmp_path / "m")
    assert layer({"a\u200b": one, "c.d": one}).numpy().tolist() == [3, 3]
    with pytest.raises(paddle.OpError, match=r"\['d.1'\] is given twice"):
        layer({1: one, "1": one})
    for keys in ({"a": {"b": spec}, "a.b": spec}, {1: spec, "1": spec}):
        with pytest.raises(
            paddle.OpError, match=r"jit.save: two inputs have the name 'd\.(a\.b|1)'"
        ):
            paddle.jit.save(weighed, str(tmp_path / "never"), [keys])
    assert not list(tmp_path.glob("never*"))


def gathered(*rows: Any, **more: Any) -> Any:
    return rows[0] + rows[1]["b"] * 2 + more.get("scale", 1)


def test_var_positional_and_keyword_arguments(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="there are no parameters"):
        paddle.jit.save(
            gathered, str(tmp_path / "m"), [InputSpec([None], name="one"), {"b": InputSpec([None])}]
        )
    layer, ones = load(tmp_path / "m"), np.ones(2, np.float32)
    assert layer(ones, {"b": ones}).numpy().tolist() == layer(ones, ones).numpy().tolist() == [4, 4]


class Leaves(nn.Layer):
    """Returns each leaf of its arguments, so that a call shows which input became which leaf."""

    def forward(self, first: Any, tree: Any, last: Any = None) -> Any:
        found = {
            "first": first,
            "b": tree["b"],
            "a": [tree["a"][0], {"z": tree["a"][1]["z"], "k": tree["a"][1]["k"]}],
        }
        return found if last is None else {**found, "Z": last["last"]}


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
@pytest.mark.parametrize("way", ["engine", "interpreter", "predictor"])
@pytest.mark.parametrize("more", [False, True])
def test_positional_order_is_sorted_keys(way: str, more: bool, tmp_path: Path) -> None:
    def spec(name: str) -> InputSpec:
        return InputSpec([1], name=name)

    specs = [spec("zero"), {"b": spec("bb"), "a": [spec("a0"), {"z": spec("z"), "k": spec("k")}]}]
    paddle.jit.save(
        Leaves(), str(tmp_path / "m"), [*specs, {"last": spec("aa")}] if more else specs
    )
    # arguments in order, the keys of each dict sorted
    order = ["zero", "a0", "k", "z", "bb"] + ["aa"] * more
    values = {name: np.full(1, i, np.float32) for i, name in enumerate(order)}
    layer = load(tmp_path / "m")
    assert [s.name for s in layer._input_spec()] == order
    leaves = ["Z"] * more + ["a.0", "a.1.k", "a.1.z", "b", "first"]
    wanted = [5.0] * more + [1.0, 2.0, 3.0, 4.0, 0.0]
    assert [s.name for s in layer._output_spec()] == leaves
    if way == "predictor":
        made = paddle.inference.create_predictor(
            paddle.inference.Config(str(tmp_path / "m.pdmodel"))
        )
        assert made.get_input_names() == order
        found = [
            float(t.numpy()[0]) for t in made.run([paddle.to_tensor(values[n]) for n in order])
        ]
        assert found == wanted
        return
    layer.training = way == "interpreter"
    for result in (
        layer(*values.values()),
        layer(**dict(reversed(values.items()))),
        layer(
            values["zero"],
            {"b": values["bb"], "a": [values["a0"], {"z": values["z"], "k": values["k"]}]},
            *([{"last": values["aa"]}] if more else []),
        ),
    ):
        assert list(result) == ["first", "b", "a"] + ["Z"] * more  # nesting keeps its own order
        assert float(result["first"].numpy()[0]) == 0.0
        assert float(result["b"].numpy()[0]) == 4.0
        assert [float(result["a"][0].numpy()[0]), float(result["a"][1]["z"].numpy()[0])] == [
            1.0,
            3.0,
        ]
        assert float(result["a"][1]["k"].numpy()[0]) == 2.0


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_runner_input_and_output_order(
    tmp_path: Path,
) -> None:
    specs = [InputSpec([1], name=n) for n in ("zero", "bb", "a0", "z", "k")]
    paddle.jit.save(
        Leaves(),
        str(tmp_path / "m"),
        [specs[0], {"b": specs[1], "a": [specs[2], {"z": specs[3], "k": specs[4]}]}],
    )
    order = ["zero", "a0", "k", "z", "bb"]
    values = {name: np.full(1, i, np.float32) for i, name in enumerate(order)}
    # the file names them, in any order
    np.savez(tmp_path / "in.npz", **dict(reversed(values.items())))
    files = ["--input", str(tmp_path / "in.npz"), "--output", str(tmp_path / "out.npz")]
    subprocess.run(
        [runner_path(), "run", str(tmp_path / "m"), *files], check=True, capture_output=True
    )
    with np.load(tmp_path / "out.npz") as held:
        assert held.files == ["a.0", "a.1.k", "a.1.z", "b", "first"]
        assert [float(held[name][0]) for name in held.files] == [1, 2, 3, 4, 0]
    shown = subprocess.run(
        [runner_path(), "inspect", str(tmp_path / "m")], check=True, capture_output=True, text=True
    )
    places = [re.search(rf"\b{name}\b", shown.stdout) for name in order]
    starts = [found.start() for found in places if found is not None]
    assert len(starts) == len(order)
    assert starts == sorted(starts)


class Looked(float):
    """A number that counts how often its class is read."""

    times = 0

    @property
    def __class__(self) -> Any:
        Looked.times += 1
        return float


def test_lists_of_numbers_are_one_argument() -> None:
    one = np.ones(2)
    for value in ([one], (1, paddle.ones([2])), [[], [one]], [1, [2, (one,)]], [[1], {"a": 1}], {}):
        assert is_dict_or_sequence_holding_tensors(value)
    for value in ([], [1, 2.0], [[1.0], [2, 3]], (np.float32(1), True), one, "text", None):
        assert not is_dict_or_sequence_holding_tensors(value)
    assert not is_dict_or_sequence_holding_tensors([Looked(1)] * 100)
    assert Looked.times == 0  # a million numbers are not looked at one by one
