"""Quantizers of `ImperativePTQ`: thresholds from calibration data."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...nn import Layer
from ...nn.quant.format import require_bit_length
from ..abs_histogram import AbsHistogram, kl_threshold, percentile_threshold
from ..observers.per_channel import find_channel_axis

DEFAULT_BINS = 1024


def _require_finite_abs(quantizer: BaseQuantizer, layer: Any, tensor: Any) -> Any:
    """Return the absolute values of a tensor, float32.

    Raises OpError for NaN and infinity.
    """
    values = np.abs(tensor.numpy().astype(np.float32))
    if not np.isfinite(values).all():
        where = f" of {layer.full_name()}" if isinstance(layer, Layer) else ""
        raise OpError(
            append_user_line(
                f"{type(quantizer).__name__}: the values{where} contain NaN or infinity "
                f"(X={tensor.meta}); remove this calibration data"
            )
        )
    return values


class BaseQuantizer(metaclass=abc.ABCMeta):
    """Base of the quantizers of `ImperativePTQ`.

    They observe tensors and compute the absolute values at which the tensors are clipped.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.

    Attributes
    ----------
    abs_max_vals : list of float, or of lists of float
        The largest absolute value of each tensor, or of each of its slices.
    thresholds : list of float, or of lists of float
        The results of `cal_thresholds`.

    Examples
    --------
    >>> from oarlock.quantization import AbsmaxQuantizer, BaseQuantizer
    >>> isinstance(AbsmaxQuantizer(quant_bits=4), BaseQuantizer)
    True
    """

    def __init__(self, quant_bits: int = 8) -> None:
        self.quant_bits = require_bit_length(type(self).__name__, quant_bits)
        self.abs_max_vals: list[Any] = []
        self.thresholds: list[Any] = []

    @abc.abstractmethod
    def sample_data(self, layer: Layer | None, tensors: tuple[Tensor, ...]) -> None:
        """Observe tensors, such as the inputs of a layer in one call.

        Parameters
        ----------
        layer : Layer or None
            The layer, for messages and the channel axis of its weight.
        tensors : tuple of Tensor, float
            As many as in earlier calls.

        Raises
        ------
        OpError
            If a tensor contains NaN or infinity.

        Examples
        --------
        >>> from oarlock.quantization import AbsmaxQuantizer
        >>> quantizer = AbsmaxQuantizer()
        >>> quantizer.sample_data(None, (paddle.to_tensor([1.0, -3.0]),))
        >>> quantizer.abs_max_vals
        [3.0]
        """

    @abc.abstractmethod
    def cal_thresholds(self) -> None:
        """Compute `thresholds` from the observed tensors.

        Examples
        --------
        >>> from oarlock.quantization import AbsmaxQuantizer
        >>> quantizer = AbsmaxQuantizer()
        >>> quantizer.sample_data(None, (paddle.to_tensor([1.0, -3.0]),))
        >>> quantizer.cal_thresholds()
        >>> quantizer.thresholds
        [3.0]
        """


class AbsmaxQuantizer(BaseQuantizer):
    """Quantizer whose threshold is the largest absolute value of all observed values.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.

    Examples
    --------
    >>> from oarlock.quantization import AbsmaxQuantizer
    >>> quantizer = AbsmaxQuantizer()
    >>> quantizer.sample_data(None, (paddle.to_tensor([1.0, -3.0]),))
    >>> quantizer.cal_thresholds()
    >>> quantizer.thresholds
    [3.0]
    """

    def sample_data(self, layer: Layer | None, tensors: tuple[Tensor, ...]) -> None:
        found = [float(_require_finite_abs(self, layer, t).max(initial=0)) for t in tensors]
        old = self.abs_max_vals or [0.0] * len(found)
        self.abs_max_vals = [max(a, b) for a, b in zip(old, found, strict=True)]

    def cal_thresholds(self) -> None:
        self.thresholds = self.abs_max_vals


class PerChannelAbsmaxQuantizer(BaseQuantizer):
    """Quantizer of weights whose thresholds are the largest absolute values of the output channels.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.

    Examples
    --------
    >>> from oarlock.quantization import PerChannelAbsmaxQuantizer
    >>> quantizer = PerChannelAbsmaxQuantizer()
    >>> weight = paddle.to_tensor([[1.0, -4.0], [-2.0, 3.0]])
    >>> quantizer.sample_data(nn.Linear(2, 2), (weight,))
    >>> quantizer.cal_thresholds()
    >>> quantizer.thresholds
    [[2.0, 4.0]]
    """

    def sample_data(self, layer: Layer | None, tensors: tuple[Tensor, ...]) -> None:
        axis = find_channel_axis(layer) or 0
        found = []
        for tensor in tensors:
            values = _require_finite_abs(self, layer, tensor)
            others = tuple(i for i in range(values.ndim) if i != axis)
            found.append(values.max(axis=others, initial=0))
        old = self.abs_max_vals or found
        self.abs_max_vals = [np.maximum(a, b).tolist() for a, b in zip(old, found, strict=True)]

    def cal_thresholds(self) -> None:
        """Compute `thresholds`: for each tensor a list with one threshold per output channel.

        Examples
        --------
        >>> from oarlock.quantization import PerChannelAbsmaxQuantizer
        >>> quantizer = PerChannelAbsmaxQuantizer()
        >>> quantizer.sample_data(nn.Linear(1, 2), (paddle.to_tensor([[1.0, -4.0]]),))
        >>> quantizer.cal_thresholds()
        >>> quantizer.thresholds
        [[1.0, 4.0]]
        """
        self.thresholds = self.abs_max_vals


class BaseHistQuantizer(BaseQuantizer, metaclass=abc.ABCMeta):
    """Base of the quantizers with a histogram of absolute values per tensor.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.
    bins : int, default 1024
        Bins of a histogram, a power of two.
    upsample_bins : int, default 64
        Has no effect, unlike in Paddle: histograms grow without resampling.
    """

    def __init__(
        self, quant_bits: int = 8, bins: int = DEFAULT_BINS, upsample_bins: int = 64
    ) -> None:
        super().__init__(quant_bits)
        AbsHistogram(bins)  # checks the number
        self.bins = bins
        self.upsample_bins = upsample_bins
        self.hists: list[AbsHistogram] = []

    def sample_data(self, layer: Layer | None, tensors: tuple[Tensor, ...]) -> None:
        values = [_require_finite_abs(self, layer, tensor) for tensor in tensors]
        self.hists = self.hists or [AbsHistogram(self.bins) for _ in tensors]
        for histogram, array in zip(self.hists, values, strict=True):
            histogram.add(array)
        self.abs_max_vals = [histogram.max_abs for histogram in self.hists]

    def cal_thresholds(self) -> None:
        self.thresholds = [self._threshold(histogram) for histogram in self.hists]

    @abc.abstractmethod
    def _threshold(self, histogram: AbsHistogram) -> float:
        """Return the threshold of one tensor."""


class HistQuantizer(BaseHistQuantizer):
    """Quantizer whose threshold is a percentile of the absolute values; larger values are clipped.

    Parameters
    ----------
    quant_bits, bins, upsample_bins : int
        As for `KLQuantizer`.
    hist_percent : float, default 0.99999
        The fraction of values that are not clipped, above 0, up to 1.

    Raises
    ------
    OpError
        If an argument is out of range.

    Examples
    --------
    >>> from oarlock.quantization import HistQuantizer
    >>> quantizer = HistQuantizer(hist_percent=0.9)
    >>> quantizer.sample_data(None, (paddle.to_tensor([0.5] * 99 + [10.0]),))
    >>> quantizer.cal_thresholds()
    >>> quantizer.thresholds[0] < 0.51
    True
    """

    def __init__(
        self,
        quant_bits: int = 8,
        bins: int = DEFAULT_BINS,
        upsample_bins: int = 64,
        hist_percent: float = 0.99999,
    ) -> None:
        super().__init__(quant_bits, bins, upsample_bins)
        if not 0 < hist_percent <= 1:
            raise OpError(
                append_user_line(f"HistQuantizer: hist_percent={hist_percent} is not in (0, 1]")
            )
        self.hist_percent = hist_percent

    def _threshold(self, histogram: AbsHistogram) -> float:
        return percentile_threshold(histogram, 100 * self.hist_percent)


class KLQuantizer(BaseHistQuantizer):
    """Quantizer whose threshold loses least information (Migacz 2017).

    The distribution Q of the quantized values diverges least from the distribution P of the values:
    KL(P || Q) = sum(P * log(P / Q)).

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.
    bins : int, default 1024
        Bins of the histogram, a power of two.
    upsample_bins : int, default 64
        Has no effect, unlike in Paddle: histograms grow without resampling.

    Raises
    ------
    OpError
        If an argument is out of range.

    Examples
    --------
    >>> from oarlock.quantization import KLQuantizer
    >>> quantizer = KLQuantizer()
    >>> quantizer.sample_data(None, (paddle.linspace(-1, 1, 10000),))
    >>> quantizer.cal_thresholds()
    >>> round(quantizer.thresholds[0], 1)  # nothing is rare
    1.0
    """

    def _threshold(self, histogram: AbsHistogram) -> float:
        return kl_threshold(histogram, self.quant_bits)


SUPPORT_ACT_QUANTIZERS = [AbsmaxQuantizer, HistQuantizer, KLQuantizer]
SUPPORT_WT_QUANTIZERS = [AbsmaxQuantizer, PerChannelAbsmaxQuantizer]
