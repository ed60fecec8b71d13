"""Functions of `to_static` that train run as Python: parameters and accumulators change exactly
once in each call.
"""

from __future__ import annotations

import random
import sys
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

# The steps are in a module that real Paddle runs as well: tests/interop/test_paddle_programs.py
# compares them.
sys.path.insert(0, str(Path(__file__).parents[1] / "interop"))
from paddle_programs.to_static.steps import STEPS, State, X, by_hand, in_place, step

sys.path.pop(0)


def train(
    function: Callable[..., Any], wrap: Callable[..., Any], calls: int = 5
) -> tuple[list[float], State]:
    state = State()
    random.seed(1)
    np.random.seed(1)
    called = wrap(function)
    return [float(called(state, paddle.to_tensor(X))) for _ in range(calls)], state


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("function", STEPS)
def test_each_call_trains_once(function: Any, full_graph: bool) -> None:
    losses, eager = train(function, lambda f: f)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, static = train(function, lambda f: paddle.jit.to_static(f, full_graph=full_graph))
    assert found == losses
    want, got = eager.values(), static.values()
    assert list(got) == list(want)
    for name in want:
        np.testing.assert_array_equal(got[name], want[name], err_msg=name)
    said = [str(w.message) for w in caught if "runs as Python" in str(w.message)]
    assert len(said) == (function not in (by_hand, in_place)), said


def test_warning_names_the_construct_and_line() -> None:
    static = paddle.jit.to_static(step)
    with pytest.warns(
        UserWarning,
        match=r"step runs as Python.*Tensor\.backward(.|\n)*at steps\.py:\d+ in step: loss\.backward\(\)",
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
def test_training_layer_runs_as_python_and_is_not_saved(tmp_path: Path, called: bool) -> None:
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
        TraceError,
        match=r"Tensor\.backward: cannot be part of a `to_static` program(.|\n)*in forward: loss\.backward",
    ):
        paddle.jit.save(static, tmp_path / "m")
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(static.fc.weight.numpy(), before)


def test_explain_lists_all_problems_of_a_step() -> None:
    found = explain(Trainer(), [InputSpec([None, 3])])
    assert [p.source_line for p in found.problems] == [
        "loss.backward()",
        "self.optimizer.step()",
        "self.optimizer.clear_grad()",
    ]


def test_advanced_iterator() -> None:
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
    with pytest.warns(UserWarning, match="advancing an iterator created outside of the function"):
        assert given(State()) == want
    called = paddle.jit.to_static(of_batches, full_graph=True)
    with pytest.raises(TraceError, match="advancing an iterator created outside of the function"):
        given(State())
    assert issubclass(SideEffectError, TraceError)
