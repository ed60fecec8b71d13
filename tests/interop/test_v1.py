"""Ops that PaddlePaddle 2.x does not have any more, and text models of its day: the engine gives
what 1.8.5 gave.

tests/fixtures/make_v1_ops.py and make_v1_models.py wrote it down.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oarlock.compiler import CompiledProgram
from oarlock.loader.engine import Engine
from oarlock.loader.pdmodel import parse_program

HELD = {}
for _file in ("v1_ops.npz", "v1_models.npz"):
    with np.load(Path(__file__).parents[1] / "fixtures" / _file) as _held:
        HELD |= {key: _held[key] for key in _held.files}
PROGRAMS = sorted(key for key in HELD if key.endswith((".known", ".open")))
# said otherwise today
OLDER = {"flip", "roll", "trace", "dot", "relu6", "swish", "roi_align", "roi_pool"}
MODELS = sorted(key.removesuffix(".program") for key in HELD if key.endswith(".program"))


def numbered(prefix: str) -> list[np.ndarray]:
    """Arrays `prefix0`, `prefix1`, ..."""
    return [HELD[f"{prefix}{i}"] for i in range(sum(key.startswith(prefix) for key in HELD))]


def check(engine: Engine, case: str) -> None:
    found = engine.run(numbered(f"{case}.in"))
    for got, want in zip(found, numbered(f"{case}.out"), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_ops(name: str) -> None:
    check(Engine(HELD[name].tobytes(), None, name), name.rpartition(".")[0])


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name.partition(".")[0] in OLDER])
def test_ops_with_kernels(name: str) -> None:
    case = name.rpartition(".")[0]
    compiled = CompiledProgram(parse_program(HELD[name].tobytes()))
    feed = dict(zip(compiled.feeds, numbered(f"{case}.in"), strict=True))
    for got, want in zip(compiled.run({}, feed), numbered(f"{case}.out"), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str, tmp_path: Path) -> None:
    params = tmp_path / "params"
    params.write_bytes(HELD[f"{name}.params"].tobytes())
    check(Engine(HELD[f"{name}.program"].tobytes(), str(params), name), name)
