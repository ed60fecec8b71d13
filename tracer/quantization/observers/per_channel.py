"""Observer of weights with one scale per output channel."""

from __future__ import annotations

from typing import Any

from ...nn import Conv2D, Conv2DTranspose, Layer, Linear
from ..base_quanter import UnsupportedLayerError
from ..factory import ObserverFactory
from .calibrated import CalibratedObserver

# The axis of the output channels of a weight, by the type of its layer.
CHANNEL_AXES: dict[type, int] = {Conv2D: 0, Conv2DTranspose: 1, Linear: 1}


def find_channel_axis(layer: Any) -> int | None:
    """Return the axis of the output channels of the weight of a layer; None for other types."""
    return next((CHANNEL_AXES[t] for t in type(layer).__mro__ if t in CHANNEL_AXES), None)


class AbsMaxChannelWiseWeightObserver(ObserverFactory):
    """Factory of observers of weights with one scale per output channel: scale[c] = max
    |weight[c]|.

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.

    Examples
    --------
    >>> from oarlock.quantization.observers import AbsMaxChannelWiseWeightObserver
    >>> linear = nn.Linear(2, 2)
    >>> observer = AbsMaxChannelWiseWeightObserver()._instance(linear)
    >>> _ = observer(paddle.to_tensor([[1.0, -4.0], [-2.0, 3.0]]))
    >>> observer.scales().tolist()
    [2.0, 4.0]
    """

    def __init__(self, quant_bits: int = 8) -> None:
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> Any:
        return AbsMaxChannelWiseWeightObserverLayer


class AbsMaxChannelWiseWeightObserverLayer(CalibratedObserver):
    """The observer of `AbsMaxChannelWiseWeightObserver`."""

    def __init__(self, layer: Layer, quant_bits: int = 8) -> None:
        super().__init__(layer, quant_bits)
        axis = find_channel_axis(layer)
        if axis is None:
            raise UnsupportedLayerError(
                f"AbsMaxChannelWiseWeightObserver: the axis of the output channels of a "
                f"{type(layer).__name__} is unknown"
            )
        self._channel_axis = axis
        self._max: Any = None

    def _observe(self, values: Any) -> None:
        others = tuple(i for i in range(values.ndim) if i != self._channel_axis)
        self._max = values.max(axis=others)  # of the current weight, not of earlier ones

    def _compute_scale(self) -> Any:
        return self._max

    def quant_axis(self) -> int:
        """Return the axis of the output channels."""
        return self._channel_axis
