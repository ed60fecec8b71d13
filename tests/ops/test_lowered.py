"""Every row of a lowered op in the engine equals the kernel, with known and unknown sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.capture.recorder import Recorder
from oarlock.core.errors import OpError, TraceError
from oarlock.export.pdmodel import to_bytes
from oarlock.loader.engine import Engine
from oarlock.loader.runtime import UnsupportedError, runtime_module

from .rows import Row
from .table import IDS, ROWS, op_of
from .test_forward import flat_results
from .test_recorded import recorded

LOWERED = set(runtime_module().convertible_op_types())
CASES = [
    n for n, row in enumerate(ROWS) if row.type in LOWERED and not row.random and not row.engine
]
# Results that nothing reads at inference, and no rule computes.
SIDE = {
    "batch_norm": {"MeanOut", "VarianceOut", "SavedMean", "SavedVariance", "ReserveSpace"},
    "cross_entropy2": {"XShape", "MatchX"},
    "dropout": {"Mask"},
    "einsum": {"InnerCache", "XShape"},
    "group_norm": {"Mean", "Variance"},
    "instance_norm": {"SavedMean", "SavedVariance"},
    "layer_norm": {"Mean", "Variance"},
    "rnn": {"DropoutState", "Reserve"},
    "rrelu": {"Noise"},
    "warpctc": {"WarpCTCGrad"},
    "roi_pool": {"Argmax"},
}
# What a rejection may say: the engine has no kernel of that dtype, or a rule needs a size that is
# hidden here.
REJECTIONS = {
    "known": ("no kernel", "no complex", "no lowering"),
    "open": ("no kernel", "no complex", "no lowering", "known"),
}


@pytest.mark.parametrize("sizes", ["known", "open"])
@pytest.mark.parametrize("row", [ROWS[n] for n in CASES], ids=[IDS[n] for n in CASES])
def test_engine_equals_kernel(row: Row, sizes: str) -> None:
    try:
        recorder, feeds, names = recorded(row, hide=sizes == "open")
    except (OpError, TraceError) as error:
        assert "known" in str(error) or "recorded" in str(error), error
        return
    results = [
        (name, want)
        for name, want in zip(names, expected_results(row), strict=True)
        if name not in side_results(row, recorder)
    ]
    for name, _ in results:
        recorder.fetch(name)
    try:
        found = Engine(to_bytes(recorder.program), None).run([t.array for t in feeds.values()])
    except UnsupportedError as error:
        assert any(word in str(error) for word in REJECTIONS[sizes]), error
        return
    for got, (_, want) in zip(found, results, strict=True):
        compare(got, np.asarray(want), row)


def expected_results(row: Row) -> list[Any]:
    """Return the kernel's results as one list."""
    op = op_of(row)
    return flat_results(op, op.kernel(*row.args, **row.attrs), offsets=False)


def side_results(row: Row, recorder: Recorder) -> set[str]:
    """Return the variables of a recorded row that are not compared."""
    outputs = recorder.program.block.ops[-1].outputs
    return {name for slot in SIDE.get(row.type, ()) for name in outputs.get(slot, ())}


def compare(got: Any, want: Any, row: Row) -> None:
    """Compare floats within the row's tolerance, half precision within its own, other dtypes
    exactly.
    """
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if got.dtype.kind in "fcV":
        half = got.dtype.itemsize == 2
        tol = 2e-2 if half else max(row.tol, 2e-5)
        wide = "complex128" if got.dtype.kind == "c" else "float64"
        np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=tol, atol=tol)
    else:
        np.testing.assert_array_equal(got, want)
