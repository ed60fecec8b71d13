"""Containers: `fluid.dygraph.Sequential`, LayerList, ParameterList."""

from __future__ import annotations

from typing import Any

from ...nn import container
from .layers import Layer

__all__ = ["LayerList", "ParameterList", "Sequential"]


class Sequential(container.Sequential, Layer):
    """Layers that are called one after the other: Sequential(a, b) or Sequential(('name', a), ...).
    A name scope as the first argument, as Paddle 1.6 accepts it, is ignored.

    The newer name is `paddle.nn.Sequential`.
    """

    def __init__(self, *layers: Any) -> None:
        super().__init__(*(layers[1:] if layers and isinstance(layers[0], str) else layers))

    def __getitem__(self, name: Any) -> Any:
        return self._sub_layers[str(name)]


class LayerList(container.LayerList, Layer):
    """A list of layers.

    The newer name is `paddle.nn.LayerList`.
    """

    def __init__(self, sublayers: Any = None) -> None:
        super().__init__(sublayers)

    def __getitem__(self, index: Any) -> Any:
        """Return the layer at an index of the list. Raises KeyError for an invalid index."""
        try:
            return super().__getitem__(index)
        except IndexError:
            raise KeyError(str(index)) from None


class ParameterList(container.ParameterList, Layer):
    """A list of parameters.

    The newer name is `paddle.nn.ParameterList`.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__(parameters)
