"""State dicts: overridden methods, and mismatched values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import ArgumentAssertionError, MissingStateError
from oarlock.static import InputSpec


class LayerWithCopiedState(nn.Linear):
    """Returns copies under its own names, as layers of converted models do."""

    def state_dict(self) -> dict[str, Any]:  # type: ignore[override]
        return {
            f"copy.{name}": tensor.numpy().copy() for name, tensor in super().state_dict().items()
        }


class LayerWithInverseState(LayerWithCopiedState):
    """set_state_dict expects the format of its own state_dict."""

    def set_state_dict(self, state_dict: dict[str, Any], use_structured_name: bool = True) -> Any:
        return super().set_state_dict(
            {n.removeprefix("copy."): v for n, v in state_dict.items()}, use_structured_name
        )


def make_filled_layer(value: float, kind: type[nn.Layer] = nn.Linear) -> Any:
    layer = kind(2, 2)
    for parameter in layer.parameters():
        parameter.set_value(np.full(parameter.shape, value, np.float32))
    return layer


@pytest.mark.parametrize("kind", [LayerWithCopiedState, LayerWithInverseState])
@pytest.mark.parametrize("inside", [False, True])
def test_set_state_dict_ignores_overridden_state_dict(kind: type[nn.Layer], inside: bool) -> None:
    a, b = make_filled_layer(1, kind), make_filled_layer(2, kind)
    plain = make_filled_layer(1).state_dict()
    if inside:
        b = nn.Sequential(b)
        plain = {f"0.{name}": value for name, value in plain.items()}
        # a parent does not ask its sublayers' own methods
        assert list(b.state_dict()) == ["0.weight", "0.bias"]
    state = plain if inside or kind is LayerWithCopiedState else a.state_dict()
    setter = nn.Layer.set_state_dict if kind is LayerWithCopiedState else type(b).set_state_dict
    assert setter(b, state) == ([], [])
    assert all((p.numpy() == 1).all() for p in b.parameters())


class LayerWithRenamedState(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("scratch", paddle.ones([1]), persistable=False)

    def forward(self, x: Any) -> Any:
        return self.fc(x) * self.scratch

    def to_static_state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return {
            f"net.{name}": value
            for name, value in super().to_static_state_dict(*args, **kwargs).items()
        }


def test_saved_names_come_from_to_static_state_dict(tmp_path: Path) -> None:
    net = LayerWithRenamedState()
    assert list(net.state_dict()) == ["fc.weight", "fc.bias"]
    assert list(net.to_static_state_dict()) == ["net.scratch", "net.fc.weight", "net.fc.bias"]
    paddle.jit.save(net, str(tmp_path / "m"), [InputSpec([None, 2])])
    assert {"net.fc.weight", "net.fc.bias"} <= set(
        paddle.jit.load(str(tmp_path / "m")).state_dict()
    )


class LayerWithMinimalSignatures(nn.Linear):
    """Methods with the fewest arguments that Paddle calls them with."""

    def sublayers(self, include_self: bool = False) -> Any:
        return super().sublayers(include_self)

    def clear_gradients(self) -> None:  # type: ignore[override]
        self.cleared = True
        super().clear_gradients()

    def state_dict(self) -> Any:  # type: ignore[override]
        return super().state_dict()

    def named_sublayers(
        self, *, prefix: str = "", include_self: bool = False, layers_set: Any = None
    ) -> Any:  # type: ignore[override]
        return super().named_sublayers(prefix, include_self, layers_set)


def test_overridden_methods_get_paddle_arguments() -> None:
    net = LayerWithMinimalSignatures(2, 2)
    outer = nn.Sequential(net, nn.Linear(2, 2))
    assert list(outer.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert len(outer.eval().parameters()) == 4
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    model.train_batch([np.ones((2, 2), np.float32)], [np.ones((2, 2), np.float32)])
    assert net.cleared


@pytest.mark.parametrize(
    ("given", "missing", "unexpected"),
    [
        ({"foo": 1.0}, ["weight", "bias"], ["foo"]),
        ({}, ["weight", "bias"], []),
        ({"weight": np.zeros((3, 2)), "bias": np.zeros(3)}, ["weight"], ["weight"]),
        ({"weight": np.zeros((2, 3)), "bias": None}, ["bias"], ["bias"]),
        ({"weight": np.zeros((2, 3)), "bias": np.zeros(3), "more": 0}, [], ["more"]),
    ],
)
def test_mismatched_values_warn_and_are_listed(given: Any, missing: Any, unexpected: Any) -> None:
    layer = nn.Linear(2, 3)
    before = {name: tensor.numpy() for name, tensor in layer.state_dict().items()}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert layer.set_state_dict(given) == (missing, unexpected)
    assert [str(w.message).split(".")[0] for w in seen] == [
        f"Skip loading for {name}" for name in missing
    ]
    for name in missing:
        np.testing.assert_array_equal(layer.state_dict()[name].numpy(), before[name])


KINDS: list[Callable[..., Any]] = [
    paddle.optimizer.Momentum, paddle.optimizer.Adam, paddle.optimizer.AdamW, paddle.optimizer.Adagrad,
    paddle.optimizer.RMSProp, paddle.optimizer.Lamb, paddle.optimizer.Adamax, paddle.optimizer.Adadelta,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_mismatched_optimizer_state_is_rejected(kind: Any) -> None:
    layer = nn.Linear(2, 2)

    def stepped(optimizer: Any) -> Any:
        layer(paddle.ones([1, 2])).sum().backward()
        optimizer.step()
        return optimizer

    made = stepped(kind(0.1, parameters=layer.parameters()))
    state = made.state_dict()
    made.set_state_dict(state)
    kind(0.1, parameters=layer.parameters()).set_state_dict({})
    first = min(state)
    for wrong in ({}, {"foo": paddle.zeros([1])}, {n: v for n, v in state.items() if n != first}):
        with pytest.raises(
            ArgumentAssertionError, match=r"optimizer Tensor linear_\d+.\w+ not found"
        ):
            made.set_state_dict(wrong)
    with pytest.raises(ArgumentAssertionError, match=r"is \[7, 7\], not"):
        made.set_state_dict({**state, first: np.zeros((7, 7))})
    other = kind(0.1, parameters=layer.parameters())
    other.set_state_dict(
        {name.replace("linear", "renamed"): value for name, value in state.items()}
    )
    with pytest.raises(ArgumentAssertionError, match="not found"):
        stepped(other)


def test_mismatched_scheduler_state_is_rejected() -> None:
    layer = nn.Linear(2, 2)
    schedule = paddle.optimizer.lr.StepDecay(0.1, 2)
    optimizer = paddle.optimizer.SGD(schedule, parameters=layer.parameters())
    with pytest.raises(MissingStateError, match="no 'LR_Scheduler'"):
        optimizer.set_state_dict({})
    for wrong in ({}, {"last_epoch": 5}, {"last_lr": 0.1}):
        with pytest.raises(RuntimeError, match="Can't find"):
            optimizer.set_state_dict({"LR_Scheduler": wrong})
    with pytest.warns(UserWarning, match=r"unused values in state_dict: \['best'\]"):
        schedule.set_state_dict({"last_epoch": 5, "last_lr": np.float32(0.5), "best": 1})
    assert (schedule.last_epoch, schedule.last_lr) == (5, 0.5)


def test_warmup_saves_inner_scheduler_state() -> None:
    lr = paddle.optimizer.lr
    first, again = (lr.LinearWarmup(lr.StepDecay(0.1, 2), 3, 0.0, 0.1) for _ in range(2))
    for _ in range(7):
        first.step()
    again.set_state_dict(first.state_dict())
    first.step()
    again.step()
    assert first.state_dict() == again.state_dict()
    assert first.state_dict()["LinearWarmup_LR"]["last_epoch"] == 5


class CountingScheduler(paddle.optimizer.lr.LRScheduler):
    """A scheduler with additional state, declared by `state_keys`."""

    def state_keys(self) -> None:
        self.keys = ["last_epoch", "last_lr", "calls"]

    def get_lr(self) -> float:
        self.calls = getattr(self, "calls", 0) + 1
        return self.base_lr / self.calls


def test_scheduler_state_keys() -> None:
    a, b = CountingScheduler(1.0), CountingScheduler(1.0)
    a.step()
    b.set_state_dict(a.state_dict())
    assert b.calls == 2


@pytest.mark.parametrize("state", [{1: 2}, {None: 3}, {("a", 0): object()}])
def test_non_string_optimizer_state_keys_are_ignored(state: dict[Any, Any]) -> None:
    layer = nn.Linear(2, 2)
    optimizer = paddle.optimizer.Adam(parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    before = {k: v.numpy().copy() for k, v in optimizer.state_dict().items()}
    optimizer.set_state_dict({**optimizer.state_dict(), **state})
    for name, value in optimizer.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name])


@pytest.mark.parametrize("state", [3, None, [1], "last_epoch"])
def test_scheduler_state_must_be_a_dict(state: Any) -> None:
    scheduler = paddle.optimizer.lr.StepDecay(0.1, 3)
    with pytest.raises(MissingStateError, match=r"StepDecay.set_state_dict: got a \w+, not a dict"):
        scheduler.set_state_dict(state)


def test_incomplete_scheduler_state_changes_nothing() -> None:
    scheduler = paddle.optimizer.lr.StepDecay(0.1, 3)
    with pytest.raises(MissingStateError, match="last_lr"):
        scheduler.set_state_dict({"last_epoch": 7})
    assert scheduler.last_epoch == 0
