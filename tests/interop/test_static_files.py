"""Files of hand-written programs: Oarlock reads Paddle's, Paddle reads Oarlock's, and each its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

sys.path.insert(0, str(Path(__file__).parent))
import static_files

sys.path.pop(0)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ours")
    oarlock.seed(3)
    static_files.save(oarlock, str(folder))
    return folder


def agrees(folder: Path, found: Path) -> None:
    with np.load(folder / "wanted.npz") as wanted, np.load(found) as held:
        assert sorted(held.files) == sorted(static_files.LOADERS)
        for name in held.files:
            np.testing.assert_allclose(
                held[name], wanted["arr_0"], rtol=1e-5, atol=1e-6, err_msg=name
            )


def test_own_files(ours: Path, tmp_path: Path) -> None:
    static_files.load(oarlock, str(ours), str(tmp_path / "found.npz"))
    agrees(ours, tmp_path / "found.npz")


@pytest.mark.paddle
def test_own_files_in_paddle(ours: Path, paddle: Any, tmp_path: Path) -> None:
    paddle.ask("load_static", folder=str(ours), outputs=str(tmp_path / "found.npz"))
    agrees(ours, tmp_path / "found.npz")


@pytest.mark.paddle
def test_paddle_files(paddle: Any, tmp_path: Path) -> None:
    paddle.ask("save_static", folder=str(tmp_path))
    static_files.load(oarlock, str(tmp_path), str(tmp_path / "found.npz"))
    agrees(tmp_path, tmp_path / "found.npz")


def test_exported_program_has_no_training_ops(ours: Path) -> None:
    program = oarlock.static.deserialize_program((ours / "bytes.pdmodel").read_bytes())
    types = [op.type for op in program.global_block().ops]
    assert types[0] == "feed"
    assert types[-1] == "fetch"
    assert not {"adam", "vjp"} & set(types)
    assert all(op.attr("is_test") for op in program.global_block().ops if op.has_attr("is_test"))


def test_saved_program_has_training_ops(ours: Path) -> None:
    program = oarlock.static.Program.parse_from_string((ours / "state.pdmodel").read_bytes())
    assert "adam" in [op.type for op in program.global_block().ops]
    assert {v.name for v in program.list_vars() if v.persistable} >= {
        "fc_0.w_0",
        "batch_norm_0.w_1",
        "learning_rate_0",
    }
