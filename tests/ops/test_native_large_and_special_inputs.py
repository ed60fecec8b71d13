"""Compiled kernels of cumulative functions, indexing, sorting, NMS, division and pooling on sizes
that the rows of the op table do not have: long axes, several tasks, NaN, infinities, wrapping
integers. The NumPy functions are the reference.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from oarlock.core import native
from oarlock.core.errors import OpError
from oarlock.core.op import OPS
from oarlock.core.rng import seed
from oarlock.ops import (
    along_axis,
    cumulative,
    elementwise,
    index,
    kthvalue_unique_histogram_and_multiplex,
    max_pool_with_index,
    nms,
    pool,
    random,
    reduce,
    scatter_at,
    sort,
)

pytestmark = pytest.mark.skipif(
    native.kernels_module is None, reason="built without compiled kernels"
)

FLOATS = ["float32", "float64"]
NUMBERS = [*FLOATS, "int32", "int64"]
SHAPES = [(1,), (2047,), (9000,), (3, 2100), (2100, 3), (9, 1000), (300, 20), (2, 50, 300)]


def numbers(shape: tuple[int, ...], dtype: str, with_nan: bool = False) -> Any:
    """Return numbers of which several are equal."""
    source = np.random.default_rng(sum(shape))
    x = np.round(source.standard_normal(shape) * 20).astype(dtype)
    if with_nan and x.dtype.kind == "f":
        x.reshape(-1)[:: max(2, x.size // 7)] = np.nan
    return x


def check(function: native.OptionallyNativeFunction, *args: Any, tolerance: float = 0.0) -> None:
    """Compare the compiled with the NumPy version of a function, including the sign of zeros unless
    there is a tolerance.
    """
    got = function.native_function(*args)
    assert got is not NotImplemented
    with np.errstate(all="ignore"):
        wanted = function.numpy_function(*args)
    if not isinstance(got, tuple):
        got, wanted = (got,), (wanted,)
    for a, b in zip(got, wanted, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        if tolerance == 0 and a.dtype.kind == "f":
            is_number = ~np.isnan(a)
            np.testing.assert_array_equal(np.signbit(a[is_number]), np.signbit(b[is_number]))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_cumulative_functions(shape: tuple[int, ...], dtype: str) -> None:
    x = numbers(shape, dtype)
    is_float = x.dtype.kind == "f"
    for axis in range(-len(shape), len(shape)):
        # sums of long lines of floats are added in another order
        tolerance = 1e-6 if is_float and shape[axis] >= 2048 else 0.0
        for reverse, exclusive in itertools.product((False, True), repeat=2):
            if is_float or axis not in (-1, len(shape) - 1):
                check(reduce.cumulate, x, axis, False, reverse, exclusive, tolerance=tolerance)
            factors = (1 + x / 1000).astype(dtype) if is_float else x
            check(reduce.cumulate, factors, axis, True, reverse, exclusive)
        for is_max in (True, False):
            with_nan = numbers(shape, dtype, with_nan=True)
            check(cumulative._cumulative_extreme_and_index, with_nan, axis, is_max)
        if is_float:
            for reverse in (False, True):
                a = (x / 50).astype(dtype)
                check(cumulative._linear_recurrence_array, x, a, axis, reverse, tolerance=1e-5)


def test_cumulative_functions_of_special_values() -> None:
    x = np.array([-0.0, -0.0, 0.0, np.inf, 1, -np.inf, 2, np.nan, 3], "float32")
    for line in (x, x[::-1].copy(), np.array([-0.0, -0.0], "float32")):
        for matrix in (line, np.repeat(line[:, None], 20, axis=1)):
            for exclusive in (False, True):
                check(reduce.cumulate, matrix, 0, False, False, exclusive)
                check(reduce.cumulate, matrix, 0, True, False, exclusive)
    # 0 times a product that overflows is 0, as in the definition
    long = np.full(5000, 1e30, "float32")
    long[0] = 0
    assert not reduce.cumulate.native_function(long, 0, True, False, False).any()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sorting_and_selection(shape: tuple[int, ...], dtype: str) -> None:
    x = numbers(shape, dtype, with_nan=True)
    for axis in range(len(shape)):
        size = shape[axis]
        for descending in (False, True):
            check(sort.sort_indices, x, axis, descending)
            for k in {1, max(1, size // 40), max(1, size // 2), size}:
                check(sort.first_sort_indices, x, axis, k, descending)
        for k in {1, max(1, size // 2), size}:
            check(sort.kth_sort_index, x, axis, k)
        check(kthvalue_unique_histogram_and_multiplex._mode_indices, np.moveaxis(x, axis, -1))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_sort_of_extreme_numbers(dtype: str) -> None:
    if dtype in FLOATS:
        info = np.finfo(dtype)
        ends = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, info.max, info.smallest_subnormal]
        values = np.array([*ends, info.min, -info.smallest_subnormal], dtype)
    else:
        values = np.array([0, -1, 1, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    for count in (len(values), 600):  # by comparison, by radix
        x = np.random.default_rng(1).choice(values, count)
        for descending in (False, True):
            check(sort.sort_indices, x, 0, descending)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_unique(dtype: str) -> None:
    unique = kthvalue_unique_histogram_and_multiplex._unique_with_index_inverse_and_counts
    check(unique, numbers((5000,), dtype, with_nan=True), None)
    check(unique, numbers((3, 4, 5), dtype), None)
    check(unique, np.array([0.0, -0.0, 0.0]).astype(dtype), None)


@pytest.mark.parametrize("dtype", FLOATS)
def test_histogram(dtype: str) -> None:
    histogram = kthvalue_unique_histogram_and_multiplex._histogram
    for x in (
        np.random.default_rng(2).standard_normal(20000).astype(dtype),
        numbers((900,), dtype),
    ):
        with_nan = x.copy()
        with_nan[:3] = np.nan, np.inf, -np.inf
        for bins, ends in ((1, (-1, 1)), (10, (-3, 3)), (97, (-50, 49)), (1000, (0, 0.1))):
            check(histogram, x, bins, (float(ends[0]), float(ends[1])))
            check(histogram, with_nan, bins, (float(ends[0]), float(ends[1])))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("extra", [0.0, 1.0])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 1.0])
def test_nms(threshold: float, extra: float, dtype: str) -> None:
    source = np.random.default_rng(3)
    for count in (1, 2, 17, 700):
        # whole numbers produce many overlaps equal to the threshold; some boxes are inverted
        boxes = source.integers(0, 40, (count, 4)).astype(dtype)
        boxes[:, 2:] = boxes[:, :2] + source.integers(-2, 30, (count, 2))
        check(nms._nms_of_sorted_boxes_with_constant_threshold, boxes, threshold, extra)
        boxes = source.uniform(0, 200, (count, 4)).astype(dtype)
        boxes[:, 2:] = boxes[:, :2] + source.uniform(-2, 60, (count, 2))
        if count > 100:
            boxes[3, 1], boxes[7], boxes[9, 2] = np.nan, np.nan, np.inf
        check(nms._nms_of_sorted_boxes_with_constant_threshold, boxes, threshold, extra)


DIVISIONS = [elementwise.floor_divide_arrays, elementwise.remainder_arrays]


@pytest.mark.parametrize("function", DIVISIONS, ids=["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_division_of_floats(function: native.OptionallyNativeFunction, dtype: str) -> None:
    info = np.finfo(dtype)
    some = [0.0, 1, 0.5, 3, 6, 7, 1 / 3, 0.1, 1e30, 1e-30, np.inf, np.nan, info.max, info.tiny]
    values = np.array([*some, info.smallest_subnormal], dtype)
    values = np.concatenate([values, -values])
    check(function, *(m.copy() for m in np.meshgrid(values, values)))
    source = np.random.default_rng(4)
    for scale in (1e-5, 1, 1e3, 1e6, 1e10):
        x = (source.standard_normal(20001) * scale).astype(dtype)
        y = source.standard_normal(20001).astype(dtype)
        check(function, x, y)
        check(function, np.round(x), np.round(y))
        check(function, np.round(x, 1), np.array([0.1], dtype))
        check(function, x[:20000].reshape(100, 200), y[:200])
        check(function, x[:100].reshape(100, 1), y[:200])
    multiples = source.integers(-5000, 5000, 20001)
    check(function, (multiples * y).astype(dtype), y)


@pytest.mark.parametrize("function", DIVISIONS, ids=["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_division_of_integers(function: native.OptionallyNativeFunction, dtype: str) -> None:
    source, info = np.random.default_rng(5), np.iinfo(dtype)
    x, y = (source.integers(info.min, info.max, 20001).astype(dtype) for _ in range(2))
    x[:4], y[:4] = [info.min, info.min, info.max, info.min], [-1, 1, -1, info.min]
    y[y == 0] = 1
    for shift in (0, 8, 24):
        check(function, x >> shift, np.where(y >> shift == 0, 7, y >> shift).astype(dtype))
    check(function, x, np.array(-7, dtype))
    # the NumPy function raises the error of a division by zero
    assert function.native_function(x, np.zeros_like(x)) is NotImplemented
    with pytest.raises(OpError, match="division of integers by zero"):
        function(x, np.zeros_like(x))


def test_windows_of_pooling() -> None:
    source = np.random.default_rng(6)
    for dtype, (h, w) in itertools.product(FLOATS, [(1, 1), (3, 5), (17, 33), (40, 64)]):
        x = np.round(source.standard_normal((2, 3, h, w)), 1).astype(dtype)
        for k, stride, pad, ceil in itertools.product(
            [(1, 1), (2, 2), (3, 2), (5, 5)], [(1, 1), (2, 2), (3, 1)], [0, 1, 2], [False, True]
        ):
            if 2 * pad <= min(k) and h + 2 * pad >= k[0] and w + 2 * pad >= k[1]:
                check_pooling(
                    x, ksize=k, strides=stride, paddings=(pad, pad), ceil_mode=ceil, adaptive=False
                )
        for out in [(1, 1), (3, 2), (7, 7)]:
            check_pooling(x, ksize=out, strides=(1, 1), paddings=(0, 0), adaptive=True)


def check_pooling(x: Any, **attrs: Any) -> None:
    plan = pool.make_pooling_plan(x.shape, True, **attrs)
    for kind in ("max", "avg"):
        check(pool.pool_images, x, plan, kind, tolerance=1e-5)
    with_nan = x.copy()
    with_nan[0, 0, -1, -1], with_nan[1, 1, 0, 0] = np.nan, -np.inf
    check(max_pool_with_index._first_maxima_and_indices, with_nan, plan)
    np.testing.assert_array_equal(
        pool.pool_images.native_function(with_nan, plan, "max"),
        pool.pool_images.numpy_function(with_nan, plan, "max"),
    )
    out, mask = max_pool_with_index._first_maxima_and_indices(x, plan)
    g = np.random.default_rng(7).standard_normal(out.shape).astype(x.dtype)
    check(pool.max_pool_grad, x, out, g, plan, tolerance=1e-5)
    check(pool.average_pool_grad, g, plan, x.shape[2:], tolerance=1e-5)
    check(max_pool_with_index._scatter_add_to_images, x.shape, mask, g, tolerance=1e-5)


# dtypes that are added, and others that are only copied
ALL_DTYPES = [*NUMBERS, "bool", "uint8", "float16", "complex128"]


@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("index_dtype", ["int32", "int64", "uint8"])
def test_indexing(dtype: str, index_dtype: str) -> None:
    source = np.random.default_rng(8)
    for shape in [(70,), (40, 3), (3, 50, 300), (7, 20, 1), (1, 60, 900)]:
        x, axis = source.integers(0, 9, shape).astype(dtype), len(shape) // 2
        positions = source.integers(0, shape[axis], (*shape[:axis], 45, *shape[axis + 1 :]))
        positions = positions.astype(index_dtype)
        value = source.integers(0, 9, positions.shape).astype(dtype)
        for on in (True, False):
            with native.use_native_kernels(on):
                taken = along_axis.take_elements(x, positions, axis)
                put = [
                    along_axis.put_elements(x.copy(), positions, value, axis, accumulate)
                    for accumulate in (False, True)
                ]
                mask = along_axis._last_write_mask(x, positions, axis)
                last = index._last_occurrences(positions.reshape(-1))
                added = x.copy()
                slices = value if axis == 0 else np.take(x, positions.reshape(-1)[:45], axis)
                index.scatter_add_rows(added, positions.reshape(-1)[:45], slices, axis)
            if on:
                compiled = (taken, *put, added, mask, last)
        np.testing.assert_array_equal(
            compiled[0], np.take_along_axis(x, positions.astype(int), axis)
        )
        for a, b in zip(compiled, (taken, *put, added, mask, last), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_masked(dtype: str) -> None:
    source = np.random.default_rng(9)
    for x in (
        source.integers(1, 9, 5).astype(dtype),
        source.integers(1, 9, (300, 400)).astype(dtype),
    ):
        if x.dtype.kind in "fc":
            x.reshape(-1)[::3] = np.nan
        # memory of other libraries may have other bytes than 1 for true
        bytes_of_mask = source.integers(0, 256, x.shape).astype(np.uint8)
        bytes_of_mask.reshape(-1)[::2] = 0
        for mask in (bytes_of_mask > 127, bytes_of_mask.view(bool), np.zeros(x.shape, bool)):
            for a, m in ((x, mask), (x.T, mask.T), (x[::2], mask[::2])):
                got = elementwise.masked.native_kernel_only(a, m)
                np.testing.assert_array_equal(got, elementwise.masked.numpy_kernel(a, m))
                assert got.dtype == a.dtype


@pytest.mark.parametrize("shape", [(7,), (3, 0), (4, 5), (2, 3, 4), (0,), (1, 1, 1, 5)], ids=str)
def test_where_index(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(10).integers(0, 2, shape).astype("float32")
    for condition in (x, x.T, x > 0):
        np.testing.assert_array_equal(OPS["where_index"].kernel(condition), np.argwhere(condition))


def test_index_tuples() -> None:
    source = np.random.default_rng(9)
    x = source.integers(0, 9, (30, 40, 5)).astype("float32")
    places = (source.integers(-30, 30, (50, 60)), source.integers(-40, 40, 60))
    values = source.integers(0, 9, (50, 60, 5)).astype("float32")
    wanted = x.copy()
    np.add.at(wanted, places, values)
    got = x.copy()
    assert scatter_at.try_put_compiled(got, places, values, True)
    np.testing.assert_array_equal(got, wanted)
    found = scatter_at.try_take_compiled(x, places, allows_negative=True)
    np.testing.assert_array_equal(found, x[places])
    got, wanted = x.copy(), x.copy()
    assert scatter_at.try_put_compiled(got, places[:1], np.float32(3), False)
    wanted[places[0]] = 3
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("dtype", [*NUMBERS, "int8", "float16", "complex64"])
def test_values_broadcast_to_the_axes_of_an_index(dtype: str, on: bool) -> None:
    """NumPy's `add.at` reads beyond the end of such values."""
    x, index = np.zeros(4, dtype), np.array([[0, 1, 2], [0, 1, 3]])
    with native.use_native_kernels(on):
        for values in (np.arange(3), np.arange(3)[None], np.arange(6).reshape(2, 3), np.array([1])):
            found = OPS["index_put"].kernel(x, [index], values.astype(dtype), accumulate=True)
            wanted = np.bincount(index.reshape(-1), np.broadcast_to(values, (2, 3)).reshape(-1), 4)
            np.testing.assert_array_equal(found, wanted.astype(dtype))


@pytest.mark.parametrize("on", [True, False])
def test_indexed_rows_without_elements(on: bool) -> None:
    """Valid indices of arrays in which another axis has the size 0."""
    x, vector = np.zeros((3, 0), np.float32), np.array([2, 0, 2])
    rows, tuples = np.zeros((3, 0), np.float32), np.array([[2], [0], [2]])
    empty = np.zeros((0, 3), np.float32)
    with native.use_native_kernels(on):
        assert OPS["gather_nd"].kernel(x, tuples).shape == (3, 0)
        assert OPS["index_get"].kernel(x, [vector]).shape == (3, 0)
        for accumulate in (False, True):
            found = OPS["index_put"].kernel(x, [vector], rows, accumulate=accumulate)
            assert found.shape == (3, 0)
            found = OPS["scatter"].kernel(x, vector, rows, overwrite=accumulate)
            assert found.shape == (3, 0)
        assert OPS["scatter_nd_add"].kernel(x, tuples, rows).shape == (3, 0)
        assert OPS["index_add"].kernel(x, vector, rows, axis=0).shape == (3, 0)
        assert OPS["index_add"].kernel(empty, vector, empty, axis=1).shape == (0, 3)
        with pytest.raises(OpError):
            OPS["gather_nd"].kernel(x, tuples + 1)


@pytest.mark.parametrize("bad", [-1, 30])
def test_index_out_of_range_changes_nothing(bad: int) -> None:
    x, positions = np.zeros((30, 40), "float32"), np.zeros((30, 40), "int64")
    positions[20, 20] = bad
    put, take = along_axis.put_elements, along_axis.take_elements
    assert take.native_function(x, positions, 0) is NotImplemented
    assert put.native_function(x, positions, np.ones_like(x), 0, True) is NotImplemented
    rows = np.array([0, bad])
    assert not scatter_at.add_slices_in_place(x, rows, np.ones((2, 40), "float32"), 0)
    assert scatter_at.try_take_compiled(x, (rows,), allows_negative=False) is None
    assert not scatter_at.try_put_compiled(x, (np.array([0, 30]),), np.float32(1), True)
    assert not x.any()
    with pytest.raises(OpError, match=f"an index is {bad}"):
        OPS["scatter"].kernel(x, rows, np.ones((2, 40), "float32"))
    mask = np.full((1, 1, 2, 2), 30, "int32")
    images = max_pool_with_index._scatter_add_to_images
    assert images.native_function((1, 1, 5, 6), mask, np.ones(mask.shape)) is NotImplemented


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    kernels = native.kernels_module
    assert kernels is not None
    x = np.random.default_rng(10).standard_normal((1000, 300)).astype("float32")
    positions = np.random.default_rng(11).integers(0, 1000, x.shape)
    results = []
    before = kernels.thread_count()
    for threads in (1, 3):
        kernels.set_thread_count(threads)
        results.append(
            [
                reduce.cumulate(x.reshape(-1), 0, False, False, False),
                reduce.cumulate(x, 0, False, True, False),
                along_axis.put_elements(x.copy(), positions, x, 0, True),
                sort.sort_indices(x, 0, True),
                elementwise.floor_divide_arrays(x, x[::-1]),
            ]
        )
    kernels.set_thread_count(before)
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("on", [True, False], ids=["compiled", "numpy"])
def test_multinomial_frequencies(on: bool) -> None:
    """Chi-squared statistics of the first and of the last draw."""
    weights = np.array([0.0, 1, 2, 3, 0, 4], "float32")
    with native.use_native_kernels(on):
        for samples, replacement in ((1, False), (2, False), (3, False), (3, True)):
            seed(12)
            drawn = random.multinomial.kernel(
                np.tile(weights, (20000, 1)), num_samples=samples, replacement=replacement
            )
            assert drawn.shape == (20000, samples)
            if not replacement:
                assert all(len(set(row)) == samples for row in drawn.tolist())
            expected = draw_probabilities(weights / weights.sum(), samples, replacement)
            for position in (0, samples - 1):
                counts = np.bincount(drawn[:, position], minlength=len(weights))
                wanted = 20000 * expected[position]
                assert not counts[wanted == 0].any()
                error = ((counts - wanted)[wanted > 0] ** 2 / wanted[wanted > 0]).sum()
                assert error < 20  # three degrees of freedom: probability 2e-4


def draw_probabilities(p: Any, samples: int, replacement: bool) -> list[Any]:
    """Return the probabilities of each index at each draw."""
    if replacement:
        return [p] * samples
    result = []
    for position in range(samples):
        at = np.zeros_like(p)
        for order in itertools.permutations(np.flatnonzero(p), position + 1):
            left, chance = 1.0, 1.0
            for i in order:
                chance *= p[i] / left
                left -= p[i]
            at[order[-1]] += chance
        result.append(at)
    return result


@pytest.mark.parametrize("on", [True, False])
def test_multinomial_of_tiny_weights(on: bool) -> None:
    """The inverses of these weights are infinite, like that of 0."""
    x = np.array([[0, 5e-324, 0, 1e-310, 0, 1.0, 0]])
    with native.use_native_kernels(on):
        for _ in range(20):
            drawn = OPS["multinomial"].kernel(x, num_samples=3, replacement=False)
            assert set(drawn[0].tolist()) == {1, 3, 5}


def test_multinomial_of_many_samples() -> None:
    weights = np.ones((3, 50))
    weights[:, 7] = 0
    drawn = random.multinomial.kernel(weights, num_samples=49)
    assert (np.sort(drawn, axis=1) == np.delete(np.arange(50), 7)).all()
    for bad in (-1, np.nan, np.inf):
        weights[1, 3] = bad
        with pytest.raises(OpError, match="negative or not finite"):
            random.multinomial.kernel(weights, num_samples=2)
    with pytest.raises(OpError, match="fewer than 1 weights above zero"):
        random.multinomial.kernel(np.zeros(5), num_samples=2, replacement=True)


@pytest.mark.parametrize("on", [True, False])
def test_gathering_from_a_view_does_not_copy_it(on: bool) -> None:
    """A copy of this view would need 8 TB."""
    row = np.arange(4.0)
    x = np.broadcast_to(row[:, None, None], (4, 1 << 19, 1 << 19))
    i, tuples = np.array([2, 0]), np.array([[2, 5, 7], [0, 1, 0]])
    with native.use_native_kernels(on):
        assert OPS["gather_nd"].kernel(x, tuples).tolist() == [2, 0]
        assert OPS["index_get"].kernel(x, [i, i, i]).tolist() == [2, 0]
        columns = x[:, :2, 0].T
        assert OPS["gather"].kernel(columns, i, axis=1).tolist() == [[2, 0]] * 2
        assert OPS["index_select"].kernel(x[:, :2, 0], i[1:], dim=0).tolist() == [[0, 0]]
        picked = OPS["take_along_axis"].kernel(x, np.full((2, 1, 1), 3), Axis=0)
        assert picked.tolist() == [[[3]], [[3]]]
        assert OPS["gather"].kernel(x[:, 0], i, axis=0)[:, 0].tolist() == [2, 0]
        assert OPS["lookup_table_v2"].kernel(x[:, 0], i)[:, 0].tolist() == [2, 0]
