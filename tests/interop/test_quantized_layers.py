"""`paddle.quantization` of layers beside real Paddle: equal states and results after training or
calibration; each library runs models and loads states of the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

from . import quantized_layers

pytestmark = pytest.mark.paddle

Results = dict[str, Any]


def arrays(path: Path) -> Results:
    with np.load(path) as held:
        return {name: held[name] for name in held.files}


@pytest.fixture(scope="module", params=quantized_layers.NAMES)
def both(
    request: pytest.FixtureRequest, paddle: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, Path]:
    """Return the name of the case, the folder of Oarlock's files and that of real Paddle's."""
    here, there = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("there")
    quantized_layers.run(oarlock, request.param, str(here))
    paddle.ask("quantize_layers", name=request.param, folder=str(there))
    return request.param, here, there


def test_states_and_results_are_equal(both: tuple[str, Path, Path]) -> None:
    name, here, there = both
    found, wanted = arrays(here / f"{name}.npz"), arrays(there / f"{name}.npz")
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        assert (found[key].shape, found[key].dtype) == (value.shape, value.dtype), key
        np.testing.assert_allclose(found[key], value, rtol=2e-4, atol=2e-5, err_msg=key)


def test_paddle_runs_the_saved_model(both: tuple[str, Path, Path], paddle: Any) -> None:
    name, here, _ = both
    loaders = ("jit", "predictor")
    results = paddle.run(here / name, here / "x.npz", "paddle", loaders)
    wanted = arrays(here / f"{name}.npz")["converted_out"]
    for loader in loaders:
        np.testing.assert_allclose(results[loader][0], wanted, rtol=1e-3, atol=1e-4)


def test_engine_runs_both_saved_models(both: tuple[str, Path, Path]) -> None:
    """The engine fuses quantized ops, so that single values round to a neighboring level."""
    name, here, there = both
    for folder in (here, there):
        wanted = arrays(folder / f"{name}.npz")["converted_out"]
        found = oarlock.jit.load(str(folder / name))(quantized_layers.IMAGES[5])
        np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=1e-2)


def test_states_are_exchangeable(both: tuple[str, Path, Path], paddle: Any) -> None:
    name, here, there = both
    if name.startswith("imperative"):
        return  # observed layers have the state of float layers
    wanted = arrays(here / f"{name}.npz")["out"]
    paddle.ask("restore_quantized", name=name, folder=str(here), outputs=str(here / "restored.npz"))
    np.testing.assert_allclose(arrays(here / "restored.npz")["arr_0"], wanted, rtol=1e-3, atol=1e-4)
    quantized_layers.restore(oarlock, name, str(there), str(there / "restored.npz"))
    wanted = arrays(there / f"{name}.npz")["out"]
    np.testing.assert_allclose(
        arrays(there / "restored.npz")["arr_0"], wanted, rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("algo", ["weight_only_int8", "weight_only_int4", "llm.int8"])
def test_weight_quantize(algo: str, paddle: Any, tmp_path: Path) -> None:
    """Scales and levels are equal but for the last bit of float16, to which Paddle truncates scales.
    Paddle permutes the levels of `weight_only` for its GPU kernels.
    """
    here, there = tmp_path / "here.npz", tmp_path / "there.npz"
    quantized_layers.quantize_weight(oarlock, algo, str(here))
    paddle.ask("weight_quantize", algo=algo, outputs=str(there))
    found, wanted = arrays(here), arrays(there)
    for key in ("out", "scale"):
        assert (found[key].shape, found[key].dtype) == (wanted[key].shape, wanted[key].dtype)
    np.testing.assert_allclose(found["scale"], wanted["scale"], rtol=1e-3)
    if algo == "llm.int8":
        assert np.abs(found["out"].astype(int) - wanted["out"]).max() <= 1
        assert (found["out"] == wanted["out"]).mean() > 0.98
