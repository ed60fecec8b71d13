"""`QuantConfig`: select the layers to quantize, and their quanters or observers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..core.errors import ArgumentAssertionError, OperandError, OpError, append_user_line
from ..nn import AvgPool2D, Conv2D, Layer, Linear, ReLU
from ..nn.quant.qat.conv import QuantedConv2D
from ..nn.quant.qat.linear import QuantedLinear
from ..nn.quant.stub import QuanterStub, Stub
from .factory import QuanterFactory, require_factory_or_none
from .wrapper import ObserveWrapper

DEFAULT_QAT_LAYER_MAPPINGS: dict[type, type] = {
    Stub: QuanterStub,
    Linear: QuantedLinear,
    Conv2D: QuantedConv2D,
}
DEFAULT_LEAVES: list[type] = [ReLU, AvgPool2D]
INDENT = 2


class SingleLayerConfig:
    """The quanters or observers of one layer.

    activation, weight: factories for the input and the weight; None: not quantized.
    """

    def __init__(self, activation: Any, weight: Any) -> None:
        require_factory_or_none("QuantConfig", "activation", activation)
        require_factory_or_none("QuantConfig", "weight", weight)
        self._activation = activation
        self._weight = weight

    @property
    def activation(self) -> Any:
        """The factory of quanters of inputs."""
        return self._activation

    @property
    def weight(self) -> Any:
        """The factory of quanters of weights."""
        return self._weight

    def __str__(self) -> str:
        return f"activation: {self._activation}\nweight: {self._weight}"


class QuantConfig:
    """Which layers `QAT` and `PTQ` quantize, and with which quanters or observers.

    If several configs apply to a layer, it gets the first one of: that of its name
    (`add_layer_config`, `add_name_config` with a str); that of the last pattern that its structured
    name matches (`add_name_config` with a pattern); that of its type (`add_type_config`); that of
    the layer that contains it; the global one, which the arguments set.

    Parameters
    ----------
    activation : factory of a quanter or observer, or None
        For the inputs of all layers.
    weight : factory of a quanter or observer, or None
        For the weights of all `Linear` and `Conv2D` layers. If both are None, only layers with a
        config of their own are quantized.

    Examples
    --------
    >>> from oarlock.quantization import QuantConfig
    >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    >>> print(QuantConfig(activation=quanter, weight=None))
    Global config:
    activation: FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.9,bit_length=8,dtype=float32)
    weight: None
    <BLANKLINE>
    """

    def __init__(self, activation: QuanterFactory | None, weight: QuanterFactory | None) -> None:
        self._global_config = (
            None if activation is None and weight is None else SingleLayerConfig(activation, weight)
        )
        self._layer2config: dict[Layer, SingleLayerConfig] = {}
        self._prefix2config: dict[str, SingleLayerConfig] = {}
        self._pattern2config: dict[re.Pattern[str], SingleLayerConfig] = {}
        self._type2config: dict[type, SingleLayerConfig] = {}
        self._details = ""
        self._qat_layer_mapping = dict(DEFAULT_QAT_LAYER_MAPPINGS)
        self._customized_leaves: list[type] = []

    def add_layer_config(
        self,
        layer: Layer | list[Layer],
        activation: QuanterFactory | None = None,
        weight: QuanterFactory | None = None,
    ) -> None:
        """Set the config of one layer or of each layer of a list.

        Parameters
        ----------
        layer : Layer or list of Layer
            Layers of the network, or of the network that a copy of is quantized.
        activation, weight : factory of a quanter or observer, optional
            None: not quantized.

        Raises
        ------
        OpError
            If an argument is not a Layer or not a factory.

        Examples
        --------
        >>> from oarlock.quantization import QAT, QuantConfig
        >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.add_layer_config(net[1], weight=FakeQuanterWithAbsMaxObserver())
        >>> [type(layer).__name__ for layer in QAT(config).quantize(net)]
        ['Linear', 'QuantedLinear']
        """
        for one in layer if isinstance(layer, list | tuple) else [layer]:
            if not isinstance(one, Layer):
                raise OperandError(
                    append_user_line(
                        f"QuantConfig.add_layer_config: {type(one).__name__} is not a Layer"
                    )
                )
            self.add_name_config(one.full_name(), activation, weight)

    def add_name_config(
        self,
        layer_name: str | re.Pattern[str] | Sequence[str | re.Pattern[str]],
        activation: QuanterFactory | None = None,
        weight: QuanterFactory | None = None,
    ) -> None:
        """Set the config of layers by name.

        Parameters
        ----------
        layer_name : str, re.Pattern, or list of them
            A `Layer.full_name()`, such as "linear_0"; or a compiled pattern, which is searched in
            the structured names, such as "fc.0", that `named_sublayers` returns. Paddle lacks
            patterns.
        activation, weight : factory of a quanter or observer, optional
            None: not quantized.

        Raises
        ------
        OpError
            If a name is neither str nor pattern. `quantize` raises it if no layer has the name.

        Examples
        --------
        >>> import re
        >>> from oarlock.quantization import QAT, QuantConfig
        >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> quanter = FakeQuanterWithAbsMaxObserver()
        >>> config = QuantConfig(activation=quanter, weight=quanter)
        >>> config.add_name_config(re.compile("^0$"))  # the first layer stays float
        >>> net = QAT(config).quantize(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)))
        >>> [type(layer).__name__ for layer in net]
        ['Linear', 'QuantedLinear']
        """
        config = SingleLayerConfig(activation, weight)
        for name in layer_name if isinstance(layer_name, list | tuple) else [layer_name]:
            if isinstance(name, re.Pattern):
                self._pattern2config[name] = config
            elif isinstance(name, str):
                self._prefix2config[name] = config
            else:
                raise OperandError(
                    append_user_line(
                        f"QuantConfig.add_name_config: {name!r} is neither a str nor a compiled "
                        f"pattern"
                    )
                )

    def add_type_config(
        self,
        layer_type: type[Layer] | Sequence[type[Layer]],
        activation: QuanterFactory | None = None,
        weight: QuanterFactory | None = None,
    ) -> None:
        """Set the config of all layers of a type.

        Parameters
        ----------
        layer_type : class or list of classes
            Subclasses of Layer; instances of their subclasses are not affected.
        activation, weight : factory of a quanter or observer, optional
            None: not quantized.

        Raises
        ------
        OpError
            If a type is not a subclass of Layer.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> from oarlock.quantization.observers import AbsmaxObserver
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.add_type_config([nn.Linear, nn.Conv2D], AbsmaxObserver(), AbsmaxObserver())
        """
        config = SingleLayerConfig(activation, weight)
        types: Any = layer_type if isinstance(layer_type, list | tuple) else [layer_type]
        for one in types:
            _require_layer_class("add_type_config", one)
            self._type2config[one] = config

    def add_qat_layer_mapping(self, source: type, target: type) -> None:
        """Replace layers of a type by layers of another type when they are quantized.

        Parameters
        ----------
        source : class
            Subclass of Layer; the default mapping has `Linear`, `Conv2D` and `Stub`.
        target : class
            Called with the layer and its `SingleLayerConfig`.

        Raises
        ------
        OpError
            If `source` is not a subclass of Layer or `target` is not a class.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.add_qat_layer_mapping(nn.Conv2D, nn.quant.qat.QuantedConv2D)
        """
        _require_layer_class("add_qat_layer_mapping", source)
        if not isinstance(target, type):
            raise ArgumentAssertionError(
                append_user_line(
                    f"QuantConfig.add_qat_layer_mapping: target {target!r} is not a class"
                )
            )
        self._qat_layer_mapping[source] = target

    def add_customized_leaf(self, layer_type: type) -> None:
        """Observe the inputs of layers of a type, and not those of their sublayers.

        Parameters
        ----------
        layer_type : class
            Subclass of Layer.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.add_customized_leaf(nn.Sequential)
        >>> config.customized_leaves == [nn.Sequential]
        True
        """
        self._customized_leaves.append(layer_type)

    @property
    def customized_leaves(self) -> list[type]:
        """The layer types that were added by `add_customized_leaf`, a list of classes.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.customized_leaves
        []
        """
        return self._customized_leaves

    @property
    def qat_layer_mappings(self) -> dict[type, type]:
        """The quantized types by layer type, a dict of classes.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.qat_layer_mappings[nn.Linear].__name__
        'QuantedLinear'
        """
        return self._qat_layer_mapping

    @property
    def default_qat_layer_mapping(self) -> dict[type, type]:
        """The default of `qat_layer_mappings`, a dict of classes without the types that were added.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> config = QuantConfig(activation=None, weight=None)
        >>> nn.Conv2D in config.default_qat_layer_mapping
        True
        """
        return DEFAULT_QAT_LAYER_MAPPINGS

    @property
    def global_config(self) -> SingleLayerConfig | None:
        """The config of layers that have none by layer, name or type; None without arguments.

        Its attributes `activation` and `weight` are the arguments of the constructor.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> config = QuantConfig(activation=None, weight=None)
        >>> config.global_config is None
        True
        """
        return self._global_config

    def details(self) -> str:
        """Return a text that lists the layers of the quantized network with their configs.

        Returns
        -------
        str
            Before `quantize`, the text of this QuantConfig.

        Examples
        --------
        >>> from oarlock.quantization import QuantConfig
        >>> config = QuantConfig(activation=None, weight=None)
        >>> print(config.details())
        Global config:
        None
        <BLANKLINE>
        """
        return self._details or str(self)

    def __str__(self) -> str:
        parts = [f"Global config:\n{self._global_config}\n"]
        for title, table in (
            ("Layer type config:\n", self._type2config),
            ("Layer prefix config: \n", self._prefix2config),
            ("Layer pattern config:\n", self._pattern2config),
        ):
            if table:
                parts.append(f"{title}{table}\n")
        return "".join(parts)

    def _format_layer_configs(self, layer: Layer) -> str:
        lines = []
        for name, child in layer.named_children():
            if child in self._layer2config:
                text = self._format_layer_configs(child).replace("\n", "\n" + " " * INDENT)
                lines.append(f"({name}): {text}, {self._layer2config[child]}")
        inner = "".join(f"\n{' ' * INDENT}{line}" for line in lines)
        return f"{type(layer).__name__}({inner}\n)" if lines else f"{type(layer).__name__}()"

    # -- for QAT and PTQ
    # --------------------------------------------------------------------------

    def _specify(self, model: Layer) -> None:
        """Determine the config of each layer of a network."""
        used: set[Any] = set()
        found = dict(self._iter_descendant_configs(model, "", self._global_config, used))
        unused = [key for key in (*self._prefix2config, *self._pattern2config) if key not in used]
        if unused:
            names = [layer.full_name() for layer in model.sublayers()]
            wanted = [getattr(key, "pattern", key) for key in unused]
            raise OpError(
                append_user_line(
                    f"QuantConfig: no layer of {type(model).__name__} has the name "
                    f"{', '.join(map(repr, wanted))}; it has {', '.join(names) or 'no layers'}"
                )
            )
        self._layer2config = found
        self._details = self._format_layer_configs(model)

    def _iter_descendant_configs(
        self, layer: Layer, prefix: str, inherited: SingleLayerConfig | None, used: set[Any]
    ) -> Any:
        """Yield (layer, config) for all layers inside of a layer."""
        for name, child in layer.named_children():
            path = f"{prefix}{name}"
            config = self._type2config.get(type(child), inherited)
            for pattern, of_pattern in self._pattern2config.items():
                if pattern.search(path):
                    config = of_pattern
                    used.add(pattern)
            if child.full_name() in self._prefix2config:
                config = self._prefix2config[child.full_name()]
                used.add(child.full_name())
            if config is not None:
                yield child, config
            yield from self._iter_descendant_configs(
                child, f"{path}.", self._global_config if config is None else config, used
            )

    def _config_of(self, layer: Layer) -> SingleLayerConfig | None:
        return self._layer2config.get(layer)

    def _is_quantifiable(self, layer: Layer) -> bool:
        config = self._config_of(layer)
        return (
            config is not None
            and type(layer) in self._qat_layer_mapping
            and (config.activation, config.weight, getattr(layer, "_observer", None))
            != (None, None, None)
        )

    def _get_qat_layer(self, layer: Layer) -> Layer:
        replacement: Layer = self._qat_layer_mapping[type(layer)](layer, self._config_of(layer))
        return replacement

    def _need_observe(self, layer: Layer) -> bool:
        config = self._config_of(layer)
        is_leaf = (
            type(layer) in (*DEFAULT_LEAVES, *self._customized_leaves)
            or next(layer.children(), None) is None
        )
        return is_leaf and config is not None and config.activation is not None

    def _get_observe_wrapper(self, layer: Layer) -> ObserveWrapper:
        config = self._config_of(layer)
        assert config is not None
        return ObserveWrapper(config.activation._instance(layer), layer)


def _require_layer_class(method: str, value: Any) -> None:
    if not (isinstance(value, type) and issubclass(value, Layer)):
        raise ArgumentAssertionError(
            append_user_line(f"QuantConfig.{method}: {value!r} is not a subclass of Layer")
        )
