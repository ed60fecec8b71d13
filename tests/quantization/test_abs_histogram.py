"""Histograms of absolute values and the thresholds that follow from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oarlock as paddle
from oarlock.quantization.abs_histogram import (
    AbsHistogram,
    kl_threshold,
    percentile_threshold,
)

FLOATS = st.floats(-1e6, 1e6, width=32)


@given(st.lists(arrays(np.float32, st.integers(0, 20), elements=FLOATS), max_size=6))
def test_counts_do_not_depend_on_the_order_of_growth(parts: list[np.ndarray]) -> None:
    """Adding parts one after the other counts what NumPy counts at the final range."""
    histogram = AbsHistogram(16)
    for part in parts:
        histogram.add(part)
    values = np.abs(np.concatenate([np.zeros(0, np.float32), *parts]).astype(np.float64))
    assert histogram.counts.sum() == values.size
    assert histogram.max_abs == (values.max() if values.size else 0)
    assert histogram.upper >= histogram.max_abs
    edges = np.arange(1, 16) * histogram.upper / 16
    for edge, below in zip(edges, np.cumsum(histogram.counts), strict=False):
        near = np.isclose(values, edge, rtol=1e-9, atol=0).sum()
        assert abs(int((values < edge).sum()) - below) <= near


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_rejected_and_add_nothing(bad: float) -> None:
    histogram = AbsHistogram(16)
    histogram.add(np.ones(3))
    with pytest.raises(paddle.OpError, match="NaN or infinity"):
        histogram.add(np.array([1.0, bad]))
    assert histogram.counts.sum() == 3 and histogram.max_abs == 1


def test_zeros_have_no_threshold() -> None:
    histogram = AbsHistogram(16)
    histogram.add(np.zeros(5))
    assert percentile_threshold(histogram) == kl_threshold(histogram) == 0


def test_percentile_equals_that_of_numpy_up_to_a_bin() -> None:
    values = np.abs(np.random.default_rng(0).standard_normal(100_000))
    histogram = AbsHistogram()
    for part in np.array_split(values, 7):
        histogram.add(part)
    width = histogram.upper / len(histogram.counts)
    for percent in (50, 90, 99.9, 100):
        assert percentile_threshold(histogram, percent) == pytest.approx(
            np.percentile(values, percent), abs=width * 1.01
        )


def test_kl_clips_an_outlier_but_not_uniform_values() -> None:
    rng = np.random.default_rng(1)
    outlier, uniform = AbsHistogram(), AbsHistogram()
    outlier.add(np.append(rng.standard_normal(100_000), 8.0))
    uniform.add(rng.uniform(-1, 1, 100_000))
    assert 3 < kl_threshold(outlier) < 7
    assert kl_threshold(uniform) > 0.95


def test_kl_threshold_reduces_the_error_of_long_tails() -> None:
    """A Laplace distribution with few bits: the mean squared error at the threshold is smaller
    than without clipping.
    """
    values = np.random.default_rng(2).laplace(size=50_000)
    histogram = AbsHistogram()
    histogram.add(values)

    def error(threshold: float) -> float:
        step = threshold / 7
        return float(((np.clip(np.rint(values / step), -7, 7) * step - values) ** 2).mean())

    assert error(kl_threshold(histogram, bits=4)) < error(histogram.max_abs)


@pytest.mark.parametrize("bits", [1, 17])
def test_impossible_bits_are_rejected(bits: int) -> None:
    with pytest.raises(paddle.OpError, match=f"bits={bits}"):
        kl_threshold(AbsHistogram(), bits)


@pytest.mark.parametrize("num_bins", [0, 1, 3, 100])
def test_impossible_bins_are_rejected(num_bins: int) -> None:
    with pytest.raises(paddle.OpError, match="power of two"):
        AbsHistogram(num_bins)
