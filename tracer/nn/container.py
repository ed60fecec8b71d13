"""Containers: layers that hold a sequence or a dict of layers or parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..core.errors import ArgumentAssertionError, OpError
from ..core.parameter import Parameter
from .layer import Layer

__all__ = ["LayerDict", "LayerList", "ParameterList", "Sequential"]


class Sequential(Layer):
    """Call layers one after the other.

    Sequential(a, b) or Sequential(('name', a), ...): x -> b(a(x))
    """

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        is_layer_list = (
            len(layers) == 1
            and isinstance(layers[0], list)
            and not any(isinstance(v, str) for v in layers[0])
        )
        items = layers[0] if is_layer_list else layers
        for i, layer in enumerate(items):
            name, sublayer = layer if isinstance(layer, list | tuple) else (str(i), layer)
            self.add_sublayer(str(name), sublayer)

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        for layer in self._sub_layers.values():
            input = layer(input)  # type: ignore[misc]
        return input

    def __getitem__(self, index: Any) -> Any:
        layers = list(self._sub_layers.values())
        if isinstance(index, slice):
            return type(self)(*layers[index])
        return self._sub_layers[index] if isinstance(index, str) else layers[index]

    def __setitem__(self, index: Any, layer: Layer) -> None:
        self.add_sublayer(str(index), layer)

    def __delitem__(self, index: Any) -> None:
        delattr(self, str(index))

    def __len__(self) -> int:
        return len(self._sub_layers)


class LayerList(Layer):
    """A list of layers; None reserves an index without a layer."""

    def __init__(self, sublayers: Iterable[Layer | None] | None = None) -> None:
        super().__init__()
        self.extend(sublayers or [])

    def _sublayer_name_at(self, index: int) -> str:
        size = len(self._sub_layers)
        if not -size <= index < size:
            raise IndexError(f"LayerList: index {index} is out of range for {size} layers")
        return str(index % size)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._sub_layers[self._sublayer_name_at(index)]

    def __setitem__(self, index: int, layer: Layer | None) -> None:
        setattr(self, self._sublayer_name_at(index), layer)

    def __delitem__(self, index: int) -> None:
        remaining = list(self)
        del remaining[index]
        self._replace_sublayers(remaining)

    def _replace_sublayers(self, layers: list[Any]) -> None:
        for name in list(self._sub_layers):
            delattr(self, name)
        self.extend(layers)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._sub_layers.values()))  # None keeps its position, as in Paddle.

    def append(self, sublayer: Layer | None) -> LayerList:
        """Append a layer."""
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index: int, sublayer: Layer | None) -> None:
        """Insert a layer before `index`."""
        layers = list(self)
        layers.insert(index, sublayer)
        self._replace_sublayers(layers)

    def extend(self, sublayers: Iterable[Layer | None]) -> LayerList:
        """Append several layers."""
        for layer in list(sublayers):
            self.append(layer)
        return self


class LayerDict(Layer):
    """A dict of layers."""

    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        self.update(sublayers or {})

    def __getitem__(self, key: str) -> Any:
        return self._sub_layers[key]

    def __setitem__(self, key: str, layer: Layer) -> None:
        self.add_sublayer(key, layer)

    def __delitem__(self, key: str) -> None:
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sub_layers)

    def __contains__(self, key: str) -> bool:
        return key in self._sub_layers

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._sub_layers.keys()

    def values(self) -> Iterable[Any]:
        """Return the layers."""
        return self._sub_layers.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return pairs of name and layer."""
        return self._sub_layers.items()

    def update(self, sublayers: Any) -> None:
        """Add layers from a dict or from pairs of name and layer.

        Raises ArgumentAssertionError for another type, OpError for an element that is not a pair.
        """
        if not isinstance(sublayers, Iterable):
            raise ArgumentAssertionError(
                f"LayerDict.update: expected a dict or pairs, not {type(sublayers).__name__}"
            )
        for i, pair in enumerate(sublayers.items() if hasattr(sublayers, "items") else sublayers):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise OpError(
                    f"LayerDict.update: element {i} is not a pair of a name and a layer: "
                    f"{pair!r:.80}"
                )
            self.add_sublayer(*pair)

    def pop(self, key: str) -> Any:
        """Remove a layer and return it."""
        layer = self[key]
        del self[key]
        return layer

    def clear(self) -> None:
        """Remove all layers."""
        self._sub_layers.clear()


class ParameterList(Layer):
    """A list of parameters."""

    def __init__(self, parameters: Iterable[Parameter] | None = None) -> None:
        super().__init__()
        for parameter in parameters or []:
            self.append(parameter)

    def append(self, parameter: Parameter) -> ParameterList:
        """Append a parameter."""
        if not isinstance(parameter, Parameter):
            raise OpError(f"ParameterList: expected a Parameter, got {type(parameter).__name__}")
        self.add_parameter(str(len(self)), parameter)
        return self

    def __getitem__(self, index: int) -> Any:
        return self._parameters[str(index + len(self) if index < 0 else index)]

    def __setitem__(self, index: int, parameter: Parameter) -> None:
        setattr(self, str(index), parameter)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())
