"""Rounding errors that explain a difference of results."""

from __future__ import annotations

import numpy as np

from oarlock.jit.condition_number import is_explained_by_rounding


def test_wrong_complex_result_is_not_explained_by_rounding() -> None:
    value = np.array([1 + 2j, 3 - 1j], np.complex64)
    for deviation, explained in ((1.0, False), (1e-7, True)):
        assert explained == is_explained_by_rounding(
            lambda _, inputs: [inputs[0] * 2],
            {},
            [value],
            0,
            deviation,
            lambda a, b: float(np.abs(a - b).max()),
        )
