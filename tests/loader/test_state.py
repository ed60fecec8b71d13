"""`save` and `load` of state, as tensors or arrays, at every protocol."""

from __future__ import annotations

import importlib.util
import io
import os
import sys
import types
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from oarlock.core.errors import FileError, OpError
from oarlock.export import pdiparams_info, pdiparams_writer, pdmodel
from oarlock.export.pdiparams_info import VarInfo
from oarlock.export.pickles import dumps
from oarlock.framework.io import load, make_state_dict_to_pickle, save
from oarlock.ir.parser import parse


class FakeTensor:
    """As much of a tensor as `save` and `load` use."""

    def __init__(self, array: Any, name: str = "t") -> None:
        self.array, self.name, self.stop_gradient = array, name, False


@pytest.fixture(autouse=True)
def tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the eager runtime is not there, a stand-in for its Tensor."""
    if importlib.util.find_spec("oarlock.core.tensor") is None:
        module = types.ModuleType("oarlock.core.tensor")
        module.Tensor = FakeTensor  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "oarlock.core.tensor", module)


WEIGHT = np.arange(6, dtype=np.float32).reshape(2, 3)
HALF = np.array([1.5, -2], ml_dtypes.bfloat16)


def make_state() -> dict[str, Any]:
    return {
        "w": FakeTensor(WEIGHT, "linear_0.w_0"),
        "h": FakeTensor(HALF, "half_0"),
        "s": FakeTensor(np.float32(2.5), "scale_0"),
        "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.1},
    }


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_state_as_tensors(protocol: int, tmp_path: Path) -> None:
    save(make_state(), tmp_path / "deep/m.pdparams", protocol)
    back = load(tmp_path / "deep/m.pdparams")
    assert list(back) == ["w", "h", "s", "LR_Scheduler"]
    assert back["w"].name == "linear_0.w_0"
    assert back["w"].stop_gradient
    np.testing.assert_array_equal(back["w"].array, WEIGHT)
    assert back["h"].array.dtype == HALF.dtype
    assert np.shape(back["s"].array) == ()
    assert back["LR_Scheduler"] == {"last_epoch": 3, "last_lr": 0.1}


def test_state_as_arrays(tmp_path: Path) -> None:
    save(make_state(), tmp_path / "m.pdparams")
    back = load(tmp_path / "m.pdparams", return_numpy=True, keep_name_table=True)
    np.testing.assert_array_equal(back["w"], WEIGHT)
    assert back["h"].tolist() == [1.5, -2.0]
    assert back["StructuredToParameterName@@"] == {
        "w": "linear_0.w_0",
        "h": "half_0",
        "s": "scale_0",
    }


def test_nested_data_with_tensors(tmp_path: Path) -> None:
    save(
        {
            "epoch": 3,
            "best": [FakeTensor(WEIGHT, "w"), (FakeTensor(HALF, "h"), "text")],
            "raw": HALF,
        },
        tmp_path / "m.pd",
    )
    back = load(tmp_path / "m.pd", return_numpy=True)
    assert back["epoch"] == 3
    np.testing.assert_array_equal(back["best"][0], WEIGHT)
    assert back["best"][1][0].dtype == HALF.dtype
    assert back["best"][1][1] == "text"
    tensors = load(tmp_path / "m.pd")
    assert (tensors["best"][0].name, tensors["best"][1][0].name) == ("w", "h")


def test_arrays_of_old_files_become_tensors(tmp_path: Path) -> None:
    (tmp_path / "m.pdparams").write_bytes(dumps({"w": WEIGHT, "n": [WEIGHT, 3]}, 2))
    back = load(tmp_path / "m.pdparams")
    np.testing.assert_array_equal(back["w"].array, WEIGHT)
    np.testing.assert_array_equal(back["n"][0].array, WEIGHT)
    assert back["n"][1] == 3


@pytest.mark.parametrize("limit", [4, 8, 9, 23])
def test_large_arrays_are_sliced(limit: int, tmp_path: Path) -> None:
    plain = make_state_dict_to_pickle(make_state(), 2, limit)
    assert "w" not in plain
    assert max(value.nbytes for key, value in plain.items() if "@@." in key) <= limit
    (tmp_path / "m.pdparams").write_bytes(dumps(plain, 2))
    np.testing.assert_array_equal(load(tmp_path / "m.pdparams", return_numpy=True)["w"], WEIGHT)
    assert "w" in make_state_dict_to_pickle(make_state(), 4, limit)
    assert "w" in make_state_dict_to_pickle(make_state(), 2, 24)


@pytest.mark.parametrize(
    "table",
    [
        3,
        {"w": 3},
        {"w": {"slices": ["a"]}},
        {"w": {"slices": ["zz"], "OriginShape": (1,)}},
        {"w": {"slices": ["a"], "OriginShape": (9, 9)}},
        {"w": {"slices": ["a"], "OriginShape": (2**70,)}},
        {"w": {"slices": [["a"]], "OriginShape": (6,)}},
        {"w": {"slices": ["a", "text"], "OriginShape": (7,)}},
        {"w": {"slices": ["a", "other"], "OriginShape": (7,)}},
    ],
)
def test_invalid_slices_are_file_errors(table: Any, tmp_path: Path) -> None:
    (tmp_path / "m.pdparams").write_bytes(
        dumps(
            {
                "a": WEIGHT,
                "text": "t" * 99,
                "other": np.zeros(1, "U9"),
                "UnpackBigParamInfor@@": table,
            }
        )
    )
    with pytest.raises(FileError, match=r"m\.pdparams: its sliced arrays cannot be joined"):
        load(tmp_path / "m.pdparams")


def test_invalid_name_table_is_a_file_error(tmp_path: Path) -> None:
    (tmp_path / "m.pdparams").write_bytes(dumps({"a": WEIGHT, "StructuredToParameterName@@": [1]}))
    with pytest.raises(FileError, match="its table of names is a list"):
        load(tmp_path / "m.pdparams")


def test_single_tensors_and_binary_records(tmp_path: Path) -> None:
    for binary in (False, True):
        save(FakeTensor(WEIGHT, "w"), tmp_path / "t.pd", use_binary_format=binary)
        np.testing.assert_array_equal(load(tmp_path / "t.pd").array, WEIGHT)
    with pytest.raises(OpError, match="use_binary_format requires a tensor, not a dict"):
        save({}, tmp_path / "t.pd", use_binary_format=True)


def test_programs(tmp_path: Path) -> None:
    program = parse("program version=2006002\nblock 0:\n  var x: float32[?,3]")
    save(program, tmp_path / "m.pdmodel")
    assert load(tmp_path / "m.pdmodel").raw == program


def test_several_objects_in_one_file(tmp_path: Path) -> None:
    held = io.BytesIO()
    save(make_state(), held)
    save({"epoch": 3}, held)
    held.seek(0)
    np.testing.assert_array_equal(load(held, return_numpy=True)["w"], WEIGHT)
    assert load(held) == {"epoch": 3}
    with pytest.raises(OpError):
        save({"a": FakeTensor(WEIGHT), "b": object()}, held)
    assert held.read() == b""  # nothing of the failed one


def test_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    save({"epoch": 1}, tmp_path / "m.pd")
    with pytest.raises(
        OpError, match=r"save: \['b'\]\[1\] is a builtins.object, which is not plain data"
    ):
        save({"a": FakeTensor(WEIGHT), "b": [1, object()]}, tmp_path / "m.pd")
    assert load(tmp_path / "m.pd") == {"epoch": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["m.pd"]


@pytest.mark.parametrize("protocol", [1, 5, "2", True])
def test_protocols(protocol: Any, tmp_path: Path) -> None:
    with pytest.raises(OpError, match="save: protocol must be 2, 3 or 4"):
        save({}, tmp_path / "m", protocol)


def test_paths(tmp_path: Path) -> None:
    with pytest.raises(OpError, match="is a folder, not a file name"):
        save({}, f"{tmp_path}/")
    save({}, tmp_path / "m.pdparams")
    with pytest.raises(OpError, match=r"no file, model or folder .*; did you mean 'm\.pdparams'"):
        load(tmp_path / "m")
    with pytest.raises(OpError, match="no file, model or folder"):
        load(tmp_path / "other")


PROGRAM = parse(
    "program version=2006002\nblock 0:\n  param linear_0.w_0: float32[2,3]\n  param half_0: bfloat16[2]"
)
VALUES = {"linear_0.w_0": WEIGHT, "half_0": HALF}


def test_load_values_of_a_model(tmp_path: Path) -> None:
    (tmp_path / "m.pdmodel").write_bytes(pdmodel.to_bytes(PROGRAM))
    (tmp_path / "m.pdiparams").write_bytes(pdiparams_writer.to_bytes(VALUES))
    assert sorted(load(tmp_path / "m")) == ["half_0", "linear_0.w_0"]
    (tmp_path / "m.pdiparams.info").write_bytes(
        pdiparams_info.to_bytes([VarInfo("linear_0.w_0", "l.weight", False, True)])
    )
    back = load(tmp_path / "m")
    assert sorted(back) == ["half_0", "l.weight"]
    back["l.weight"] += 1  # a copy, not the file
    np.testing.assert_array_equal(load(tmp_path / "m")["l.weight"], WEIGHT)


def test_load_values_of_a_1_x_folder(tmp_path: Path) -> None:
    (tmp_path / "__model__").write_bytes(pdmodel.to_bytes(PROGRAM))
    (tmp_path / "all").write_bytes(pdiparams_writer.to_bytes(VALUES))
    for name, value in VALUES.items():
        (tmp_path / name).write_bytes(pdiparams_writer.to_bytes({name: value}))
    for back in (
        load(tmp_path),
        load(tmp_path, params_filename="all"),
        load(tmp_path, model_filename="__model__"),
    ):
        np.testing.assert_array_equal(back["linear_0.w_0"], WEIGHT)
        assert back["half_0"].dtype == HALF.dtype


def test_unsupported_arrays(tmp_path: Path) -> None:
    words = np.array(["a", "bc"])
    (tmp_path / "m.pdparams").write_bytes(
        dumps({"w": words, "StructuredToParameterName@@": {"w": "w_0"}})
    )
    with pytest.raises(
        FileError, match="no tensor has dtype <U2; return_numpy=True returns the array"
    ):
        load(tmp_path / "m.pdparams")
    np.testing.assert_array_equal(load(tmp_path / "m.pdparams", return_numpy=True)["w"], words)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_folder_with_special_files(kind: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "w") if kind == "pipe" else (tmp_path / "w").symlink_to("/dev/zero")
    with pytest.raises(FileError, match="w: is not a regular file"):
        load(tmp_path)
