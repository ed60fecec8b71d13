"""Normalization layers."""

from __future__ import annotations

import math

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...nn.initializer import Constant, Normal
from ...nn.param_attr import ParamAttr
from ...nn.type_aliases import ParamAttrLike
from .helper import LayerHelper, require_static_size

ONES, ZEROS = Constant(1.0), Constant(0.0)


def batch_norm(
    input: Tensor,
    act: str | None = None,
    is_test: bool = False,
    momentum: float | Tensor = 0.9,
    epsilon: float = 1e-05,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
) -> Variable:
    """Batch normalization in a static graph program (Ioffe and Szegedy 2015).

    out = act((input - mean) / sqrt(var + epsilon) * weight + bias), per channel

    In training, mean and var are those of the batch, and update moving averages: moving = momentum
    * moving + (1 - momentum) * batch. With `is_test` or `use_global_stats` they are the moving
    averages. The function creates weight, bias and moving averages, each [C].

    Parameters
    ----------
    input : Variable [N, C, *] or [N, *, C], float16 | bfloat16 | float32 | float64
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    is_test : bool, default False
    momentum : float or Variable [1], default 0.9
    epsilon : float, default 1e-05
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of weight (default 1) and bias (default 0). False: the
        parameter is not trained.
    data_layout : "NCHW" or "NHWC", default "NCHW"
        Whether the channels are axis 1 or the last axis.
    in_place : bool, default False
        Has no effect.
    name : str, optional
        Prefix of the names of parameters and outputs.
    moving_mean_name, moving_variance_name : str, optional
        Names of the moving averages.
    do_model_average_for_mean_and_var : bool, default True
        Has no effect.
    use_global_stats : bool, default False

    Returns
    -------
    Variable, shape and dtype of input

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If the number of channels is dynamic, or `data_layout` is unknown.

    See Also
    --------
    nn.BatchNorm2D : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2])
    ...     y = paddle.static.nn.batch_norm(x)
    >>> exe = paddle.static.Executor()
    >>> _ = exe.run(startup)
    >>> feed = {"x": np.array([[1, 5], [3, 5]], np.float32)}
    >>> exe.run(main, feed, fetch_list=[y])[0].round(3).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    >>> paddle.disable_static()
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
    input: Tensor,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-05,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    act: str | None = None,
    name: str | None = None,
) -> Variable:
    """Layer normalization in a static graph program (Ba et al. 2016).

    out = act((input - mean) / sqrt(var + epsilon) * weight + bias), with mean and var over the axes
    from `begin_norm_axis` on

    Parameters
    ----------
    input : Variable [*], float16 | bfloat16 | float32 | float64
    scale, shift : bool, default True
        Whether the function creates a weight and a bias, [product of the normalized sizes].
    begin_norm_axis : int, default 1
    epsilon : float, default 1e-05
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of weight (default 1) and bias (default 0). False:
        none.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable, shape and dtype of input

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If a normalized size is dynamic.

    See Also
    --------
    nn.LayerNorm : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2])
    ...     y = paddle.static.nn.layer_norm(x)
    >>> exe = paddle.static.Executor()
    >>> _ = exe.run(startup)
    >>> feed = {"x": np.array([[1, 3]], np.float32)}
    >>> exe.run(main, feed, fetch_list=[y])[0].round(3).tolist()
    [[-1.0, 1.0]]
    >>> paddle.disable_static()
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
    input: Tensor,
    groups: int,
    epsilon: float = 1e-05,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    act: str | None = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """Group normalization in a static graph program (Wu and He 2018).

    out = act((input - mean) / sqrt(var + epsilon) * weight + bias), with mean and var per sample
    over groups of C / groups channels

    Parameters
    ----------
    input : Variable [N, C, *] or [N, *, C], float16 | bfloat16 | float32 | float64
    groups : int
        Divides C.
    epsilon : float, default 1e-05
    param_attr, bias_attr : ParamAttr, Initializer or str, optional
        Initialization, name and regularizer of weight and bias, [C]. As in Paddle, each is created
        only if it is given.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    data_layout : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable, shape and dtype of input

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If the number of channels is dynamic, `groups` does not divide it, or `data_layout` is
        unknown.

    See Also
    --------
    nn.GroupNorm : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 4])
    ...     y = paddle.static.nn.group_norm(x.reshape([-1, 4, 1, 1]), groups=2)
    >>> feed = {"x": np.array([[1, 3, 0, 4]], np.float32)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[y])[0].round(3).ravel().tolist()
    [-1.0, 1.0, -1.0, 1.0]
    >>> paddle.disable_static()
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
    input: Tensor,
    epsilon: float = 1e-05,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    name: str | None = None,
) -> Variable:
    """Instance normalization in a static graph program (Ulyanov et al. 2017).

    out = (input - mean) / sqrt(var + epsilon) * weight + bias, with mean and var per sample and
    channel

    Parameters
    ----------
    input : Variable [N, C, *], float16 | bfloat16 | float32 | float64
    epsilon : float, default 1e-05
    param_attr, bias_attr : ParamAttr, Initializer or str, optional
        Initialization, name and regularizer of weight and bias, [C]. As in Paddle, they are created
        only if both are given.
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable, shape and dtype of input

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If the number of channels is dynamic.

    See Also
    --------
    nn.InstanceNorm2D : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 1, 1, 2])
    ...     y = paddle.static.nn.instance_norm(x)
    >>> feed = {"x": np.array([[[[1, 3]]]], np.float32)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[y])[0].round(3).tolist()
    [[[[-1.0, 1.0]]]]
    >>> paddle.disable_static()
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
    weight: Tensor,
    dim: int = 0,
    power_iters: int = 1,
    eps: float = 1e-12,
    name: str | None = None,
) -> Variable:
    """Divide a weight by its largest singular value (Miyato et al. 2018).

    The singular value of the weight, reshaped to a matrix with the rows of axis `dim`, is estimated
    by power iterations. Their vectors are persistable variables that the function creates, so the
    estimate improves from run to run.

    Parameters
    ----------
    weight : Variable [*], float32 | float64
    dim : int, default 0
    power_iters : int, default 1
        Iterations in each run.
    eps : float, default 1e-12
        Added to norms, against divisions by 0.
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable, shape and dtype of weight

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `weight` is not a Variable.
    OpError
        If a size is dynamic or 0, or `dim` is out of range.

    See Also
    --------
    nn.SpectralNorm : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     w = paddle.static.data("w", [2, 2])
    ...     y = paddle.static.nn.spectral_norm(w, power_iters=20)
    >>> exe = paddle.static.Executor()
    >>> _ = exe.run(startup)
    >>> feed = {"w": np.array([[4, 0], [0, 1]], np.float32)}
    >>> exe.run(main, feed, fetch_list=[y])[0].round(3).tolist()
    [[1.0, 0.0], [0.0, 0.25]]
    >>> paddle.disable_static()
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
