"""Folding batch normalization into the layer before it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

from ...core.errors import OpError, append_user_line, warn
from ...nn import BatchNorm1D, BatchNorm2D, Conv2D, Identity, Layer, Linear
from ...nn.create_parameter import create_parameter
from ..quantize import shared_parameter_ids
from .sublayers import require_parent_and_name_of_sublayer

_SHARED = "the network has it under several names, or another layer shares its weight or bias"
# Pairs (layer type, type of the normalization after it) that can be folded -> the axis of output
# channels in the weight of the layer.
FOLDABLE: dict[tuple[type, type], int] = {(Conv2D, BatchNorm2D): 0, (Linear, BatchNorm1D): 1}


def fuse_conv_bn(model: Layer) -> Layer:
    """Fold each batch normalization into the convolution before it, in place.

    weight' = weight * s, bias' = (bias - mean) * s + beta with s = gamma / sqrt(variance + epsilon)

    A `Conv2D` and a `BatchNorm2D` are a pair if they are adjacent in `model.named_sublayers()`,
    have the same parent and as many channels. This assumes that layers run in the order in which
    they were assigned: name the pairs with `fuse_layers` if that is not so. If a parent has another
    convolution before another normalization, as after `conv1, conv2, bn1, bn2`, a warning names it
    and its layers are not folded. A warning also names a convolution that is not folded because
    the network has it under several names or another layer shares its weight or bias.

    Parameters
    ----------
    model : Layer
        In any mode; the running statistics are used.

    Returns
    -------
    Layer
        `model`, with `Identity` layers in place of the normalizations.

    Examples
    --------
    >>> from oarlock.quantization.imperative.fuse_utils import fuse_conv_bn
    >>> fuse_conv_bn(nn.Sequential(nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2)))
    Sequential(
      (0): Conv2D(1, 2, kernel_size=[3, 3], data_format=NCHW)
      (1): Identity()
    )
    """
    layers = list(model.named_sublayers())
    pairs = [
        [name, next_name]
        for (name, layer), (next_name, following) in pairwise(layers)
        if _are_foldable(layer, following) and _parent_name(name) == _parent_name(next_name)
    ]
    paired = {name for pair in pairs for name in pair}
    rest = [
        (name, layer)
        for name, layer in layers
        if name not in paired and isinstance(layer, Conv2D | BatchNorm2D)
    ]
    unclear = {
        _parent_name(name)
        for (name, layer), (later, following) in combinations(rest, 2)
        if _parent_name(name) == _parent_name(later) and _are_foldable(layer, following)
    }
    for parent in sorted(unclear & {_parent_name(pair[0]) for pair in pairs}):
        warn(
            f"fuse_conv_bn: the order of the layers of {parent or type(model).__name__} does not "
            f"show which normalization follows which convolution; name the pairs with fuse_layers"
        )
    pairs = [pair for pair in pairs if _parent_name(pair[0]) not in unclear]
    by_name, shared = dict(layers), _ids_of_shared_layers_and_parameters(model)
    for name, _ in pairs:
        if _is_shared(by_name[name], shared):
            warn(f"fuse_conv_bn: {name} is not folded, because {_SHARED}")
    pairs = [pair for pair in pairs if not _is_shared(by_name[pair[0]], shared)]
    return fuse_layers(model, pairs, inplace=True)


def _parent_name(path: str) -> str:
    return path.rpartition(".")[0]


def _ids_of_shared_layers_and_parameters(model: Layer) -> set[int]:
    """Return the ids of the layers with several names in `model`, and of the parameters that
    several layers have.
    """
    counts = Counter(
        id(layer)
        for parent in model.sublayers(include_self=True)
        for layer in parent._sub_layers.values()
    )
    return {layer for layer, count in counts.items() if count > 1} | shared_parameter_ids(model)


def _is_shared(layer: Any, shared: set[int]) -> bool:
    return not shared.isdisjoint(id(part) for part in (layer, layer.weight, layer.bias))


def _are_foldable(layer: Layer, following: Layer) -> bool:
    return (
        isinstance(layer, Conv2D)
        and isinstance(following, BatchNorm2D)
        and layer._out_channels == following._num_features
    )


def fuse_layers(
    model: Layer, layers_to_fuse: Sequence[Sequence[str]], inplace: bool = False
) -> Layer:
    """Fold the batch normalization of each pair of layers; `fuse_conv_bn` has the formula.

    Parameters
    ----------
    model : Layer
    layers_to_fuse : list of [str, str]
        Structured names of a `Conv2D` and a `BatchNorm2D`, or of a `Linear` and a `BatchNorm1D`.
    inplace : bool, default False
        Whether `model` is changed; otherwise a copy is.

    Returns
    -------
    Layer

    Raises
    ------
    OpError
        If a name does not exist, two pairs have the same normalization, or a pair cannot be folded,
        also because the network has its first layer under several names or another layer shares
        its weight or bias; nothing is changed then.

    Examples
    --------
    >>> from oarlock.quantization.imperative.fuse_utils import fuse_layers
    >>> fuse_layers(nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1D(2)), [["0", "1"]])
    Sequential(
      (0): Linear(in_features=1, out_features=2, dtype=float32)
      (1): Identity()
    )
    """
    result = model if inplace else copy.deepcopy(model)
    found = [
        [require_parent_and_name_of_sublayer(result, path) for path in pair]
        for pair in layers_to_fuse
    ]
    layers: list[list[Any]] = [
        [parent._sub_layers[name] for parent, name in pair] for pair in found
    ]
    axes = [_require_foldable_pair_axis(pair) for pair in layers]
    shared = _ids_of_shared_layers_and_parameters(result)
    for path, (layer, _) in zip(layers_to_fuse, layers, strict=True):
        if _is_shared(layer, shared):
            raise OpError(append_user_line(f"fuse_layers: cannot fold {path[0]}: {_SHARED}"))
    if len({(id(parent), name) for _, (parent, name) in found}) < len(found):
        raise OpError(append_user_line("fuse_layers: two pairs have the same normalization"))
    for (_, (parent, name)), (layer, norm), axis in zip(found, layers, axes, strict=True):
        _fold_batch_norm(layer, norm, axis)
        replacement = Identity()
        replacement.training = norm.training
        setattr(parent, name, replacement)
    return result


def _require_foldable_pair_axis(pair: list[Any]) -> int:
    """Return the axis of output channels in the weight of the first layer of a pair; raise OpError
    if the second one cannot be folded into it.
    """
    types = tuple(type(layer) for layer in pair)
    axis = FOLDABLE.get(types)  # type: ignore[arg-type]  # pairs of other lengths have no axis
    if axis is None:
        names = " and ".join(t.__name__ for t in types)
        raise OpError(
            append_user_line(
                f"fuse_layers: cannot fold {names}; only Conv2D and BatchNorm2D, or Linear and "
                f"BatchNorm1D"
            )
        )
    layer, norm = pair
    if layer.weight.shape[axis] != norm._num_features:
        raise OpError(
            append_user_line(
                f"fuse_layers: the normalization has {norm._num_features} channels, the layer "
                f"{layer.weight.shape[axis]}"
            )
        )
    return axis


def _fold_batch_norm(layer: Any, norm: Any, axis: int) -> None:
    """Fold a batch normalization into weight and bias of the layer before it."""
    mean, variance = norm._mean.numpy(), norm._variance.numpy()
    factor = 1 / (variance + norm._epsilon) ** 0.5
    if norm.weight is not None:
        factor = factor * norm.weight.numpy()
    weight = layer.weight.numpy()
    shape = [-1 if i == axis else 1 for i in range(weight.ndim)]
    bias = (0 if layer.bias is None else layer.bias.numpy()) - mean
    bias = bias * factor + (0 if norm.bias is None else norm.bias.numpy())
    layer.weight.set_value((weight * factor.reshape(shape)).astype(weight.dtype))
    if layer.bias is None:
        layer.bias = create_parameter(list(bias.shape), layer.weight.dtype, is_bias=True)
    layer.bias.set_value(bias.astype(weight.dtype))
