"""ImperativePTQ: post-training quantization, as in Paddle 2.1 to 2.4."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...core.errors import (
    ArgumentAssertionError,
    InvalidOperationError,
    OpError,
    append_user_line,
    warn,
)
from ...jit.type_aliases import InputSpecs
from ...nn import Conv2D, Layer, Linear
from ...nn.layer import LayerT
from ...nn.quant.quant_layers import QuantizedConv2D, QuantizedLinear
from .fuse_utils import fuse_layers
from .ptq_config import PTQConfig, default_ptq_config
from .ptq_quantizer import AbsmaxQuantizer
from .ptq_registry import PTQRegistry
from .saving import save_in_eval_mode
from .sublayers import is_leaf_layer, is_skipped, replace_sublayer

QUANTIZED_TYPES: dict[type, type] = {Conv2D: QuantizedConv2D, Linear: QuantizedLinear}


class ImperativePTQ:
    """Post-training quantization of `Conv2D` and `Linear` layers. `PTQ` is newer.

    Parameters
    ----------
    quant_config : PTQConfig, optional
        Default: `KLQuantizer` for inputs, `PerChannelAbsmaxQuantizer` for weights.

    Examples
    --------
    >>> import tempfile
    >>> from oarlock.quantization import ImperativePTQ
    >>> ptq = ImperativePTQ()
    >>> net = nn.Sequential(nn.Linear(4, 2))
    >>> _ = net.eval()
    >>> observed = ptq.quantize(net)
    >>> _ = observed(paddle.randn([8, 4]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ptq.save_quantized_model(
    ...         observed, f"{folder}/net", [paddle.static.InputSpec([None, 4], "float32")]
    ...     )
    """

    def __init__(self, quant_config: PTQConfig = default_ptq_config) -> None:
        if not isinstance(quant_config, PTQConfig):
            raise ArgumentAssertionError(
                append_user_line(f"ImperativePTQ: {type(quant_config).__name__} is not a PTQConfig")
            )
        self._quant_config = quant_config

    def quantize(
        self,
        model: LayerT,
        inplace: bool = False,
        fuse: bool = False,
        fuse_list: Sequence[Sequence[str]] | None = None,
    ) -> LayerT:
        """Return the network with hooks that observe its layers; call it on calibration data.

        Parameters
        ----------
        model : Layer
            A layer with the attribute ``skip_quant = True`` is left out.
        inplace : bool, default False
            Whether `model` is changed; otherwise a copy is.
        fuse : bool, default False
            Whether to fold the batch normalizations in `fuse_list`, see `fuse_layers`.
        fuse_list : list of [str, str], optional

        Returns
        -------
        Layer

        Raises
        ------
        RuntimeError
            If the model was quantized before.

        Examples
        --------
        >>> from oarlock.quantization import ImperativePTQ
        >>> net = nn.Sequential(nn.Linear(4, 2))
        >>> _ = net.eval()
        >>> observed = ImperativePTQ().quantize(net)
        >>> observed(paddle.ones([8, 4])).shape  # calibration
        [8, 2]
        """
        _require_layer("quantize", model)
        if next(_iter_observed_layers_and_configs(model), None) is not None:
            raise InvalidOperationError(
                append_user_line(
                    f"ImperativePTQ.quantize: {type(model).__name__} was quantized before"
                )
            )
        result = model if inplace else copy.deepcopy(model)
        if fuse:
            if fuse_list is None:
                raise OpError(
                    append_user_line("ImperativePTQ.quantize: fuse=True needs a fuse_list")
                )
            result.eval()
            fuse_layers(result, fuse_list, inplace=True)
        layers: list[Any] = result.sublayers()
        for layer in layers:
            if (
                not PTQRegistry.is_supported_layer(layer)
                or not is_leaf_layer(layer)
                or is_skipped(layer)
            ):
                continue
            config = copy.deepcopy(self._quant_config)
            config.enable_in_act_quantizer = PTQRegistry.is_simulated_quant_layer(layer)
            config.quant_hook_handle = layer.register_forward_post_hook(_observe_call)
            layer._quant_config = config
        return result

    def save_quantized_model(
        self, model: Layer, path: str, input_spec: InputSpecs | None = None, **config: object
    ) -> None:
        """Convert the network, in place, and save it with `jit.save`.

        Parameters
        ----------
        model : Layer
            Result of `quantize`, after calibration.
        path : str
            Prefix of the files.
        input_spec : list of InputSpec or Tensor, optional
        **config
            Settings of `jit.save`.

        Raises
        ------
        OpError
            If a layer has seen no data, or a weight contains NaN or infinity; the network is not
            changed then.

        Notes
        -----
        The ops keep no attributes with thresholds of outputs, which Paddle writes for some devices.

        Examples
        --------
        >>> from oarlock.quantization import AbsmaxQuantizer, ImperativePTQ, PTQConfig
        >>> net = nn.Sequential(nn.Linear(4, 2))
        >>> _ = net.eval()
        >>> ptq = ImperativePTQ(PTQConfig(AbsmaxQuantizer(), AbsmaxQuantizer()))
        >>> observed = ptq.quantize(net)
        >>> _ = observed(paddle.ones([8, 4]))
        >>> spec = paddle.static.InputSpec([None, 4], "float32")
        >>> ptq.save_quantized_model(observed, "net", [spec])
        >>> paddle.jit.load("net")(paddle.ones([3, 4])).shape
        [3, 2]
        """
        _require_layer("save_quantized_model", model)
        self._convert(model)
        save_in_eval_mode(model, path, input_spec, config)

    def _convert(self, model: Layer) -> None:
        """Replace the observed layers by quantized ones, and remove the hooks."""
        observed = list(_iter_observed_layers_and_configs(model))
        without_data = [
            name
            for name, layer, config in observed
            if PTQRegistry.is_simulated_quant_layer(layer)
            and not config.in_act_quantizer.abs_max_vals
        ]
        if without_data:
            raise OpError(
                append_user_line(
                    f"ImperativePTQ: no data has passed through {', '.join(without_data)}; call "
                    f"the model on calibration data before, or set skip_quant = True"
                )
            )
        replacements = self._create_replacements(observed)
        for _, layer, config in observed:
            config.quant_hook_handle.remove()
            delattr(layer, "_quant_config")
        for name, replacement in replacements:
            replace_sublayer(model, name, replacement)

    @staticmethod
    def _create_replacements(
        observed: list[tuple[str, Layer, PTQConfig]],
    ) -> list[tuple[str, Layer]]:
        """Return the names of the layers to replace, with their quantized layers; warn about layers
        that stay float.

        Raises OpError for weights with NaN or infinity.
        """
        replacements = []
        for name, layer, config in observed:
            if not PTQRegistry.is_simulated_quant_layer(layer):
                continue
            config.in_act_quantizer.cal_thresholds()
            if config.in_act_quantizer.thresholds[0] == 0:
                warn(
                    f"ImperativePTQ: {name} ({type(layer).__name__}) stays float: all values of "
                    f"its input were 0 during calibration"
                )
                continue
            replacements.append((name, _create_quantized_layer(layer, config)))
        return replacements


def _require_layer(method: str, model: Any) -> None:
    if not isinstance(model, Layer):
        raise ArgumentAssertionError(
            append_user_line(f"ImperativePTQ.{method}: {type(model).__name__} is not a Layer")
        )


def _observe_call(layer: Layer, inputs: tuple[Any, ...], outputs: Any) -> None:
    """Forward hook of an observed layer: passes its first input and its outputs to the
    quantizers.
    """
    config: PTQConfig = vars(layer)["_quant_config"]
    if config.enable_in_act_quantizer:
        config.in_act_quantizer.sample_data(layer, inputs[:1])
    config.out_act_quantizer.sample_data(layer, (outputs,))


def _iter_observed_layers_and_configs(model: Layer) -> Iterator[tuple[str, Layer, PTQConfig]]:
    for name, layer in model.named_sublayers():
        config = getattr(layer, "_quant_config", None)
        if config is not None:
            yield name, layer, config


def _create_quantized_layer(layer: Any, config: PTQConfig) -> Layer:
    """Create the quantized layer with the thresholds as scales."""
    config.wt_quantizer.sample_data(layer, (layer.weight,))
    config.wt_quantizer.cal_thresholds()
    is_per_tensor = isinstance(config.wt_quantizer, AbsmaxQuantizer)
    quantized_type = next(q for t, q in QUANTIZED_TYPES.items() if isinstance(layer, t))
    quantized: Any = quantized_type(
        layer,
        weight_quantize_type="abs_max" if is_per_tensor else "channel_wise_abs_max",
        activation_quantize_type="moving_average_abs_max",
        weight_bits=config.wt_quantizer.quant_bits,
        activation_bits=config.in_act_quantizer.quant_bits,
    )
    for fake_quant, quantizer in (
        (quantized._fake_quant_input, config.in_act_quantizer),
        (quantized._fake_quant_weight, config.wt_quantizer),
    ):
        fake_quant._scale.set_value(np.asarray(quantizer.thresholds[0], np.float32).reshape(-1))
    for sublayer in quantized.sublayers(include_self=True):
        sublayer.training = layer.training
    result: Layer = quantized
    return result
