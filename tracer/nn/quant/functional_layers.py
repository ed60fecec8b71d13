"""Layers that call one function, so that quantization can observe its inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tensor import Tensor
from ...tensor import linalg, manipulation, math
from ..layer import Layer

__all__: list[str] = []


class FloatFunctionalLayer(Layer):
    """Base of the layers that call one function.

    Quantization can observe the operands and the result of a layer, but not those of a function.

    The subclasses are `add`, `subtract`, `multiply`, `divide`, `reshape`, `transpose`, `concat`,
    `flatten` and `matmul` of `paddle.nn.quant`.

    Examples
    --------
    >>> isinstance(nn.quant.add(), nn.quant.functional_layers.FloatFunctionalLayer)
    True
    """

    def __init__(self) -> None:
        super().__init__()


class add(FloatFunctionalLayer):
    """Layer that returns x + y, with broadcasting, by `paddle.add`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x, y : shapes that broadcast, one dtype
    returns : the broadcast shape, dtype of x

    Examples
    --------
    >>> layer = nn.quant.add()
    >>> layer(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2.0, 2.0])).tolist()
    [3.0, 5.0]
    """

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        return math.add(x, y, name)


class subtract(FloatFunctionalLayer):
    """Layer that returns x - y, with broadcasting, by `paddle.subtract`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x, y : shapes that broadcast, one dtype
    returns : the broadcast shape, dtype of x

    Examples
    --------
    >>> layer = nn.quant.subtract()
    >>> layer(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2.0, 2.0])).tolist()
    [-1.0, 1.0]
    """

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        return math.subtract(x, y, name)


class multiply(FloatFunctionalLayer):
    """Layer that returns x * y, with broadcasting, by `paddle.multiply`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x, y : shapes that broadcast, one dtype
    returns : the broadcast shape, dtype of x

    Examples
    --------
    >>> layer = nn.quant.multiply()
    >>> layer(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2.0, 2.0])).tolist()
    [2.0, 6.0]
    """

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        return math.multiply(x, y, name)


class divide(FloatFunctionalLayer):
    """Layer that returns x / y, with broadcasting, by `paddle.divide`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x, y : shapes that broadcast, one dtype
    returns : the broadcast shape, dtype of x

    Examples
    --------
    >>> layer = nn.quant.divide()
    >>> layer(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2.0, 2.0])).tolist()
    [0.5, 1.5]
    """

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        return math.divide(x, y, name)


class reshape(FloatFunctionalLayer):
    """Layer that returns a tensor with another shape, by `paddle.reshape`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x : [*]
    shape : list of int or Tensor; one -1 is computed from the other sizes
    returns : [*shape], dtype of x

    Examples
    --------
    >>> nn.quant.reshape()(paddle.zeros([2, 3]), [3, -1]).shape
    [3, 2]
    """

    def forward(self, x: Tensor, shape: Any, name: str | None = None) -> Tensor:
        return manipulation.reshape(x, shape, name)


class transpose(FloatFunctionalLayer):
    """Layer that returns a tensor with permuted axes, by `paddle.transpose`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x : [*]
    perm : list of int, the axes of x in the order of the result
    returns : axis i has the size of axis perm[i] of x; dtype of x

    Examples
    --------
    >>> nn.quant.transpose()(paddle.zeros([2, 3]), [1, 0]).shape
    [3, 2]
    """

    def forward(self, x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
        return manipulation.transpose(x, perm, name)


class concat(FloatFunctionalLayer):
    """Layer that concatenates tensors along an axis, by `paddle.concat`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x : list of tensors, whose sizes are the same except along the axis
    axis : int or Tensor, default 0
    returns : the sizes along the axis added up, dtype of the tensors

    Examples
    --------
    >>> nn.quant.concat()([paddle.zeros([1, 2]), paddle.zeros([3, 2])], axis=0).shape
    [4, 2]
    """

    def forward(self, x: Sequence[Tensor], axis: Any = 0, name: str | None = None) -> Tensor:
        return manipulation.concat(x, axis, name)


class flatten(FloatFunctionalLayer):
    """Layer that merges a range of axes, by `paddle.flatten`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x : [*]
    start_axis, stop_axis : int, default 0 and -1, the first and the last axis that are merged
    returns : fewer axes, dtype of x

    Examples
    --------
    >>> nn.quant.flatten()(paddle.zeros([2, 3, 4]), start_axis=1).shape
    [2, 12]
    """

    def forward(
        self, x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None
    ) -> Tensor:
        return manipulation.flatten(x, start_axis, stop_axis, name)


class matmul(FloatFunctionalLayer):
    """Layer that returns a matrix product, by `paddle.matmul`.

    Unlike the function, the layer is a sublayer of the network, so `ImperativeQuantAware` and
    `ImperativePTQ` can observe and quantize its operands and its result.

    Shape
    -----
    x : [*, M, K], or [*, K, M] with ``transpose_x=True``
    y : [*, K, N], or [*, N, K] with ``transpose_y=True``
    returns : [*, M, N], dtype of x

    Examples
    --------
    >>> nn.quant.matmul()(paddle.ones([2, 3]), paddle.ones([4, 3]), transpose_y=True).shape
    [2, 4]
    """

    def forward(
        self,
        x: Tensor,
        y: Tensor,
        transpose_x: bool = False,
        transpose_y: bool = False,
        name: str | None = None,
    ) -> Tensor:
        return linalg.matmul(x, y, transpose_x, transpose_y, name)
