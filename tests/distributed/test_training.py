"""Several ranks with a part of the batch each train the weights of one rank with the whole batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .launched import PROGRAMS, launch

TOLERANCE = 1e-12  # of float64: sums are in another order


@pytest.fixture(scope="module")
def single_rank_weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    return train(1, tmp_path_factory.mktemp("alone"))


def train(ranks: int, folder: Path) -> dict[str, np.ndarray]:
    done = launch(PROGRAMS / "train.py", ranks, folder / "logs", folder / "out.npz")
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(folder / "out.npz") as found:
        return dict(found)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_weights_equal_single_rank_training(
    ranks: int, single_rank_weights: dict[str, np.ndarray], tmp_path: Path
) -> None:
    found = train(ranks, tmp_path)
    assert found.keys() == single_rank_weights.keys()
    apart = {
        name: float(np.abs(found[name] - single_rank_weights[name]).max())
        for name in single_rank_weights
    }
    assert {
        name: by
        for name, by in apart.items()
        if by > TOLERANCE * max(1, float(np.abs(single_rank_weights[name]).max()))
    } == {}


@pytest.mark.slow
def test_training_changes_the_weights(single_rank_weights: dict[str, np.ndarray]) -> None:
    cases = {name.split("/")[0] for name in single_rank_weights}
    assert {"sgd", "momentum", "adam", "sgd_sync", "adam_sync", "unused", "accumulated"} <= cases
    assert not np.array_equal(
        single_rank_weights["sgd/first.weight"], single_rank_weights["adam/first.weight"]
    )
    assert not np.array_equal(single_rank_weights["sgd_sync/norm._mean"], np.zeros(3))
