"""Base class of observers."""

from __future__ import annotations

import abc
from typing import Any

from .base_quanter import BaseQuanter


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """Base of observers: layers that return their input and compute quantization scales from it.

    A subclass implements `cal_thresholds` and the methods of `BaseQuanter`.

    Examples
    --------
    >>> from oarlock.quantization import BaseObserver, quanter
    >>> @quanter("LastAbsmaxObserver")
    ... class LastAbsmaxObserverLayer(BaseObserver):
    ...     def __init__(self, layer):
    ...         super().__init__()
    ...         self._scale = None
    ...
    ...     def forward(self, input):
    ...         self._scale = input.abs().max()
    ...         return input
    ...
    ...     def cal_thresholds(self):
    ...         pass  # `forward` computes the scale
    ...
    ...     def scales(self):
    ...         return self._scale
    ...
    ...     def zero_points(self):
    ...         return None
    ...
    ...     def quant_axis(self):
    ...         return -1
    ...
    ...     def bit_length(self):
    ...         return 8
    >>> observer = LastAbsmaxObserverLayer(None)
    >>> _ = observer(paddle.to_tensor([1.0, -3.0]))
    >>> observer.scales().item()
    3.0
    """

    def __init__(self) -> None:
        super().__init__()

    @abc.abstractmethod
    def cal_thresholds(self) -> Any:
        """Compute the scales, which `scales` then returns, from all inputs of `forward`.

        `PTQ.convert` calls it after calibration.

        Returns
        -------
        Any
            Not used.

        Examples
        --------
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> observer = AbsmaxObserver()._instance(None)
        >>> _ = observer(paddle.to_tensor([1.0, -3.0]))
        >>> observer.cal_thresholds()
        >>> float(observer.scales())
        3.0
        """
