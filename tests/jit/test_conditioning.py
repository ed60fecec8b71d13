"""Rounding errors that explain a difference of results."""

from __future__ import annotations

import numpy as np
import pytest

from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor
from oarlock.jit.condition_number import QuantizationLevelNoiseMode, is_explained_by_rounding


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


@pytest.mark.parametrize(
    ("type", "more", "attrs", "level"),
    [
        ("quantize_linear", [2.0, 0.0], {"quant_axis": -1}, 1.0),
        ("fake_quantize_abs_max", [], {}, 1.0),
        ("fake_quantize_dequantize_abs_max", [], {}, 0.9 / 127),
        ("fake_quantize_dequantize_moving_average_abs_max", [2.0], {"is_test": True}, 2.0 / 127),
        ("fake_channel_wise_quantize_dequantize_abs_max", [], {"bit_length": 4}, 0.9 / 7),
    ],
)
def test_one_level_of_a_quantization_op_is_explained(
    type: str, more: list[float], attrs: dict[str, object], level: float
) -> None:
    """A difference of one level is, two levels are not."""
    values = np.array([[0.5, -0.9, 0.1], [0.3, 0.2, -0.3]], np.float32)
    operands = [Tensor(np.array([number], np.float32)) for number in more]

    def run(_: object, inputs: list[np.ndarray]) -> list[np.ndarray]:
        found = OPS[type](Tensor(inputs[0]), *operands, **attrs)
        return [(found[0] if isinstance(found, tuple | list) else found).array]

    for levels, explained in ((1, True), (2, False)):
        assert explained == is_explained_by_rounding(
            run,
            {},
            [values],
            0,
            levels * level * 0.999,
            lambda a, b: float(np.abs(a - b).max()),
            QuantizationLevelNoiseMode,
        )
