"""Branches that return different structures: rejected with the lines of both."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.capture import output_tree
from oarlock.core.errors import OarlockError, TraceError, VerifyError
from oarlock.jit.explain import explain
from oarlock.static import InputSpec

# ruff: noqa: RET505, SIM401 - forms that users write

SPEC = [InputSpec([None], "float32", "x")]


def another_key(x: Any) -> Any:
    y = x * 2
    if x.sum() > 0:
        return {"logits": y}
    return {"logits": y, "extra": x}


def other_keys(x: Any) -> Any:
    if x.sum() > 0:
        return {"a": x}
    else:
        return {"b": x}


def key_of_another_type(x: Any) -> Any:
    if x.sum() > 0:
        return {1: x}
    return {"1": x}


def nested_key(x: Any) -> Any:
    if x.sum() > 0:
        return {"a": {"b": x}}
    return {"a": {"c": x}}


def inside_a_tuple(x: Any) -> Any:
    if x.sum() > 0:
        found = {"a": x}
    else:
        found = {"a": x, "b": x}
    return x, found


def empty(x: Any) -> Any:
    if x.sum() > 0:
        return {}
    return {"a": x}


def key_set_later(x: Any) -> Any:
    found = {"n": x}
    if x.sum() > 0:
        found["m"] = x * 2
    return found


def key_deleted(x: Any) -> Any:
    found = {"n": x, "m": x * 2}
    if x.sum() > 0:
        del found["m"]
    return found


def ordered(x: Any) -> Any:
    if x.sum() > 0:
        return OrderedDict(a=x)
    return OrderedDict(a=x, b=x)


def of_a_helper(x: Any) -> Any:
    return {"all": other_keys(x)}


def in_a_loop(x: Any) -> Any:
    found = {"n": x}
    for i in range(3):
        if x.sum() > i:
            found[f"k{i}"] = x * i
    return found


def early_in_a_loop(x: Any) -> Any:
    while x.sum() < 10:
        x = x + 1
        if x.max() > 3:
            return {"early": x}
    return {"late": x}


def lengths(x: Any) -> Any:
    if x.sum() > 0:
        return [x]
    return [x, x]


def of_an_expression(x: Any) -> Any:
    return {"a": x} if x.sum() > 0 else {"a": x, "b": x}


def tensor_or_tuple(x: Any) -> Any:
    if x.sum() > 0:
        return x
    return x, x


def tensor_or_dict(x: Any) -> Any:
    if x.sum() > 0:
        return x
    return {"a": x}


def order_of_keys(x: Any) -> Any:
    if x.sum() > 0:
        return {"a": x, "b": x * 2}
    return {"b": x, "a": x * 2}


OTHERS = [
    another_key, other_keys, key_of_another_type, nested_key, inside_a_tuple, empty, key_set_later, key_deleted, ordered, of_a_helper, in_a_loop,
    early_in_a_loop, lengths, of_an_expression, tensor_or_tuple, tensor_or_dict, order_of_keys,
]  # fmt: skip


@pytest.mark.parametrize("function", OTHERS)
def test_different_structures_are_rejected(function: Any, tmp_path: Path) -> None:
    for values in ([1.0, 2.0], [-1.0, -2.0]):
        with pytest.raises(TraceError):
            paddle.jit.to_static(function)(paddle.to_tensor(np.asarray(values, np.float32)))
    with pytest.raises(OarlockError):
        paddle.jit.save(paddle.jit.to_static(function, SPEC), tmp_path / "m")
    assert not list(tmp_path.iterdir())
    assert explain(function, SPEC).problems


def test_error_names_both_lines() -> None:
    with pytest.raises(TraceError) as caught:
        paddle.jit.to_static(another_key)(paddle.ones([2]))
    text = str(caught.value)
    assert "'extra'" in text
    assert 'return {"...": y}' in text
    assert 'return {"...": y, "...": x}' in text


def asked(x: Any) -> Any:
    found = another_key(x)
    return found["logits"] + (found["extra"] if "extra" in found else 10.0) + len(found)


def read(x: Any) -> Any:
    return another_key(x)["logits"]


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
@pytest.mark.parametrize("function", [asked, read])
def test_key_test_of_a_partial_result(function: Any, tmp_path: Path) -> None:
    static = paddle.jit.to_static(function, SPEC)
    paddle.jit.save(static, tmp_path / "m")
    loaded = paddle.jit.load(tmp_path / "m")
    for values in ([1.0, 2.0], [-1.0, -2.0, 3.0]):
        x = paddle.to_tensor(np.asarray(values, np.float32))
        np.testing.assert_array_equal(static(x).numpy(), function(x).numpy())
        np.testing.assert_array_equal(loaded(x).numpy(), function(x).numpy())


@pytest.mark.parametrize(
    ("recorded", "found", "same"),
    [
        ({"a": 1.5, "b": 1.5}, {"a": 2.5, "b": 1.0}, True),
        ({"a": 1.5}, {"a": 1.5, "b": 1.5}, False),
        ({"a": 1.5}, {"b": 1.5}, False),
        ({"a": 1.5, "b": 1.5}, {"b": 1.5, "a": 1.5}, False),
        ([1.5], [1.5, 1.5], False),
        ([1.5], (1.5,), False),
        (1.5, (1.5,), False),
        ((1.5, None), (1.5, 1.5), False),
        ((1.5, 1.5), (1.5, None), False),
        ({"a": {"b": 1.5}}, {"a": {"c": 1.5}}, False),
        ([{"a": [1.5]}], [{"a": [2.5]}], True),
    ],
)
def test_verification_compares_structures(recorded: Any, found: Any, same: bool) -> None:
    def with_tensors(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: with_tensors(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(with_tensors, value))
        return value if value is None else paddle.to_tensor(value)

    text = output_tree.flatten(with_tensors(recorded), "out")[1]
    if same:
        output_tree.require_structure_of_output_tree(text, with_tensors(found))
    else:
        with pytest.raises(VerifyError, match=r"the program returns .*, Python returns "):
            output_tree.require_structure_of_output_tree(text, with_tensors(found))


@pytest.mark.parametrize(
    ("constant", "later", "same"),
    [
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
        (1.0, float("nan"), False),
        ("text", "text", True),
        (True, False, False),
    ],
)
def test_verification_compares_constants(constant: Any, later: Any, same: bool) -> None:
    x = paddle.to_tensor(1.0)
    text = output_tree.flatten([x, constant], "out")[1]
    if same:
        assert output_tree.select_outputs_checking_constants(text, [x, later]) == [x]
    else:
        with pytest.raises(VerifyError, match="during recording, but is now"):
            output_tree.select_outputs_checking_constants(text, [x, later])


class Hidden(paddle.nn.Layer):
    """A layer whose keys depend on a call that Python counts, which a file cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = paddle.nn.Linear(2, 2)
        self.more = [False]

    def forward(self, x: Any) -> Any:
        y = self.fc(x)
        return {"y": y, "z": y} if self.more[0] else {"y": y}


@pytest.mark.parametrize("training", [True, False])
def test_file_with_other_result_structure_is_removed(
    training: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = Hidden()
    net.train() if training else net.eval()
    saving = importlib.import_module("oarlock.jit.save")
    real = saving.capture_for_inference

    def then_changed(*args: Any, **kwargs: Any) -> Any:
        made = real(*args, **kwargs)
        net.more[0] = True
        return made

    monkeypatch.setattr(saving, "capture_for_inference", then_changed)
    with pytest.raises(
        VerifyError,
        match=r"the program returns \{'y': \.\.\.\}, Python returns \{'y': \.\.\., 'z': \.\.\.\}",
    ):
        paddle.jit.save(net, tmp_path / "m", input_spec=[InputSpec([None, 2])])
    assert not list(tmp_path.iterdir())


def test_keys_that_are_equal_as_strings_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"the keys \[1, '1'\] of a result"):
        paddle.jit.save(
            paddle.jit.to_static(lambda x: {1: x, "1": x + 1}),
            str(tmp_path / "m"),
            [InputSpec([2], "float32", "x")],
        )
