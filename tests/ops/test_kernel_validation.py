"""Kernels reject the shapes that the meta rule rejects, so that eager calls do not broadcast them.

Each array of each row is replaced by arrays of other sizes and ranks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.core.errors import OpError

from .rows import Row
from .table import ROWS, op_of
from .test_forward import metas_of_inputs

# A Shape tensor of two axes is read as one of one axis.
ACCEPTED = {("expand_v2", "Shape")}
SEVERAL_ARRAYS = [
    row
    for row in ROWS
    if not op_of(row).traits.random and sum(isinstance(a, np.ndarray) for a in row.args) > 1
]


def resized(array: Any) -> Iterator[Any]:
    """Arrays of other shapes: one or all but one element of an axis, one more, an axis more or
    less.
    """
    for axis, size in enumerate(array.shape):
        if size > 1:
            yield np.take(array, [0], axis=axis)
            yield np.take(array, range(size - 1), axis=axis)
        if size > 0:
            yield np.concatenate([array, np.take(array, [0], axis=axis)], axis=axis)
    if array.ndim and array.shape[0]:
        yield array[0]
    yield array[None]


def is_rejected_by_meta_rule(row: Row) -> bool:
    try:
        op_of(row).infer(metas_of_inputs(row), row.attrs)
    except OpError:
        return True
    return False


def to_tensors(arg: Any) -> Any:
    if isinstance(arg, list):
        return [to_tensors(a) for a in arg]
    return None if arg is None else oarlock.to_tensor(arg)


def accepted_shapes(row: Row, slot: int) -> Iterator[str]:
    """Shapes of a slot that only the kernel accepts."""
    for array in resized(row.args[slot]):
        args = [array if i == slot else a for i, a in enumerate(row.args)]
        if not is_rejected_by_meta_rule(dataclasses.replace(row, args=args)):
            continue
        try:
            with oarlock.no_grad():
                op_of(row)(*map(to_tensors, args), **row.attrs)
        except (ValueError, IndexError):
            continue
        yield f"{op_of(row).ins[slot].name}{list(array.shape)}"


@pytest.mark.parametrize("row", SEVERAL_ARRAYS, ids=lambda row: row.type)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_kernels_reject_what_meta_rules_reject(row: Row) -> None:
    found = [
        text
        for slot, arg in enumerate(row.args)
        if isinstance(arg, np.ndarray) and (row.type, op_of(row).ins[slot].name) not in ACCEPTED
        for text in accepted_shapes(row, slot)
    ]
    assert not found


DECOMPOSITIONS = (
    "cholesky", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lu", "matrix_rank", "pinv", "qr", "slogdet", "svd",
)  # fmt: skip


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_decompositions_reject_integers(name: str) -> None:
    matrix = oarlock.to_tensor([[2, 1], [1, 3]])
    with pytest.raises(OpError, match="needs a floating dtype"):
        getattr(oarlock.linalg, name)(matrix)


@pytest.mark.parametrize("name", ["cholesky_solve", "lstsq", "solve", "triangular_solve"])
def test_solvers_reject_integers(name: str) -> None:
    matrix = oarlock.to_tensor([[2, 1], [1, 3]])
    with pytest.raises(OpError, match="needs a floating dtype"):
        getattr(oarlock.linalg, name)(matrix, matrix)


def test_matrix_power_rejects_integers() -> None:
    with pytest.raises(OpError, match="needs a floating dtype"):
        oarlock.linalg.matrix_power(oarlock.to_tensor([[2, 1], [1, 3]]), 2)


@pytest.mark.parametrize(
    "name", ["channel_shuffle", "pixel_shuffle", "pixel_unshuffle", "temporal_shift"]
)
def test_rearrangements_reject_unknown_data_formats(name: str) -> None:
    with pytest.raises(OpError, match="data format NCWH is neither NCHW nor NHWC"):
        getattr(oarlock.nn.functional, name)(oarlock.ones([4, 4, 2, 2]), 2, data_format="NCWH")


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64"])
@pytest.mark.parametrize("row", {row.type: row for row in ROWS}.values(), ids=lambda row: row.type)
def test_kernels_reject_dtypes_that_meta_rules_reject(row: Row, dtype: str) -> None:
    """Floating operands are replaced by operands of another dtype."""

    def convert(arg: Any) -> Any:
        if isinstance(arg, list):
            return [convert(a) for a in arg]
        is_floating = isinstance(arg, np.ndarray) and arg.dtype.kind == "f"
        return arg.astype(dtype) if is_floating else arg

    with np.errstate(all="ignore"):
        other = dataclasses.replace(row, args=[convert(arg) for arg in row.args])
    if is_rejected_by_meta_rule(other):
        with pytest.raises(OpError):
            op_of(other)(*map(to_tensors, other.args), **other.attrs)
