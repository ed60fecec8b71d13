"""Programs of real Paddle return Paddle's results in the engine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from oarlock.core.op import CURRENT_TYPE_BY_OLDER
from oarlock.loader.engine import Engine
from oarlock.loader.runtime import UnsupportedError, runtime_module

sys.path.insert(0, str(Path(__file__).parent))
import lowering_cases

CASES = lowering_cases.cases()
sys.path.pop(0)
pytestmark = pytest.mark.paddle

# What a random op must give, by the name that a case compares with.
DISTRIBUTIONS = {
    "uniform": lambda x, case: (
        _within(x, case.attrs["min"], case.attrs["max"])
        and abs(x.mean() - (case.attrs["min"] + case.attrs["max"]) / 2) < 0.5
    ),
    "normal": lambda x, case: (
        abs(x.mean() - case.attrs["mean"]) < 0.5 and abs(x.std() - case.attrs["std"]) < 0.5
    ),
    "integers": lambda x, case: (
        set(x.ravel().tolist()) == set(range(case.attrs["low"], case.attrs["high"]))
    ),
    "permutation": lambda x, case: sorted(x.tolist()) == list(range(case.attrs["n"])),
    "bernoulli": lambda x, case: set(x.ravel().tolist()) <= {0, 1} and 0.2 < x.mean() < 0.4,
    "shape": lambda x, case: True,
    "exponential": lambda x, case: (
        bool(x.min() >= 0) and abs(x.mean() * case.attrs["lambda"] - 1) < 0.4
    ),
    "drawn_columns": lambda x, case: set(x[0].tolist()) == {1, 2} and set(x[1].tolist()) == {0},
    "distinct": lambda x, case: sorted(x.tolist()) == [1, 2, 3],
    "shares": lambda x, case: _within(x, 0, 1) and bool(np.allclose(x.sum(axis=-1), 1, atol=1e-5)),
    "one_hot": lambda x, case: (
        set(x.ravel().tolist()) == {0, 1} and bool(np.all(x.sum(axis=1) == 1))
    ),
}


def _within(x: Any, low: float, high: float) -> bool:
    return bool(low <= x.min() and x.max() <= high)


# Cases of one op differ in a number, so that `--rows` samples them.
IDS = [name.replace(".", "-") for name in CASES]


@pytest.fixture(scope="session")
def written(
    paddle: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """Return the folder with every case that a test asks for, and the errors of Paddle."""
    folder = tmp_path_factory.mktemp("lowering")
    items = [item for item in request.session.items if item.path == Path(__file__)]
    names = {item.callspec.params["name"] for item in items if hasattr(item, "callspec")}
    return folder, paddle.ask("lowering", folder=str(folder), names=sorted(names & set(CASES)))


def run(prefix: Path, inputs: list[Any]) -> list[Any]:
    params = Path(f"{prefix}.pdiparams")
    held = str(params) if params.exists() and params.stat().st_size else None
    return Engine(Path(f"{prefix}.pdmodel").read_bytes(), held, prefix.name).run(inputs)


def compare(got: list[Any], wanted: list[Any], case: Any) -> None:
    for given, expected in zip(got, wanted, strict=True):
        assert (given.dtype, given.shape) == (expected.dtype, expected.shape)
        if getattr(case, "compare", "values") != "values":
            assert DISTRIBUTIONS[case.compare](given, case), given
        elif given.dtype.kind in "fc":
            np.testing.assert_allclose(given, expected, rtol=case.rtol, atol=1e-6)
        else:
            np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize("name", CASES, ids=IDS)
def test_engine_equals_paddle(name: str, written: tuple[Path, dict[str, str]]) -> None:
    folder, failed = written
    assert name not in failed, f"real Paddle: {failed.get(name)}"
    case = CASES[name]
    with np.load(folder / f"{name}.npz") as held:
        inputs = [held[key] for key in held.files if key.startswith("in")]
        wanted = [held[key] for key in held.files if key.startswith("out")]
    variants = sorted(folder.glob(f"{name}.*.pdmodel"))
    assert variants
    for path in variants:
        prefix = path.with_suffix("")
        rejection = case.rejected.get(prefix.suffix[1:])
        if rejection:
            with pytest.raises(UnsupportedError, match=rejection):
                run(prefix, inputs)
        else:
            compare(run(prefix, inputs), wanted, case)


@pytest.mark.parametrize("name", CASES, ids=IDS)
def test_shapes_equal_onnx_inference(name: str, written: tuple[Path, dict[str, str]]) -> None:
    folder, case = written[0], CASES[name]
    for path in sorted(folder.glob(f"{name}.*.pdmodel")):
        params = path.with_suffix(".pdiparams")
        held = str(params) if params.exists() and params.stat().st_size else None
        if case.rejected.get(path.with_suffix("").suffix[1:]):
            continue
        made = runtime_module().to_onnx(path.read_bytes(), held, opset=20, inline=True)
        onnx.checker.check_model(onnx.load_from_string(made), full_check=True)


# These make no program of one op: the functions with branches and loops are their cases.
CONTROL = {
    "conditional_block",
    "select_input",
    "while",
    "write_to_array",
    "read_from_array",
    "recurrent",  # test_static_rnn.py
    "lod_array_length",
    "tensor_array_to_tensor",
}

# Real Paddle 2.6 does not run these any more: C++ tests what they become.
OLD = {"one_hot", "pad2d", "rnn_memory_helper", "sync_batch_norm"}

# Real Paddle has no CPU kernel of these: the op table compares the engine with the kernels of
# Oarlock.
ON_GPUS = {"fused_softmax_mask", "fused_softmax_mask_upper_triangle"}


# Nor does it have these: test_v1.py has what 1.8.5 gave.
with np.load(Path(__file__).parents[1] / "fixtures" / "v1_ops.npz") as _found:
    V1 = {key.partition(".")[0] for key in _found.files}


def test_every_rule_has_a_case() -> None:
    tested = {case.type for case in CASES.values() if isinstance(case, lowering_cases.Op)}
    cases = tested | CONTROL | OLD | V1 | ON_GPUS
    current = {CURRENT_TYPE_BY_OLDER.get(type, type) for type in cases}
    assert set(runtime_module().convertible_op_types()) == current
