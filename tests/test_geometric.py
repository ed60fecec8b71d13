"""Messages along the edges of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle

X = np.arange(6, dtype="float32").reshape(3, 2)
SOURCE, DESTINATION = np.array([0, 1, 2, 0]), np.array([1, 2, 1, 0])


@pytest.mark.parametrize(
    ("out_size", "rows"), [(None, 3), (0, 3), (-1, 3), (np.int64(0), 3), (5, 5)]
)
def test_result_has_a_row_per_node_or_out_size(out_size: Any, rows: int) -> None:
    expected = np.zeros((rows, 2), "float32")
    np.add.at(expected, DESTINATION, X[SOURCE])
    x, source, destination = map(paddle.to_tensor, (X, SOURCE, DESTINATION))
    edges = paddle.zeros([4])
    node_sums = paddle.geometric.send_u_recv(x, source, destination, out_size=out_size)
    edge_sums = paddle.geometric.send_ue_recv(x, edges, source, destination, out_size=out_size)
    np.testing.assert_array_equal(node_sums.numpy(), expected)
    np.testing.assert_array_equal(edge_sums.numpy(), expected)
