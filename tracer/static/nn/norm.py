"""Normalisation."""

from __future__ import annotations

import math
from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...nn.initializer import Constant, Normal
from ...nn.param_attr import ParamAttr
from .helper import Helper, known_size

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
    """(x - mean) / sqrt(var + epsilon) * weight + bias per channel

    (Ioffe and Szegedy 2015).
    input [N, C, *] -> [N, C, *]

    mean and var are the batch's, and move running ones; with is_test or use_global_stats they are
    the running ones.
    """
    helper = Helper("batch_norm", name, input)
    size = [known_size("batch_norm", input, 1 if data_layout == "NCHW" else -1)]
    with helper.writing():
        scale = helper.parameter(
            None if param_attr is False else param_attr, size, input.dtype, start=ONES
        )
        shift = helper.parameter(
            None if bias_attr is False else bias_attr, size, input.dtype, is_bias=True
        )
        mean = helper.parameter(_statistic(moving_mean_name, ZEROS), size, input.dtype)
        variance = helper.parameter(_statistic(moving_variance_name, ONES), size, input.dtype)
        moves = {"momentum": 0.9 if isinstance(momentum, Variable) else float(momentum)}
        tensor = momentum if isinstance(momentum, Variable) else None
        made = OPS["batch_norm"](
            input,
            scale,
            shift,
            mean,
            variance,
            tensor,
            **moves,
            epsilon=float(epsilon),
            is_test=is_test,
            data_layout=data_layout,
            use_global_stats=use_global_stats,
        )
        for frozen, attr in ((scale, param_attr), (shift, bias_attr)):
            frozen.stop_gradient = frozen.stop_gradient or attr is False
        return helper.activated(made[0], act)


def _statistic(name: str | None, start: Constant) -> ParamAttr:
    return ParamAttr(name=name, initializer=start, trainable=False)


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
    """(x - mean) / sqrt(var + epsilon) * weight + bias over the axes from begin_norm_axis on

    (Ba et al. 2016).
    -> like input
    """
    helper = Helper("layer_norm", name, input)
    size = [
        math.prod(known_size("layer_norm", input, i) for i in range(begin_norm_axis, input.ndim))
    ]
    with helper.writing():
        weight = helper.parameter(param_attr, size, input.dtype, start=ONES) if scale else None
        bias = helper.parameter(bias_attr, size, input.dtype, is_bias=True) if shift else None
        made = OPS["layer_norm"](
            input, weight, bias, begin_norm_axis=begin_norm_axis, epsilon=float(epsilon)
        )
        return helper.activated(made[0], act)


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
    """Normalised over groups of channels   (Wu and He 2018).   input [N, C, *] -> [N, C, *]

    As in Paddle, weight and bias are there only where their attr says so.
    """
    helper = Helper("group_norm", name, input)
    if data_layout not in ("NCHW", "NHWC"):
        raise OpError(
            with_user_line(f"group_norm: data_layout={data_layout!r} is neither 'NCHW' nor 'NHWC'")
        )
    size = [known_size("group_norm", input, 1 if data_layout == "NCHW" else -1)]
    with helper.writing():
        weight = helper.parameter(param_attr, size, input.dtype, start=ONES) if param_attr else None
        bias = helper.parameter(bias_attr, size, input.dtype, is_bias=True) if bias_attr else None
        made = OPS["group_norm"](
            input, weight, bias, groups=groups, epsilon=float(epsilon), data_layout=data_layout
        )
        return helper.activated(made[0], act)


def instance_norm(
    input: Variable,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Variable:
    """Normalised per picture and channel   (Ulyanov et al. 2017).   input [N, C, *] -> [N, C, *]

    As in Paddle, weight and bias are there only where both attrs say so.
    """
    helper = Helper("instance_norm", name, input)
    size = [known_size("instance_norm", input, 1)]
    weight = bias = None
    with helper.writing():
        if param_attr and bias_attr:
            weight = helper.parameter(param_attr, size, input.dtype, start=ONES)
            bias = helper.parameter(bias_attr, size, input.dtype, is_bias=True)
        found: Variable = OPS["instance_norm"](input, weight, bias, epsilon=float(epsilon))[0]
    return found


def spectral_norm(
    weight: Variable,
    dim: int = 0,
    power_iters: int = 1,
    eps: float = 1e-12,
    name: str | None = None,
) -> Variable:
    """weight over its largest singular value, found by power iterations from kept vectors

    (Miyato et al. 2018).
    -> like weight
    """
    helper = Helper("spectral_norm", name, weight)
    sizes = [known_size("spectral_norm", weight, i) for i in range(weight.ndim)]
    if not -len(sizes) <= dim < len(sizes) or 0 in sizes:
        raise OpError(
            with_user_line(
                f"spectral_norm: dim={dim} is not an axis of rows (Weight={weight.meta})"
            )
        )
    rows = sizes[dim]
    kept = ParamAttr(initializer=Normal(0.0, 1.0), trainable=False)
    with helper.writing():
        u = helper.parameter(kept, [rows], weight.dtype)
        v = helper.parameter(kept, [math.prod(sizes) // rows], weight.dtype)
        found: Variable = OPS["spectral_norm"](
            weight, u, v, dim=dim, power_iters=power_iters, eps=float(eps)
        )
    return found
