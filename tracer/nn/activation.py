"""Activation layers: each calls the function of nn.functional that its row names.   x [*] -> [*]"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import functional as F
from .initializer import Constant
from .layer import Layer

# Class, function, then the settings that __init__ takes, in order, with Paddle's defaults.
TABLE: list[tuple[str, str, dict[str, Any]]] = [
    ("ReLU", "relu", {}),
    ("ReLU6", "relu6", {}),
    ("Sigmoid", "sigmoid", {}),
    ("Tanh", "tanh", {}),
    ("Silu", "silu", {}),
    ("Swish", "swish", {}),
    ("Mish", "mish", {}),
    ("Softsign", "softsign", {}),
    ("LogSigmoid", "log_sigmoid", {}),
    ("Tanhshrink", "tanhshrink", {}),
    ("Hardswish", "hardswish", {}),
    ("Hardsigmoid", "hardsigmoid", {}),
    ("GELU", "gelu", {"approximate": False}),
    ("ELU", "elu", {"alpha": 1.0}),
    ("LeakyReLU", "leaky_relu", {"negative_slope": 0.01}),
    ("Hardtanh", "hardtanh", {"min": -1.0, "max": 1.0}),
    ("Softplus", "softplus", {"beta": 1, "threshold": 20}),
    ("Softmax", "softmax", {"axis": -1}),
    ("LogSoftmax", "log_softmax", {"axis": -1}),
    ("GLU", "glu", {"axis": -1}),
]


class _Activation(Layer):
    """An activation; its settings are those of the function."""

    _function = ""
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, name: str | None = None, **settings: Any) -> None:
        super().__init__()
        given = {**dict(zip(self._defaults, args, strict=False)), **settings}
        unknown = given.keys() - self._defaults.keys()
        if unknown or len(args) > len(self._defaults):
            raise TypeError(f"{type(self).__name__} takes {list(self._defaults)}, got {args} and {sorted(settings)}")
        self._settings = {**self._defaults, **given}

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        found: Tensor = getattr(F, self._function)(x, **self._settings)
        return found

    def extra_repr(self) -> str:
        """Settings."""
        return ", ".join(f"{k}={v}" for k, v in self._settings.items())


def _make(name: str, function: str, defaults: dict[str, Any]) -> type[_Activation]:
    doc = f"functional.{function} as a layer.   x [*] -> [*]"
    return type(
        name, (_Activation,), {"_function": function, "_defaults": defaults, "__doc__": doc, "__module__": __name__}
    )


CLASSES = {name: _make(name, function, defaults) for name, function, defaults in TABLE}
globals().update(CLASSES)
__all__ = ["PReLU", *CLASSES]  # noqa: PLE0604 - made from the table


class PReLU(Layer):
    """x where x > 0, else weight * x, the weight being learned.   x [N, C, *], weight [num_parameters] -> like x"""

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._data_format = data_format
        self._weight: Any = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return F.prelu(x, self._weight, self._data_format)
