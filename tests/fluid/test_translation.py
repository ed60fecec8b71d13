"""A program that translates by beam search, in files: of Oarlock, and of real Paddle 1.8.5 (`make_files.py`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oarlock import fluid

from .cases import translation

HERE = Path(__file__).parent
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def real(folder: Path) -> None:
    with np.load(HERE / "files" / "translation.npz") as files:
        for name in files.files:
            (folder / name).write_bytes(files[name].tobytes())


def ours(folder: Path) -> None:
    translation.translate(fluid, str(folder))


@pytest.mark.parametrize("saved", [real, ours])
def test_a_saved_program_translates(saved: object, tmp_path: Path) -> None:
    saved(tmp_path)  # type: ignore[operator]
    found = translation.translate_by(fluid, str(tmp_path))
    with np.load(HERE / "golden" / "translation.npz") as kept:
        wanted = {k.split("/")[1]: kept[k] for k in kept.files if k.startswith("case_translation/")}
    assert found.keys() == wanted.keys()
    for key, want in wanted.items():
        np.testing.assert_allclose(found[key], want, rtol=2e-5, atol=2e-6)


def test_ops_are_those_of_paddle_1_8(tmp_path: Path) -> None:
    """With the outputs that it does not do without, and bools that have an axis from the beginning."""
    ours(tmp_path)
    program, _, _ = fluid.io.load_inference_model(str(tmp_path), fluid.Executor(), params_filename="params")
    ops = [op for block in program.desc.blocks for op in block.ops]
    assert {op.type for op in ops} == {
        "beam_search", "beam_search_decode", "elementwise_add", "feed", "fetch", "fill_constant",
        "increment", "is_empty", "less_than", "lod_reset", "log", "logical_and", "logical_not", "lookup_table", "lstm", "mul",
        "read_from_array", "reshape2", "scale", "sequence_expand", "sequence_pool", "softmax", "sum", "tanh", "top_k", "while",
        "write_to_array",
    }  # fmt: skip
    assert all(op.outputs.get("XShape") for op in ops if op.type == "reshape2")
