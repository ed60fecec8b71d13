"""Activation layers. TABLE lists the layers, each with the function of `nn.functional` that it
calls.
"""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from . import functional as F
from .function_layer import REQUIRED, Row, make_layer_class
from .initializer import Constant
from .layer import Layer

# Rows: name of the layer class, function of nn.functional, and the parameters of __init__ in order,
# with Paddle's defaults.
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
    ("CELU", "celu", {"alpha": 1.0}),
    (
        "SELU",
        "selu",
        {"scale": 1.0507009873554804934193349852946, "alpha": 1.6732632423543772848170429916717},
    ),
    ("LeakyReLU", "leaky_relu", {"negative_slope": 0.01}),
    ("Hardtanh", "hardtanh", {"min": -1.0, "max": 1.0}),
    ("Hardshrink", "hardshrink", {"threshold": 0.5}),
    ("Softshrink", "softshrink", {"threshold": 0.5}),
    ("ThresholdedReLU", "thresholded_relu", {"threshold": 1.0}),
    ("Softplus", "softplus", {"beta": 1, "threshold": 20}),
    ("Softmax", "softmax", {"axis": -1}),
    ("LogSoftmax", "log_softmax", {"axis": -1}),
    ("GLU", "glu", {"axis": -1}),
    ("Maxout", "maxout", {"groups": REQUIRED, "axis": 1}),
]

CLASSES = {
    name: make_layer_class(
        Row(
            name,
            function,
            settings,
            f"Apply `functional.{function}`.",
            "x [*] -> [*]",
            attribute_format="_{}",
        ),
        __name__,
    )
    for name, function, settings in TABLE
}
globals().update(CLASSES)
__all__ = ["PReLU", "RReLU", "Softmax2D", *CLASSES]  # noqa: PLE0604 - created from the table


class RReLU(Layer):
    """Randomized leaky ReLU (Xu et al. 2015): x where x > 0, otherwise slope * x.

    In training the slope of each element is drawn uniformly from [lower, upper); in evaluation it
    is (lower + upper) / 2.

    x [*] -> like x
    """

    def __init__(
        self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, name: str | None = None
    ) -> None:
        super().__init__()
        self._lower, self._upper, self._name = lower, upper, name

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        text = (
            f"lower={self._lower}, upper={self._upper}, training={self.training}, "
            f"dtype={self._dtype.name}"
        )
        return text + (f", name={self._name}" if self._name else "")


class Softmax2D(Layer):
    """Softmax over the channels of images.

    x [N, C, H, W] or [C, H, W] -> like x
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        check_tensors(x)
        if x.ndim not in (3, 4):
            raise OpError(append_user_line(f"Softmax2D: the rank must be 3 or 4 (X={x.meta})"))
        return F.softmax(x, axis=-3)

    def extra_repr(self) -> str:
        """Return the text that `repr` shows in parentheses: the `name` of the layer, if it has
        one.
        """
        return f"name={self._name}" if self._name else ""


class PReLU(Layer):
    """Parametric ReLU: x where x > 0, otherwise weight * x, with a learned weight.

    x [N, C, *], weight [num_parameters] -> like x
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._num_parameters, self._init, self._name = num_parameters, init, name
        self._data_format, self._weight_attr = data_format, weight_attr
        self._weight: Any = self.create_parameter(
            [num_parameters], weight_attr, default_initializer=Constant(init)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.prelu(x, self._weight, self._data_format)

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        text = (
            f"num_parameters={self._num_parameters}, data_format={self._data_format}, "
            f"init={self._init}"
        )
        return f"{text}, dtype={self._dtype.name}" + (f", name={self._name}" if self._name else "")
