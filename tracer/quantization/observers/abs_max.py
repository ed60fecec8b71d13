"""Observers of the largest absolute value."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...nn.layer import Layer
from ...tensor.convert import to_tensor
from ..factory import ObserverFactory
from .calibrated import CalibratedObserver


class AbsmaxObserver(ObserverFactory):
    """Factory of observers whose scale is the largest absolute value of all calibration data.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.

    Examples
    --------
    >>> from oarlock.quantization.observers import AbsmaxObserver
    >>> observer = AbsmaxObserver()._instance(None)
    >>> for values in ([1.0, -3.0], [2.0, 0.0]):
    ...     _ = observer(paddle.to_tensor(values))
    >>> observer.scales().item()
    3.0
    """

    def __init__(self, quant_bits: int = 8) -> None:
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> Any:
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(CalibratedObserver):
    """The observer of `AbsmaxObserver`; `abs_max_val` [] is the largest absolute value."""

    INIT_ABS_MAX = 1e-7

    def __init__(self, layer: Layer | None, quant_bits: int = 8) -> None:
        super().__init__(layer, quant_bits)
        self.register_buffer(
            "abs_max_val", to_tensor(self.INIT_ABS_MAX, "float32"), persistable=False
        )

    def _observe(self, values: Any) -> None:
        largest = max(float(values.max()), self.abs_max_val.item())
        self.abs_max_val: Tensor = to_tensor(largest, "float32")

    def _compute_scale(self) -> Any:
        return self.abs_max_val.numpy()

    def cal_thresholds(self) -> None:
        """Compute the scale, and set the attribute `thresholds` to it."""
        super().cal_thresholds()
        self.thresholds = self._scale


class AVGObserver(ObserverFactory):
    """Factory of observers whose scale is the mean, over samples, of the largest absolute value.

    Batches have equal weights: the largest values of the samples (slices along the first axis) of
    each batch are averaged, then the averages. PaddleSlim has it.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.

    Examples
    --------
    >>> from oarlock.quantization.observers import AVGObserver
    >>> observer = AVGObserver()._instance(None)
    >>> _ = observer(paddle.to_tensor([[1.0, -3.0], [2.0, 0.0]]))
    >>> observer.scales().item()
    2.5
    """

    def __init__(self, quant_bits: int = 8) -> None:
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> Any:
        return AVGObserverLayer


class AVGObserverLayer(CalibratedObserver):
    """The observer of `AVGObserver`."""

    def __init__(self, layer: Layer | None, quant_bits: int = 8) -> None:
        super().__init__(layer, quant_bits)
        self._sum, self._num_batches = 0.0, 0

    def _observe(self, values: Any) -> None:
        samples = values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)
        self._sum += float(samples.max(axis=1).mean(dtype="float64"))
        self._num_batches += 1

    def _compute_scale(self) -> Any:
        return self._sum / self._num_batches


class MovingAverageAbsmaxObserver(ObserverFactory):
    """Factory of observers with a moving average of the largest absolute value of each batch.

    state = moving_rate * state + 1, accum = moving_rate * accum + max |x|, scale = accum / state;
    state and accum start with 0.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.
    moving_rate : float, default 0.9
        From 0 to 1.

    Examples
    --------
    >>> from oarlock.quantization.observers import MovingAverageAbsmaxObserver
    >>> observer = MovingAverageAbsmaxObserver(moving_rate=0.5)._instance(None)
    >>> for values in ([1.0, -3.0], [6.0, 0.0]):
    ...     _ = observer(paddle.to_tensor(values))
    >>> observer.scales().item()  # (0.5 * 3 + 6) / (0.5 * 1 + 1)
    5.0
    """

    def __init__(self, quant_bits: int = 8, moving_rate: float = 0.9) -> None:
        super().__init__(quant_bits=quant_bits, moving_rate=moving_rate)

    def _get_class(self) -> Any:
        return MovingAverageAbsmaxObserverLayer


class MovingAverageAbsmaxObserverLayer(CalibratedObserver):
    """The observer of `MovingAverageAbsmaxObserver`."""

    def __init__(self, layer: Layer | None, quant_bits: int = 8, moving_rate: float = 0.9) -> None:
        super().__init__(layer, quant_bits)
        if not 0 <= moving_rate <= 1:
            raise OpError(
                append_user_line(
                    f"MovingAverageAbsmaxObserver: moving_rate={moving_rate} is not in [0, 1]"
                )
            )
        self._moving_rate = moving_rate
        self._state = self._accum = 0.0

    def _observe(self, values: Any) -> None:
        self._state = self._moving_rate * self._state + 1
        self._accum = self._moving_rate * self._accum + float(values.max())

    def _compute_scale(self) -> Any:
        return self._accum / self._state
