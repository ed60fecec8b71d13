"""Layers that call one function of `nn.functional`, created from rows of a table."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, ClassVar, NamedTuple

from . import functional as F
from .layer_with_argument_attributes import LayerWithArgumentAttributes

REQUIRED = Parameter.empty


class Row(NamedTuple):
    """A row of a table of layers, which specifies one layer class.

    function: name in `nn.functional`
    config: parameters of `__init__` with their defaults
    doc, shapes: summary and shapes for the docstring
    inputs: parameters of `forward`
    repr_config: arguments that `repr` shows ("label:argument" with a label); None: all
    pass_training: whether the function has a parameter `training`
    has_name: whether `__init__` has a parameter `name`
    attribute_format: format of the attribute names
    """

    name: str
    function: str
    config: dict[str, Any]
    doc: str
    shapes: str
    inputs: tuple[str, ...] = ("x",)
    repr_config: tuple[str, ...] | None = None
    pass_training: bool = False
    has_name: bool = True
    attribute_format: str = "{}"


class FunctionLayer(LayerWithArgumentAttributes):
    """Base of the layers that call one function; their arguments are those of the function."""

    row: ClassVar[Row]
    _attribute_names: ClassVar[dict[str, str]] = {}  # exceptions from the row's attribute_format
    _argument_types: ClassVar[dict[str, str]] = {}  # of arguments that the function does not have

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            bound = type(self).__init__.__signature__.bind(self, *args, **kwargs)  # type: ignore[attr-defined]
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        super().__init__()
        bound.apply_defaults()
        config = dict(list(bound.arguments.items())[1:])
        self._name = self.name = config.pop("name", None)
        self._set_argument_attributes(
            self._normalize_config(config), self.row.attribute_format, **self._attribute_names
        )

    def _normalize_config(self, config: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments in the form that the function expects."""
        return config

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs:
            try:
                inputs = type(self).forward.__signature__.bind(self, *inputs, **kwargs).args[1:]  # type: ignore[attr-defined]
            except TypeError as error:
                raise TypeError(f"{type(self).__name__}.forward() {error}") from None
        training = {"training": self.training} if self.row.pass_training else {}
        return getattr(F, self.row.function)(
            *inputs, **self._read_argument_attributes(), **training
        )

    def extra_repr(self) -> str:
        config = self._read_argument_attributes()
        fields = self.row.repr_config if self.row.repr_config is not None else tuple(config)
        pairs = [field.split(":") for field in fields]
        texts = [f"{label}={config[key[0] if key else label]}" for label, *key in pairs]
        return ", ".join(texts + ([f"name={self._name}"] if self._name else []))


def _signature_parameters_from_defaults(defaults: dict[str, Any]) -> list[Parameter]:
    return [Parameter(n, Parameter.POSITIONAL_OR_KEYWORD, default=d) for n, d in defaults.items()]


def _copy_method_with_signature(method: Any, defaults: dict[str, Any]) -> Any:
    """Return a copy of a method with the given parameters in its signature."""

    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(self, *args, **kwargs)

    wrapper.__name__, wrapper.__doc__ = method.__name__, method.__doc__
    parameters = _signature_parameters_from_defaults({"self": REQUIRED, **defaults})
    wrapper.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return wrapper


def make_layer_class(
    row: Row, module: str, base: type[FunctionLayer] = FunctionLayer
) -> type[FunctionLayer]:
    """Create the layer class that a row specifies."""
    config = {**row.config, "name": None} if row.has_name else row.config
    body = {
        "row": row,
        "__doc__": f"{row.doc}\n\n    {row.shapes}\n    " if row.shapes else row.doc,
        "__module__": module,
        "__init__": _copy_method_with_signature(base.__init__, config),
        "forward": _copy_method_with_signature(base.forward, dict.fromkeys(row.inputs, REQUIRED)),
    }
    return type(row.name, (base,), body)
