"""Ops that PaddlePaddle 2.x does not have any more: the engine gives what 1.8.5 gave; tests/fixtures/make_v1_ops.py wrote it down."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oarlock.loader.engine import Engine

FOUND = Path(__file__).parents[1] / "fixtures" / "v1_ops.npz"
with np.load(FOUND) as _held:
    HELD = {key: _held[key] for key in _held.files}
PROGRAMS = sorted(key for key in HELD if key.endswith((".known", ".open")))


def numbered(prefix: str) -> list[np.ndarray]:
    """Arrays `prefix0`, `prefix1`, ..."""
    return [HELD[f"{prefix}{i}"] for i in range(sum(key.startswith(prefix) for key in HELD))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal(name: str) -> None:
    case = name.rpartition(".")[0]
    found = Engine(HELD[name].tobytes(), None, name).run(numbered(f"{case}.in"))
    for got, want in zip(found, numbered(f"{case}.out"), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)
