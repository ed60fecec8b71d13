"""Earlier findings of fuzzing: hostile one-op programs that crashed, hung or raised a wrong
exception.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oarlock.ir.program import Attr, AttrType

from ..ops.rows import Array, Row
from .mutate import Case, plain_case, refeed


@dataclass
class Finding:
    """A row with something changed.

    answer: `ran`, or a part of the error
    feeds, attrs, slots: instead of those of the row
    hide: declare no size
    """

    row: Row
    answer: str
    feeds: dict[str, Array] = field(default_factory=dict)
    attrs: dict[str, Any] = field(default_factory=dict)
    slots: dict[str, list[str]] = field(default_factory=dict)
    hide: bool = False

    def case(self) -> Case:
        """The program and its feeds."""
        case = plain_case(self.row, self.row.type)
        for name, array in self.feeds.items():
            refeed(case, name, array)
        for name, value in self.attrs.items():
            case.op.attrs[name] = (
                value if isinstance(value, Attr) else Attr(case.op.attrs[name].type, value)
            )
        case.op.inputs.update(self.slots)
        for var in case.program.block.vars.values():
            var.shape = (-1,) * len(var.shape) if self.hide else var.shape
        return case


def ones(*shape: int) -> Array:
    """float32"""
    return np.ones(shape, "f")


NAN, INF = float("nan"), float("inf")
UNIFORM = Row("uniform_random", [], {"shape": [2, 3]})
EINSUM = Row("einsum", [[ones(2, 3), ones(3, 4)]], {"equation": "ij,jk->ik"})
DOTS = Row("einsum", [[ones(2, 3), ones(3, 4)]], {"equation": "...j,jk->...k"})
CONV = Row("conv2d", [ones(1, 1, 4, 4), ones(1, 1, 3, 3)])
CONV3 = Row("conv3d_transpose", [ones(1, 2, 3, 3, 3), ones(2, 2, 2, 2, 2)])
UNIQUE = Row(
    "unique",
    [ones(3, 3, 2)],
    {
        "dtype": 3,
        "return_index": True,
        "return_inverse": True,
        "return_counts": True,
        "is_sorted": True,
        "axis": [1],
    },
)
SPECTRAL = Row("spectral_norm", [ones(3, 4), ones(3), ones(4)])

FINDINGS = [
    # Scan divides by zero where a sequence along another axis than the first is empty.
    Finding(Row("cumprod", [ones(2, 3)], {"dim": 1}), "ran", {"x0": ones(0, 4)}),
    Finding(Row("cumprod", [ones(2, 3)], {"dim": 1}), "ran", {"x0": ones(4, 0)}),
    Finding(Row("cumprod", [ones(2, 3, 4)], {"dim": 1}), "ran", {"x0": ones(2, 3, 0)}, hide=True),
    Finding(Row("cummax", [ones(2, 3)]), "ran", {"x0": ones(0, 4)}),
    Finding(Row("logcumsumexp", [ones(2, 3)]), "ran", {"x0": ones(0, 4)}, hide=True),
    # The C++ library asserts that the bounds are in order.
    Finding(UNIFORM, "no numbers lie from", attrs={"max": NAN}),
    Finding(UNIFORM, "no numbers lie from", attrs={"min": INF}),
    Finding(UNIFORM, "no numbers lie from", attrs={"max": -3.0}),
    Finding(UNIFORM, "no numbers lie from", attrs={"min": -3e38, "max": 3e38}),
    # More operands than the equation has terms: a read behind its end.
    Finding(EINSUM, "is not for 4 operands", slots={"Operands": ["x0", "x1"] * 2}),
    Finding(DOTS, "is not for 4 operands", slots={"Operands": ["x0", "x1"] * 2}),
    Finding(EINSUM, "is not for 1 operands", slots={"Operands": ["x0"]}),
    # Convolution with a filter without elements does not end; the transpose of an image without
    # elements ends the process.
    Finding(CONV, "without elements", {"x1": ones(1, 1, 3, 0)}),
    Finding(CONV, "cannot be reshaped", {"x1": ones(1, 1, 3, 0)}, hide=True),
    Finding(CONV, "attribute 'groups' is 0", {"x0": ones(2, 0, 4, 4)}, {"groups": 0}),
    Finding(CONV3, "without elements", {"x0": ones(1, 2, 0, 2, 3)}),
    Finding(CONV3, "cannot be reshaped", {"x0": ones(1, 2, 3, 0, 3)}, hide=True),
    Finding(CONV3, "ran", {"x0": ones(0, 2, 3, 3, 3)}, hide=True),
    # Loops as long as a file says.
    Finding(SPECTRAL, "attribute 'power_iters' holds 2147483647", attrs={"power_iters": 2**31 - 1}),
    # Rules that counted on an axis, or on an index.
    Finding(
        Row(
            "fft_r2c",
            [ones(4)],
            {"axes": [0], "normalization": "backward", "forward": True, "onesided": True},
        ),
        "has no axis",
        {"x0": ones()},
    ),
    Finding(
        Row("index_put", [ones(4, 3), [np.array([True] * 4)], ones(4, 3)]),
        "without axes",
        {"x1": np.array(True)},
    ),
    Finding(
        Row("segment_pool", [ones(4, 3), np.array([0, 0, 1, 1])]), "has no rows", {"x0": ones()}
    ),
    # Whole numbers in the place of floats: divided by zero.
    Finding(
        Row("inverse", [ones(3, 3)]), "needs Input of floats", {"x0": np.zeros((3, 3), "int64")}
    ),
    # A list of axes that is empty, and slices of nothing, which ONNX Runtime does not survive.
    Finding(
        Row("cumsum", [ones(4, 3)], {"axis": 0}),
        "names 0 axes, not one",
        attrs={"axis": Attr(AttrType.INTS, [])},
    ),
    Finding(UNIQUE, "without elements", {"x0": ones(3, 3, 0)}),
    Finding(UNIQUE, "cannot be reshaped", {"x0": ones(3, 3, 0)}, hide=True),
    # NumPy holds no array of such dims.
    Finding(
        Row("randint", [], {"shape": [2], "low": 0, "high": 9}),
        "NumPy cannot hold",
        attrs={"shape": [0, 10**6, 10**6, 2**62]},
    ),
]
