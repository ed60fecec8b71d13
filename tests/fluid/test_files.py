"""Files of programs with loops over sequences: of Oarlock, and of Paddle 1.8.5 (`make_files.py`)."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import fluid
from oarlock.ir.program import AttrType

from .cases import control, read_again, translation
from .load_in_1_8_5 import keep

HERE = Path(__file__).parent
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def extract_paddle_files(name: str, folder: Path) -> None:
    """Write the files that real Paddle wrote."""
    with np.load(HERE / "files" / f"{name}.npz") as files:
        for file in files.files:
            (folder / file).write_bytes(files[file].tobytes())


def compare_with_golden(found: dict[str, Any], topic: str, case: str) -> None:
    """Compare results with the recorded ones of real Paddle."""
    with np.load(HERE / "golden" / f"{topic}.npz") as kept:
        wanted = {k.split("/")[1]: kept[k] for k in kept.files if k.split("/")[0] == case}
    assert found.keys() == wanted.keys()
    for key, want in wanted.items():
        np.testing.assert_allclose(found[key], want, rtol=2e-5, atol=2e-6)


def test_paddle_translation_program(tmp_path: Path) -> None:
    extract_paddle_files("translation", tmp_path)
    compare_with_golden(
        translation.translate_by(fluid, str(tmp_path)), "translation", "case_translation"
    )


def test_saved_translation_program(tmp_path: Path) -> None:
    translation.translate(fluid, str(tmp_path))
    compare_with_golden(
        translation.translate_by(fluid, str(tmp_path)), "translation", "case_translation"
    )


def test_paddle_dynamic_rnn_program(tmp_path: Path) -> None:
    extract_paddle_files("steps", tmp_path)
    compare_with_golden(control.run_steps(fluid, str(tmp_path)), "control", "case_saved_steps")


def test_paddle_program_with_1_8_attributes(tmp_path: Path) -> None:
    extract_paddle_files("said_otherwise", tmp_path)
    compare_with_golden(
        read_again.run_said_otherwise(fluid, str(tmp_path)), "read_again", "case_said_otherwise"
    )


def test_saved_program_with_1_8_attributes(tmp_path: Path) -> None:
    read_again.save_said_otherwise(fluid, str(tmp_path))
    compare_with_golden(
        read_again.run_said_otherwise(fluid, str(tmp_path)), "read_again", "case_said_otherwise"
    )


def test_saved_ops_have_1_8_form(tmp_path: Path) -> None:
    """With the outputs that it does not do without, and bools that have an axis from the
    beginning.
    """
    translation.translate(fluid, str(tmp_path))
    program, _, _ = fluid.io.load_inference_model(
        str(tmp_path), fluid.Executor(), params_filename="params"
    )
    ops = [op for block in program.raw.blocks for op in block.ops]
    assert {op.type for op in ops} == {
        "beam_search",
        "beam_search_decode",
        "elementwise_add",
        "feed",
        "fetch",
        "fill_constant",
        "increment",
        "is_empty",
        "less_than",
        "lod_reset",
        "log",
        "logical_and",
        "logical_not",
        "lookup_table",
        "lstm",
        "mul",
        "read_from_array",
        "reshape2",
        "scale",
        "sequence_expand",
        "sequence_pool",
        "softmax",
        "sum",
        "tanh",
        "top_k",
        "while",
        "write_to_array",
    }
    assert all(op.outputs.get("XShape") for op in ops if op.type == "reshape2")


# Beside what 1.8.5 has: decoders of Paddle 2, and what some rows lack.
TODAY = {"broadcast_tensors", "flatten_contiguous_range"}
TOPICS = (
    "shapes",
    "pictures",
    "tensors",
    "unary",
    "logic",
    "losses",
    "dense",
    "nets",
    "conv",
    "norms",
    "text",
    "corners",
    "distributions",
)


@pytest.mark.parametrize("topic", TOPICS)
def test_saved_programs_have_only_1_8_ops(topic: str, tmp_path: Path) -> None:
    """The programs of all cases, pruned to their fetches; 1.8.5 runs them in `load_in_1_8_5.py`."""
    known = set(json.loads((HERE.parent / "ops" / "types_1_8_5.json").read_text()))
    found: dict[str, set[str]] = {}
    for path in keep(fluid, importlib.import_module(f"{__package__}.cases.{topic}"), str(tmp_path)):
        program, _, _ = fluid.io.load_inference_model(path, fluid.Executor())
        types = {op.type for block in program.raw.blocks for op in block.ops}
        attrs = [
            a.type for block in program.raw.blocks for op in block.ops for a in op.attrs.values()
        ]
        assert max(attrs) <= AttrType.LONGS, path
        found[path] = types - known - TODAY
    assert found and not any(found.values())
