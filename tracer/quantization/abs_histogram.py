"""Histograms of absolute values, and the clipping thresholds that they suggest for quantization."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line

DEFAULT_BINS = 2048


class AbsHistogram:
    """A histogram of the absolute values of arrays that are added one after the other.

    The bins divide the range from 0 to `upper` evenly. If a larger value is added, the range is
    doubled as often as needed, and adjacent bins are merged, so that the counts stay exact.

    num_bins: a power of two.
    counts: the number of values per bin, int64[num_bins].
    upper: the end of the range; 0 as long as all values are 0.
    max_abs: the largest absolute value.

    Examples
    --------
    >>> from oarlock.quantization.abs_histogram import AbsHistogram
    >>> histogram = AbsHistogram(num_bins=4)
    >>> histogram.add(np.array([0.1, -0.9, 1.0]))
    >>> histogram.counts, histogram.upper
    (array([1, 0, 0, 2]), 1.0)
    >>> histogram.add(np.array([-2.5]))  # doubles the range twice
    >>> histogram.counts, histogram.upper
    (array([3, 0, 1, 0]), 4.0)
    """

    def __init__(self, num_bins: int = DEFAULT_BINS) -> None:
        if num_bins < 2 or num_bins & (num_bins - 1):
            raise OpError(
                append_user_line(f"AbsHistogram: num_bins={num_bins} is not a power of two above 1")
            )
        self.counts = np.zeros(num_bins, np.int64)
        self.upper = 0.0
        self.max_abs = 0.0

    def add(self, array: Any) -> None:
        """Add the elements of an array.

        Raises OpError for NaN and infinity, and then adds nothing.
        """
        values = np.abs(np.asarray(array, np.float64)).ravel()
        if not values.size:
            return
        largest = float(values.max())
        if not math.isfinite(largest):
            raise OpError(append_user_line("AbsHistogram: the array contains NaN or infinity"))
        if largest > self.upper:
            self._grow_range_to(largest)
        self.max_abs = max(self.max_abs, largest)
        if self.upper == 0:
            self.counts[0] += values.size
            return
        bins = len(self.counts)
        index = np.minimum((values * (bins / self.upper)).astype(np.int64), bins - 1)
        self.counts += np.bincount(index, minlength=bins)

    def _grow_range_to(self, largest: float) -> None:
        if self.upper == 0:
            self.upper = largest
            return
        bins = len(self.counts)
        while self.upper < largest:
            self.upper *= 2
            merged = self.counts.reshape(bins // 2, 2).sum(1)
            self.counts = np.concatenate([merged, np.zeros(bins // 2, np.int64)])


def percentile_threshold(histogram: AbsHistogram, percent: float = 99.99) -> float:
    """Return the smallest bin edge below which at least `percent` percent of the values lie; the
    largest value if that is smaller.

    percent: above 0, up to 100
    """
    if not 0 < percent <= 100:
        raise OpError(
            append_user_line(f"percentile_threshold: percent={percent} is not in (0, 100]")
        )
    if histogram.upper == 0:
        return 0.0
    cumulative = np.cumsum(histogram.counts)
    index = int(np.searchsorted(cumulative, cumulative[-1] * (percent / 100)))
    edge = (index + 1) * histogram.upper / len(histogram.counts)
    return min(edge, histogram.max_abs)


def kl_threshold(histogram: AbsHistogram, bits: int = 8) -> float:
    """Return the clipping threshold for which the distribution of the quantized values diverges
    least from that of the values.

    For each candidate threshold, the clipped distribution P (values above it count in the last bin)
    is compared with the distribution Q that 2^(bits-1) - 1 quantization levels can represent:
    `KL(P || Q) = sum(P * log(P / Q))`. See Migacz, "8-bit Inference with TensorRT" (2017).
    """
    if not 2 <= bits <= 16:
        raise OpError(append_user_line(f"kl_threshold: bits={bits} is not in [2, 16]"))
    levels = 2 ** (bits - 1) - 1
    counts = histogram.counts
    used = int(np.flatnonzero(counts)[-1]) + 1 if counts.any() else 0
    if histogram.upper == 0 or used <= levels:
        return histogram.max_abs
    candidates = range(max(levels, used // 2), used + 1)
    divergences = [_kl_divergence_of_clipping(counts[:used], end, levels) for end in candidates]
    end = candidates[int(np.argmin(divergences))]
    return min(end * histogram.upper / len(counts), histogram.max_abs)


def _kl_divergence_of_clipping(counts: Any, end: int, levels: int) -> float:
    """Return the Kullback-Leibler divergence if values from bin `end` on are clipped."""
    clipped = counts[:end].astype(np.float64)
    starts = (np.arange(levels) * end) // levels  # the first bin of each level
    is_used = clipped > 0
    sums = np.add.reduceat(clipped, starts)
    num_used = np.add.reduceat(is_used.astype(np.float64), starts)
    means = np.divide(sums, num_used, out=np.zeros(levels), where=num_used > 0)
    level_of_bin = np.repeat(np.arange(levels), np.diff([*starts, end]))
    quantized = np.where(is_used, means[level_of_bin], 0)
    clipped[-1] += counts[end:].sum()
    if clipped[-1] and not quantized[-1]:  # Q is 0 where P is not: the divergence is infinite
        return math.inf
    p, q = clipped / clipped.sum(), quantized / quantized.sum()
    at = p > 0
    return float((p[at] * np.log(p[at] / q[at])).sum())
