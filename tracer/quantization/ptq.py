"""`PTQ`: post-training quantization of layers."""

from __future__ import annotations

from typing import Any

from ..core.errors import ArgumentAssertionError, append_user_line
from ..nn.layer import LayerT
from .quantize import Quantization


class PTQ(Quantization):
    """Post-training quantization: observers determine the scales from calibration data.

    Parameters
    ----------
    config : QuantConfig
        With observers such as `observers.AbsmaxObserver`.

    Examples
    --------
    >>> from oarlock.quantization import PTQ, QuantConfig
    >>> from oarlock.quantization.observers import AbsmaxObserver, KLObserver
    >>> ptq = PTQ(QuantConfig(activation=KLObserver(), weight=AbsmaxObserver()))
    >>> net = nn.Sequential(nn.Linear(4, 2))
    >>> _ = net.eval()
    >>> observed = ptq.quantize(net)
    >>> for _ in range(4):
    ...     _ = observed(paddle.randn([16, 4]))
    >>> converted = ptq.convert(observed)
    >>> converted(paddle.ones([3, 4])).shape
    [3, 2]
    """

    def quantize(self, model: LayerT, inplace: bool = False) -> LayerT:
        """Return the network with observers; call it on calibration data, then `convert` it.

        Parameters
        ----------
        model : Layer
            In evaluation mode. The layers inside of it are quantized, not the model itself.
        inplace : bool, default False
            Whether `model` is changed; otherwise a copy is.

        Returns
        -------
        Layer

        Raises
        ------
        OpError
            If the model is in training mode, or the config names a layer that does not exist.

        RuntimeError
            If the model was quantized before.

        Notes
        -----
        A layer whose weight should be quantized and that has no quantized type, or has forward
        hooks, stays float, with a warning that names it. `imperative.fuse_utils.fuse_conv_bn` folds
        batch normalization into convolutions before.

        Examples
        --------
        >>> from oarlock.quantization import PTQ, QuantConfig
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> net = nn.Sequential(nn.Linear(4, 2))
        >>> _ = net.eval()
        >>> PTQ(QuantConfig(AbsmaxObserver(), AbsmaxObserver())).quantize(net)
        Sequential(
          (0): QuantedLinear(
            (weight_quanter): AbsmaxObserverLayer()
            (activation_quanter): AbsmaxObserverLayer()
          )
        )
        """
        if model.training:
            raise ArgumentAssertionError(
                append_user_line(
                    f"PTQ.quantize: {type(model).__name__} is in training mode; call eval()"
                )
            )
        prepared: Any = self._prepare(model, inplace)
        return prepared
