"""ImperativeQuantAware: quantization-aware training, as in Paddle 2.0 to 2.4."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...core.autograd import no_grad
from ...core.errors import ArgumentAssertionError, OpError, append_user_line, warn
from ...jit.type_aliases import InputSpecs
from ...nn import Conv2D, Conv2DTranspose, Layer, Linear
from ...nn.layer import LayerT
from ...nn.quant import functional_layers, quant_layers
from ...nn.quant.format import (
    LinearDequanter,
    LinearQuanter,
    LinearQuanterDequanter,
    require_bit_length,
)
from ..quantize import shared_parameter_ids
from . import fuse_utils
from .saving import save_in_eval_mode
from .sublayers import is_leaf_layer, is_skipped, replace_sublayer

QUANTIZED_TYPES: dict[str, tuple[type, type]] = {
    "Conv2D": (Conv2D, quant_layers.QuantizedConv2D),
    "Conv2DTranspose": (Conv2DTranspose, quant_layers.QuantizedConv2DTranspose),
    "Linear": (Linear, quant_layers.QuantizedLinear),
}
# Layers of Paddle's distributed training, which Oarlock does not have, but accepts because they are
# in the default of the argument `quantizable_layer_type`.
PARALLEL_LAYERS = ("ColumnParallelLinear", "RowParallelLinear")
DEFAULT_LAYER_TYPES = ("Conv2D", "Linear", "Conv2DTranspose", *PARALLEL_LAYERS)
WEIGHT_TYPES = ("abs_max", "channel_wise_abs_max")
ACTIVATION_TYPES = ("moving_average_abs_max",)
FAKE_QUANT_LAYERS = (
    quant_layers.FakeQuantAbsMax,
    quant_layers.FakeQuantChannelWiseAbsMax,
    quant_layers.FakeQuantMovingAverageAbsMax,
    quant_layers.MovingAverageAbsMaxScale,
)
QUANTIZED_LAYERS = tuple(quantized for _, quantized in QUANTIZED_TYPES.values())
QUANTIZED_FUNCTIONS = (
    functional_layers.add,
    functional_layers.subtract,
    functional_layers.multiply,
    functional_layers.divide,
    functional_layers.matmul,
)


class ImperativeQuantAware:
    """Quantization-aware training of layers. `QAT` is newer.

    Parameters
    ----------
    quantizable_layer_type : list of str or class, optional
        "Conv2D", "Conv2DTranspose", "Linear"; default: all of them.
    weight_quantize_type : "abs_max" or "channel_wise_abs_max", default "abs_max"
    activation_quantize_type : "moving_average_abs_max"
    weight_bits, activation_bits : int, default 8
        From 2 to 16.
    moving_rate : float, default 0.9
    fuse_conv_bn : bool, default False
        Whether `quantize` calls `imperative.fuse_utils.fuse_conv_bn` first.
    weight_preprocess_layer, act_preprocess_layer : class of layers, optional
        Created for each layer; process weights and inputs before they are quantized.
    weight_quantize_layer, act_quantize_layer : class of layers, optional
        Created for each layer; replace the fake-quantize layers of weights and inputs.
    onnx_format : bool, default False
        Whether saved models have the ops `quantize_linear` and `dequantize_linear` and integer
        levels as weights, instead of fake-quantize ops.

    Raises
    ------
    OpError
        If a type is unknown or a number of bits out of range.

    Examples
    --------
    >>> from oarlock.quantization import ImperativeQuantAware
    >>> net = nn.Sequential(nn.Conv2D(1, 2, 3), nn.ReLU())
    >>> type(ImperativeQuantAware().quantize(net)[0]._layer).__name__
    'QuantizedConv2D'
    """

    def __init__(
        self,
        quantizable_layer_type: Sequence[str | type[Layer]] = DEFAULT_LAYER_TYPES,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "moving_average_abs_max",
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        fuse_conv_bn: bool = False,
        weight_preprocess_layer: Callable[[], Layer] | None = None,
        act_preprocess_layer: Callable[[], Layer] | None = None,
        weight_quantize_layer: Callable[[], Layer] | None = None,
        act_quantize_layer: Callable[[], Layer] | None = None,
        onnx_format: bool = False,
    ) -> None:
        self._types = [
            _require_quantizable_layer_type(given)
            for given in quantizable_layer_type
            if given not in PARALLEL_LAYERS
        ]
        for name, value, known in (
            ("weight_quantize_type", weight_quantize_type, WEIGHT_TYPES),
            ("activation_quantize_type", activation_quantize_type, ACTIVATION_TYPES),
        ):
            if value not in known:
                raise _make_qat_error(f"{name}={value!r} is none of {list(known)}")
        for name, bits in (("weight_bits", weight_bits), ("activation_bits", activation_bits)):
            require_bit_length(f"ImperativeQuantAware ({name})", bits)
        for given in (
            weight_preprocess_layer,
            act_preprocess_layer,
            weight_quantize_layer,
            act_quantize_layer,
        ):
            if given is not None and not (isinstance(given, type) and issubclass(given, Layer)):
                raise _make_qat_error(f"{given!r} is not a subclass of Layer")
        self.fuse_conv_bn = fuse_conv_bn
        self._onnx_format, self._moving_rate = onnx_format, moving_rate
        self._settings = {
            "weight_bits": weight_bits,
            "activation_bits": activation_bits,
            "moving_rate": moving_rate,
            "weight_quantize_type": weight_quantize_type,
            "activation_quantize_type": activation_quantize_type,
            "weight_pre_layer": weight_preprocess_layer,
            "act_pre_layer": act_preprocess_layer,
            "weight_quant_layer": weight_quantize_layer,
            "act_quant_layer": act_quantize_layer,
        }

    def quantize(self, model: LayerT) -> LayerT:
        """Replace layers by quantized ones, in place, and observe the outputs of the layers.

        The outputs of `nn.quant.add`, `subtract`, `multiply`, `divide` and `matmul` are
        fake-quantized. With `onnx_format=True`, only the outputs of quantized layers are observed.

        Parameters
        ----------
        model : Layer
            A layer with the attribute ``skip_quant = True`` is not quantized.

        Returns
        -------
        Layer
            `model`.

        Examples
        --------
        >>> from oarlock.quantization import ImperativeQuantAware
        >>> net = ImperativeQuantAware().quantize(nn.Sequential(nn.Linear(4, 2)))
        >>> type(net[0]._layer).__name__  # net[0] observes the output
        'QuantizedLinear'
        """
        if not isinstance(model, Layer):
            raise _make_qat_error(f"{type(model).__name__} is not a Layer")
        if self.fuse_conv_bn:
            fuse_utils.fuse_conv_bn(model)
        for name, layer in list(model.named_sublayers()):
            if isinstance(layer, tuple(self._types)) and not is_skipped(layer):
                quantized = next(q for t, q in QUANTIZED_TYPES.values() if isinstance(layer, t))
                replace_sublayer(model, name, quantized(layer, **self._settings))
        layers = list(model.named_sublayers())
        # Quanters inside of quantized layers are not layers of the network, so their outputs are
        # not observed.
        inner = {
            id(part)
            for _, layer in layers
            if isinstance(layer, QUANTIZED_LAYERS)
            for part in layer.sublayers()
        }
        for name, layer in layers:
            if id(layer) not in inner and self._observes_output_of(layer):
                replace_sublayer(model, name, self._wrap_to_observe_output(layer))
        return model

    def _observes_output_of(self, layer: Layer) -> bool:
        if self._onnx_format:
            return isinstance(layer, QUANTIZED_LAYERS)
        return (is_leaf_layer(layer) and not isinstance(layer, FAKE_QUANT_LAYERS)) or isinstance(
            layer, (*QUANTIZED_LAYERS, functional_layers.FloatFunctionalLayer)
        )

    def _wrap_to_observe_output(self, layer: Layer) -> Layer:
        if isinstance(layer, QUANTIZED_FUNCTIONS):
            return quant_layers.FakeQuantMAOutputScaleLayer(layer, moving_rate=self._moving_rate)
        return quant_layers.MAOutputScaleLayer(layer, self._moving_rate)

    def save_quantized_model(
        self, layer: Layer, path: str, input_spec: InputSpecs | None = None, **config: object
    ) -> None:
        """Save the network with `jit.save`, in evaluation mode.

        Parameters
        ----------
        layer : Layer
            Result of `quantize`, after training.
        path : str
            Prefix of the files.
        input_spec : list of InputSpec or Tensor, optional
        **config
            Settings of `jit.save`.

        Notes
        -----
        The ops keep no attributes with thresholds of outputs, which Paddle writes for some devices.

        Examples
        --------
        >>> from oarlock.quantization import ImperativeQuantAware
        >>> qat = ImperativeQuantAware()
        >>> net = qat.quantize(nn.Sequential(nn.Linear(4, 2)))
        >>> _ = net(paddle.ones([8, 4]))
        >>> qat.save_quantized_model(net, "net", [paddle.static.InputSpec([None, 4], "float32")])
        >>> paddle.jit.load("net")(paddle.ones([3, 4])).shape
        [3, 2]
        """
        _warn_about_untrained_scales(layer)
        if self._onnx_format:
            layer = copy.deepcopy(layer)
            shared = shared_parameter_ids(layer)
            for sublayer in layer.sublayers(include_self=True):
                if isinstance(sublayer, QUANTIZED_LAYERS):
                    _convert_to_quantize_dequantize_layers(sublayer, shared)
        save_in_eval_mode(layer, path, input_spec, config)


def _make_qat_error(why: str) -> OpError:
    return ArgumentAssertionError(append_user_line(f"ImperativeQuantAware: {why}"))


def _require_quantizable_layer_type(given: Any) -> type:
    if given in QUANTIZED_TYPES:
        return QUANTIZED_TYPES[given][0]
    if given in [layer for layer, _ in QUANTIZED_TYPES.values()]:
        found: type = given
        return found
    raise _make_qat_error(f"{given!r} is none of {list(QUANTIZED_TYPES)}")


def _warn_about_untrained_scales(model: Layer) -> None:
    untrained = [
        name
        for name, layer in model.named_sublayers()
        if isinstance(layer, quant_layers.FakeQuantMovingAverageAbsMax) and layer.is_untrained
    ]
    if untrained:
        warn(
            f"ImperativeQuantAware: no data has passed through {', '.join(untrained)} in training "
            f"mode: the scale is the initial one"
        )


@no_grad()
def _convert_to_quantize_dequantize_layers(layer: Any, shared: Collection[int]) -> None:
    """Replace the fake-quantize layers of a quantized layer by quantize and dequantize layers.

    Layers of the user's own classes stay as they are.

    shared: ids of the parameters of several layers; these stay floats, because the other layer
    needs them.
    """
    fake_quant_input, fake_quant_weight = layer._fake_quant_input, layer._fake_quant_weight
    if isinstance(fake_quant_input, quant_layers.FakeQuantMovingAverageAbsMax):
        arguments = {
            "scales": fake_quant_input._scale,
            "bit_length": fake_quant_input._quant_bits,
        }
        layer._fake_quant_input = LinearQuanterDequanter(
            LinearQuanter(**arguments), LinearDequanter(**arguments)
        )
    if layer._weight_preprocess is None and isinstance(
        fake_quant_weight, quant_layers.FakeQuantAbsMax | quant_layers.FakeQuantChannelWiseAbsMax
    ):
        fake_quant_weight(layer.weight)  # stores the scales of the trained weight
        arguments = {
            "scales": fake_quant_weight._scale,
            "bit_length": fake_quant_weight._quant_bits,
            "quant_axis": getattr(fake_quant_weight, "_quant_axis", -1),
        }
        quanter: LinearQuanter | None = LinearQuanter(**arguments)
        if id(layer.weight) not in shared:
            layer.weight.set_value(quanter(layer.weight).detach())  # type: ignore[misc]
            quanter = None
        layer._fake_quant_weight = LinearQuanterDequanter(quanter, LinearDequanter(**arguments))
