"""Base class of `QAT` and `PTQ`: replace the layers of a network, and convert the replacements."""

from __future__ import annotations

import abc
import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.errors import InvalidOperationError, OperandError, OpError, append_user_line, warn
from ..core.tensor import Tensor
from ..nn.layer import Layer, LayerT
from ..nn.quant.format import ConvertibleQuantedLayer, LinearQuanterDequanter
from .base_quanter import BaseQuanter, UnsupportedLayerError
from .config import QuantConfig
from .observers.calibrated import CalibratedObserver
from .quanters.abs_max import FakeQuanterWithAbsMaxObserverLayer
from .wrapper import ObserveWrapper


class Quantization(metaclass=abc.ABCMeta):
    """Base of `QAT` and `PTQ`.

    config: a copy is kept, so later changes have no effect.
    """

    def __init__(self, config: QuantConfig) -> None:
        if not isinstance(config, QuantConfig):
            raise OperandError(
                append_user_line(
                    f"{type(self).__name__}: {type(config).__name__} is not a QuantConfig"
                )
            )
        self._config = copy.deepcopy(config)

    @abc.abstractmethod
    def quantize(self, model: LayerT, inplace: bool = False) -> LayerT:
        """Return the network with quanters or observers; `QAT` and `PTQ` describe the arguments."""

    def convert(self, model: LayerT, inplace: bool = False, remain_weight: bool = False) -> LayerT:
        """Replace quanters and observers by quantize and dequantize layers, as ONNX has them.

        The result can be saved with `jit.save`: it has the ops `quantize_linear` and
        `dequantize_linear`, and weights that are integer levels, stored as floats.

        Parameters
        ----------
        model : Layer
            Result of `quantize`, after training or calibration.
        inplace : bool, default False
            Whether `model` is changed; otherwise a copy is.
        remain_weight : bool, default False
            Whether weights keep their values and are quantized and dequantized in each call;
            otherwise they are replaced by their levels, and dequantized in each call.

        Returns
        -------
        Layer

        Raises
        ------
        OpError
            If observers have seen no data, or a scale is not finite; names the layers.
        RuntimeError
            If the model was converted before.

        Notes
        -----
        A layer whose input was always 0 during calibration stays float, with a warning: 0 is no
        scale. A layer with a quanter of its input and none of its weight is converted, too; Paddle
        leaves its observer in place. Weights are levels afterwards: if `forward` of your own layer
        reads one directly, use `remain_weight=True`.

        Examples
        --------
        >>> from oarlock.quantization import PTQ, QuantConfig
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> ptq = PTQ(QuantConfig(AbsmaxObserver(), AbsmaxObserver()))
        >>> net = nn.Sequential(nn.Linear(4, 2))
        >>> observed = ptq.quantize(net.eval())
        >>> _ = observed(paddle.ones([3, 4]))
        >>> converted = ptq.convert(observed)
        >>> float(converted[0].weight.abs().max())  # the largest level
        127.0
        """
        self._check_before_conversion(model)
        result = model if inplace else copy.deepcopy(model)
        self._convert_children(result, "", remain_weight, shared_parameter_ids(result))
        return result

    def _check_before_conversion(self, model: Layer) -> None:
        """Raise the errors of `convert` before it changes a layer."""
        action = f"{type(self).__name__}.convert"
        without_data, untrained, not_finite, is_converted = [], [], [], False
        unobserved = _observers_with_unobserved_values(model)
        for name, layer in model.named_sublayers():
            is_converted |= isinstance(layer, LinearQuanterDequanter)
            if layer in unobserved:
                continue
            if isinstance(layer, CalibratedObserver) and not layer.has_seen_data:
                without_data.append(name)
                continue
            if isinstance(layer, BaseQuanter) and not _is_finite(layer.scales()):
                not_finite.append(name)
            if isinstance(layer, FakeQuanterWithAbsMaxObserverLayer) and layer.is_untrained:
                untrained.append(name)
        if is_converted:
            raise InvalidOperationError(
                append_user_line(f"{action}: {type(model).__name__} was converted before")
            )
        if without_data:
            raise OpError(
                append_user_line(
                    f"{action}: no data has passed through {', '.join(without_data)}; call the "
                    f"model on calibration data before, without to_static, or give these layers no "
                    f"config"
                )
            )
        if not_finite:
            raise OpError(
                append_user_line(
                    f"{action}: the scales of {', '.join(not_finite)} are NaN or infinite, because "
                    f"such values were in the data; train or calibrate again without them"
                )
            )
        if untrained:
            warn(
                f"{action}: no data has passed through {', '.join(untrained)} in training mode: "
                f"the scale is the initial one"
            )

    def _convert_children(
        self, model: Layer, prefix: str, remain_weight: bool, shared: set[int]
    ) -> None:
        """Convert the layers inside of a layer.

        shared: ids of the parameters of several layers; these stay floats, because the other layer
        needs them.
        """
        unobserved = _observers_with_unobserved_values(model)
        for name, child in list(model.named_children()):
            path = f"{prefix}{name}"
            if isinstance(child, ConvertibleQuantedLayer):
                if child.converted:  # it has two parents
                    continue
                reason = _reason_to_stay_float(_quanters_of(child))
                if reason:
                    self._warn_about_float_layer(path, child, reason)
                    child._remove_quanters()
                else:
                    weights = (getattr(child, name) for name, _ in child.weights_to_quanters())
                    child._convert(remain_weight or any(id(w) in shared for w in weights))
            elif isinstance(child, BaseQuanter):
                reason = (
                    "one of its inputs was not a floating-point tensor"
                    if child in unobserved
                    else _reason_to_stay_float([child])
                )
                if reason:
                    self._warn_about_float_layer(path, child, reason)
                setattr(
                    model,
                    name,
                    LinearQuanterDequanter(None, None)
                    if reason
                    else LinearQuanterDequanter.from_quanter(child),
                )
            else:
                self._convert_children(child, f"{path}.", remain_weight, shared)

    def _warn_about_float_layer(self, path: str, layer: Layer, reason: str) -> None:
        warn(
            f"{type(self).__name__}: {path} ({type(layer).__name__}) stays float: {reason}",
        )

    def _prepare(self, model: Layer, inplace: bool) -> Layer:
        """Return the network with quantized layers, and with observers of the inputs of other
        layers.
        """
        if any(isinstance(layer, BaseQuanter) for layer in model.sublayers()):
            raise InvalidOperationError(
                append_user_line(
                    f"{type(self).__name__}.quantize: {type(model).__name__} was quantized before"
                )
            )
        result = model if inplace else copy.deepcopy(model)
        self._config._specify(result)
        created: dict[Layer, Layer] = {}
        replacements = [
            *self._iter_quantized_replacements(result, "", created),
            *self._iter_observer_replacements(result, created),
        ]
        if not replacements:
            warn(
                f"{type(self).__name__}.quantize: no layer inside of {type(model).__name__} is "
                f"quantized: the QuantConfig applies to none of them"
            )
        for parent, name, replacement in replacements:
            setattr(parent, name, replacement)
        return result

    def _iter_quantized_replacements(
        self, model: Layer, prefix: str, created: dict[Layer, Layer]
    ) -> Iterator[tuple[Layer, str, Layer]]:
        """Yield (parent, name, replacement) for the layers that have a quantized type.

        created: layer -> replacement, so that a layer with two parents gets one replacement.
        """
        for name, child in model.named_children():
            if not self._config._is_quantifiable(child):
                self._warn_if_weight_stays_float(f"{prefix}{name}", child)
                yield from self._iter_quantized_replacements(child, f"{prefix}{name}.", created)
                continue
            try:
                _require_no_hooks(child)
                if child not in created:
                    created[child] = self._config._get_qat_layer(child)
            except UnsupportedLayerError as error:
                self._warn_about_float_layer(f"{prefix}{name}", child, str(error))
            else:
                yield model, name, created[child]

    def _warn_if_weight_stays_float(self, path: str, layer: Layer) -> None:
        config, weight = self._config._config_of(layer), layer._parameters.get("weight")
        if (
            config is not None
            and config.weight is not None
            and weight is not None
            and weight.ndim > 1
        ):
            self._warn_about_float_layer(
                path,
                layer,
                "there is no quantized layer for its type; add_qat_layer_mapping adds one",
            )

    def _iter_observer_replacements(
        self, model: Layer, created: dict[Layer, Layer]
    ) -> Iterator[tuple[Layer, str, Layer]]:
        """Yield (parent, name, replacement) for the layers that only get an observer."""
        for name, child in model.named_children():
            if self._config._is_quantifiable(child):
                continue
            if self._config._need_observe(child):
                if child not in created:
                    created[child] = self._config._get_observe_wrapper(child)
                yield model, name, created[child]
            else:
                yield from self._iter_observer_replacements(child, created)

    def _details(self) -> str:
        return self._config.details()

    def __str__(self) -> str:
        return self._details()

    __repr__ = __str__


def shared_parameter_ids(model: Layer) -> set[int]:
    """Return the ids of the parameters that belong to several layers."""
    counts = Counter(
        id(parameter)
        for layer in model.sublayers(include_self=True)
        for parameter in layer._parameters.values()
        if parameter is not None
    )
    return {parameter for parameter, count in counts.items() if count > 1}


def _observers_with_unobserved_values(model: Layer) -> set[Layer]:
    """The observers of the ObserveWrappers in a network that returned a value which the observer
    could not observe.
    """
    return {
        wrapper._observer
        for wrapper in model.sublayers(include_self=True)
        if isinstance(wrapper, ObserveWrapper) and wrapper.has_unobserved_value
    }


def _require_no_hooks(layer: Layer) -> None:
    """Raise UnsupportedLayerError for a layer whose weight or results are changed by hooks, such as
    those of `nn.utils.weight_norm`: a replacement would not call them.
    """
    if layer._forward_pre_hooks or layer._forward_post_hooks:
        raise UnsupportedLayerError("it has forward hooks; remove them before `quantize`")


def _is_finite(scales: Any) -> bool:
    values = scales.numpy() if isinstance(scales, Tensor) else scales
    return values is None or bool(np.isfinite(values).all())


def _quanters_of(layer: ConvertibleQuantedLayer) -> list[Any]:
    names = [name for _, name in layer.weights_to_quanters()] + layer.activation_quanters()
    return [quanter for quanter in (getattr(layer, name) for name in names) if quanter is not None]


def _reason_to_stay_float(quanters: list[Any]) -> str:
    """Return why the scales of the quanters cannot be used; "" if they can."""
    for quanter in quanters:
        if isinstance(quanter, CalibratedObserver) and quanter.has_seen_only_zeros:
            return f"all inputs of {type(quanter).__name__} were 0 during calibration"
        if quanter.scales() is None:
            return f"{type(quanter).__name__} has no scales"
    return ""
