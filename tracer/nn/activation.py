"""Activation layers. TABLE lists the layers, each with the function of `nn.functional` that it
calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.errors import OpError, append_user_line
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from . import functional as F
from .function_layer import REQUIRED, Row, make_layer_class
from .initializer import Constant
from .layer import Layer
from .type_aliases import ParamAttrLike

_SOFTMAX = """Normalize exponentials along an axis: exp(x) / sum(exp(x)).

Parameters
----------
axis : int, default -1
name : str, optional
    Shown by `repr`.

Shape
-----
x : [*], float16 | bfloat16 | float32 | float64
returns : [*], dtype of x

Raises
------
OpError
    In a call, if the axis does not exist, or the dtype is not floating-point.

See Also
--------
paddle.nn.functional.softmax : The same as a function.

Examples
--------
>>> nn.Softmax()(paddle.to_tensor([[1.0, 1.0], [0.0, 1000.0]])).tolist()
[[0.5, 0.5], [0.0, 1.0]]
"""

_LOG_SOFTMAX = """Logarithm of the softmax along an axis: x - log(sum(exp(x))).

Parameters
----------
axis : int, default -1
name : str, optional
    Shown by `repr`.

Shape
-----
x : [*], float16 | bfloat16 | float32 | float64
returns : [*], dtype of x

Raises
------
OpError
    In a call, if the axis does not exist, or the dtype is not floating-point.

See Also
--------
paddle.nn.functional.log_softmax : The same as a function.

Examples
--------
>>> nn.LogSoftmax()(paddle.to_tensor([0.0, 0.0])).numpy().round(3)
array([-0.693, -0.693], dtype=float32)
"""

_GLU = """Gated linear unit: a * sigmoid(b) for the halves a, b of the input (Dauphin et al. 2017).

Parameters
----------
axis : int, default -1
    Axis of which a is the first half.
name : str, optional
    Shown by `repr`.

Shape
-----
x : [*, 2 * N, *], float16 | bfloat16 | float32 | float64
returns : [*, N, *], dtype of x

Raises
------
OpError
    In a call, if the axis does not exist, or its size is odd.

See Also
--------
paddle.nn.functional.glu : The same as a function.

Examples
--------
>>> nn.GLU()(paddle.to_tensor([1.0, 2.0, 0.0, 0.0])).tolist()
[0.5, 1.0]
"""

_MAXOUT = """Maximum over groups of consecutive channels (Goodfellow et al. 2013).

out[n, c] = max over i < groups of x[n, c * groups + i]

Parameters
----------
groups : int
    Number of channels in a group; divides C.
axis : int, default 1
    Axis of the channels: 1, 3 or -1.
name : str, optional
    Shown by `repr`.

Shape
-----
x : [N, C, H, W] or [N, H, W, C], float16 | bfloat16 | float32 | float64
returns : [N, C / groups, H, W] or [N, H, W, C / groups], dtype of x

Raises
------
OpError
    In a call, if the rank, `axis` or `groups` does not fit.

See Also
--------
paddle.nn.functional.maxout : The same as a function.

Examples
--------
>>> x = paddle.to_tensor([1.0, 5.0, 4.0, 2.0]).reshape([1, 4, 1, 1])
>>> nn.Maxout(groups=2)(x).flatten().tolist()
[5.0, 4.0]
"""


class _Activation(NamedTuple):
    """A row of the table: a layer class, and the parts of its docstring.

    config: the parameters of `__init__` in order, with Paddle's defaults
    summary: first paragraphs
    parameters: the lines of the section Parameters without `name`
    arguments: of `__init__` in the example
    values: results of the example for -2, -0.5, 0 and 3
    """

    name: str
    function: str
    config: dict[str, Any]
    summary: str
    parameters: str
    arguments: str
    values: list[float]

    @property
    def docstring(self) -> str:
        """The docstring of the class."""
        return f"""{self.summary}

Parameters
----------
{self.parameters}name : str, optional
    Shown by `repr`.

Shape
-----
x : [*], float16 | bfloat16 | float32 | float64
returns : [*], dtype of x

Raises
------
OpError
    In a call, if the dtype of x is not supported or an argument is out of range.

See Also
--------
paddle.nn.functional.{self.function} : The same as a function.

Examples
--------
>>> y = nn.{self.name}({self.arguments})(paddle.to_tensor([-2.0, -0.5, 0.0, 3.0]))
>>> [round(value, 3) + 0.0 for value in y.tolist()]
{self.values}
"""


TABLE = [
    _Activation(
        "ReLU",
        "relu",
        {},
        "Rectified linear unit: max(x, 0).",
        "",
        "",
        [0.0, 0.0, 0.0, 3.0],
    ),
    _Activation(
        "ReLU6",
        "relu6",
        {},
        "Clip to [0, 6]: min(max(x, 0), 6).",
        "",
        "",
        [0.0, 0.0, 0.0, 3.0],
    ),
    _Activation(
        "Sigmoid",
        "sigmoid",
        {},
        "Logistic sigmoid: 1 / (1 + exp(-x)).",
        "",
        "",
        [0.119, 0.378, 0.5, 0.953],
    ),
    _Activation(
        "Tanh",
        "tanh",
        {},
        "Hyperbolic tangent.",
        "",
        "",
        [-0.964, -0.462, 0.0, 0.995],
    ),
    _Activation(
        "Silu",
        "silu",
        {},
        "Sigmoid linear unit: x * sigmoid(x).",
        "",
        "",
        [-0.238, -0.189, 0.0, 2.858],
    ),
    _Activation(
        "Swish",
        "swish",
        {},
        "Swish: x * sigmoid(x) (Ramachandran et al. 2017).",
        "",
        "",
        [-0.238, -0.189, 0.0, 2.858],
    ),
    _Activation(
        "Mish",
        "mish",
        {},
        "Mish: x * tanh(log(1 + exp(x))) (Misra 2019).",
        "",
        "",
        [-0.253, -0.221, 0.0, 2.987],
    ),
    _Activation(
        "Softsign",
        "softsign",
        {},
        "Softsign: x / (1 + abs(x)).",
        "",
        "",
        [-0.667, -0.333, 0.0, 0.75],
    ),
    _Activation(
        "LogSigmoid",
        "log_sigmoid",
        {},
        "Logarithm of the sigmoid: log(1 / (1 + exp(-x))).",
        "",
        "",
        [-2.127, -0.974, -0.693, -0.049],
    ),
    _Activation(
        "Tanhshrink",
        "tanhshrink",
        {},
        "Compute x - tanh(x).",
        "",
        "",
        [-1.036, -0.038, 0.0, 2.005],
    ),
    _Activation(
        "Hardswish",
        "hardswish",
        {},
        "Piecewise swish: x * min(max(x + 3, 0), 6) / 6 (Howard et al. 2019).",
        "",
        "",
        [-0.333, -0.208, 0.0, 3.0],
    ),
    _Activation(
        "Hardsigmoid",
        "hardsigmoid",
        {},
        "Piecewise linear sigmoid: x / 6 + 0.5, clipped to [0, 1].",
        "",
        "",
        [0.167, 0.417, 0.5, 1.0],
    ),
    _Activation(
        "GELU",
        "gelu",
        {"approximate": False},
        "Gaussian error linear unit: x * Phi(x) (Hendrycks and Gimpel 2016).\n"
        "\n"
        "Phi is the cumulative normal distribution, (1 + erf(x / sqrt(2))) / 2.",
        "approximate : bool, default False\n"
        "    Use the approximation 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).\n",
        "",
        [-0.046, -0.154, 0.0, 2.996],
    ),
    _Activation(
        "ELU",
        "elu",
        {"alpha": 1.0},
        "Exponential linear unit (Clevert et al. 2016).\n"
        "\n"
        "x where x > 0, otherwise alpha * (exp(x) - 1)",
        "alpha : float, default 1.0\n",
        "",
        [-0.865, -0.393, 0.0, 3.0],
    ),
    _Activation(
        "CELU",
        "celu",
        {"alpha": 1.0},
        "Continuous ELU: x where x > 0, otherwise alpha * (exp(x / alpha) - 1) (Barron 2017).",
        "alpha : float, default 1.0\n    Not 0.\n",
        "alpha=2.0",
        [-1.264, -0.442, 0.0, 3.0],
    ),
    _Activation(
        "SELU",
        "selu",
        {"scale": 1.0507009873554804934193349852946, "alpha": 1.6732632423543772848170429916717},
        "Scaled exponential linear unit (Klambauer et al. 2017).\n"
        "\n"
        "scale * x where x > 0, otherwise scale * alpha * (exp(x) - 1)",
        "scale : float, default 1.0507009873554805\n"
        "    Greater than 1.\n"
        "alpha : float, default 1.6732632423543772\n"
        "    Not negative.\n",
        "",
        [-1.52, -0.692, 0.0, 3.152],
    ),
    _Activation(
        "LeakyReLU",
        "leaky_relu",
        {"negative_slope": 0.01},
        "Leaky ReLU: x where x > 0, otherwise negative_slope * x.",
        "negative_slope : float, default 0.01\n",
        "negative_slope=0.1",
        [-0.2, -0.05, 0.0, 3.0],
    ),
    _Activation(
        "Hardtanh",
        "hardtanh",
        {"min": -1.0, "max": 1.0},
        "Clip to [min, max].",
        "min : float, default -1.0\nmax : float, default 1.0\n",
        "",
        [-1.0, -0.5, 0.0, 1.0],
    ),
    _Activation(
        "Hardshrink",
        "hardshrink",
        {"threshold": 0.5},
        "Hard shrinkage: x where abs(x) > threshold, otherwise 0.",
        "threshold : float, default 0.5\n",
        "threshold=1.0",
        [-2.0, 0.0, 0.0, 3.0],
    ),
    _Activation(
        "Softshrink",
        "softshrink",
        {"threshold": 0.5},
        "Soft shrinkage: x - sign(x) * threshold where abs(x) > threshold, otherwise 0.",
        "threshold : float, default 0.5\n    Not negative.\n",
        "",
        [-1.5, 0.0, 0.0, 2.5],
    ),
    _Activation(
        "ThresholdedReLU",
        "thresholded_relu",
        {"threshold": 1.0},
        "Keep x where x > threshold, otherwise 0.",
        "threshold : float, default 1.0\n",
        "threshold=0.5",
        [0.0, 0.0, 0.0, 3.0],
    ),
    _Activation(
        "Softplus",
        "softplus",
        {"beta": 1, "threshold": 20},
        "Smooth ReLU: log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.",
        "beta : float, default 1\nthreshold : float, default 20\n",
        "",
        [0.127, 0.474, 0.693, 3.049],
    ),
]


def _rows() -> Iterator[Row]:
    for activation in TABLE:
        name, function, config = activation[:3]
        yield Row(name, function, config, activation.docstring, "", attribute_format="_{}")
    for name, config, doc in (
        ("Softmax", {"axis": -1}, _SOFTMAX),
        ("LogSoftmax", {"axis": -1}, _LOG_SOFTMAX),
        ("GLU", {"axis": -1}, _GLU),
        ("Maxout", {"groups": REQUIRED, "axis": 1}, _MAXOUT),
    ):
        function = {"LogSoftmax": "log_softmax"}.get(name, name.lower())
        yield Row(name, function, config, doc, "", attribute_format="_{}")


CLASSES = {row.name: make_layer_class(row, __name__) for row in _rows()}
globals().update(CLASSES)
__all__ = ["PReLU", "RReLU", "Softmax2D", *CLASSES]  # noqa: PLE0604 - created from the table


class RReLU(Layer):
    """Randomized leaky ReLU: x where x > 0, otherwise slope * x (Xu et al. 2015).

    Parameters
    ----------
    lower, upper : float, default 1 / 8, 1 / 3
        0 <= lower <= upper <= 1. In training the slope of each element is drawn uniformly from
        [lower, upper); in evaluation it is (lower + upper) / 2.
    name : str, optional
        Shown by `repr`.

    Shape
    -----
    x : [*], float16 | bfloat16 | float32 | float64
    returns : [*], dtype of x

    Raises
    ------
    OpError
        In a call, if `lower` or `upper` is out of range.

    See Also
    --------
    paddle.nn.functional.rrelu : The same as a function.

    Examples
    --------
    >>> nn.RReLU(0.25, 0.75).eval()(paddle.to_tensor([-2.0, 3.0])).tolist()
    [-1.0, 3.0]
    """

    def __init__(
        self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, name: str | None = None
    ) -> None:
        super().__init__()
        self._lower, self._upper, self._name = lower, upper, name

    def forward(self, x: Tensor) -> Tensor:
        return F.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self) -> str:
        text = (
            f"lower={self._lower}, upper={self._upper}, training={self.training}, "
            f"dtype={self._dtype.name}"
        )
        return text + (f", name={self._name}" if self._name else "")


class Softmax2D(Layer):
    """Softmax over the channels of images.

    Parameters
    ----------
    name : str, optional
        Shown by `repr`.

    Shape
    -----
    x : [N, C, H, W] or [C, H, W], float16 | bfloat16 | float32 | float64
    returns : shape and dtype of x

    Raises
    ------
    OpError
        In a call, if the rank is neither 3 nor 4.

    Examples
    --------
    >>> nn.Softmax2D()(paddle.zeros([1, 4, 1, 1])).flatten().tolist()
    [0.25, 0.25, 0.25, 0.25]
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Tensor) -> Tensor:
        check_tensors(x)
        if x.ndim not in (3, 4):
            raise OpError(append_user_line(f"Softmax2D: the rank must be 3 or 4 (X={x.meta})"))
        return F.softmax(x, axis=-3)

    def extra_repr(self) -> str:
        return f"name={self._name}" if self._name else ""


class PReLU(Layer):
    """Parametric ReLU: x where x > 0, otherwise weight * x, with a trained weight (He et al. 2015).

    Parameters
    ----------
    num_parameters : int, default 1
        1: one slope for all elements. C: one per channel.
    init : float, default 0.25
        Initial value of the weight.
    weight_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the weight; a str is a name.
    data_format : str, default "NCHW"
        The channels are the second axis if it starts with "NC", otherwise the last.
    name : str, optional
        Shown by `repr`.

    Attributes
    ----------
    _weight : Parameter [num_parameters]

    Shape
    -----
    x : [N, C, *], dtype of the weight
    returns : shape and dtype of x

    Raises
    ------
    OpError
        In a call, if the number of channels or the dtype does not fit.

    See Also
    --------
    paddle.nn.functional.prelu : The same with a given weight.

    Examples
    --------
    >>> nn.PReLU()(paddle.to_tensor([[-2.0, 3.0]])).tolist()
    [[-0.5, 3.0]]
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: ParamAttrLike | None = None,
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
        return F.prelu(x, self._weight, self._data_format)

    def extra_repr(self) -> str:
        text = (
            f"num_parameters={self._num_parameters}, data_format={self._data_format}, "
            f"init={self._init}"
        )
        return f"{text}, dtype={self._dtype.name}" + (f", name={self._name}" if self._name else "")
