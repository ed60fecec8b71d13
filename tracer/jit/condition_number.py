"""Estimate the condition number of a program: how much rounding errors of inputs, weights and
intermediate results change the results. Two correct runs of the program may differ by the amount
that rounding errors cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..core import pytree
from ..core.dtype import is_inexact
from ..core.eager import NO_TAPE_MODE
from ..core.mode import Mode, WrapperMode, use_mode
from ..core.op import Op
from ..core.tensor import Tensor

NUM_TRIALS = 3
MAX_COMPARED_ELEMENTS = 1 << 10
# how many times the effect of one rounding is accepted, because rounding errors of several
# operations add up
MAX_ACCUMULATED_ROUNDINGS = 32.0

RunFunction = Callable[[Mapping[str, Any], Sequence[Any]], Sequence[Any]]


def is_explained_by_rounding(
    run: RunFunction,
    weights: Mapping[str, Any],
    inputs: Sequence[Any],
    result_index: int,
    deviation: float,
    difference: Callable[[Any, Any], float],
    noise: type[NoiseMode] | None = None,
) -> bool:
    """Whether rounding can cause a difference `deviation` of a result. Rounding can cause the
    difference if the result changes by a similar amount when the last bit of all inputs and weights
    changes.

    run: returns the results for weights and inputs.
    result_index: the index of the result.
    deviation: the difference, as computed by `difference`.
    noise: a mode that also changes the results of ops; `run` must call ops in the current mode.
    """
    rng = np.random.default_rng(0)
    reference = run(weights, inputs)[result_index]
    sensitivity = 0.0
    for _ in range(NUM_TRIALS):
        perturbed_weights = {name: _perturb_last_bit(value, rng) for name, value in weights.items()}
        mode: AbstractContextManager[Any] = (
            nullcontext() if noise is None else use_mode(noise(NO_TAPE_MODE, rng))
        )
        with mode:
            results = run(perturbed_weights, [_perturb_last_bit(a, rng) for a in inputs])
        sensitivity = max(sensitivity, difference(results[result_index], reference))
    accumulation = NoiseMode.max_accumulation if noise is None else noise.max_accumulation
    return deviation <= accumulation * sensitivity


class NoiseMode(WrapperMode):
    """Base of the modes that change the results of ops at random.

    max_accumulation: a deviation is explained by rounding up to this multiple of the change that
    the noise causes.
    """

    max_accumulation = MAX_ACCUMULATED_ROUNDINGS

    def __init__(self, inner: Mode, rng: np.random.Generator) -> None:
        super().__init__(inner)
        self._rng = rng

    def with_inner_mode(self, inner: Mode) -> Mode:
        """Return a mode with the same random generator that wraps another mode."""
        return type(self)(inner, self._rng)


class LastBitNoiseMode(NoiseMode):
    """A mode that changes the last bit of the floating results of each op, except of ops that only
    move data.
    """

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the op, and change the last bit of its floating results."""
        outputs = super().run(op, args, attrs)
        operands = [t.array for t in pytree.leaves(args) if isinstance(t, Tensor)]
        for tensor in pytree.leaves(outputs):
            if isinstance(tensor, Tensor) and not _consists_of_operand_elements(
                tensor.array, operands
            ):
                tensor.array = _perturb_last_bit(tensor.array, self._rng)
        return outputs


class QuantizationLevelNoiseMode(NoiseMode):
    """A mode that moves the results of each quantization op by -1, 0 or 1 level.

    After a change of its last bit, a value halfway between two levels may be rounded to the other
    level. Engines may also compute quantized products and sums with a single rounding.
    """

    max_accumulation = 1.0

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the op; move the result of a quantization op by -1, 0 or 1 level."""
        outputs = super().run(op, args, attrs)
        if is_quantization_op(op.type):
            result = outputs[0] if isinstance(outputs, list | tuple) else outputs
            steps = self._rng.integers(-1, 2, result.array.shape) * self._level_distance(
                op, outputs, attrs
            )
            result.array = (result.array + steps).astype(result.array.dtype)
        return outputs

    def _level_distance(self, op: Op, outputs: Any, attrs: dict[str, Any]) -> Any:
        """Return the difference of two adjacent quantization levels, in a shape that broadcasts
        with the result of the op.
        """
        if "dequantize" not in op.type:
            return 1.0  # the result holds integers that number the levels
        out, scale = outputs[0].array, outputs[1].array
        axis = attrs.get("quant_axis", 0)
        shape = [-1 if i == axis and scale.size > 1 else 1 for i in range(out.ndim)]
        return scale.reshape(shape) / (2 ** (attrs.get("bit_length", 8) - 1) - 1)


def is_quantization_op(op_type: str) -> bool:
    """Whether an op rounds to quantization levels."""
    return op_type == "quantize_linear" or (op_type.startswith("fake_") and "_quantize" in op_type)


def _consists_of_operand_elements(result: Any, operands: Sequence[Any]) -> bool:
    """Whether every element of a result is an element of an operand. An op whose results are
    elements of its operands only moves data, so it does not round. At most MAX_COMPARED_ELEMENTS
    elements are compared.
    """
    sources = [a.ravel() for a in operands if a.dtype == result.dtype]
    return bool(sources) and bool(
        np.isin(result.ravel()[:MAX_COMPARED_ELEMENTS], np.concatenate(sources)).all()
    )


def _perturb_last_bit(array: Any, rng: np.random.Generator) -> Any:
    """Change each number of a floating array by its last bit, randomly up or down. Of complex
    numbers, real and imaginary part change independently.
    """
    if not isinstance(array, np.ndarray) or not is_inexact(array.dtype):
        return array
    if array.dtype.kind == "c":
        result = np.empty_like(array)
        result.real, result.imag = (
            _perturb_last_bit(component, rng) for component in (array.real, array.imag)
        )
        return result
    eps = 2.0**-8 if array.dtype.name == "bfloat16" else float(np.finfo(array.dtype).eps)
    signs = rng.integers(0, 2, array.shape) * 2 - 1
    return (array.astype(np.float64) * (1 + eps * signs)).astype(array.dtype)
