"""Layers that are a function of nn.functional with settings: a row of a table each."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, ClassVar, NamedTuple

from . import functional as F
from .config import Kept

REQUIRED = Parameter.empty


class Row(NamedTuple):
    """One such layer.

    inputs: what forward takes; settings: what __init__ takes, with defaults

    function: in nn.functional; shown: the settings that print shows, "kernel_size:kernel_sizes"
    under another name, None for all; trained: whether the function wants to know of training; kept:
    what the attribute of a setting is called
    """

    name: str
    function: str
    settings: dict[str, Any]
    doc: str
    inputs: tuple[str, ...] = ("x",)
    shown: tuple[str, ...] | None = None
    trained: bool = False
    named: bool = True
    kept: str = "{}"


class FunctionLayer(Kept):
    """A function as a layer; its settings are those of the function."""

    row: ClassVar[Row]
    _names: ClassVar[dict[str, str]] = {}  # attributes that are called otherwise

    def __init__(self, *args: Any, **given: Any) -> None:
        bound = type(self).__init__.__signature__.bind(self, *args, **given)  # type: ignore[attr-defined]
        super().__init__()
        bound.apply_defaults()
        settings = dict(list(bound.arguments.items())[1:])
        self._name = self.name = settings.pop("name", None)
        self._keep(self._prepared(settings), self.row.kept, **self._names)

    def _prepared(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The settings as the function takes them."""
        return settings

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Compute the output; the class describes shapes."""
        if named:
            inputs = type(self).forward.__signature__.bind(self, *inputs, **named).args[1:]  # type: ignore[attr-defined]
        more = {"training": self.training} if self.row.trained else {}
        return getattr(F, self.row.function)(*inputs, **self._settings, **more)

    def extra_repr(self) -> str:
        """Settings."""
        settings = self._settings
        shown = self.row.shown if self.row.shown is not None else tuple(settings)
        pairs = [s.split(":") for s in shown]
        found = [f"{label}={settings[key[0] if key else label]}" for label, *key in pairs]
        return ", ".join(found + ([f"name={self._name}"] if self._name else []))


def _parameters(names: dict[str, Any]) -> list[Parameter]:
    return [Parameter(n, Parameter.POSITIONAL_OR_KEYWORD, default=d) for n, d in names.items()]


def _with_signature(method: Any, names: dict[str, Any]) -> Any:
    def own(self: Any, *args: Any, **given: Any) -> Any:
        return method(self, *args, **given)

    own.__name__, own.__doc__ = method.__name__, method.__doc__
    own.__signature__ = Signature(_parameters({"self": REQUIRED, **names}))  # type: ignore[attr-defined]
    return own


def made(row: Row, module: str, base: type[FunctionLayer] = FunctionLayer) -> type[FunctionLayer]:
    """The class of a row."""
    settings = {**row.settings, "name": None} if row.named else row.settings
    body = {
        "row": row,
        "__doc__": row.doc,
        "__module__": module,
        "__init__": _with_signature(base.__init__, settings),
        "forward": _with_signature(base.forward, dict.fromkeys(row.inputs, REQUIRED)),
    }
    return type(row.name, (base,), body)
