"""Normalization layers."""

from __future__ import annotations

import math
from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...nn.initializer import Constant, Normal
from ...nn.param_attr import ParamAttr
from .helper import LayerHelper, require_static_size

ONES, ZEROS = Constant(1.0), Constant(0.0)


def batch_norm(
    input: Variable,
    act: str | None = None,
    is_test: bool = False,
    momentum: Any = 0.9,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
) -> Variable:
    """Batch normalization: (x - mean) / sqrt(var + epsilon) * weight + bias per channel (Ioffe and
    Szegedy 2015).

    input: [N, C, *].
    Returns the same shape.

    mean and var are those of the batch, and update moving averages; with is_test or
    use_global_stats they are the moving averages.
    """
    helper = LayerHelper("batch_norm", name, input)
    size = [require_static_size("batch_norm", input, 1 if data_layout == "NCHW" else -1)]
    with helper.prefixing_output_names():
        scale = helper.create_parameter(
            None if param_attr is False else param_attr,
            size,
            input.dtype,
            default_initializer=ONES,
        )
        shift = helper.create_parameter(
            None if bias_attr is False else bias_attr, size, input.dtype, is_bias=True
        )
        mean = helper.create_parameter(
            _non_trainable_attr(moving_mean_name, ZEROS), size, input.dtype
        )
        variance = helper.create_parameter(
            _non_trainable_attr(moving_variance_name, ONES), size, input.dtype
        )
        momentum_attr = 0.9 if isinstance(momentum, Variable) else float(momentum)
        momentum_tensor = momentum if isinstance(momentum, Variable) else None
        outputs = OPS["batch_norm"](
            input,
            scale,
            shift,
            mean,
            variance,
            momentum_tensor,
            momentum=momentum_attr,
            epsilon=float(epsilon),
            is_test=is_test,
            data_layout=data_layout,
            use_global_stats=use_global_stats,
        )
        for parameter, attr in ((scale, param_attr), (shift, bias_attr)):
            parameter.stop_gradient = parameter.stop_gradient or attr is False
        return helper.activate(outputs[0], act)


def _non_trainable_attr(name: str | None, initializer: Constant) -> ParamAttr:
    return ParamAttr(name=name, initializer=initializer, trainable=False)


def layer_norm(
    input: Variable,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Variable:
    """Layer normalization: (x - mean) / sqrt(var + epsilon) * weight + bias over the axes from
    begin_norm_axis on (Ba et al. 2016).

    Returns the shape of input.
    """
    helper = LayerHelper("layer_norm", name, input)
    size = [
        math.prod(
            require_static_size("layer_norm", input, i) for i in range(begin_norm_axis, input.ndim)
        )
    ]
    with helper.prefixing_output_names():
        weight = (
            helper.create_parameter(param_attr, size, input.dtype, default_initializer=ONES)
            if scale
            else None
        )
        bias = (
            helper.create_parameter(bias_attr, size, input.dtype, is_bias=True) if shift else None
        )
        outputs = OPS["layer_norm"](
            input, weight, bias, begin_norm_axis=begin_norm_axis, epsilon=float(epsilon)
        )
        return helper.activate(outputs[0], act)


def group_norm(
    input: Variable,
    groups: int,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """Normalization over groups of channels (Wu and He 2018).

    input: [N, C, *].
    Returns the same shape. As in Paddle, weight and bias are created only if their attr is given.
    """
    helper = LayerHelper("group_norm", name, input)
    if data_layout not in ("NCHW", "NHWC"):
        raise OpError(
            append_user_line(
                f"group_norm: data_layout={data_layout!r} is neither 'NCHW' nor 'NHWC'"
            )
        )
    size = [require_static_size("group_norm", input, 1 if data_layout == "NCHW" else -1)]
    with helper.prefixing_output_names():
        weight = (
            helper.create_parameter(param_attr, size, input.dtype, default_initializer=ONES)
            if param_attr
            else None
        )
        bias = (
            helper.create_parameter(bias_attr, size, input.dtype, is_bias=True)
            if bias_attr
            else None
        )
        outputs = OPS["group_norm"](
            input, weight, bias, groups=groups, epsilon=float(epsilon), data_layout=data_layout
        )
        return helper.activate(outputs[0], act)


def instance_norm(
    input: Variable,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Variable:
    """Normalization per image and channel (Ulyanov et al. 2017).

    input: [N, C, *].
    Returns the same shape. As in Paddle, weight and bias are created only if both attrs are given.
    """
    helper = LayerHelper("instance_norm", name, input)
    size = [require_static_size("instance_norm", input, 1)]
    weight = bias = None
    with helper.prefixing_output_names():
        if param_attr and bias_attr:
            weight = helper.create_parameter(
                param_attr, size, input.dtype, default_initializer=ONES
            )
            bias = helper.create_parameter(bias_attr, size, input.dtype, is_bias=True)
        result: Variable = OPS["instance_norm"](input, weight, bias, epsilon=float(epsilon))[0]
    return result


def spectral_norm(
    weight: Variable,
    dim: int = 0,
    power_iters: int = 1,
    eps: float = 1e-12,
    name: str | None = None,
) -> Variable:
    """Divide weight by its largest singular value, estimated by power iterations (Miyato et al.
    2018).

    The vectors of the iteration are persistable. Returns the shape of weight.
    """
    helper = LayerHelper("spectral_norm", name, weight)
    sizes = [require_static_size("spectral_norm", weight, i) for i in range(weight.ndim)]
    if not -len(sizes) <= dim < len(sizes) or 0 in sizes:
        raise OpError(
            append_user_line(
                f"spectral_norm: dim={dim} is not a non-empty axis (Weight={weight.meta})"
            )
        )
    rows = sizes[dim]
    attr = ParamAttr(initializer=Normal(0.0, 1.0), trainable=False)
    with helper.prefixing_output_names():
        u = helper.create_parameter(attr, [rows], weight.dtype)
        v = helper.create_parameter(attr, [math.prod(sizes) // rows], weight.dtype)
        result: Variable = OPS["spectral_norm"](
            weight, u, v, dim=dim, power_iters=power_iters, eps=float(eps)
        )
    return result
