"""Learning rate schedulers: arguments at the edge of what they accept."""

from __future__ import annotations

from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import OperandError, OpError

lr = paddle.optimizer.lr


def test_one_cycle_starts_at_the_peak_if_the_rise_has_one_step() -> None:
    scheduler = lr.OneCycleLR(1.0, total_steps=10, phase_pct=0.1)
    rates = [scheduler()]
    for _ in range(9):
        scheduler.step()
        rates.append(scheduler())
    assert rates[0] == pytest.approx(1.0)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(1e-4)


def test_three_phases_of_one_cycle_must_fit() -> None:
    with pytest.raises(OpError, match="phase_pct"):
        lr.OneCycleLR(1.0, total_steps=10, phase_pct=0.5, three_phase=True)


@pytest.mark.parametrize("metric", [(), ("0.5",)])
def test_a_plateau_needs_a_number(metric: Any) -> None:
    scheduler = lr.ReduceOnPlateau(1.0, patience=0)
    scheduler.step(1.0)
    with pytest.raises(OperandError, match="metrics"):
        scheduler.step(*metric)
    assert scheduler() == 1.0
    with pytest.raises(OperandError, match="learning_rate"):
        lr.ReduceOnPlateau("0.1")  # type: ignore[arg-type]
