"""Compiled kernels equal the NumPy kernels, in float32, in float64, and for all memory layouts."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oarlock.core import native
from oarlock.core.op import OPS, Op
from oarlock.ops import conv, pool, rnn_time_loop

from .rows import Row
from .table import IDS, ROWS, arrays_of, op_of
from .test_forward import flat_results
from .test_gradient import FIRST, check_first, to_float64

# Ops whose kernels share a function that has a compiled twin.
SHARED = {
    "argsort",
    "bilinear_interp_v2",
    "conv2d",
    "conv2d_transpose",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "depthwise_conv2d",
    "depthwise_conv2d_transpose",
    "elementwise_floordiv",
    "elementwise_mod",
    "gather",
    "gather_nd",
    "index_add",
    "index_put",
    "index_sample",
    "index_select",
    "kthvalue",
    "lookup_table_v2",
    "max_pool2d_with_index",
    "mode",
    "multiclass_nms3",
    "nms",
    "pool2d",
    "put_along_axis",
    "rnn",
    "scatter",
    "scatter_nd_add",
    "take_along_axis",
    "top_k",
    "top_k_v2",
    "unpool",
}
NATIVE = [
    n
    for n, row in enumerate(ROWS)
    if (row.type in SHARED or op_of(row).native_kernel_with_fallback is not None) and not row.random
]
rows = pytest.mark.parametrize("number", NATIVE, ids=[IDS[n] for n in NATIVE])

pytestmark = pytest.mark.skipif(
    native.kernels_module is None, reason="built without compiled kernels"
)


def map_arrays(args: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    return [
        None if a is None else [change(t) for t in a] if isinstance(a, list) else change(a)
        for a in args
    ]


def reversed_memory_order(array: Any) -> Any:
    """Return a copy with reversed memory order of the axes."""
    return np.asfortranarray(array) if array.ndim else array


def strided_copy(array: Any) -> Any:
    """The same numbers, every second element of a wider array."""
    return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array


def compare(row: Row, args: list[Any], tolerance: float) -> None:
    op = op_of(row)
    with native.use_native_kernels(True):
        got = flat_results(op, op.kernel(*args, **row.attrs))
    with native.use_native_kernels(False):
        wanted = flat_results(op, op.kernel(*args, **row.attrs))
    for g, w in zip(got, wanted, strict=True):
        assert g.dtype == w.dtype
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


@rows
@pytest.mark.parametrize(
    "change", [np.asarray, reversed_memory_order, strided_copy], ids=["plain", "turned", "spaced"]
)
def test_compiled_and_numpy_kernels_agree(number: int, change: Callable[[Any], Any]) -> None:
    row = ROWS[number]
    compare(row, map_arrays(row.args, change), max(row.tol, 2e-6))


@rows
def test_compiled_and_numpy_kernels_agree_in_float64(number: int) -> None:
    row = ROWS[number]
    compare(row, map_arrays(row.args, to_float64), 1e-12)


DIFFERENTIABLE = [n for n in NATIVE if n in FIRST]


@pytest.mark.parametrize("number", DIFFERENTIABLE, ids=[IDS[n] for n in DIFFERENTIABLE])
def test_gradients_without_compiled_kernels(number: int) -> None:
    with native.use_native_kernels(False):
        check_first.__wrapped__(number)


def test_native_switch() -> None:
    relu = OPS["relu"]
    with native.use_native_kernels(False):
        assert relu.kernel is relu.numpy_kernel
    with native.use_native_kernels(True):
        assert relu.kernel is relu.native_kernel_with_fallback


def test_environment_variable_disables_compiled_kernels() -> None:
    code = "import oarlock; from oarlock.core.op import OPS; assert OPS['relu'].kernel is OPS['relu'].numpy_kernel"
    environment = {**os.environ, "OARLOCK_NATIVE": "0"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def compiled_kernel_of(op: Op) -> Callable[..., Any]:
    """Return the compiled kernel that is tried before the NumPy kernel."""
    return inspect.getclosurevars(op.native_kernel_with_fallback).nonlocals["rule"]  # type: ignore[arg-type]


@pytest.mark.parametrize("type", sorted({ROWS[n].type for n in NATIVE} - SHARED))
def test_each_compiled_kernel_has_a_row(type: str) -> None:
    given = [ROWS[n] for n in NATIVE if ROWS[n].type == type]
    assert any(
        compiled_kernel_of(OPS[type])(*row.args, **row.attrs) is not NotImplemented for row in given
    )


def fail_if_called(*args: Any) -> Any:
    raise AssertionError("the NumPy function ran")


UNITS = [
    ("conv2d", [conv.convolve, conv.conv_input_grad, conv.conv_filter_grad]),
    ("conv2d_transpose", [conv.convolve, conv.conv_input_grad, conv.conv_filter_grad]),
    ("depthwise_conv2d", [conv.convolve, conv.conv_input_grad, conv.conv_filter_grad]),
    ("pool2d", [pool.pool_images, pool.max_pool_grad, pool.average_pool_grad]),
    ("rnn", [rnn_time_loop.run_direction_saving_residuals, rnn_time_loop.run_direction_grad]),
]


@pytest.mark.parametrize(("type", "units"), UNITS, ids=[u[0] for u in UNITS])
def test_shared_functions_are_compiled(
    type: str, units: list[native.OptionallyNativeFunction], monkeypatch: pytest.MonkeyPatch
) -> None:
    for unit in units:
        monkeypatch.setattr(unit, "numpy_function", fail_if_called)
    first = [n for n in FIRST if ROWS[n].type == type and is_supported_by_compiled_kernels(ROWS[n])]
    assert first
    for n in first:
        check_first.__wrapped__(n)


def is_supported_by_compiled_kernels(row: Row) -> bool:
    """Whether compiled kernels support the row: non-empty operands, and windows of one size."""
    return all(a.size for arg in row.args for a in arrays_of(arg)) and not row.attrs.get("adaptive")


def test_missing_kernel_declines() -> None:
    assert (
        native.compiled_function_or_placeholder("no such function") is native.return_not_implemented
    )
    assert native.return_not_implemented(1, 2) is NotImplemented


def test_max_pool_grad_declines_other_batch_and_channel_sizes() -> None:
    sizes = (4, 4, 2, 2, 2, 2, 2, 2, 0, 0)
    x = np.ones((2, 3, 4, 4), "float32")
    for batch, channels, is_supported in ((2, 3, True), (1, 3, False), (2, 1, False)):
        out = np.ones((batch, channels, 2, 2), "float32")
        result = native.compiled_function_or_placeholder("max_pool_grad")(x, out, out, sizes)
        assert (result is not NotImplemented) == is_supported


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("type", ["elementwise_add", "elementwise_sub", "elementwise_mul"])
def test_operand_of_one_element(type: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((3, 5, 37)).astype(np.float32)
    y = np.full(shape, 0.3, np.float32)
    wanted = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[type.rpartition("_")[2]]
    np.testing.assert_array_equal(OPS[type].kernel(x, y), wanted(x, y))
