"""Networks learn as in real Paddle: equal losses from equal starts and batches, and a sufficient
accuracy.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

sys.path.insert(0, str(Path(__file__).parent))
import training

sys.path.pop(0)
HELD_OUT = 360


@pytest.fixture(scope="module")
def digits() -> tuple[Any, Any]:
    """scikit-learn's 1797 digits in a fixed random order: images float32 [N, 8, 8] in [0, 1],
    labels int64 [N].
    """
    from sklearn.datasets import load_digits

    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    return (data.images / 16).astype("float32")[order], data.target.astype("int64")[order]


@pytest.mark.paddle
@pytest.mark.slow
@pytest.mark.parametrize("case", list(training.CASES))
def test_losses_equal_paddle(
    case: str, digits: tuple[Any, Any], paddle: Any, tmp_path: Path
) -> None:
    images, labels = digits
    oarlock.seed(7)
    oarlock.save(training.CASES[case][0](oarlock).state_dict(), f"{tmp_path}/start.pdparams")
    np.savez(
        tmp_path / "batches.npz",
        images=images[: 20 * 32].reshape(20, 32, 8, 8),
        labels=labels[: 20 * 32].reshape(20, 32),
    )
    wanted = paddle.ask("train", case=case, folder=str(tmp_path))
    losses, state = training.run(oarlock, case, tmp_path)
    assert losses[-1] < 0.95 * losses[0]
    np.testing.assert_allclose(losses, wanted, rtol=0, atol=1e-4)
    with np.load(tmp_path / "end.npz") as held:
        assert sorted(held.files) == sorted(state)
        for name in held.files:
            np.testing.assert_allclose(state[name], held[name], rtol=0, atol=2e-3, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("case", list(training.CASES))
def test_digits_are_learned(case: str, digits: tuple[Any, Any]) -> None:
    """Ten epochs, and two at a tenth of the learning rate, classify more than 95 % of the held-out
    digits.
    """
    images, labels = digits
    oarlock.seed(3)
    make, rule = training.CASES[case]
    net = make(oarlock)
    optimizer = rule(oarlock, net.parameters())
    draw, rows = np.random.default_rng(1), len(labels) - HELD_OUT
    for epoch in range(12):
        if epoch == 10:
            optimizer.set_lr(optimizer.get_lr() / 10)
        batches = draw.permutation(rows)[: rows // 32 * 32].reshape(-1, 32) + HELD_OUT
        training.train(oarlock, net, optimizer, images[batches], labels[batches])
    assert training.accuracy(oarlock, net, images[:HELD_OUT], labels[:HELD_OUT]) > 0.95
