"""Rows of shape: another shape, another order, repeated."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(11)
f, ints = n.f, n.ints

I32 = np.int32
ZERO_SIZE = "2.6.2 does not run on tensors without elements"
OPEN_SIZE = "2.6.2 returns zeros where target_shape takes a size from Y"


def reshaped(*shape):
    """The reference that reshapes X."""
    return lambda x, *_: x.reshape(shape)


def scalar(value, dtype=I32):
    """Return a 0-D tensor."""
    return np.array(value, dtype)


RESHAPE = [
    Row("reshape2", [f(2, 3)], {"shape": [3, 2]}, reshaped(3, 2)),
    Row("reshape2", [f(2, 3)], {"shape": [6, -1, 1]}, reshaped(6, 1, 1)),
    Row("reshape2", [f(2, 3, 4)], {"shape": [0, -1]}, reshaped(2, 12)),
    Row("reshape2", [f(2, 3)], {"shape": [0, 0, 1]}, reshaped(2, 3, 1)),
    Row("reshape2", [f(2, 3, 4)], {"shape": [0, 0, -1]}, reshaped(2, 3, 4)),
    Row("reshape2", [f()], {"shape": []}, reshaped()),
    Row("reshape2", [f()], {"shape": [1, -1]}, reshaped(1, 1)),
    Row("reshape2", [f(1)], {"shape": []}, reshaped()),
    Row("reshape2", [f(0, 3)], {"shape": [-1, 3]}, reshaped(0, 3), paddle=ZERO_SIZE),
    Row("reshape2", [ints(4)], {"shape": [2, 2]}, reshaped(2, 2)),
    Row("reshape2", [f(2, 3), np.array([3, -1], I32)], {}, reshaped(3, 2)),
    Row(
        "reshape2",
        [f(2, 3), None, [np.array([3], I32), np.array([2], I32)]],
        {"shape": [-1, -1]},
        reshaped(3, 2),
    ),
    Row(
        "reshape2",
        [f(2, 3), None, [np.array([3], I32), np.array([-1], I32)]],
        {"shape": [3, -1]},
        reshaped(3, 2),
    ),
    Row("squeeze2", [f(2, 1, 3, 1)], {}, reshaped(2, 3)),
    Row("squeeze2", [f(2, 1, 3, 1)], {"axes": [1]}, reshaped(2, 3, 1)),
    Row("squeeze2", [f(2, 1, 3, 1)], {"axes": [-1, 1]}, reshaped(2, 3)),
    Row("squeeze2", [f(1, 1)], {}, reshaped()),
    Row("squeeze2", [f()], {"axes": [0]}, reshaped()),
    Row("squeeze2", [np.ones((1, 2), bool)], {"axes": [0]}, reshaped(2)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [0, -1]}, reshaped(1, 2, 3, 1)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [1]}, reshaped(2, 1, 3)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [2]}, reshaped(2, 3, 1)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [-1]}, reshaped(2, 3, 1)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [-2]}, reshaped(2, 1, 3)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [-3]}, reshaped(1, 2, 3)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [2, 0]}, reshaped(1, 2, 3, 1)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [0, 2]}, reshaped(1, 2, 1, 3)),
    Row("unsqueeze2", [f(2, 3)], {"axes": [0, 0]}, reshaped(1, 1, 2, 3)),
    Row("unsqueeze2", [f()], {"axes": [0]}, reshaped(1)),
    Row("unsqueeze2", [f(2, 3), np.array([1], I32)], {}, reshaped(2, 1, 3)),
    Row(
        "unsqueeze2",
        [f(2, 3), None, [np.array([1], I32), np.array([-1], I32)]],
        {},
        reshaped(2, 1, 3, 1),
    ),
    Row(
        "flatten_contiguous_range", [f(2, 3, 4)], {"start_axis": 1, "stop_axis": 2}, reshaped(2, 12)
    ),
    Row("flatten_contiguous_range", [f(2, 3, 4)], {"start_axis": 0, "stop_axis": -1}, reshaped(24)),
    Row(
        "flatten_contiguous_range",
        [f(2, 3, 4)],
        {"start_axis": -3, "stop_axis": -2},
        reshaped(6, 4),
    ),
    Row("flatten_contiguous_range", [f(2, 3, 4)], {}, reshaped(2, 3, 4)),
    Row(
        "flatten_contiguous_range", [f(4, 5, 0)], {"start_axis": 1, "stop_axis": 2}, reshaped(4, 0)
    ),
    Row(
        "flatten_contiguous_range", [f(2, 3, 0)], {"start_axis": 0, "stop_axis": 1}, reshaped(6, 0)
    ),
    Row("flatten_contiguous_range", [f()], {"start_axis": 0, "stop_axis": -1}, reshaped(1)),
]

ORDER = [
    Row("transpose2", [f(2, 3, 4)], {"axis": [2, 0, 1]}, lambda x: x.transpose(2, 0, 1)),
    Row("transpose2", [f(2, 3, 4, 2)], {"axis": [0, 2, 3, 1]}, lambda x: x.transpose(0, 2, 3, 1)),
    Row("transpose2", [f(2, 3)], {"axis": [-1, 0]}, lambda x: x.T),
    Row("transpose2", [f()], {"axis": []}, lambda x: x),
    Row("transpose2", [ints(2, 3)], {"axis": [1, 0]}, lambda x: x.T),
    Row("flip", [f(2, 3)], {"axis": [-1]}, lambda x: x[:, ::-1]),
    Row("flip", [f(2, 3, 2)], {"axis": [0, 2]}, lambda x: x[::-1, :, ::-1]),
    Row("flip", [f(2, 3)], {"axis": []}, lambda x: x),
    Row("flip", [f()], {"axis": []}, lambda x: x),
    Row("roll", [f(2, 3)], {"shifts": [1]}, lambda x, _=None: np.roll(x, 1)),
    Row(
        "roll",
        [f(3, 4)],
        {"shifts": [1, -1], "axis": [0, -1]},
        lambda x, _=None: np.roll(x, (1, -1), (0, 1)),
    ),
    Row("roll", [f(3, 4)], {"shifts": [5], "axis": [1]}, lambda x, _=None: np.roll(x, 5, 1)),
    Row("roll", [f(2, 3), np.array([2], "int64")], {"axis": [1]}, lambda x, _: np.roll(x, 2, 1)),
    Row("tril_triu", [f(3, 3)], {"diagonal": 1, "lower": True}, lambda x: np.tril(x, 1)),
    Row("tril_triu", [f(3, 4)], {"diagonal": -1}, lambda x: np.triu(x, -1)),
    Row("tril_triu", [f(2, 3, 2)], {"lower": True}, np.tril),
    Row("tril_triu", [ints(3, 3)], {}, np.triu),
]


def broadcast(*shape):
    """The reference that broadcasts X."""
    return lambda x, *_: np.broadcast_to(x, shape)


REPEAT = [
    Row("expand_v2", [f(3)], {"shape": [2, -1]}, broadcast(2, 3)),
    Row("expand_v2", [f(1, 3)], {"shape": [4, 3]}, broadcast(4, 3)),
    Row("expand_v2", [f(2, 1, 3)], {"shape": [5, 2, 4, -1]}, broadcast(5, 2, 4, 3)),
    Row("expand_v2", [f()], {"shape": [2]}, broadcast(2)),
    Row("expand_v2", [f()], {"shape": []}, broadcast()),
    Row("expand_v2", [ints(1, 2)], {"shape": [2, 2]}, broadcast(2, 2)),
    Row("expand_v2", [f(1, 3), np.array([2, 3], I32)], {}, broadcast(2, 3)),
    Row("expand_v2", [f(1, 3), None, [scalar(2), scalar(3)]], {"shape": [-1, 3]}, broadcast(2, 3)),
    Row("expand_as_v2", [f(1, 3)], {"target_shape": [2, 3]}, broadcast(2, 3)),
    Row("expand_as_v2", [f(3), f(4, 2, 3)], {"target_shape": [4, 2, 3]}, broadcast(4, 2, 3)),
    Row(
        "expand_as_v2",
        [f(1, 3), f(2, 3)],
        {"target_shape": [-1, 3]},
        broadcast(2, 3),
        paddle_grad=OPEN_SIZE,
    ),
    Row("tile", [f(2)], {"repeat_times": [2, 2]}, lambda x, *_: np.tile(x, (2, 2))),
    Row("tile", [f(2, 3)], {"repeat_times": [2, 1]}, lambda x, *_: np.tile(x, (2, 1))),
    Row("tile", [f(1, 2)], {"repeat_times": [3]}, lambda x, *_: np.tile(x, 3)),
    Row("tile", [f(2)], {"repeat_times": []}, lambda x, *_: x),
    Row("tile", [f()], {"repeat_times": [2]}, lambda x, *_: np.tile(x, 2)),
    Row("tile", [f()], {"repeat_times": []}, lambda x, *_: x),
    Row("tile", [f(2, 3), np.array([2, 1], I32)], {}, lambda x, *_: np.tile(x, (2, 1))),
    Row(
        "tile",
        [f(2, 3), None, [scalar(1), scalar(2)]],
        {"repeat_times": [1, -1]},
        lambda x, *_: np.tile(x, (1, 2)),
    ),
    Row("broadcast_tensors", [[f(2, 1), f(3)]], {}, lambda xs: list(np.broadcast_arrays(*xs))),
    Row(
        "broadcast_tensors",
        [[f(1), f(2, 1, 3), f(4, 1)]],
        {},
        lambda xs: list(np.broadcast_arrays(*xs)),
    ),
    Row("shape", [f(2, 3)], {}, lambda x: np.array([2, 3])),
    Row("shape", [f()], {}, lambda x: np.zeros(0)),
    Row("shape", [ints(0, 2)], {}, lambda x: np.array([0, 2]), paddle=ZERO_SIZE),
]

ROWS = RESHAPE + ORDER + REPEAT
