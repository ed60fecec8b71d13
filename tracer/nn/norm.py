"""Normalization layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.communicator import process_groups
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike
from . import functional as F
from .functional.sync_norm import sync_batch_norm
from .initializer import Constant, Normal
from .layer import Layer, LayerT, NoHalfPrecisionLayer
from .param_attr import ParamAttr
from .type_aliases import Ints, ParamAttrLike

__all__ = [
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "LayerNorm",
    "SpectralNorm",
    "SyncBatchNorm",
]

# rank -> axes
_LAYOUTS = {2: "[N, C]", 3: "[N, C, L]", 4: "[N, C, H, W]", 5: "[N, C, D, H, W]"}


def _check_rank(layer: Layer, x: Tensor, ranks: Sequence[int]) -> None:
    check_tensors(x)
    if x.ndim not in ranks:
        layouts = " or ".join(f"{rank} axes {_LAYOUTS[rank]}" for rank in ranks)
        raise OpError(
            append_user_line(
                f"{type(layer).__name__}: the input needs {layouts}, and has {x.ndim} (X={x.meta})"
            )
        )


def _create_frozen_constant_parameter(layer: Layer, size: int, value: float) -> Parameter:
    """Create a constant parameter: some layers of Paddle have one where weight or bias is
    disabled.
    """
    parameter: Parameter = layer.create_parameter(
        [size], is_bias=value == 0.0, default_initializer=Constant(value)
    )
    parameter.stop_gradient = True
    return parameter


class _BatchNorm(NoHalfPrecisionLayer):
    """Batch normalization (Ioffe and Szegedy 2015).

    x [N, C, *] -> [N, C, *]

    weight, bias, _mean, _variance: [C]. `functional.batch_norm` has the formula.
    """

    _ranks: tuple[int, ...] = ()
    # The names of the running mean and variance; None for generated names.
    _statistic_names: tuple[str | None, str | None] = (None, None)
    _mean: Parameter
    _variance: Parameter

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._momentum, self._epsilon = momentum, epsilon
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self._num_features, self._name = num_features, name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight: Any = self._create_optional_affine_parameter(weight_attr, 1.0)
        self.bias: Any = self._create_optional_affine_parameter(bias_attr, 0.0)
        self._mean = self._create_running_statistic(0.0, self._statistic_names[0])
        self._variance = self._create_running_statistic(1.0, self._statistic_names[1])

    def _create_optional_affine_parameter(self, attr: Any, value: float) -> Parameter | None:
        """Create weight or bias; None if `attr` is False."""
        default = Constant(value)
        return self.create_parameter(
            [self._num_features], attr, is_bias=value == 0.0, default_initializer=default
        )

    def _create_running_statistic(self, value: float, name: str | None) -> Parameter:
        """Create a running statistic: as in Paddle a parameter that is not trained."""
        parameter: Parameter = self.create_parameter(
            [self._num_features], ParamAttr(name, initializer=Constant(value), trainable=False)
        )
        return parameter

    def forward(self, input: Tensor) -> Tensor:
        if self._ranks:
            _check_rank(self, input, self._ranks)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._use_global_stats,
        )

    def extra_repr(self) -> str:
        text = (
            f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        )
        # Paddle omits the default
        layout = "" if self._data_format == "NCHW" else f", data_format={self._data_format}"
        return text + layout + (f", name={self._name}" if self._name else "")


class BatchNorm1D(_BatchNorm):
    """Batch normalization of vectors or sequences, per channel (Ioffe and Szegedy 2015).

    y = (x - mean) / sqrt(var + epsilon) * weight + bias

    In training, mean and var are those of the batch over all axes but the channels (var is divided
    by the number of elements), and the running statistics become momentum * running + (1 -
    momentum) * batch. In evaluation they are the running statistics.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    momentum : float, default 0.9
        Share of the old value in an update of the running statistics.
    epsilon : float, default 1e-05
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        weight starts from 1, the bias from 0. False: no weight or no bias.
    data_format : "NC", "NCL" or "NLC", default "NCL"
        Where the channels are.
    use_global_stats : bool, optional
        True: use the running statistics in training, too, and do not update them. None and False:
        as described above.
    name : str, optional
        Shown by `repr`; it names no parameter.

    Attributes
    ----------
    weight, bias : Parameter [C], or None
    _mean, _variance : Parameter [C]
        Running mean (initially 0) and variance (initially 1); they are not trained.

    Shape
    -----
    input : [N, C] or [N, C, L], float16 | bfloat16 | dtype of the weight
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        In a call, if the rank, the number of channels or the dtype does not fit.

    Notes
    -----
    The parameters stay float32 in layers of half precision.

    See Also
    --------
    paddle.nn.functional.batch_norm : The same with given weights and statistics.

    Examples
    --------
    >>> norm = nn.BatchNorm1D(2)
    >>> x = paddle.to_tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> norm(x).numpy().round(3)
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    >>> norm._mean.numpy().round(3)  # 0.9 * 0 + 0.1 * [2, 20]
    array([0.2, 2. ], dtype=float32)
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCL",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm2D(_BatchNorm):
    """Batch normalization of images, per channel (Ioffe and Szegedy 2015).

    y = (x - mean) / sqrt(var + epsilon) * weight + bias

    In training, mean and var are those of the batch over all axes but the channels (var is divided
    by the number of elements), and the running statistics become momentum * running + (1 -
    momentum) * batch. In evaluation they are the running statistics.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    momentum : float, default 0.9
        Share of the old value in an update of the running statistics.
    epsilon : float, default 1e-05
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        weight starts from 1, the bias from 0. False: no weight or no bias.
    data_format : "NCHW" or "NHWC", default "NCHW"
        Where the channels are.
    use_global_stats : bool, optional
        True: use the running statistics in training, too, and do not update them. None and False:
        as described above.
    name : str, optional
        Shown by `repr`; it names no parameter.

    Attributes
    ----------
    weight, bias : Parameter [C], or None
    _mean, _variance : Parameter [C]
        Running mean (initially 0) and variance (initially 1); they are not trained.

    Shape
    -----
    input : [N, C, H, W], float16 | bfloat16 | dtype of the weight
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        In a call, if the rank, the number of channels or the dtype does not fit.

    Notes
    -----
    The parameters stay float32 in layers of half precision.

    See Also
    --------
    paddle.nn.functional.batch_norm : The same with given weights and statistics.

    Examples
    --------
    >>> norm = nn.BatchNorm2D(3)
    >>> norm(paddle.rand([4, 3, 8, 8])).shape
    [4, 3, 8, 8]
    >>> list(norm.state_dict())
    ['weight', 'bias', '_mean', '_variance']
    """

    _ranks = (4,)


class BatchNorm3D(_BatchNorm):
    """Batch normalization of volumes, per channel (Ioffe and Szegedy 2015).

    y = (x - mean) / sqrt(var + epsilon) * weight + bias

    In training, mean and var are those of the batch over all axes but the channels (var is divided
    by the number of elements), and the running statistics become momentum * running + (1 -
    momentum) * batch. In evaluation they are the running statistics.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    momentum : float, default 0.9
        Share of the old value in an update of the running statistics.
    epsilon : float, default 1e-05
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        weight starts from 1, the bias from 0. False: no weight or no bias.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
        Where the channels are.
    use_global_stats : bool, optional
        True: use the running statistics in training, too, and do not update them. None and False:
        as described above.
    name : str, optional
        Shown by `repr`; it names no parameter.

    Attributes
    ----------
    weight, bias : Parameter [C], or None
    _mean, _variance : Parameter [C]
        Running mean (initially 0) and variance (initially 1); they are not trained.

    Shape
    -----
    input : [N, C, D, H, W], float16 | bfloat16 | dtype of the weight
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        In a call, if the rank, the number of channels or the dtype does not fit.

    Notes
    -----
    The parameters stay float32 in layers of half precision.

    See Also
    --------
    paddle.nn.functional.batch_norm : The same with given weights and statistics.

    Examples
    --------
    >>> norm = nn.BatchNorm3D(3)
    >>> norm(paddle.rand([2, 3, 4, 8, 8])).shape
    [2, 3, 4, 8, 8]
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCDHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm(_BatchNorm):
    """Batch normalization of inputs of any rank, followed by an optional activation.

    y = act((x - mean) / sqrt(var + epsilon) * weight + bias), per channel (Ioffe and Szegedy 2015)

    In training, mean and var are those of the batch over all axes but the channels, and the running
    statistics become momentum * running + (1 - momentum) * batch. In evaluation they are the
    running statistics.

    Parameters
    ----------
    num_channels : int
        The number of channels C.
    act : str, optional
        Name of a function of `nn.functional`, such as "relu".
    is_test : bool, default False
        Not used; call `eval`.
    momentum : float, default 0.9
        Share of the old value in an update of the running statistics.
    epsilon : float, default 1e-05
    param_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of weight and bias; a str is a name. By default the
        weight starts from 1, the bias from 0. False: no weight or no bias.
    dtype : dtype or str, default "float32"
        Dtype of the parameters; float32 in place of half precision.
    data_layout : "NCHW" or "NHWC", default "NCHW"
        "NHWC": the channels are the last axis, for any rank.
    in_place : bool, default False
        Not used.
    moving_mean_name, moving_variance_name : str, optional
        Names of the running statistics; generated by default.
    do_model_average_for_mean_and_var : bool, default True
        Not used.
    use_global_stats : bool, default False
        Use the running statistics in training, too, and do not update them.
    trainable_statistics : bool, default False
        In evaluation, too, use the statistics of the batch and update the running statistics.

    Attributes
    ----------
    weight, bias : Parameter [C], or None
    _mean, _variance : Parameter [C]
        Running mean (initially 0) and variance (initially 1); they are not trained.

    Shape
    -----
    input : [N, C, *], float16 | bfloat16 | dtype of the weight
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        In a call, if the number of channels or the dtype does not fit.
    AttributeError
        In a call, if `nn.functional` has no function `act`.

    Examples
    --------
    >>> norm = nn.BatchNorm(2, act="relu")
    >>> norm(paddle.to_tensor([[1.0, 30.0], [3.0, 10.0]])).numpy().round(3)
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """

    def __init__(
        self,
        num_channels: int,
        act: str | None = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        param_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        dtype: str = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:
        self._dtype_argument, self._statistic_names = (
            dtype,
            (moving_mean_name, moving_variance_name),
        )
        super().__init__(
            num_channels, momentum, epsilon, param_attr, bias_attr, data_layout, use_global_stats
        )
        self._act, self._data_layout, self._param_attr = act, data_layout, param_attr
        self._is_test, self._trainable_statistics = is_test, trainable_statistics

    def _choose_parameter_dtype(self, dtype: Any) -> np.dtype[Any]:
        """Return the dtype of the parameters: for the argument "float32" always float32, while
        other layers take it as the default dtype.
        """
        return (
            np.dtype(np.float32)
            if self._dtype_argument == "float32"
            else super()._choose_parameter_dtype(self._dtype_argument)
        )

    def forward(self, input: Tensor) -> Tensor:
        out = F.norm.batch_norm_with_chosen_statistics(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            use_global_stats=bool(self._use_global_stats),
            trainable_statistics=self._trainable_statistics,
        )
        return out if self._act is None else getattr(F, self._act)(out)

    def extra_repr(self) -> str:
        return ""


class LayerNorm(Layer):
    """Layer normalization: over the last axes of each sample (Ba et al. 2016).

    y = (x - mean) / sqrt(var + epsilon) * weight + bias

    Parameters
    ----------
    normalized_shape : int, list of int or tuple of int
        Sizes of the last axes, over which mean and variance are computed; an int is the last axis.
    epsilon : float, default 1e-05
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        weight starts from 1, the bias from 0. False: no weight or no bias.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight, bias : Parameter [product of normalized_shape], or None

    Shape
    -----
    input : [*, *normalized_shape], float16 | bfloat16 | dtype of the weight
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        In a call, if the last axes or the dtype do not fit.

    See Also
    --------
    paddle.nn.functional.layer_norm : The same with given weights.

    Examples
    --------
    >>> norm = nn.LayerNorm(2)
    >>> norm(paddle.to_tensor([[1.0, 3.0], [20.0, 10.0]])).numpy().round(3)
    array([[-1.,  1.],
           [ 1., -1.]], dtype=float32)
    >>> nn.LayerNorm([3, 4])(paddle.rand([2, 3, 4])).shape
    [2, 3, 4]
    """

    def __init__(
        self,
        normalized_shape: Ints,
        epsilon: float = 1e-05,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._normalized_shape = (
            [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        )
        self._epsilon, self._weight_attr, self._bias_attr = epsilon, weight_attr, bias_attr
        size = [int(np.prod(self._normalized_shape))]
        self.weight: Any = self.create_parameter(
            size, weight_attr, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter(size, bias_attr, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class GroupNorm(Layer):
    """Group normalization: over groups of channels of each sample (Wu and He 2018).

    y = (x - mean) / sqrt(var + epsilon) * weight + bias, with mean and variance per sample and
    group, and weight and bias per channel

    Parameters
    ----------
    num_groups : int
        Divides the number of channels.
    num_channels : int
        The number of channels C.
    epsilon : float, default 1e-05
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        weight starts from 1, the bias from 0. False: no trained weight or no trained bias: it stays
        1 or 0.
    data_format : str, default "NCHW"
        The channels are the second axis if it starts with "NC", such as "NCL", otherwise the last.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight, bias : Parameter [C]

    Shape
    -----
    input : [N, C, *], float16 | bfloat16 | dtype of the weight
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        In a call, if the number of channels or the dtype does not fit, or `num_groups` does not
        divide the channels.

    See Also
    --------
    paddle.nn.functional.group_norm : The same with given weights.

    Examples
    --------
    >>> norm = nn.GroupNorm(num_groups=2, num_channels=4)
    >>> norm(paddle.to_tensor([[1.0, 3.0, 20.0, 10.0]])).numpy().round(3)
    array([[-1.,  1.,  1., -1.]], dtype=float32)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-05,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._num_groups, self._epsilon, self._data_format = num_groups, epsilon, data_format
        self._num_channels, self._weight_attr, self._bias_attr = (
            num_channels,
            weight_attr,
            bias_attr,
        )
        if weight_attr is False:
            self.weight: Any = _create_frozen_constant_parameter(self, num_channels, 1.0)
        else:
            self.weight = self.create_parameter(
                [num_channels], weight_attr, default_initializer=Constant(1.0)
            )
        if bias_attr is False:
            self.bias: Any = _create_frozen_constant_parameter(self, num_channels, 0.0)
        else:
            self.bias = self.create_parameter([num_channels], bias_attr, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(
            input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format
        )

    def extra_repr(self) -> str:
        return (
            f"num_groups={self._num_groups}, num_channels={self._num_channels}, "
            f"epsilon={self._epsilon}"
        )


class _InstanceNorm(Layer):
    """Instance normalization: over each channel of each sample (Ulyanov et al. 2016).

    x [N, C, *] -> like x
    """

    _ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-05,
        momentum: float = 0.9,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: weight_attr and bias_attr must both be False, or "
                    "neither"
                )
            )
        self._num_features, self._epsilon, self._data_format = num_features, epsilon, data_format
        self._momentum, self._weight_attr, self._bias_attr = momentum, weight_attr, bias_attr
        self.scale: Any = self.create_parameter(
            [num_features], weight_attr, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter([num_features], bias_attr, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        _check_rank(self, input, self._ranks)
        return F.instance_norm(
            input,
            weight=self.scale,
            bias=self.bias,
            eps=self._epsilon,
            data_format=self._data_format,
        )

    def extra_repr(self) -> str:
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNorm):
    """Instance normalization of sequences: per channel of each sample (Ulyanov et al. 2016).

    y = (x - mean) / sqrt(var + epsilon) * scale + bias, with the mean and variance over the spatial
    axes, in training and evaluation.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    epsilon : float, default 1e-05
    momentum : float, default 0.9
        Not used: there are no running statistics.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        scale starts from 1, the bias from 0. False: no scale and no bias. Both are False, or
        neither.
    data_format : str, default "NCL"
        Not used: the channels are the second axis.
    name : str, optional
        Not used.

    Attributes
    ----------
    scale, bias : Parameter [C], or None

    Shape
    -----
    input : [N, C] or [N, C, L], float16 | bfloat16 | dtype of the scale
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        If only one of `weight_attr` and `bias_attr` is False; in a call, if the rank, the number of
        channels or the dtype does not fit.

    See Also
    --------
    paddle.nn.functional.instance_norm : The same with given weights.

    Examples
    --------
    >>> norm = nn.InstanceNorm1D(1)
    >>> print(norm(paddle.to_tensor([[[1.0, 3.0]]])).numpy().round(3))
    [[[-1.  1.]]]
    >>> nn.InstanceNorm1D(3)(paddle.rand([2, 3, 10])).shape
    [2, 3, 10]
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-05,
        momentum: float = 0.9,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCL",
        name: str | None = None,
    ) -> None:
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm2D(_InstanceNorm):
    """Instance normalization of images: per channel of each sample (Ulyanov et al. 2016).

    y = (x - mean) / sqrt(var + epsilon) * scale + bias, with the mean and variance over the spatial
    axes, in training and evaluation.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    epsilon : float, default 1e-05
    momentum : float, default 0.9
        Not used: there are no running statistics.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        scale starts from 1, the bias from 0. False: no scale and no bias. Both are False, or
        neither.
    data_format : str, default "NCHW"
        Not used: the channels are the second axis.
    name : str, optional
        Not used.

    Attributes
    ----------
    scale, bias : Parameter [C], or None

    Shape
    -----
    input : [N, C, H, W], float16 | bfloat16 | dtype of the scale
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        If only one of `weight_attr` and `bias_attr` is False; in a call, if the rank, the number of
        channels or the dtype does not fit.

    See Also
    --------
    paddle.nn.functional.instance_norm : The same with given weights.

    Examples
    --------
    >>> norm = nn.InstanceNorm2D(1)
    >>> print(norm(paddle.to_tensor([[[[1.0, 3.0]]]])).numpy().round(3))
    [[[[-1.  1.]]]]
    >>> nn.InstanceNorm2D(3)(paddle.rand([2, 3, 8, 8])).shape
    [2, 3, 8, 8]
    """

    _ranks = (4,)


class InstanceNorm3D(_InstanceNorm):
    """Instance normalization of volumes: per channel of each sample (Ulyanov et al. 2016).

    y = (x - mean) / sqrt(var + epsilon) * scale + bias, with the mean and variance over the spatial
    axes, in training and evaluation.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    epsilon : float, default 1e-05
    momentum : float, default 0.9
        Not used: there are no running statistics.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        scale starts from 1, the bias from 0. False: no scale and no bias. Both are False, or
        neither.
    data_format : str, default "NCDHW"
        Not used: the channels are the second axis.
    name : str, optional
        Not used.

    Attributes
    ----------
    scale, bias : Parameter [C], or None

    Shape
    -----
    input : [N, C, D, H, W], float16 | bfloat16 | dtype of the scale
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        If only one of `weight_attr` and `bias_attr` is False; in a call, if the rank, the number of
        channels or the dtype does not fit.

    See Also
    --------
    paddle.nn.functional.instance_norm : The same with given weights.

    Examples
    --------
    >>> norm = nn.InstanceNorm3D(1)
    >>> print(norm(paddle.to_tensor([[[[[1.0, 3.0]]]]])).numpy().round(3))
    [[[[[-1.  1.]]]]]
    >>> nn.InstanceNorm3D(3)(paddle.rand([2, 3, 4, 8, 8])).shape
    [2, 3, 4, 8, 8]
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-05,
        momentum: float = 0.9,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all ranks in training.

    With one rank, and in evaluation, it computes what BatchNorm2D does, for inputs of any rank.
    Batches of the ranks may differ in size. `distributed.init_parallel_env` connects several ranks.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    momentum : float, default 0.9
        Share of the old value in an update of the running statistics.
    epsilon : float, default 1e-05
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. By default the
        weight starts from 1, the bias from 0. False: no trained weight or no trained bias: it stays
        1 or 0.
    data_format : str, default "NCHW"
        "NC", "NCL", "NCHW" and "NCDHW": the channels are the second axis; otherwise the last.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight, bias : Parameter [C]
    _mean, _variance : Parameter [C]
        Running mean (initially 0) and variance (initially 1); they are not trained.

    Shape
    -----
    x : [N, C, *], float16 | bfloat16 | dtype of the weight
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        In a call, if the number of channels or the dtype does not fit.
    OarlockError
        In training in a static program with several ranks.

    Examples
    --------
    >>> norm = nn.SyncBatchNorm(2)
    >>> norm(paddle.to_tensor([[1.0, 10.0], [3.0, 30.0]])).numpy().round(3)
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name
        )
        if weight_attr is False:
            self.weight = _create_frozen_constant_parameter(self, num_features, 1.0)
        if bias_attr is False:
            self.bias = _create_frozen_constant_parameter(self, num_features, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or process_groups.global_communicator.size == 1:
            return super().forward(x)
        return sync_batch_norm(
            x,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self._momentum,
            self._epsilon,
            self._data_format,
        )

    def extra_repr(self) -> str:
        return (
            f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        )

    @classmethod
    def convert_sync_batchnorm(cls, layer: LayerT) -> LayerT:
        """Replace the batch normalizations in a layer, itself included, by SyncBatchNorm layers.

        The new layers share the parameters and running statistics of the old ones. BatchNorm1D,
        BatchNorm2D and BatchNorm3D are replaced, `use_global_stats` gets lost; BatchNorm is kept,
        because it can have an activation.

        Parameters
        ----------
        layer : Layer
            Its sublayers are replaced in place.

        Returns
        -------
        Layer
            `layer`, or a new SyncBatchNorm if `layer` is a batch normalization.

        Examples
        --------
        >>> net = nn.Sequential(nn.Conv2D(3, 8, 3), nn.BatchNorm2D(8))
        >>> nn.SyncBatchNorm.convert_sync_batchnorm(net)[1]
        SyncBatchNorm(num_features=8, momentum=0.9, epsilon=1e-05)
        """
        result: Any = layer
        if isinstance(layer, _BatchNorm) and not isinstance(layer, SyncBatchNorm | BatchNorm):
            weight, bias = (False if p is None else None for p in (layer.weight, layer.bias))
            result = sync_norm = cls(
                layer._num_features,
                layer._momentum,
                layer._epsilon,
                weight,
                bias,
                layer._data_format,
            )
            sync_norm._mean, sync_norm._variance, sync_norm.training = (
                layer._mean,
                layer._variance,
                layer.training,
            )
            for name in ("weight", "bias"):
                if getattr(layer, name) is not None:
                    setattr(sync_norm, name, getattr(layer, name))
        for name, sublayer in list(layer.named_children()):
            result.add_sublayer(name, cls.convert_sync_batchnorm(sublayer))
        return result


class SpectralNorm(Layer):
    """Divide a weight by an estimate of its largest singular value (Miyato et al. 2018).

    The weight is taken as a matrix W [shape[dim], product of the other sizes]. Each call starts
    from the vectors u and v, iterates v = W' u / (|W' u| + eps), u = W v / (|W v| + eps), and
    divides by u' W v.

    Parameters
    ----------
    weight_shape : list of int or tuple of int
        Shape of the weight.
    dim : int, default 0
        Axis that becomes the rows of the matrix, in [0, rank): 0 for convolutions, 1 for Linear and
        transposed convolutions.
    power_iters : int, default 1
        Iterations per call.
    eps : float, default 1e-12
    dtype : dtype or str, default "float32"
        Dtype of the vectors.

    Attributes
    ----------
    weight_u : Parameter [weight_shape[dim]]
    weight_v : Parameter [product of the other sizes]
        Start vectors, normally distributed; they are not trained, and calls do not change them.

    Shape
    -----
    x : [*weight_shape], dtype of the vectors
    returns : shape and dtype of the input

    Raises
    ------
    OpError
        If `dim` or a size is out of range; in a call, if the shape or dtype of x does not fit.

    Notes
    -----
    The gradient takes the singular vectors as constants. That of Paddle 2.6.2 is wrong.

    See Also
    --------
    paddle.nn.utils.spectral_norm : Apply it to the weight of a layer.

    Examples
    --------
    >>> norm = nn.SpectralNorm([2, 2], power_iters=50)
    >>> norm(paddle.to_tensor([[4.0, 0.0], [0.0, 2.0]])).numpy().round(3)
    array([[1. , 0. ],
           [0. , 0.5]], dtype=float32)
    """

    def __init__(
        self,
        weight_shape: Sequence[int],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        self._dtype_argument = dtype
        shape = [int(d) for d in weight_shape]
        if min(shape, default=0) <= 0 or not 0 <= dim < len(shape):
            raise OpError(
                append_user_line(f"SpectralNorm: dim={dim} does not fit weight_shape={shape}")
            )
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        self.weight_u: Any = self._create_singular_vector_parameter(shape[dim])
        self.weight_v: Any = self._create_singular_vector_parameter(
            int(np.prod(shape)) // shape[dim]
        )

    def _create_singular_vector_parameter(self, size: int) -> Parameter:
        vector: Parameter = self.create_parameter(
            [size], dtype=self._dtype_argument, default_initializer=Normal(0.0, 1.0)
        )
        vector.stop_gradient = True
        return vector

    def forward(self, x: Tensor) -> Tensor:
        return OPS["spectral_norm"](
            x,
            self.weight_u,
            self.weight_v,
            dim=self._dim,
            power_iters=self._power_iters,
            eps=float(self._eps),
        )
