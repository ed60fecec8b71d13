"""Functions of `to_static` that train run as Python: parameters and accumulators change exactly once in each call."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import SideEffectError, TraceError
from oarlock.jit.explain import explain
from oarlock.static import InputSpec

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)


class State:
    """A network with everything that a training step may use."""

    def __init__(self) -> None:
        paddle.seed(3)
        self.net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Dropout(0.5), nn.Linear(4, 2))
        self.scheduler = paddle.optimizer.lr.StepDecay(0.1, step_size=2, gamma=0.5)
        clip = nn.ClipGradByGlobalNorm(0.1)
        parameters = self.net.parameters()
        self.first = paddle.optimizer.Adam(self.scheduler, parameters=parameters[:2], grad_clip=clip, weight_decay=0.01)
        self.second = paddle.optimizer.Momentum(0.05, parameters=parameters[2:])
        self.scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=2)
        self.losses: list[float] = []
        self.calls = 0

    def values(self) -> list[Any]:
        """Everything that a step may change."""
        found = [t.numpy() for t in self.net.state_dict().values()]
        for optimizer in (self.first, self.second):
            state = {k: v for k, v in optimizer.state_dict().items() if k != "LR_Scheduler"}
            found += [v.numpy() for v in state.values()]
        found += [np.zeros(1) if p.grad is None else p.grad.numpy() for p in self.net.parameters()]
        return [*found, self.scheduler.last_lr, self.scaler._scale, self.losses, self.calls]


def step(s: State, x: Any) -> Any:
    loss = s.net(x).pow(2).mean()
    loss.backward()
    s.first.step()
    s.second.step()
    s.first.clear_grad()
    s.second.clear_grad()
    s.scheduler.step()
    return loss


def minimized(s: State, x: Any) -> Any:
    loss = s.net(x).pow(2).mean()
    loss.backward()
    s.first.minimize(loss)
    s.net.clear_gradients()
    return loss


def scaled(s: State, x: Any) -> Any:
    with paddle.amp.auto_cast(enable=False):
        loss = s.net(x).pow(2).mean()
    s.scaler.scale(loss).backward()
    s.scaler.step(s.second)
    s.scaler.update()
    s.second.clear_grad()
    return loss


def accumulated(s: State, x: Any) -> Any:
    s.calls += 1
    loss = s.net(x).mean() / 2
    loss.backward()
    if s.calls % 2 == 0:
        s.second.step()
        s.second.clear_grad()
    return loss


def with_python_state(s: State, x: Any) -> Any:
    s.calls += 1
    s.losses.append(random.random() + float(np.random.rand()))
    noise = paddle.randn([4, 3])
    loss = s.net(x + noise).mean()
    loss.backward()
    s.losses.append(float(loss))
    s.second.step()
    s.second.clear_grad()
    return loss


def partly_without_gradients(s: State, x: Any) -> Any:
    with paddle.no_grad():
        target = s.net(x) * 2
    loss = (s.net(x) - target).abs().mean()
    loss.backward()
    s.second.step()
    s.second.clear_grad()
    return loss


def by_hand(s: State, x: Any) -> Any:
    loss = s.net(x).mean()
    parameters = [p for p in s.net.parameters() if not p.stop_gradient]
    gradients = paddle.grad(loss, parameters)
    with paddle.no_grad():
        for p, g in zip(parameters, gradients, strict=True):
            p.set_value(p - 0.1 * g)
    return loss


def in_place(s: State, x: Any) -> Any:
    with paddle.no_grad():
        for p in s.net.parameters():
            p.add_(paddle.full_like(p, 0.5))
    return s.net(x).mean()


def frozen(s: State, x: Any) -> Any:
    s.net[0].weight.stop_gradient = s.calls % 2 == 0
    s.calls += 1
    loss = s.net(x).mean()
    loss.backward()
    s.second.step()
    return loss


def reads_a_gradient(s: State, x: Any) -> Any:
    loss = s.net(x).mean()
    size = 0.0 if s.net[0].weight.grad is None else s.net[0].weight.grad.abs().sum()
    return loss + size


def only_zeroes_gradients(s: State, x: Any) -> Any:
    s.net[0].weight.clear_gradient()
    return s.net(x).mean()


def reads_the_rate(s: State, x: Any) -> Any:
    s.scheduler.step()
    return s.net(x).mean() * s.first.get_lr() * s.scheduler.last_lr


def in_a_branch(s: State, x: Any) -> Any:
    loss = s.net(x).mean()
    if loss < 100:
        loss.backward()
        s.second.step()
        s.second.clear_grad()
    return loss


def in_a_loop(s: State, x: Any) -> Any:
    total = 0.0
    for i in range(3):
        loss = s.net(x * (i + 1)).mean()
        loss.backward()
        s.second.step()
        s.second.clear_grad()
        total = total + loss
    return total


def behind_an_except(s: State, x: Any) -> Any:
    loss = s.net(x).mean()
    try:
        loss.backward()
        s.second.step()
    except Exception:
        s.calls += 100
    return loss


def through_another_function(s: State, x: Any) -> Any:
    return step(s, x) + minimized(s, x)


STEPS = [
    step, minimized, scaled, accumulated, with_python_state, partly_without_gradients, by_hand, in_place, frozen, reads_a_gradient,
    only_zeroes_gradients, reads_the_rate, in_a_branch, in_a_loop, behind_an_except, through_another_function,
]  # fmt: skip


def trained(function: Callable[..., Any], wrap: Callable[..., Any], calls: int = 5) -> tuple[list[float], State]:
    state = State()
    random.seed(1)
    np.random.seed(1)
    called = wrap(function)
    return [float(called(state, paddle.to_tensor(X))) for _ in range(calls)], state


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("function", STEPS)
def test_each_call_trains_once_as_eager_code_does(function: Any, full_graph: bool) -> None:
    losses, eager = trained(function, lambda f: f)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, static = trained(function, lambda f: paddle.jit.to_static(f, full_graph=full_graph))
    assert found == losses
    for one, two in zip(static.values(), eager.values(), strict=True):
        np.testing.assert_array_equal(one, two)
    said = [str(w.message) for w in caught if "runs as Python" in str(w.message)]
    assert len(said) == (function not in (by_hand, in_place)), said


def test_the_warning_names_the_construct_and_its_line() -> None:
    static = paddle.jit.to_static(step)
    with pytest.warns(
        UserWarning,
        match=r"step runs as Python.*Tensor\.backward(.|\n)*at test_training_step\.py:\d+ in step: loss\.backward\(\)",
    ):
        static(State(), paddle.to_tensor(X))


class Trainer(nn.Layer):
    """A layer whose forward trains."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.optimizer = paddle.optimizer.SGD(0.1, parameters=self.fc.parameters())

    def forward(self, x: Any) -> Any:
        loss = self.fc(x).mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        return loss


@pytest.mark.parametrize("called", [True, False])
def test_a_layer_that_trains_runs_as_python_and_is_not_saved(tmp_path: Path, called: bool) -> None:
    paddle.seed(5)
    eager = Trainer()
    paddle.seed(5)
    static = paddle.jit.to_static(Trainer(), input_spec=None if called else [InputSpec([None, 3])])
    if called:
        with pytest.warns(UserWarning, match="forward runs as Python"):
            found = [float(static(paddle.to_tensor(X))) for _ in range(3)]
        assert found == [float(eager(paddle.to_tensor(X))) for _ in range(3)]
    before = static.fc.weight.numpy()
    with pytest.raises(
        TraceError, match=r"Tensor\.backward: has no place in a program(.|\n)*in forward: loss\.backward"
    ):
        paddle.jit.save(static, tmp_path / "m")
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(static.fc.weight.numpy(), before)


def test_explain_lists_every_part_of_a_step() -> None:
    found = explain(Trainer(), [InputSpec([None, 3])])
    assert [p.text for p in found.problems] == [
        "loss.backward()", "self.optimizer.step()", "self.optimizer.clear_grad()",
    ]  # fmt: skip


def test_an_iterator_that_was_advanced_before_is_an_error_or_python() -> None:
    def of_batches(batches: Any, s: State) -> Any:
        loss = 0.0
        for x in batches:
            loss = s.net(x).mean()
            loss.backward()
        return loss

    def given(state: State) -> float:
        return float(called((paddle.to_tensor(X * i) for i in range(3)), state))

    called: Any = of_batches
    want = given(State())
    called = paddle.jit.to_static(of_batches, full_graph=False)
    with pytest.warns(UserWarning, match="advancing an iterator from outside"):
        assert given(State()) == want
    called = paddle.jit.to_static(of_batches, full_graph=True)
    with pytest.raises(TraceError, match="advancing an iterator from outside"):
        given(State())
    assert issubclass(SideEffectError, TraceError)
