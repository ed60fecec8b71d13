"""Several ranks, each with a part of the batch, end with the weights of one rank with all of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .launched import PROGRAMS, launch

ROOM = 1e-12  # of float64: sums are in another order


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    return trained(1, tmp_path_factory.mktemp("alone"))


def trained(ranks: int, folder: Path) -> dict[str, np.ndarray]:
    done = launch(PROGRAMS / "train.py", ranks, folder / "logs", folder / "out.npz")
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(folder / "out.npz") as found:
        return dict(found)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_the_weights_are_those_of_one_rank(
    ranks: int, alone: dict[str, np.ndarray], tmp_path: Path
) -> None:
    found = trained(ranks, tmp_path)
    assert found.keys() == alone.keys()
    apart = {name: float(np.abs(found[name] - alone[name]).max()) for name in alone}
    assert {
        name: by
        for name, by in apart.items()
        if by > ROOM * max(1, float(np.abs(alone[name]).max()))
    } == {}


@pytest.mark.slow
def test_the_cases_train(alone: dict[str, np.ndarray]) -> None:
    cases = {name.split("/")[0] for name in alone}
    assert {"sgd", "momentum", "adam", "sgd_sync", "adam_sync", "unused", "accumulated"} <= cases
    assert not np.array_equal(alone["sgd/first.weight"], alone["adam/first.weight"])
    assert not np.array_equal(alone["sgd_sync/norm._mean"], np.zeros(3))
