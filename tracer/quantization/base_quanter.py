"""Base class of quanters and observers, and the error for layers that cannot be quantized."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import Any

from ..core.errors import OpError
from ..core.tensor import Tensor
from ..nn.layer import Layer


class UnsupportedLayerError(OpError):
    """The quanters of the config do not support a layer; `QAT` and `PTQ` leave it in float32."""


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """Base of quanters and observers.

    A quanter is a layer that rounds its input to quantization levels, as fake quantization in
    training does. An observer returns its input and collects statistics.

    A subclass implements `forward` and the methods that describe the format: `scales`,
    `zero_points`, `quant_axis` and `bit_length`. Its first argument is the layer that it quantizes;
    the decorator `quanter` creates the factory that `QuantConfig` takes.

    Examples
    --------
    >>> from oarlock.quantization import QAT, BaseQuanter, QuantConfig, quanter
    >>> @quanter("UnitScaleQuanter")
    ... class UnitScaleQuanterLayer(BaseQuanter):
    ...     def __init__(self, layer):
    ...         super().__init__()
    ...
    ...     def forward(self, input):
    ...         return (input.clip(-1, 1) * 127).round() / 127
    ...
    ...     def scales(self):
    ...         return paddle.ones([1])
    ...
    ...     def zero_points(self):
    ...         return None
    ...
    ...     def quant_axis(self):
    ...         return -1
    ...
    ...     def bit_length(self):
    ...         return 8
    >>> UnitScaleQuanterLayer(None)(paddle.to_tensor([-2.0, 0.0])).tolist()
    [-1.0, 0.0]
    """

    def __init__(self) -> None:
        super().__init__()

    @abc.abstractmethod
    def forward(self, input: Tensor) -> Tensor:
        """Return the input, quantized and dequantized; an observer returns it unchanged.

        Parameters
        ----------
        input : Tensor [*], float

        Returns
        -------
        Tensor [*], dtype of input

        Examples
        --------
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> observer = AbsmaxObserver()._instance(None)
        >>> _ = observer(paddle.to_tensor([1.0, -3.0]))
        >>> observer(paddle.to_tensor([1.0, 2.0])).tolist()
        [1.0, 2.0]
        """

    @abc.abstractmethod
    def scales(self) -> Any:
        """Return the scale, the largest absolute value that the levels represent.

        Returns
        -------
        Tensor or array, float32
            [] or [1], or [n] with one scale per slice along `quant_axis`. None if the scale is
            unknown; the layer then stays float.

        Examples
        --------
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> observer = AbsmaxObserver()._instance(None)
        >>> _ = observer(paddle.to_tensor([1.0, -3.0]))
        >>> observer.cal_thresholds()
        >>> float(observer.scales())
        3.0
        """

    @abc.abstractmethod
    def zero_points(self) -> Any:
        """Return the levels that represent 0.

        Returns
        -------
        Tensor or array
            In the shape of `scales`; None if the levels are 0.

        Examples
        --------
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> observer = AbsmaxObserver()._instance(None)
        >>> _ = observer(paddle.to_tensor([1.0, -3.0]))
        >>> observer.zero_points() is None
        True
        """

    @abc.abstractmethod
    def quant_axis(self) -> int | Iterable[int] | None:
        """Return the axis with one scale per slice.

        Returns
        -------
        int, iterable of int, or None
            -1 or None if there is one scale.

        Examples
        --------
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> observer = AbsmaxObserver()._instance(None)
        >>> _ = observer(paddle.to_tensor([1.0, -3.0]))
        >>> observer.quant_axis()
        -1
        """

    @abc.abstractmethod
    def bit_length(self) -> int:
        """Return the number of bits of a level.

        Returns
        -------
        int
            From 2 to 16.

        Examples
        --------
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> observer = AbsmaxObserver()._instance(None)
        >>> _ = observer(paddle.to_tensor([1.0, -3.0]))
        >>> observer.bit_length()
        8
        """
