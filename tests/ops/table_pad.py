"""Rows of pad."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(15)
f = n.f


def padded(*pairs, mode="constant", value=0.0):
    """The reference that pads by these widths for each axis."""
    more = {"constant_values": value} if mode == "constant" else {}
    return lambda x, *_: np.pad(x, pairs, mode=mode, **more)


def space(*pairs, mode="constant", value=0.0):
    """The same for the last three axes of five."""
    return padded((0, 0), (0, 0), *pairs, mode=mode, value=value)


# fmt: off
ROWS = [
    Row("pad", [f(1, 2)], {"paddings": [0, 1, 1, 0], "pad_value": 0.5}, padded((0, 1), (1, 0), value=0.5)),
    Row("pad", [f(2, 1, 3)], {"paddings": [0, 0, 2, 1, 0, 3]}, padded((0, 0), (2, 1), (0, 3))),
    Row("pad", [f(3)], {"paddings": [0, 0]}, padded((0, 0))),
    Row("pad3d", [f(1, 2, 2, 2, 3)], {"paddings": [1, 2, 1, 0, 0, 1], "value": 0.5}, space((0, 1), (1, 0), (1, 2), value=0.5)),
    Row("pad3d", [f(1, 1, 1, 2, 3)], {"paddings": [-1, 0, 0, 1, 0, 0]}, lambda x, _=None: np.pad(x[..., 1:], [(0, 0)] * 3 + [(0, 1), (0, 0)])),
    Row("pad3d", [f(1, 1, 2, 2, 3)], {"paddings": [1, 2, 1, 0, 0, 1], "mode": "reflect"}, space((0, 1), (1, 0), (1, 2), mode="reflect")),
    Row("pad3d", [f(2, 1, 1, 2, 3)], {"paddings": [1, 2, 3, 0, 1, 1], "mode": "replicate"}, space((1, 1), (3, 0), (1, 2), mode="edge")),
    Row("pad3d", [f(1, 1, 1, 2, 3)], {"paddings": [1, 2, 0, 1, 0, 0], "mode": "circular"}, space((0, 0), (0, 1), (1, 2), mode="wrap")),
    Row("pad3d", [f(1, 1, 1, 2, 3)], {"paddings": [7, 0, 0, 0, 0, 0], "mode": "circular"}, space((0, 0), (0, 0), (7, 0), mode="wrap")),
    Row("pad3d", [f(1, 1, 2, 3, 2)], {"paddings": [1, 0, 0, 1, 2, 0], "data_format": "NDHWC"}, padded((0, 0), (2, 0), (0, 1), (1, 0), (0, 0))),
    Row("pad3d", [f(1, 2, 2, 3, 1)], {"paddings": [1, 2, 0, 1, 1, 0], "data_format": "NDHWC", "mode": "reflect"},
        padded((0, 0), (1, 0), (0, 1), (1, 2), (0, 0), mode="reflect")),
    Row("pad3d", [f(1, 1, 1, 2, 3), np.array([1, 0, 0, 2, 0, 0], np.int32)], {"paddings": []}, space((0, 0), (0, 2), (1, 0))),
]
