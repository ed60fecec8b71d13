"""Observers that clip rare large values: percentile and KL divergence."""

from __future__ import annotations

import abc
from typing import Any

from ...core.errors import OpError, append_user_line
from ...nn.layer import Layer
from ..abs_histogram import DEFAULT_BINS, AbsHistogram, kl_threshold, percentile_threshold
from ..factory import ObserverFactory
from .calibrated import CalibratedObserver


class _HistogramObserver(CalibratedObserver, metaclass=abc.ABCMeta):
    """An observer with a histogram of absolute values."""

    def __init__(
        self, layer: Layer | None, quant_bits: int = 8, bins_count: int = DEFAULT_BINS
    ) -> None:
        super().__init__(layer, quant_bits)
        self._histogram = AbsHistogram(bins_count)

    def _observe(self, values: Any) -> None:
        self._histogram.add(values)


class HistObserver(ObserverFactory):
    """Factory of observers whose scale is a percentile of the absolute values.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.
    bins_count : int, default 2048
        Bins of the histogram, a power of two.
    percent : float, default 0.999
        The fraction of values that are not clipped, above 0, up to 1.
    sign, symmetric : True
        Other values, which PaddleSlim has, are not supported.

    Notes
    -----
    PaddleSlim takes the percentile of the signed values.

    Examples
    --------
    >>> from oarlock.quantization.observers import HistObserver
    >>> observer = HistObserver(percent=0.99)._instance(None)
    >>> _ = observer(paddle.to_tensor([0.5] * 99 + [10.0]))
    >>> observer.scales().item() < 0.51
    True
    """

    def __init__(
        self,
        quant_bits: int = 8,
        bins_count: int = DEFAULT_BINS,
        percent: float = 0.999,
        sign: bool = True,
        symmetric: bool = True,
    ) -> None:
        if not (sign and symmetric):
            raise OpError(
                append_user_line(
                    f"HistObserver: only signed symmetric quantization is supported "
                    f"(sign={sign}, symmetric={symmetric})"
                )
            )
        super().__init__(quant_bits=quant_bits, bins_count=bins_count, percent=percent)

    def _get_class(self) -> Any:
        return PercentHistObserverLayer


class PercentHistObserverLayer(_HistogramObserver):
    """The observer of `HistObserver`."""

    def __init__(
        self,
        layer: Layer | None,
        quant_bits: int = 8,
        bins_count: int = DEFAULT_BINS,
        percent: float = 0.999,
    ) -> None:
        super().__init__(layer, quant_bits, bins_count)
        if not 0 < percent <= 1:
            raise OpError(append_user_line(f"HistObserver: percent={percent} is not in (0, 1]"))
        self._percent = percent

    def _compute_scale(self) -> Any:
        return percentile_threshold(self._histogram, 100 * self._percent)


class KLObserver(ObserverFactory):
    """Factory of observers whose scale loses least information (Migacz 2017).

    The scale is the threshold at which the distribution of the quantized values diverges least from
    that of the values: KL(P || Q) = sum(P * log(P / Q)).

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.
    bins_count : int, default 2048
        Bins of the histogram, a power of two.

    Examples
    --------
    >>> from oarlock.quantization.observers import KLObserver
    >>> observer = KLObserver()._instance(None)
    >>> _ = observer(paddle.linspace(-1, 1, 10000))
    >>> round(observer.scales().item(), 1)  # nothing is rare
    1.0
    """

    def __init__(self, quant_bits: int = 8, bins_count: int = DEFAULT_BINS) -> None:
        super().__init__(quant_bits=quant_bits, bins_count=bins_count)

    def _get_class(self) -> Any:
        return KLObserverLayer


class KLObserverLayer(_HistogramObserver):
    """The observer of `KLObserver`."""

    def _compute_scale(self) -> Any:
        return kl_threshold(self._histogram, self._quant_bits)
