"""Functions of `vision.ops`: edge cases."""

from __future__ import annotations

import pytest

import oarlock as paddle


@pytest.mark.parametrize("categories", [[], [7]])
def test_nms_of_categories_without_boxes_is_empty(categories: list[int]) -> None:
    boxes = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0], [8.0, 8.0, 9.0, 9.0]])
    scores, category_idxs = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([0, 1])
    selected = paddle.vision.ops.nms(boxes, 0.3, scores, category_idxs, categories)
    assert (selected.shape, selected.dtype) == ([0], paddle.int64)
