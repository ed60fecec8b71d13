"""LBFGS resumes from a saved state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.core.errors import OpError


def make_optimizer(at: Any) -> tuple[Any, Any]:
    point = oarlock.create_parameter(
        [3], "float32", default_initializer=oarlock.nn.initializer.Assign(at)
    )
    return point, oarlock.optimizer.LBFGS(learning_rate=0.5, max_iter=2, parameters=[point])


def run_steps(point: Any, rule: Any, steps: int) -> Any:
    def closure() -> Any:
        rule.clear_grad()
        loss = ((point - 1) ** 4).sum() + (point[0] * point[1]) ** 2
        loss.backward()
        return loss

    for _ in range(steps):
        rule.step(closure)
    return point.numpy()


def test_state_is_restored_from_file(tmp_path: Path) -> None:
    point, rule = make_optimizer(np.array([3, -2, 1], "float32"))
    assert rule.state_dict() == {"state": {}}
    halfway = run_steps(point, rule, 3).copy()
    oarlock.save(rule.state_dict(), str(tmp_path / "rule.pdopt"))
    wanted = run_steps(point, rule, 3)
    point, rule = make_optimizer(halfway)
    rule.set_state_dict(oarlock.load(str(tmp_path / "rule.pdopt")))
    np.testing.assert_array_equal(run_steps(point, rule, 3), wanted)


def test_state_of_other_parameters_is_rejected() -> None:
    point, rule = make_optimizer(np.array([3, -2, 1], "float32"))
    run_steps(point, rule, 3)
    other = oarlock.create_parameter([4], "float32")
    with pytest.raises(ValueError, match="differences of 3 elements for parameters of 4"):
        oarlock.optimizer.LBFGS(parameters=[other]).set_state_dict(rule.state_dict())


def minimize_square(**options: Any) -> tuple[Any, Any]:
    """Return a point and an optimizer after a step that minimizes the sum of its squares."""
    point = oarlock.create_parameter(
        [2], "float32", default_initializer=oarlock.nn.initializer.Assign([1.0, -2.0])
    )
    rule = oarlock.optimizer.LBFGS(parameters=[point], **options)

    def closure() -> Any:
        rule.clear_grad()
        loss = (point**2).sum()
        loss.backward()
        return loss

    rule.step(closure)
    rule.step(closure)
    return point, rule


@pytest.mark.parametrize("line_search_fn", [None, "strong_wolfe"])
def test_learning_rate_zero_changes_nothing(line_search_fn: str | None) -> None:
    point, _ = minimize_square(learning_rate=0.0, line_search_fn=line_search_fn)
    assert point.numpy().tolist() == [1.0, -2.0]


def test_history_without_pairs_is_rejected() -> None:
    with pytest.raises(OpError, match="history_size=0 is not positive"):
        minimize_square(history_size=0)


def test_each_pair_is_stored_once() -> None:
    _, rule = minimize_square(tolerance_grad=0.0, tolerance_change=1e-3)
    pairs = [s.numpy().tolist() for s in rule.state_dict()["state"]["old_sk"]]
    assert len({tuple(s) for s in pairs}) == len(pairs)
