"""State dicts, optimizer state and nested data in both directions, at every protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from oarlock.framework.io import load, make_state_dict_to_pickle, save

pytestmark = pytest.mark.paddle


class Held:
    """What `save` takes for a tensor."""

    def __init__(self, array: Any, name: str) -> None:
        self.array, self.name, self.stop_gradient = array, name, False


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_load_paddle_state(protocol: int, paddle: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "m")
    names = paddle.ask("save_state", path=path, protocol=protocol)
    with np.load(path + ".npz") as held:
        weight, bias = held["weight"], held["bias"]

    state = load(path + ".pdparams", return_numpy=True, keep_name_table=True)
    np.testing.assert_array_equal(state["weight"], weight)
    np.testing.assert_array_equal(state["bias"], bias)
    assert state["half"].dtype == ml_dtypes.bfloat16
    assert state["half"].tolist() == [1.5, -2.0]
    assert state["StructuredToParameterName@@"]["weight"] == names["weight"]

    adam = load(path + ".pdopt", return_numpy=True)
    assert adam["LR_Scheduler"]["last_lr"] == 0.1
    assert adam[names["weight"] + "_moment1_0"].shape == (3, 2)
    assert adam[names["bias"] + "_beta1_pow_acc_0"].shape == (1,)

    nested = load(path + ".pd", return_numpy=True)
    assert nested["epoch"] == 3
    np.testing.assert_array_equal(nested["best"][1]["bias"], bias)


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_paddle_loads_saved_state(protocol: int, paddle: Any, tmp_path: Path) -> None:
    weight = Held(np.arange(6, dtype=np.float32).reshape(2, 3), "linear_9.w_0")
    half = Held(np.array([1.5, -2.0], ml_dtypes.bfloat16), "half_0")
    zero_d = Held(np.float32(2.5), "scale_0")
    state = {
        "w": weight,
        "half": half,
        "s": zero_d,
        "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.1},
    }

    save(state, tmp_path / "m.pdparams", protocol)
    assert paddle.ask("load_state", path=str(tmp_path / "m.pdparams")) == {
        "w": ["paddle.float32", [2, 3], "linear_9.w_0", [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]],
        "half": ["paddle.bfloat16", [2], "half_0", [1.5, -2.0]],
        "s": ["paddle.float32", [], "scale_0", 2.5],
        "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.1},
    }

    save({"epoch": 3, "best": [weight, {"h": half}]}, tmp_path / "m.pd", protocol)
    nested = paddle.ask("load_state", path=str(tmp_path / "m.pd"))
    assert nested["epoch"] == 3
    assert nested["best"][0][3] == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert nested["best"][1]["h"][0] == "paddle.bfloat16"


def test_paddle_joins_slices(paddle: Any, tmp_path: Path) -> None:
    weight = Held(np.arange(6, dtype=np.float32).reshape(2, 3), "linear_9.w_0")
    plain = make_state_dict_to_pickle({"w": weight}, protocol=2, limit=9)
    assert [key for key in plain if key.startswith("w@@")] == ["w@@.0", "w@@.1", "w@@.2"]
    save(plain, tmp_path / "m.pdparams", 2)
    found = paddle.ask("load_state", path=str(tmp_path / "m.pdparams"))
    assert found["w"] == [
        "paddle.float32",
        [2, 3],
        "linear_9.w_0",
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
    ]


def test_paddle_loads_single_tensor(paddle: Any, tmp_path: Path) -> None:
    for binary in (False, True):
        save(Held(np.array([1, 2], np.float32), "t"), tmp_path / "t.pd", use_binary_format=binary)
        dtype, shape, _, values = paddle.ask("load_state", path=str(tmp_path / "t.pd"))
        assert (dtype, shape, values) == ("paddle.float32", [2], [1.0, 2.0])
