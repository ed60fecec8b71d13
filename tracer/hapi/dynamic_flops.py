"""Count the operations of a network as Paddle does: one per multiply-add, and none for most
layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import nn
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..tensor.creation import randn
from .model_summary import eval_mode_with_forward_hooks

if TYPE_CHECKING:
    pass


__all__ = ["flops"]

Count = Callable[[Any, Any, Any], Any]


def _num_elements(x: Tensor) -> int:
    return math.prod(x.shape)


def _conv_flops(layer: Any, x: Any, y: Tensor) -> int:
    window = math.prod(layer.weight.shape[2:])
    return int(
        _num_elements(y) * (x[0].shape[1] / layer._groups * window + (layer.bias is not None))
    )


def _adaptive_pool_flops(layer: Any, x: Any, y: Tensor) -> int:
    window = math.prod(
        in_size // out_size for in_size, out_size in zip(x[0].shape[2:], y.shape[2:], strict=True)
    )
    return (window + 1) * _num_elements(y)


def _linear_flops(layer: Any, x: Any, y: Tensor) -> int:
    return int(layer.weight.shape[0]) * _num_elements(y)


def _two_flops_per_input_element(layer: Any, x: Any, y: Tensor) -> int:
    return 2 * _num_elements(x[0])


def _one_flop_per_input_element(layer: Any, x: Any, y: Tensor) -> int:
    return _num_elements(x[0])


def _one_flop_per_output_element(layer: Any, x: Any, y: Tensor) -> int:
    return _num_elements(y)


def _zero_flops(layer: Any, x: Any, y: Tensor) -> int:
    return 0


# Name of a layer class -> function that counts the operations of one call. Layers of classes that
# are not in this table count as 0 operations.
_COUNTS_BY_LAYER_TYPE: dict[str, Callable[[Any, Any, Tensor], int]] = {
    **dict.fromkeys(
        ("Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"),
        _conv_flops,
    ),
    **dict.fromkeys(("BatchNorm2D", "BatchNorm"), _two_flops_per_input_element),
    "LeakyReLU": _one_flop_per_input_element,
    "Linear": _linear_flops,
    **dict.fromkeys(("AvgPool1D", "AvgPool2D", "AvgPool3D"), _one_flop_per_output_element),
    **dict.fromkeys(
        ("AdaptiveAvgPool1D", "AdaptiveAvgPool2D", "AdaptiveAvgPool3D"), _adaptive_pool_flops
    ),
    **dict.fromkeys(("ReLU", "ReLU6", "Dropout"), _zero_flops),
}


class _LayerFlopsRecorder:
    """Records the number of operations and the output shape of each layer that has no sublayers."""

    def __init__(self, custom_ops: Mapping[type[Any], Count]) -> None:
        self._custom_ops = custom_ops
        self.ops: dict[int, int] = {}
        self.shapes: dict[int, tuple[list[int], list[int]]] = {}
        self.unsupported_layer_types: set[str] = set()

    def record(self, layer: Any, x: Any, y: Any) -> None:
        """Forward hook: add the operations of one call of a layer, and store the shape of its
        output.
        """
        first = y[0] if isinstance(y, list | tuple) else y
        self.ops[id(layer)] = self.ops.get(
            id(layer), 0
        ) + self._count_flops_or_record_unsupported_type(layer, x, y)
        self.shapes[id(layer)] = (list(x[0].shape), list(first.shape))

    def _count_flops_or_record_unsupported_type(self, layer: Any, x: Any, y: Any) -> int:
        custom = self._custom_ops.get(type(layer))
        if custom is not None:
            layer.total_ops = 0
            custom(layer, x, y)
            count = int(layer.total_ops)
            del layer.total_ops
            return count
        type_name = type(layer).__name__
        if type_name not in _COUNTS_BY_LAYER_TYPE or type(layer) is not getattr(nn, type_name):
            self.unsupported_layer_types.add(type_name)
            return 0
        return abs(_COUNTS_BY_LAYER_TYPE[type_name](layer, x, y))


def flops(
    net: Any,
    input_size: Sequence[int],
    custom_ops: Mapping[type[Any], Callable[..., Any]] | None = None,
    print_detail: bool = False,
) -> int:
    """Print and return the number of operations of a forward pass.

    A multiply-add counts as one operation. Convolutions, `Linear`, batch norm, average pooling and
    LeakyReLU are counted; ReLU, ReLU6 and Dropout count as 0, as do all other layers, which are
    listed.

    Parameters
    ----------
    net : Layer
        It runs once, in eval mode, with random float32 values.
    input_size : list of int
        Shape of the only input; the operations of the whole batch are counted.
    custom_ops : dict, optional
        Maps a layer class to a ``function(layer, inputs, output)`` that adds the operations of one
        call to ``layer.total_ops``.
    print_detail : bool, default False
        Print a table of all layers.

    Returns
    -------
    int

    Raises
    ------
    OpError
        If `net` is not a Layer.

    Examples
    --------
    >>> paddle.flops(nn.Sequential(nn.Linear(2, 3), nn.ReLU()), [4, 2])
    Total Flops: 24     Total Params: 9
    24
    """
    if not isinstance(net, nn.Layer):
        raise OpError(append_user_line(f"flops: {type(net).__name__} is not a Layer"))
    counter = _LayerFlopsRecorder(custom_ops or {})
    with eval_mode_with_forward_hooks(
        net, counter.record, lambda layer: not list(layer.children())
    ):
        net(randn(list(input_size)))
    layers = [layer for layer in net.sublayers(include_self=True) if id(layer) in counter.ops]
    rows = [
        (
            layer.full_name(),
            *counter.shapes[id(layer)],
            sum(map(_num_elements, layer.parameters())),
            counter.ops[id(layer)],
        )
        for layer in layers
    ]
    for type_name in sorted(counter.unsupported_layer_types):
        print(f"Cannot find suitable count function for {type_name}. Treat it as zero FLOPs.")
    if print_detail:
        print(_format_table(rows))
    total = sum(row[4] for row in rows)
    print(f"Total Flops: {total}     Total Params: {sum(row[3] for row in rows)}")
    return total


def _format_table(rows: list[Any]) -> str:
    cells = [
        ("Layer Name", "Input Shape", "Output Shape", "Params", "Flops"),
        *(tuple(map(str, row)) for row in rows),
    ]
    widths = [max(len(row[i]) for row in cells) + 2 for i in range(5)]
    separator = "+" + "+".join("-" * w for w in widths) + "+"
    lines = [
        "|" + "|".join(c.center(w) for c, w in zip(row, widths, strict=True)) + "|" for row in cells
    ]
    return "\n".join([separator, lines[0], separator, *lines[1:], separator])
