"""Containers: layers that hold a sequence or a dict of layers or parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ..core.errors import ArgumentAssertionError, OpError, append_user_line
from ..core.parameter import Parameter
from .layer import Layer
from .type_aliases import SequentialItem

__all__ = ["LayerDict", "LayerList", "ParameterList", "Sequential"]


class Sequential(Layer):
    """Call layers one after the other: ``Sequential(a, b)(x)`` is ``b(a(x))``.

    ``net[i]`` and ``net["name"]`` return a layer, ``net[i:j]`` a Sequential of some of them, named
    by their numbers; ``len(net)`` is their number.

    Parameters
    ----------
    *layers : Layer, or (str, Layer)
        Layers are named "0", "1", ... by position, pairs by their first element. One list of layers
        or pairs is accepted, too.

    Shape
    -----
    input : any object; the argument of the first layer
    returns : result of the last layer

    Raises
    ------
    OpError
        If an element is not callable.

    Examples
    --------
    >>> net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    >>> net(paddle.zeros([3, 4])).shape
    [3, 2]
    >>> named = nn.Sequential(("fc", nn.Linear(4, 8)), ("act", nn.ReLU()))
    >>> list(named.state_dict())
    ['fc.weight', 'fc.bias']
    >>> named["act"], len(net[:2])
    (ReLU(), 2)
    """

    def __init__(self, *layers: SequentialItem | Sequence[SequentialItem | str]) -> None:
        super().__init__()
        is_layer_list = (
            len(layers) == 1
            and isinstance(layers[0], list)
            and not any(isinstance(v, str) for v in layers[0])
        )
        items: Any = layers[0] if is_layer_list else layers
        for i, layer in enumerate(items):
            name, sublayer = layer if isinstance(layer, list | tuple) else (str(i), layer)
            self.add_sublayer(str(name), sublayer)

    def forward(self, input: Any) -> Any:
        for layer in self._sub_layers.values():
            input = layer(input)  # type: ignore[misc]
        return input

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._sub_layers.values()))

    def __getitem__(self, index: Any) -> Any:
        layers = list(self._sub_layers.values())
        if isinstance(index, slice):
            return type(self)(*cast("list[Layer]", layers[index]))
        return self._sub_layers[index] if isinstance(index, str) else layers[index]

    def __setitem__(self, index: Any, layer: Layer) -> None:
        self.add_sublayer(str(index), layer)

    def __delitem__(self, index: Any) -> None:
        delattr(self, str(index))

    def __len__(self) -> int:
        return len(self._sub_layers)


class LayerList(Layer):
    """A list of layers, whose parameters belong to the layer that holds the list.

    It is indexed, sliced, iterated and measured with `len` as a list is; it cannot be called. None
    reserves an index without a layer.

    Parameters
    ----------
    sublayers : iterable of Layer or None, optional

    Raises
    ------
    OpError
        If an element is not callable.
    IndexError
        If an index is out of range.

    Examples
    --------
    >>> layers = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])
    >>> x = paddle.zeros([2, 4])
    >>> for layer in layers:
    ...     x = layer(x)
    >>> len(layers), len(layers.parameters()), x.shape
    (3, 6, [2, 4])
    >>> layers[-1] is layers[2], len(layers[:2])
    (True, 2)
    """

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
        """Append a layer.

        Parameters
        ----------
        sublayer : Layer or None

        Returns
        -------
        LayerList
            This list.

        Raises
        ------
        OpError
            If `sublayer` is neither callable nor None.

        Examples
        --------
        >>> layers = nn.LayerList().append(nn.ReLU())
        >>> layers[0]
        ReLU()
        """
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index: int, sublayer: Layer | None) -> None:
        """Insert a layer before a position; later layers move to the next index and name.

        Parameters
        ----------
        index : int
            As for `list.insert`: negative values count from the end, values out of range are
            clipped.
        sublayer : Layer or None

        Examples
        --------
        >>> layers = nn.LayerList([nn.ReLU(), nn.Tanh()])
        >>> layers.insert(1, nn.Sigmoid())
        >>> list(layers)
        [ReLU(), Sigmoid(), Tanh()]
        """
        layers = list(self)
        layers.insert(index, sublayer)
        self._replace_sublayers(layers)

    def extend(self, sublayers: Iterable[Layer | None]) -> LayerList:
        """Append several layers.

        Parameters
        ----------
        sublayers : iterable of Layer or None

        Returns
        -------
        LayerList
            This list.

        Raises
        ------
        OpError
            If an element is neither callable nor None.

        Examples
        --------
        >>> layers = nn.LayerList([nn.ReLU()]).extend([nn.Tanh(), nn.Sigmoid()])
        >>> len(layers)
        3
        """
        for layer in list(sublayers):
            self.append(layer)
        return self


class LayerDict(Layer):
    """A dict of layers, whose parameters belong to the layer that holds the dict.

    ``layers[key]`` returns, sets and deletes a layer; `len`, `in` and iteration work as for a dict.
    It cannot be called.

    Parameters
    ----------
    sublayers : dict of str to Layer, LayerDict, or iterable of (str, Layer), optional

    Raises
    ------
    OpError
        If an argument or element has another type.
    KeyError
        If a key does not exist.

    Examples
    --------
    >>> layers = nn.LayerDict({"fc": nn.Linear(4, 2), "act": nn.ReLU()})
    >>> layers["act"](layers["fc"](paddle.zeros([3, 4]))).shape
    [3, 2]
    >>> layers["drop"] = nn.Dropout(0.5)
    >>> list(layers), "fc" in layers
    (['fc', 'act', 'drop'], True)
    """

    def __init__(
        self, sublayers: LayerDict | Mapping[str, Layer] | Iterable[tuple[str, Layer]] | None = None
    ) -> None:
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
        """Return the names of the layers in order of insertion.

        Returns
        -------
        iterable of str
            A view: later changes of the dict are visible in it.

        Examples
        --------
        >>> list(nn.LayerDict({"fc": nn.Linear(4, 2)}).keys())
        ['fc']
        """
        return self._sub_layers.keys()

    def values(self) -> Iterable[Any]:
        """Return the layers in order of insertion.

        Returns
        -------
        iterable of Layer
            A view: later changes of the dict are visible in it.

        Examples
        --------
        >>> list(nn.LayerDict({"act": nn.ReLU()}).values())
        [ReLU()]
        """
        return self._sub_layers.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return pairs of name and layer in order of insertion.

        Returns
        -------
        iterable of (str, Layer)
            A view: later changes of the dict are visible in it.

        Examples
        --------
        >>> list(nn.LayerDict({"act": nn.ReLU()}).items())
        [('act', ReLU())]
        """
        return self._sub_layers.items()

    def update(
        self, sublayers: LayerDict | Mapping[str, Layer] | Iterable[tuple[str, Layer]]
    ) -> None:
        """Add layers; a layer with an existing name replaces the old one.

        Parameters
        ----------
        sublayers : dict of str to Layer, LayerDict, or iterable of (str, Layer)

        Raises
        ------
        ArgumentAssertionError
            If `sublayers` cannot be iterated.
        OpError
            If an element is not a pair, or its layer is not callable.

        Examples
        --------
        >>> layers = nn.LayerDict({"act": nn.ReLU()})
        >>> layers.update([("act", nn.Tanh()), ("drop", nn.Dropout())])
        >>> list(layers), layers["act"]
        (['act', 'drop'], Tanh())
        """
        if not isinstance(sublayers, Iterable):
            raise ArgumentAssertionError(
                append_user_line(
                    f"LayerDict.update: expected a dict or pairs, not {type(sublayers).__name__}"
                )
            )
        for i, pair in enumerate(sublayers.items() if hasattr(sublayers, "items") else sublayers):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise OpError(
                    append_user_line(
                        f"LayerDict.update: element {i} is not a pair of a name and a layer: "
                        f"{pair!r:.80}"
                    )
                )
            self.add_sublayer(*pair)

    def pop(self, key: str) -> Any:
        """Remove a layer and return it.

        Parameters
        ----------
        key : str

        Returns
        -------
        Layer

        Raises
        ------
        KeyError
            If there is no layer `key`.

        Examples
        --------
        >>> layers = nn.LayerDict({"act": nn.ReLU()})
        >>> layers.pop("act"), len(layers)
        (ReLU(), 0)
        """
        layer = self[key]
        del self[key]
        return layer

    def clear(self) -> None:
        """Remove all layers.

        Examples
        --------
        >>> layers = nn.LayerDict({"act": nn.ReLU()})
        >>> layers.clear()
        >>> len(layers)
        0
        """
        for key in list(self):
            del self[key]


class ParameterList(Layer):
    """A list of parameters, which belong to the layer that holds the list.

    It is indexed with ints, iterated and measured with `len`; it cannot be sliced or called.

    Parameters
    ----------
    parameters : iterable of Parameter, optional

    Raises
    ------
    OpError
        If an element is not a Parameter.

    Examples
    --------
    >>> weights = nn.ParameterList([paddle.create_parameter([2, 2], "float32") for _ in range(3)])
    >>> [name for name, _ in weights.named_parameters()]
    ['0', '1', '2']
    >>> len(weights), weights[-1].shape
    (3, [2, 2])
    """

    def __init__(self, parameters: Iterable[Parameter] | None = None) -> None:
        super().__init__()
        for parameter in parameters or []:
            self.append(parameter)

    def append(self, parameter: Parameter) -> ParameterList:
        """Append a parameter.

        Parameters
        ----------
        parameter : Parameter

        Returns
        -------
        ParameterList
            This list.

        Raises
        ------
        OpError
            If `parameter` is not a Parameter.

        Examples
        --------
        >>> weights = nn.ParameterList().append(paddle.create_parameter([2], "float32"))
        >>> len(weights)
        1
        """
        if not isinstance(parameter, Parameter):
            raise OpError(
                append_user_line(
                    f"ParameterList: expected a Parameter, got {type(parameter).__name__}"
                )
            )
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
