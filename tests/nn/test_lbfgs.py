"""LBFGS resumes from a saved state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock


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
