"""Expression kernels: each instruction equals the op of its name, for all broadcasts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock.ops  # noqa: F401 - fills OPS
from oarlock.compiler.buffer_reuse import UNSHARED_REFCOUNT
from oarlock.core import native
from oarlock.core.op import OPS

pytestmark = pytest.mark.skipif(
    native.kernels_module is None, reason="built without compiled kernels"
)

Kernel = Callable[..., Any]
SAME_NAME = (
    "relu",
    "tanh",
    "sigmoid",
    "silu",
    "gelu",
    "exp",
    "erf",
    "sqrt",
    "square",
    "abs",
    "reciprocal",
)
GRADIENTS = ("relu_grad", "tanh_grad", "sigmoid_grad", "silu_grad", "gelu_grad")
ONE: dict[str, Kernel] = {
    **{name: OPS[name].kernel for name in SAME_NAME},
    "gelu_tanh": lambda x: OPS["gelu"].kernel(x, approximate=True),
}
TWO: dict[str, Kernel] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
    "first": lambda x, y: x + 0 * y, "second": lambda x, y: y + 0 * x, "mask": lambda x, y: np.where(y != 0, x, 0).astype(x.dtype),
    **{name: OPS[name].kernel for name in GRADIENTS},
    "gelu_tanh_grad": lambda x, g: OPS["gelu_grad"].kernel(x, g, approximate=True),
}  # fmt: skip
POSITIVE = ("sqrt",)


def expression(inputs: int, constants: list[float], code: list[Any], outputs: list[int]) -> Any:
    return native.compiled_function_or_placeholder("Expression")(inputs, constants, code, outputs)


def numbers(*shape: int, dtype: str = "float32", seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ONE)
def test_unary_instruction(name: str, dtype: str) -> None:
    x = numbers(7, 9, dtype=dtype)
    x = np.abs(x) if name in POSITIVE else x
    found = expression(1, [], [(name, 0, 0)], [1])(x)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, ONE[name](x))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TWO)
def test_binary_instruction(name: str, dtype: str) -> None:
    x, y = numbers(7, 9, dtype=dtype), numbers(7, 9, dtype=dtype, seed=1)
    y[0] = 0 if name == "mask" else y[0]
    np.testing.assert_array_equal(expression(2, [], [(name, 0, 1)], [2])(x, y), TWO[name](x, y))


@pytest.mark.parametrize("name", ["max", "min", "relu", "abs", "add"])
def test_nan_is_propagated(name: str) -> None:
    x, y = (
        np.array([np.nan, 1, np.nan, -0.0], "float32"),
        np.array([1, np.nan, np.nan, 0.0], "float32"),
    )
    found = expression(2, [], [(name, 0, 1)], [2])(x, y)
    np.testing.assert_array_equal(found, TWO[name](x, y) if name in TWO else ONE[name](x))


SHAPES = [
    [(3, 4), (4,)], [(3, 4), (3, 1)], [(3, 1), (1, 4)], [(3, 4), (1,)], [(3, 4), ()], [(2, 3, 4), (3, 4)], [(2, 3, 4), (2, 1, 1)],
    [(1, 1), (3, 4)], [(1, 5), (5,)], [(700, 3), (3,)], [(2, 5000), (5000,)], [(2, 5000), (2, 1)], [(300, 400), (400,)], [(3, 1), (4,)],
    [(1,), (1,)], [(6, 1), (6, 1)], [(5, 1, 7), (1, 7)],
]  # fmt: skip


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcasting(shapes: list[tuple[int, ...]]) -> None:
    x, y = (numbers(*s, seed=i) for i, s in enumerate(shapes))
    found = expression(
        2, [0.5], [("mul", 0, 1), ("tanh", 3, 3), ("sub", 4, 2), ("add", 3, 0)], [5]
    )(x, y)
    np.testing.assert_array_equal(found, OPS["tanh"].kernel(x * y) - np.float32(0.5))


def test_several_results() -> None:
    x, y = numbers(40, 60), numbers(40, 60, seed=1)
    code = [
        ("mul", 0, 1),
        ("add", 2, 0),
        ("tanh", 3, 3),
        ("mul", 4, 4),
        ("sub", 5, 2),
        ("add", 6, 3),
    ]
    product, last = expression(2, [], code, [2, 7])(x, y)
    np.testing.assert_array_equal(product, x * y)
    t = OPS["tanh"].kernel(x * y + x)
    np.testing.assert_array_equal(last, (t * t - x * y) + (x * y + x))


def test_mask_operands() -> None:
    x, mask = numbers(3, 4), numbers(3, 4, seed=1) > 0
    for given in (mask, mask.view(np.uint8)):
        np.testing.assert_array_equal(
            expression(2, [2.0], [("mul", 1, 2), ("mul", 0, 3)], [4])(x, given),
            x * (mask * np.float32(2)),
        )
    np.testing.assert_array_equal(
        expression(2, [], [("add", 0, 1)], [2])(x, np.float32(3)), x + np.float32(3)
    )


@pytest.mark.parametrize(
    "args",
    [
        (numbers(3, 4), numbers(3, 4, dtype="float64")),
        (numbers(3, 4), numbers(5)),
        (numbers(3, 4).T, numbers(4, 3)),
        (np.ones((3, 4), int), np.ones((3, 4), int)),
        (numbers(0, 4), numbers(0, 4)),
        (numbers(2, 3, 4), numbers(1, 3, 1)),
        (numbers(3, 4), None),
        (numbers(3, 4),),
        (np.ones((2, 2), bool), np.ones((2, 2), bool)),
    ],
)
def test_unsupported_operands_are_declined(args: tuple[Any, ...]) -> None:
    assert expression(2, [], [("add", 0, 1)], [2])(*args) is NotImplemented


def test_result_smaller_than_the_broadcast_shape_is_declined() -> None:
    assert (
        expression(2, [], [("tanh", 0, 0), ("add", 2, 1)], [2, 3])(numbers(4), numbers(3, 4))
        is NotImplemented
    )


@pytest.mark.parametrize(
    ("inputs", "code", "outputs"),
    [
        (0, [], []),
        (1, [("nothing", 0, 0)], [1]),
        (1, [("tanh", 0, 1)], [1]),
        (1, [("tanh", 0, 0)], [0]),
        (1, [("tanh", 0, 0)], [2]),
    ],
)
def test_invalid_expressions_are_rejected(inputs: int, code: list[Any], outputs: list[int]) -> None:
    with pytest.raises(ValueError, match="expression|instruction|operand|output"):
        expression(inputs, [], code, outputs)


REDUCTIONS = [
    ((), False),
    ((0,), False),
    ((1,), False),
    ((-1,), True),
    ((0, 1), False),
    ((1, 2), True),
    ((0, 2), False),
    ((0, 1, 2), True),
]


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize(("axes", "keep"), REDUCTIONS)
def test_reductions(axes: tuple[int, ...], keep: bool, mean: bool) -> None:
    x = numbers(3, 4, 5)
    found = native.compiled_function_or_placeholder("reduce")(x, axes, keep, mean)
    if axes == (1,):  # the others do not lie side by side
        assert found is NotImplemented
        return
    wanted = (np.mean if mean else np.sum)(x, axis=axes or None, keepdims=keep)
    assert found.shape == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((5,), -1),
        ((4, 5), -1),
        ((1, 5), -1),
        ((4, 1), -1),
        ((3,), 0),
        ((4,), 1),
        ((1, 1, 1), -1),
        ((), -1),
    ],
)
def test_sum_to(shape: tuple[int, ...], axis: int) -> None:
    x = numbers(3, 4, 5)
    found = native.compiled_function_or_placeholder("sum_to")(x, shape, axis)
    wanted = OPS["sum_to"].numpy_kernel(x, shape=list(shape), axis=axis)
    assert found is not NotImplemented
    assert found.shape == shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_unshared_input_is_overwritten() -> None:
    def run(shape: tuple[int, ...], keep: bool) -> tuple[Any, Any, Any]:
        x, y = numbers(*shape), numbers(*shape, seed=1)
        held = x[:1] if keep else None
        place, before = x.ctypes.data, x.copy()
        z = call(x, y)
        return z.ctypes.data == place, np.array_equal(z, np.abs(before + y)), held

    call = native.compiled_function_or_placeholder("Expression")(
        2, [], [("add", 0, 1), ("abs", 2, 2)], [3], [0], UNSHARED_REFCOUNT
    )
    assert run((64, 300), keep=False)[:2] == (True, True)
    assert run((64, 300), keep=True)[:2] == (False, True)


def test_input_that_is_read_later_is_not_overwritten() -> None:
    x, y = numbers(64, 300), numbers(64, 300, seed=1)
    wanted = x + y, (x + y) * x
    call = native.compiled_function_or_placeholder("Expression")(
        2, [], [("add", 0, 1), ("mul", 2, 0)], [2, 3], [0], UNSHARED_REFCOUNT
    )
    place = x.ctypes.data
    found = call(x, y)
    assert [z.ctypes.data == place for z in found] == [False, True]  # the second one reads it last
    for z, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(z, w, rtol=1e-6)


def test_broadcast_input_is_not_overwritten() -> None:
    x, y = numbers(1, 300), numbers(64, 300)
    wanted = x + y
    call = native.compiled_function_or_placeholder("Expression")(
        2, [], [("add", 0, 1)], [2], [0], UNSHARED_REFCOUNT
    )
    np.testing.assert_array_equal(call(x, y), wanted)
