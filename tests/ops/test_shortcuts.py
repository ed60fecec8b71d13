"""Fast paths for large operands equal the general algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.core.op import OPS
from oarlock.ops import nms
from oarlock.ops.scatter_at import ufunc_at
from oarlock.ops.sort import first_sort_indices, sort_indices


@pytest.mark.parametrize("seed", range(60))
def test_partial_sort_equals_full_sort(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 40, rng.integers(1, 4)))
    # with equals
    x = rng.standard_normal(shape) if seed % 3 else rng.integers(0, 30, shape).astype("f8")
    if seed % 5 == 0:
        x.flat[rng.integers(x.size)] = np.nan
    for axis in range(-len(shape), len(shape)):
        k = int(rng.integers(1, shape[axis] + 1))
        for descending in (False, True):
            wanted = np.take(sort_indices(x, axis, descending), np.arange(k), axis)
            np.testing.assert_array_equal(first_sort_indices(x, axis, k, descending), wanted)


def _nms_one_by_one(boxes: Any, threshold: float) -> list[int]:
    over, kept = nms.box_ious(boxes, boxes), list[int]()
    for i in range(len(boxes)):
        if all(over[i, k] <= threshold for k in kept):
            kept.append(i)
    return kept


@pytest.mark.parametrize(
    "count", [0, 1, nms.BLOCK_SIZE, nms.BLOCK_SIZE + 1, 2 * nms.BLOCK_SIZE + 9]
)
@pytest.mark.parametrize("spread", [5, 300])
def test_blocked_nms_equals_one_by_one(count: int, spread: float) -> None:
    rng = np.random.default_rng(count)
    boxes = rng.random((count, 4), "f4") * spread
    boxes[:, 2:] = boxes[:, :2] + rng.random((count, 2), "f4") * 20
    assert nms.nms_of_sorted_boxes(boxes, 0.3) == _nms_one_by_one(boxes, 0.3)


@pytest.mark.parametrize("width", [3, 300])
@pytest.mark.parametrize("ufunc", [np.add, np.maximum, np.multiply])
def test_row_scatter_equals_element_scatter(width: int, ufunc: Any) -> None:
    rng = np.random.default_rng(width)
    out, values, places = rng.random((5, width)), rng.random((40, width)), rng.integers(-5, 5, 40)
    wanted = out.copy()
    ufunc.at(wanted, places, values)
    ufunc_at(ufunc, out, places, values)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("shape", [(7, 300), (7, 3), (1, 300), (4, 5, 200)])
@pytest.mark.parametrize("attrs", [{}, {"reverse": True}, {"exclusive": True}])
def test_cumsum_along_the_first_axis(shape: tuple[int, ...], attrs: dict[str, bool]) -> None:
    x = np.random.default_rng(0).standard_normal(shape)
    along_last = np.moveaxis(
        OPS["cumsum"].numpy_kernel(np.moveaxis(x, 0, -1), axis=-1, **attrs), -1, 0
    )
    np.testing.assert_array_equal(OPS["cumsum"].numpy_kernel(x, axis=0, **attrs), along_last)


def test_gather_from_images_in_padding() -> None:
    mask = np.array([[[[3, -1]]]], np.int32)
    out = OPS["read_at_max_positions"].kernel(
        np.arange(1, 5, dtype=np.float32).reshape(1, 1, 2, 2), mask
    )
    assert out.tolist() == [[[[4, 0]]]]
