"""`QAT`: quantization-aware training of layers."""

from __future__ import annotations

from typing import Any

from ..core.errors import ArgumentAssertionError, append_user_line
from ..nn.layer import LayerT
from .quantize import Quantization


class QAT(Quantization):
    """Quantization-aware training: weights and inputs are quantized and dequantized in each step.

    The gradient passes through the rounding unchanged (straight-through estimator).

    Parameters
    ----------
    config : QuantConfig
        With quanters such as `quanters.FakeQuanterWithAbsMaxObserver`.

    Examples
    --------
    >>> from oarlock.quantization import QAT, QuantConfig
    >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    >>> qat = QAT(QuantConfig(activation=quanter, weight=quanter))
    >>> net = qat.quantize(nn.Sequential(nn.Linear(4, 2)))
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    >>> net(paddle.ones([3, 4])).mean().backward()
    >>> sgd.step()
    >>> converted = qat.convert(net)
    >>> _ = converted.eval()
    >>> converted(paddle.ones([3, 4])).shape
    [3, 2]
    """

    def quantize(self, model: LayerT, inplace: bool = False) -> LayerT:
        """Return the network with quantized layers, to be trained.

        Parameters
        ----------
        model : Layer
            In training mode. The layers inside of it are quantized, not the model itself.
        inplace : bool, default False
            Whether `model` is changed; otherwise a copy is.

        Returns
        -------
        Layer

        Raises
        ------
        OpError
            If the model is in evaluation mode, or the config names a layer that does not exist.

        RuntimeError
            If the model was quantized before.

        Notes
        -----
        A layer whose weight should be quantized and that has no quantized type, or has forward
        hooks, stays float, with a warning that names it.

        Examples
        --------
        >>> from oarlock.quantization import QAT, QuantConfig
        >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> quanter = FakeQuanterWithAbsMaxObserver()
        >>> QAT(QuantConfig(quanter, quanter)).quantize(nn.Sequential(nn.Linear(4, 2), nn.ReLU()))
        Sequential(
          (0): QuantedLinear(
            (weight_quanter): FakeQuanterWithAbsMaxObserverLayer()
            (activation_quanter): FakeQuanterWithAbsMaxObserverLayer()
          )
          (1): ObserveWrapper(
            (_observer): FakeQuanterWithAbsMaxObserverLayer()
            (_observed): ReLU()
          )
        )
        """
        if not model.training:
            raise ArgumentAssertionError(
                append_user_line(
                    f"QAT.quantize: {type(model).__name__} is in evaluation mode; call train()"
                )
            )
        prepared: Any = self._prepare(model, inplace)
        return prepared
